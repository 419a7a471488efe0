"""The line that the journal gets for each generation."""

import json

import pytest

from evosdc.engine.statistics import best_of, generation_record, operator_counts
from evosdc.engine.stop import Progress
from evosdc.model import Offspring
from tests.engine.individuals import individual

PEOPLE = [
    individual(il=30.0, dr=10.0, key="a"),
    individual(il=4.0, dr=20.0, key="b"),
    individual(il=8.0, dr=90.0, key="c"),
]
PROGRESS = Progress(generation=4, evaluations=77, seconds=1.23456, stalled=2, best=12.0)


def test_the_record_of_a_generation():
    operators = {"mutation": {"made": 3, "kept": 1}}
    record = generation_record(PEOPLE, PROGRESS, 9, operators)
    assert record == {
        "generation": 4,
        "evaluations": 77,
        "seconds": 1.235,
        "best": {"fitness": [12.0], "il": 4.0, "dr": 20.0},
        "fitness": {"min": 12.0, "mean": pytest.approx((20 + 12 + 49) / 3), "max": 49.0},
        "il": {"min": 4.0, "mean": pytest.approx(14.0), "max": 30.0},
        "dr": {"min": 10.0, "mean": pytest.approx(40.0), "max": 90.0},
        "operators": operators,
        "front": 9,
        "stalled": 2,
    }
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_without_il_and_dr_there_is_the_fitness_alone():
    record = generation_record([individual(3.0, 1.0), individual(2.0, 5.0)], PROGRESS, 2, {})
    assert record["best"] == {"fitness": [2.0, 5.0]}
    assert record["fitness"] == {"min": 2.0, "mean": 2.5, "max": 3.0}
    assert not {"il", "dr"} & record.keys()


def test_a_score_that_some_lack_is_left_out():
    record = generation_record([individual(il=3.0, dr=1.0), individual(1.0)], PROGRESS, 2, {})
    assert not {"il", "dr"} & record.keys()


def test_the_best_is_the_first_of_the_least_compared_objective_by_objective():
    a, b, c, d = (individual(*o, key=str(n)) for n, o in enumerate([(2.0, 0.0), (1.0, 3.0), (1.0, 2.0), (1.0, 2.0)]))
    assert best_of([a, b, c, d]) is c
    assert best_of([d, c, a]) is d


def test_operators_are_counted_by_what_they_made_and_what_was_kept():
    made = [individual(float(n), key=str(n)) for n in range(5)]
    offspring = [Offspring(None, origin) for origin in ("mutation", "crossover", "mutation", "crossover", "swap")]
    kept = [made[0], made[3], individual(1.0, key="1"), made[2]]
    counts = operator_counts(offspring, made, kept)
    assert counts == {
        "crossover": {"made": 2, "kept": 1},
        "mutation": {"made": 2, "kept": 2},
        "swap": {"made": 1, "kept": 0},
    }
    assert list(counts) == ["crossover", "mutation", "swap"]
    assert operator_counts([], [], kept) == {}
