"""Whether scores that were reached by what children change are those of the genomes themselves."""

from collections.abc import Iterable
from math import isclose

from evosdc.engine.problem import Problem
from evosdc.model import Individual

ROUNDING = 1e-9
"""Difference, relative or absolute, that a tracker may make."""


def rescored(problem: Problem, individual: Individual) -> list[str]:
    """Have an individual scored from scratch, as its file is told of; return what was otherwise, in words."""
    differences = unequal(problem, [individual])
    individual.fitness.values = problem.evaluate(individual, from_scratch=True)
    return differences


def unequal(problem: Problem, individuals: Iterable[Individual]) -> list[str]:
    """Return what differs between individuals and an evaluation of their genomes from scratch; in words."""
    differences = []
    for individual in individuals:
        fresh, name = problem.evaluate(individual, from_scratch=True), individual.key[:4].hex()
        differences += [
            f"{name}: {score} is {individual.scores[score]!r}, afresh {value!r}"
            for score, value in fresh.scores.items()
            if not isclose(individual.scores[score], value, rel_tol=ROUNDING, abs_tol=ROUNDING)
        ]
        pairs = zip(individual.objectives, fresh, strict=True)
        if not all(isclose(own, other, rel_tol=ROUNDING, abs_tol=ROUNDING) for own, other in pairs):
            differences.append(f"{name}: the objectives are {individual.objectives}, afresh {tuple(fresh)}")
    return differences
