"""Judging a genome again: on draws that the search never saw, and from scratch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.problem import Problem
from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY, PROVISIONAL, Values

FIRST_FRESH = 1 << 31  # Draws of searches are numbered from 0, fresh ones from here: no search reaches it


@dataclass(frozen=True)
class FreshScores:
    """Scores of one genome over fresh draws."""

    scores: Mapping[str, float]  # mean of each score, ``il`` and ``dr`` among them, and its standard error
    errors: Mapping[str, float]
    objectives: tuple[float, ...]  # of the mean scores, and their standard errors
    objective_errors: tuple[float, ...]
    # (draws, objectives): Objectives of the means that leave one draw out each: what the errors and `advantage` are
    # reckoned from.
    left_out: NDArray[np.float64]

    @property
    def draws(self) -> int:
        """How many tables were judged."""
        return len(self.left_out)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON-able data."""
        return {
            "scores": dict(self.scores),
            "errors": dict(self.errors),
            "fitness": list(self.objectives),
            "fitness_errors": list(self.objective_errors),
        }


def fresh_scores(problem: Problem, genome: Any, key: bytes, draws: int) -> FreshScores:
    """Judge a genome on fresh draws, the same ones for every genome that decodes with common random numbers."""
    tables = (problem.decode(genome, key, FIRST_FRESH + draw) for draw in range(draws))
    return summarised(problem, [problem.scores_of_draw(genome, table) for table in tables], genome)


def summarised(problem: Problem, draws: Sequence[Mapping[str, float]], genome: Any = None) -> FreshScores:
    """Return means and standard errors of the scores of at least two draws."""
    # Aggregates and objectives are those of the mean scores, as in the search. Standard errors come from the jackknife,
    # which for a mean is the usual one and holds for the greater of two means, too.
    names, count = list(problem.measures), len(draws)
    judged = np.array([[scores[name] for name in names] for scores in draws])
    total = judged.sum(axis=0)
    scores, objectives = problem.judge(dict(zip(names, (total / count).tolist(), strict=True)), genome)
    means = ((total - judged) / (count - 1)).tolist()
    if genome is not None and problem.draws_of(genome) < problem.draws:
        # Here it is judged on as many draws as others, however few its search spent on it.
        scores = {**scores, INFEASIBILITY: max(0.0, round(scores[INFEASIBILITY] - PROVISIONAL, 6))}
    without = [problem.judge(dict(zip(names, row, strict=True)), genome) for row in means]
    each = np.array([list(entry[0].values()) for entry in without])
    left_out = np.array([entry[1] for entry in without])
    return FreshScores(
        scores,
        dict(zip(scores, jackknife_errors(each).tolist(), strict=True)),
        objectives,
        tuple(jackknife_errors(left_out).tolist()),
        left_out,
    )


def advantage(winner: FreshScores, other: FreshScores, paired: bool = True) -> tuple[float, float]:
    """Return by how much the first objective of `winner` is below that of `other`, and its standard error."""
    gained = other.objectives[0] - winner.objectives[0]
    if not paired:
        return gained, hypot(winner.objective_errors[0], other.objective_errors[0])
    difference = other.left_out[:, 0] - winner.left_out[:, 0]
    return gained, float(jackknife_errors(difference[:, None])[0])


def jackknife_errors(left_out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the jackknife's standard error of each column of leave-one-out values, shape (m, q) to (q,)."""
    count = len(left_out)
    deviations = left_out - left_out.mean(axis=0)
    errors: NDArray[np.float64] = np.sqrt((count - 1) / count * (deviations**2).sum(axis=0))
    return errors


ROUNDING = 1e-9  # Difference, relative or absolute, that a tracker may make


def rescored(problem: Problem, individual: Individual, others: Iterable[Individual] = ()) -> list[str]:
    """Rescore an individual from scratch, as reports state its file; return the differences in words."""
    # Equal individuals among the others get its scores, so that all reports agree.
    fresh = problem.evaluate(individual, from_scratch=True)
    differences = _differences(individual, fresh)
    for one in (individual, *(other for other in others if other.key == individual.key)):
        one.fitness.values = fresh
    return differences


def unequal(problem: Problem, individuals: Iterable[Individual]) -> list[str]:
    """Return differences between individuals and evaluations of their genomes from scratch, in words."""
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
