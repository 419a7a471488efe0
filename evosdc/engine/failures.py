"""Handling of failed evaluations: the run ends, it is tried again, or the candidate counts as the worst."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from evosdc.engine.problem import Problem
from evosdc.executors.pool import WORKER_DIED
from evosdc.executors.tasks import TIME_LIMIT
from evosdc.model import Guaranteed, Individual, Outcome
from evosdc.model.individual import FAILURE, INFEASIBILITY, Values

WORST = 100.0  # Score of a candidate that could not be evaluated, in every measure: the end of the scale, in percent


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """The rule for an evaluation that raises, gives no finite value, takes too long or kills its worker."""

    # End the run; go on with the worst possible evaluation in its place; or try again, and then end the run.
    action: Literal["raise", "penalise", "retry"] = "raise"
    times: int = 2  # further tries of ``retry``, at least 1

    @property
    def penalises(self) -> bool:
        """Whether a candidate that cannot be evaluated stays in the search, as its worst."""
        return self.action == "penalise"

    @property
    def retries(self) -> int:
        """The number of retries of a failed evaluation."""
        return self.times if self.action == "retry" else 0

    def forgives(self, outcome: Outcome) -> bool:
        """Whether a failure on a worker is one of the candidate, as this rule may pass over."""
        # What an evaluation raises is dealt with on the worker. What is left is time that ran out and a worker that
        # died. A problem that cannot be built there, or a task that cannot be read, is a fault of the whole run.
        return self.action != "raise" and outcome.value.type in (TIME_LIMIT, WORKER_DIED)


RAISE = ErrorRule()  # The default: the first failure ends the run


Attempt = Callable[[Individual, bool], Values]  # Evaluates an individual, from scratch or by what it changes


def evaluate_or_penalise(
    rule: ErrorRule, problem: Problem, individual: Individual, attempt: Attempt | None = None
) -> Values:
    """Return the values of an individual, or their replacement by the rule."""
    attempt = attempt or problem.evaluate
    tries = max(rule.retries, int(individual.parent is not None and rule.penalises))
    for left in range(tries, -1, -1):
        try:
            return attempt(individual, left < tries)
        except Exception:
            if left == 0 and not rule.penalises:
                raise
    return worst_values(problem, individual.genome)


def worst_values(problem: Problem, genome: Any) -> Values:
    """Return the values that precede none: the worst scores, and an infeasibility that no constraint reaches."""
    scores = problem.aggregation.combine(dict.fromkeys(problem.measures, WORST))
    with suppress(Exception):  # the genome itself may be what is broken
        scores |= dict(problem.traits(genome))
    scores = problem.constraints.judge(scores)
    objectives: tuple[float, ...] = ()
    with suppress(Exception):
        objectives = tuple(problem.fitness.combine(scores))
    if not objectives or not all(map(isfinite, objectives)):
        objectives = (WORST,) * problem.fitness.objectives
    if isinstance(problem.genotype, Guaranteed) and problem.genotype.reference is not None:
        scores |= {"violation": 1.0, "penalty": 0.0}
    return Values(objectives, scores | {INFEASIBILITY: FAILURE})


def failures_in(individuals: Iterable[Individual]) -> int:
    """Return how many individuals represent evaluations that failed."""
    return sum(individual.failed for individual in individuals)
