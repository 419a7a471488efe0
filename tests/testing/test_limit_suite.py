"""What passes the suite of limits, and the faults that it finds."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from evosdc.model import Limit
from evosdc.testing import LimitConformance
from evosdc_limit.offer import guesses_limit
from tests.testing.findings import findings


class Suite(LimitConformance):
    il = ("ebil",)
    disclosure = ("best-guess",)
    tables = ("ordinary", "one-record", "missing-values")

    def limit(self, judgement, seconds):
        return guesses_limit(judgement, seconds)


class TestOfGuesses(Suite):
    pass


class TestOfNothing(Suite):
    def limit(self, judgement, seconds):
        known = judgement.aggregation.il == self.il and judgement.aggregation.disclosure == self.disclosure
        corners = ((0.0, 0.0), (100.0, 0.0))
        return Limit({}, corners, self.il, self.disclosure, judgement.original.schema.names) if known else None


del LimitConformance


def changed(**changes):
    class Changed(Suite):
        def found(self, table_name):
            judgement, limit = TestOfGuesses().found(table_name)
            return judgement, replace(limit, **changes)

    return Changed


class Eager(TestOfNothing):
    def limit(self, judgement, seconds):
        return Limit({}, ((0.0, 0.0), (100.0, 0.0)), self.il, self.disclosure, judgement.original.schema.names)


class Slow(TestOfNothing):
    def limit(self, judgement, seconds):
        time.sleep(5.5 if seconds < 1.0 else 0.0)
        return super().limit(judgement, seconds)


@pytest.mark.endurance
@pytest.mark.parametrize(
    ("suite", "found_by"),
    [
        (changed(curve=((0.0, 100.0), (100.0, 90.0))), "test_no_masked_file_lies_below"),
        (changed(least={"max": 99.0}), "test_no_masked_file_lies_below"),
        (changed(curve=((5.0, 0.0), (100.0, 0.0))), "test_the_curve_falls_and_is_convex"),
        (changed(curve=((0.0, 0.0), (50.0, 0.0), (60.0, -1.0), (100.0, 0.0))), "test_the_curve_falls_and_is_convex"),
        (changed(il=("dbil",)), "test_it_is_plain_data_about_the_measures_asked_for"),
        (changed(attributes=()), "test_it_is_plain_data_about_the_measures_asked_for"),
        (Eager, "test_other_measures_have_none"),
        (Slow, "test_it_keeps_to_its_time"),
    ],
)
def test_a_fault_is_found(suite, found_by):
    assert found_by in findings(suite, found_by)
