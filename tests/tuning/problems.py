"""Problems to tune for, on parts of the embedded survey."""

from __future__ import annotations

from typing import Any

from evosdc.engine.problem import Problem
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.model import Masking
from evosdc.plugins.registry import default_registry
from evosdc.tuning.designs import Budget
from evosdc.tuning.tuner import Tuning, tune

REGISTRY = default_registry()
PROTECT = ("built", "degree", "grade1")
SOME = ("rank-swapping", "pram", "top-coding", "mdav")


def problem_of(seed: int = 1, records: int = 200, **changes: Any) -> Problem:
    """Return a problem on the first records of the survey."""
    given = {
        "data": {"name": "housing", "protect": PROTECT, "first": records},
        "measures": {"il": ["dbil", "ctbil"], "dr": ["id", "dbrl"]},
        "fitness": "max",
        "start": {"methods": [{"method": "rank-swapping", "p": 5}]},
    }
    return assemble(Experiment.model_validate(given | changes), REGISTRY, seed).problem


def tuned(problem: Problem, evaluations: int = 400, portfolio: tuple[Masking, ...] = (), **more: Any) -> Tuning:
    """Tune for a problem with a budget of evaluations."""
    seed, methods = problem.streams.seed, more.pop("methods", SOME)
    return tune(problem, REGISTRY, seed, Budget(evaluations), methods, portfolio, **more)
