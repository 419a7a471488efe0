"""The first candidates: masked files and random genomes, made and evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evosdc.data.table import Table
from evosdc.engine.problem import Problem
from evosdc.errors import PluginError
from evosdc.model import Individual, Masking
from evosdc.registry import Registry
from evosdc.seeds import Purpose, stream


@dataclass(frozen=True)
class StartingFile:
    """A masked file of the portfolio with its scores; `masking` is None for the original itself."""

    label: str
    masking: Masking | None
    individual: Individual


def masked_by(masking: Masking, original: Table, registry: Registry, rng: np.random.Generator) -> Table:
    """Return the protected attributes masked by one entry of a portfolio.

    Raises
    ------
    ParameterError
        The parameters do not fit the table.
    PluginError
        The method changed the schema or lost records.
    """
    method = registry.build("masking-method", masking.method, masking.params)
    part = original.select(masking.attributes) if masking.attributes else original
    masked: Table = method.mask(part, rng)
    if masked.schema.names != part.schema.names or len(masked) != len(part):
        raise PluginError(f"method {masking.method} returned a table with other attributes or records")
    return original.with_columns(masked) if masking.attributes else masked


def starting_candidate(
    problem: Problem, maskings: tuple[Masking, ...], registry: Registry, position: int, seed: int
) -> Any:
    """Return the genome of one starting candidate: first the maskings, then random ones. Found by address alone."""
    genotype = problem.genotype
    if position < len(maskings):
        rng = stream(seed, Purpose.PORTFOLIO, position)
        return genotype.seeded(masked_by(maskings[position], genotype.microdata.original, registry, rng))
    return genotype.random(problem.streams.initial(position))


def individual_of(problem: Problem, genome: Any, origin: str) -> Individual:
    """Return an evaluated individual."""
    key = problem.genotype.key(genome)
    evaluation = problem.evaluate(genome, key)
    return Individual(genome, key, evaluation.scores, evaluation.objectives, origin)
