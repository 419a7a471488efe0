"""The line that the journal gets for each generation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from deap import tools

from evosdc.engine.stop import Progress
from evosdc.model import Individual, Offspring


def _first_objective(individual: Individual) -> float:
    return individual.objectives[0]


def _score(name: str, individual: Individual) -> float:
    return individual.scores[name]


def _statistics(name: str) -> tools.Statistics:
    statistics = tools.Statistics(_first_objective if name == "fitness" else partial(_score, name))
    statistics.register("min", lambda values: float(np.min(values)))
    statistics.register("mean", lambda values: float(np.mean(values)))
    statistics.register("max", lambda values: float(np.max(values)))
    return statistics


_SERIES = {name: _statistics(name) for name in ("fitness", "il", "dr")}


def best_of(individuals: Sequence[Individual]) -> Individual:
    """Return the individual with the least objectives (compared in order); of equals the first."""
    return min(individuals, key=lambda i: i.objectives)


def generation_record(
    population: Sequence[Individual],
    progress: Progress,
    front: int,
    operators: dict[str, dict[str, int]],
) -> dict[str, Any]:
    """Return one line of the journal as a JSON-able mapping."""
    best = best_of(population)
    record: dict[str, Any] = {
        "generation": progress.generation,
        "evaluations": progress.evaluations,
        "seconds": round(progress.seconds, 3),
        "best": {"fitness": list(best.objectives)} | {n: best.scores[n] for n in ("il", "dr") if n in best.scores},
    }
    for name, statistics in _SERIES.items():
        if name == "fitness" or all(name in i.scores for i in population):
            record[name] = statistics.compile(population)
    return record | {"operators": operators, "front": front, "stalled": progress.stalled}


def operator_counts(
    offspring: Sequence[Offspring], evaluated: Sequence[Individual], kept: Sequence[Individual]
) -> dict[str, dict[str, int]]:
    """Return, by operator, how many children it made and how many of them are in the next population."""
    survivors = {id(individual) for individual in kept}
    counts: dict[str, dict[str, int]] = {}
    for item, individual in zip(offspring, evaluated, strict=True):
        count = counts.setdefault(item.origin, {"made": 0, "kept": 0})
        count["made"] += 1
        count["kept"] += id(individual) in survivors
    return dict(sorted(counts.items()))
