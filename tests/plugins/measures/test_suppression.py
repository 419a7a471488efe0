"""The share of suppressed values: against a count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc import mask, measure
from evosdc.table.table import MISSING, Table
from evosdc.testing.measure import MeasureConformance
from evosdc_measures.validity import Suppression
from tests.plugins.measures.cases import pairs
from tests.table.test_record_rules import sample


class TestSuppression(MeasureConformance):
    identity, kind = 0.0, "model"

    def measure(self):
        return Suppression(Suppression.Params())


def fitted(table):
    return Suppression(Suppression.Params()).fit(table)


@given(pairs())
def test_it_counts_the_values_that_are_gone(tables):
    original, masked = tables
    cells = [(a, b) for a, b in zip(original.codes.ravel(), masked.codes.ravel(), strict=True) if a != MISSING]
    gone = sum(b == MISSING for _, b in cells)
    assert fitted(original).score(masked) == pytest.approx(100.0 * gone / len(cells) if cells else 0.0)
    assert fitted(original).track(masked).contributions().sum() == pytest.approx(fitted(original).score(masked))


@given(st.integers(0, 2**32))
def test_numbers_count_as_categories_do(seed):
    rng = np.random.default_rng(seed)
    table = sample(rng, 40)
    gone = rng.random(table.numbers.shape) < 0.3
    masked = Table(table.schema, table.codes, np.where(gone, np.nan, table.numbers))
    known = (table.codes != MISSING).sum() + (~np.isnan(table.numbers)).sum()
    assert fitted(table).score(masked) == pytest.approx(100.0 * gone[~np.isnan(table.numbers)].sum() / known)


def test_it_counts_what_local_suppression_leaves_out():
    table = sample(np.random.default_rng(2), 300)
    names = list(table.schema.names)[:3]
    masked = [mask(table, "local-suppression", protect=names, k=k) for k in (2, 10)]
    few, many = (measure(table, one, ["suppression"], protect=names)["suppression"] for one in masked)
    assert 0.0 < few < many < 100.0
