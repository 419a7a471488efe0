"""The DEAP toolbox of a search: operators on individuals, under the names that DEAP's users know."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from deap import base

from evosdc.model.capabilities import Composed, Local, racing
from evosdc.model.changes import Changes
from evosdc.model.fitness import Fitness
from evosdc.model.genotype import Genotype
from evosdc.model.individual import Individual, Siblings
from evosdc.model.measure import Fitted

Crossover = Callable[[Any, Any, np.random.Generator], tuple[Any, Any]]
Mutation = Callable[[Any, np.random.Generator], Any]


def toolbox_of(
    genotype: Genotype[Any],
    measures: Mapping[str, Fitted] | None = None,
    fitness: Fitness | None = None,
    algorithm: Callable[[str, Mapping[str, Any], base.Toolbox], Any] | None = None,
    keeps_classes: bool = False,
) -> base.Toolbox:
    """Return a toolbox with ``individual()``, ``mate(a, b)``, ``mutate(individual)`` and ``clone(individual)``.

    As in DEAP, ``mate`` and ``mutate`` give individuals other genomes, in place, and return them as a tuple; clone
    first. They draw from ``toolbox.rng``, which the engine sets before each step. ``key(genome)`` tells genomes apart,
    ``distance(a, b)`` says how far they are from each other. Its attributes `genotype`, `measures` and `fitness` are
    what the search is about, for algorithms that are made for one genotype or know bounds of a fitness, and for
    operators that work on what a measure knows; `generation` is how many generations have been completed. Where
    `algorithm` is given, ``toolbox.algorithm(name, params)`` returns a registered algorithm on the same toolbox, for
    algorithms that are made of others. Where a constraint is on a privacy model, `keeps_classes` is True: half of the
    mutations are then moves that keep records alike (`evosdc.model.Local.class_moves`), if there are any.

    The engine adds ``evaluate(individual)``, ``map``, ``tries(siblings)``, which judges children of one parent
    together, and ``contributions(individual)``: what each record adds to the score of each measure that can tell.

    Of a genotype that `races`, ``on_tables(genome, number)`` and ``on_all_tables(genome)`` say how it
    is judged; of one that is `evosdc.model.Composed`, ``simpler(genome)`` which genomes have a step less,
    ``joined(a, b, rng)`` which one has the steps of both, and ``refined(genome)`` which have a parameter moved by a
    little.
    """
    toolbox = base.Toolbox()
    toolbox.genotype, toolbox.measures, toolbox.fitness = genotype, measures or {}, fitness
    toolbox.rng, toolbox.generation = np.random.default_rng(0), 0
    toolbox.keeps_classes = keeps_classes
    toolbox.register("individual", _random_individual, toolbox)
    by_class = keeps_classes and isinstance(genotype, Local) and genotype.class_moves
    toolbox.register("mate", _mate, toolbox, genotype.crossover)
    toolbox.register("mutate", _mutate, toolbox, _with_class_moves(genotype) if by_class else genotype.mutate)
    toolbox.own_mutation = False
    toolbox.register("key", genotype.key)
    toolbox.register("distance", genotype.distance)
    if isinstance(genotype, Local):
        toolbox.register("siblings", _siblings, genotype)
        toolbox.register("together", _together, genotype)
    if (raced := racing(genotype)) is not None:
        toolbox.register("on_tables", raced.judged_on)
        toolbox.register("on_all_tables", raced.judged_on, draws=raced.draws)
    if isinstance(genotype, Composed):
        toolbox.register("simpler", genotype.simpler)
        toolbox.register("joined", genotype.joined)
        toolbox.register("refined", genotype.refined)
    if algorithm is not None:
        toolbox.register("algorithm", lambda name, params: algorithm(name, params, toolbox))
    return toolbox


def register_operators(
    toolbox: base.Toolbox, crossover: Crossover | None = None, mutation: Mutation | None = None
) -> None:
    """Register pure operators of one's own on genomes as operators on individuals: ``mate``, ``mutate`` or both."""
    if crossover is not None:
        toolbox.register("mate", _mate, toolbox, crossover)
    if mutation is not None:
        toolbox.register("mutate", _mutate, toolbox, mutation)
        toolbox.own_mutation = True


def _mate(
    toolbox: base.Toolbox, crossover: Crossover, first: Individual, second: Individual
) -> tuple[Individual, Individual]:
    genomes = crossover(first.genome, second.genome, toolbox.rng)
    for individual, genome in zip((first, second), genomes, strict=True):
        individual.genome, individual.origin = genome, "crossover"
    return first, second


def _mutate(toolbox: base.Toolbox, mutation: Mutation, individual: Individual) -> tuple[Individual]:
    crossed = individual.origin == "crossover" and not individual.fitness.valid
    individual.genome = mutation(individual.genome, toolbox.rng)
    individual.origin = "crossover and mutation" if crossed else "mutation"
    return (individual,)


def _random_individual(toolbox: base.Toolbox) -> Individual:
    objectives = 1 if toolbox.fitness is None else toolbox.fitness.objectives
    return Individual.unevaluated(toolbox.genotype.random(toolbox.rng), "random", objectives)


def _siblings(
    genotype: Local[Any], parent: Individual, made: Sequence[Any] | Changes, origins: Sequence[str]
) -> Siblings:
    """Return the children that `Local.moved` made, to be judged."""
    if not isinstance(made, Changes):
        return Siblings(parent, origins, made.__getitem__, genotype.key)

    def genome(place: int) -> Any:
        return genotype.changed(parent.genome, made.part(place, place + 1))

    return Siblings(parent, origins, genome, genotype.key, made)


def _together(genotype: Local[Any], siblings: Siblings, sets: Sequence[Sequence[int]], origin: str) -> Siblings:
    """Return children with the changes of several siblings, for each set of places one where that is possible."""
    parent, changes = siblings.parent, siblings.changes
    if changes is not None:
        return _siblings(genotype, parent, changes.together(sets), [origin] * len(sets))
    made = (genotype.combined(parent.genome, [siblings.genome(place) for place in places]) for places in sets)
    genomes = [genome for genome in made if genome is not None]
    return _siblings(genotype, parent, genomes, [origin] * len(genomes))


def _with_class_moves(genotype: Any) -> Mutation:
    """Return a mutation that is, with probability one half, a move that keeps records alike."""

    def mutated(genome: Any, rng: np.random.Generator) -> Any:
        if rng.random() < 0.5:
            return genotype.mutate(genome, rng)
        kinds = genotype.class_moves
        made = genotype.moved(genome, [kinds[int(rng.random() * len(kinds))]], [False], None, rng)
        return genotype.changed(genome, made) if isinstance(made, Changes) else made[0]

    return mutated
