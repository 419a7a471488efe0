"""The DEAP toolbox of a genotype: the operators under the names that DEAP's users know."""

from __future__ import annotations

from typing import Any

from deap import base

from evosdc.model.genotype import Genotype


def toolbox_of(genotype: Genotype[Any]) -> base.Toolbox:
    """Return a toolbox with ``mate(a, b, rng)``, ``mutate(genome, rng)``, ``key(genome)`` and ``random(rng)``.

    The operators are pure: they return new genomes and draw from `rng` alone.
    """
    toolbox = base.Toolbox()
    toolbox.register("mate", genotype.crossover)
    toolbox.register("mutate", genotype.mutate)
    toolbox.register("random", genotype.random)
    toolbox.register("key", genotype.key)
    toolbox.register("distance", genotype.distance)
    return toolbox
