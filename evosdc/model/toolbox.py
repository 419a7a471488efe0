"""The DEAP toolbox of a genotype: the operators under the names that DEAP's users know."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.model.capabilities import Movable
from evosdc.model.composition import Composed
from evosdc.model.fitness import Fitness
from evosdc.model.genotype import Genotype
from evosdc.model.individual import Individual
from evosdc.model.measure import Fitted
from evosdc.model.random_decoding import Raced


def toolbox_of(
    genotype: Genotype[Any],
    measures: Mapping[str, Fitted] | None = None,
    fitness: Fitness | None = None,
    algorithm: Callable[[str, Mapping[str, Any], base.Toolbox], Any] | None = None,
    keeps_classes: bool = False,
    burdens: Callable[[Individual], Sequence[NDArray[np.float64]]] | None = None,
) -> base.Toolbox:
    """Return a toolbox with ``mate(a, b, rng)``, ``mutate(genome, rng)``, ``key(genome)`` and ``random(rng)``.

    ``mutants(genome, count, rng)`` gives what ``mutate`` gives one after another, in less time. ``burdens(individual)``
    gives what each record adds to the score of each measure that can tell (`evosdc.model.Fitted.burdens`).

    The operators are pure: they return new genomes and draw from `rng` alone. Its attributes `genotype`, `measures`
    and `fitness` are what the search is about, for algorithms that are made for one genotype or know bounds of a
    fitness. Where `algorithm` is given, ``toolbox.algorithm(name, params)`` returns a registered algorithm on the same
    toolbox, for algorithms that are made of others. Where a constraint is on a privacy model, `keeps_classes` is True:
    half of the mutations are then moves that keep records alike (`evosdc.model.Movable.class_moves`), if there are any.
    Of a genotype that is `evosdc.model.Raced`, ``on_tables(genome, number)`` and ``on_all_tables(genome)`` say how it
    is judged; of one that is `evosdc.model.Composed`, ``simpler(genome)`` which genomes have a step less,
    ``joined(a, b, rng)`` which one has the steps of both, and ``refined(genome)`` which have a parameter moved by a
    little.
    """
    toolbox = base.Toolbox()
    toolbox.genotype, toolbox.measures, toolbox.fitness = genotype, measures or {}, fitness
    toolbox.register("mate", genotype.crossover)
    toolbox.keeps_classes = keeps_classes
    by_class = keeps_classes and isinstance(genotype, Movable) and genotype.class_moves
    toolbox.register("mutate", partial(_mutated, genotype) if by_class else genotype.mutate)
    toolbox.register("mutants", partial(_mutants, genotype) if by_class else genotype.mutants)
    toolbox.register("random", genotype.random)
    toolbox.register("key", genotype.key)
    toolbox.register("distance", genotype.distance)
    toolbox.register("burdens", burdens or partial(_burdens, genotype, toolbox.measures))
    if isinstance(genotype, Raced):
        toolbox.register("on_tables", genotype.judged_on)
        toolbox.register("on_all_tables", genotype.judged_on, draws=genotype.draws)
    if isinstance(genotype, Composed):
        toolbox.register("simpler", genotype.simpler)
        toolbox.register("joined", genotype.joined)
        toolbox.register("refined", genotype.refined)
    if algorithm is not None:
        toolbox.register("algorithm", lambda name, params: algorithm(name, params, toolbox))
    return toolbox


def _burdens(
    genotype: Genotype[Any], measures: Mapping[str, Fitted], individual: Individual
) -> list[NDArray[np.float64]]:
    masked = genotype.decode(individual.genome, np.random.default_rng(0))
    return [burdens for fitted in measures.values() if (burdens := fitted.burdens(masked)) is not None]


def _mutated(genotype: Any, genome: Any, rng: np.random.Generator) -> Any:
    """Return a mutant, or with probability one half a genome with a move that keeps records alike."""
    if rng.random() < 0.5:
        return genotype.mutate(genome, rng)
    kinds = genotype.class_moves
    return genotype.move(genome, kinds[int(rng.random() * len(kinds))], rng)


def _mutants(genotype: Any, genome: Any, count: int, rng: np.random.Generator) -> list[Any]:
    return [_mutated(genotype, genome, rng) for _ in range(count)]
