"""The share of impossible records: against a count, and followed through changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc import measure
from evosdc.model import Microdata
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.record_rules import RecordRules
from evosdc.table.structural_zeros import find_structural_zeros
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of, edited
from evosdc_measures.validity import ImpossibleRecords
from tests.table.rules import PROTECT, files, masked_anyhow
from tests.table.test_record_rules import sample, slow_broken


class TestImpossibleRecords(MeasureConformance):
    identity, kind = 0.0, "model"

    def measure(self):
        return ImpossibleRecords(ImpossibleRecords.Params(threshold=1.0))


def fitted(table, threshold=2.0):
    return ImpossibleRecords(ImpossibleRecords.Params(threshold=threshold)).fit_in(Microdata(table, PROTECT))


@given(files(), st.integers(0, 2**32))
def test_it_is_the_share_of_records_with_a_zero_or_a_broken_rule(table, seed):
    rules = edit_rules_of([{"a": "k", "y": (0, 5)}])
    table = Table(replace(table.schema, edit_rules=rules), table.codes, table.numbers)
    masked = masked_anyhow(table, seed)
    known = RecordRules(table, PROTECT, rules, find_structural_zeros(table, PROTECT, 2.0))
    found = slow_broken(table, masked, known, 2.0)
    assert fitted(table).score(masked) == pytest.approx(100.0 * sum(found) / len(table))
    assert fitted(table).track(masked).contributions().sum() == pytest.approx(100.0 * sum(found) / len(table))


def test_following_changes_is_counting_anew():
    table, rng = sample(np.random.default_rng(6), 120), np.random.default_rng(7)
    known = fitted(table)
    masked = table.select(PROTECT)
    tracker = known.track(masked)
    for _ in range(60):
        child, rows = edited(masked, rng, 0.02)
        change = changes_of(masked, [(child, rows)])
        assert tracker.tries(change).tolist() == [known.score(child)]
        tracker.take(change)
        assert tracker.score == known.score(child)
        masked = child


def test_python_measures_it_with_the_columns_that_are_not_masked():
    table = sample(np.random.default_rng(2), 300)
    masked = table.with_columns(masked_anyhow(table, 3))
    score = measure(table, masked, {"impossible-records": {"threshold": 3.0}}, protect=PROTECT)
    assert score["impossible-records"] == fitted(table, 3.0).score(masked.select(PROTECT)) > 0.0
