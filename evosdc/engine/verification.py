"""Whether scores that were reached by what children change are those of the genomes themselves."""

from collections.abc import Iterable
from math import isclose

from evosdc.engine.problem import Problem
from evosdc.model import Individual
from evosdc.model.individual import Values

ROUNDING = 1e-9
"""Difference, relative or absolute, that a tracker may make."""


def rescored(problem: Problem, individual: Individual, others: Iterable[Individual] = ()) -> list[str]:
    """Have an individual scored from scratch, as its file is told of; return what was otherwise, in words.

    Those of the others that are equal to it get its scores, so that it is told of alike wherever it stands.
    """
    fresh = problem.evaluate(individual, from_scratch=True)
    differences = _differences(individual, fresh)
    for one in (individual, *(other for other in others if other.key == individual.key)):
        one.fitness.values = fresh
    return differences


def unequal(problem: Problem, individuals: Iterable[Individual]) -> list[str]:
    """Return what differs between individuals and an evaluation of their genomes from scratch; in words."""
    return [text for one in individuals for text in _differences(one, problem.evaluate(one, from_scratch=True))]


def _differences(individual: Individual, fresh: Values) -> list[str]:
    name = individual.key[:4].hex()
    found = [
        f"{name}: {score} is {individual.scores[score]!r}, afresh {value!r}"
        for score, value in fresh.scores.items()
        if not isclose(individual.scores[score], value, rel_tol=ROUNDING, abs_tol=ROUNDING)
    ]
    pairs = zip(individual.objectives, fresh, strict=True)
    if not all(isclose(own, other, rel_tol=ROUNDING, abs_tol=ROUNDING) for own, other in pairs):
        found.append(f"{name}: the objectives are {individual.objectives}, afresh {tuple(fresh)}")
    return found
