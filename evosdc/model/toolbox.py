"""The DEAP toolbox of a genotype: the operators under the names that DEAP's users know."""

from collections.abc import Callable, Mapping
from typing import Any

from deap import base

from evosdc.model.fitness import Fitness
from evosdc.model.genotype import Genotype
from evosdc.model.measure import Fitted


def toolbox_of(
    genotype: Genotype[Any],
    measures: Mapping[str, Fitted] | None = None,
    fitness: Fitness | None = None,
    algorithm: Callable[[str, Mapping[str, Any], base.Toolbox], Any] | None = None,
) -> base.Toolbox:
    """Return a toolbox with ``mate(a, b, rng)``, ``mutate(genome, rng)``, ``key(genome)`` and ``random(rng)``.

    The operators are pure: they return new genomes and draw from `rng` alone. Its attributes `genotype`, `measures`
    and `fitness` are what the search is about, for algorithms that are made for one genotype or know bounds of a
    fitness. Where `algorithm` is given, ``toolbox.algorithm(name, params)`` returns a registered algorithm on the same
    toolbox, for algorithms that are made of others.
    """
    toolbox = base.Toolbox()
    toolbox.genotype, toolbox.measures, toolbox.fitness = genotype, measures or {}, fitness
    toolbox.register("mate", genotype.crossover)
    toolbox.register("mutate", genotype.mutate)
    toolbox.register("random", genotype.random)
    toolbox.register("key", genotype.key)
    toolbox.register("distance", genotype.distance)
    if algorithm is not None:
        toolbox.register("algorithm", lambda name, params: algorithm(name, params, toolbox))
    return toolbox
