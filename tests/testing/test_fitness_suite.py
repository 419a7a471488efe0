"""What passes the fitness suite, and the faults that it finds."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import pytest

from evosdc.model import Fitness
from evosdc.testing import FitnessConformance
from tests.testing.findings import findings


class Mean(Fitness):
    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        return ((scores["il"] + scores["dr"]) / 2,)


class Both(Fitness):
    objectives = 2

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        return scores["il"], scores["dr"]


class TestMean(FitnessConformance):
    def fitness(self):
        return Mean(Mean.Params())


class TestBoth(FitnessConformance):
    def fitness(self):
        return Both(Both.Params())


class TooMany(Mean):
    def combine(self, scores):
        return (*super().combine(scores), 0.0)


class AList(Mean):
    def combine(self, scores):
        return list(super().combine(scores))


class Ratio(Mean):
    def combine(self, scores):
        return (scores["il"] / scores["dr"] if scores["dr"] else float("inf"),)


class Maximised(Mean):
    def combine(self, scores):
        return (-scores["il"],)


class Consumes(Mean):
    def combine(self, scores):
        return (scores.pop("il"),)


class Counted(Mean):
    calls = count()

    def combine(self, scores):
        return (float(next(self.calls)),)


class FirstComes(Mean):
    def combine(self, scores):
        return (next(iter(scores.values())),)


OBJECTIVES = "test_objectives_are_finite_and_as_many_as_declared"
DECIDE = "test_scores_alone_decide"

FAULTS = [
    (TooMany, OBJECTIVES, "2 objectives, declared 1"),
    (AList, OBJECTIVES, "returned list, wanted a tuple"),
    (Ratio, OBJECTIVES, "(inf,)"),
    (Maximised, "test_less_is_better", "all are minimised"),
    (Consumes, DECIDE, "combine changed what was passed to it"),
    (Counted, DECIDE, "equal generators gave different results"),
    (FirstComes, DECIDE, "the order of the scores decides"),
]


@pytest.mark.parametrize(("fitness", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(fitness: type[Fitness], test: str, message: str) -> None:
    class Suite(FitnessConformance):
        def fitness(self):
            return fitness(fitness.Params())

    assert message in findings(Suite, test)[test]
