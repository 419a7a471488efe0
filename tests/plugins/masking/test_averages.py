from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.data.table import Table
from evosdc_masking.aggregation import aggregated
from evosdc_masking.averages import average_category, lower_median, mode
from tests.plugins.masking import references
from tests.plugins.masking.tables import mixed_tables, numeric

values = st.lists(st.integers(0, 6), min_size=1, max_size=30)


def counts(of: list[int]) -> np.ndarray:
    return np.bincount(of, minlength=7)


@given(values)
def test_lower_median(of: list[int]) -> None:
    assert lower_median(counts(of)) == statistics.median_low(of)


@given(values)
def test_mode_takes_the_first_category_in_a_tie(of: list[int]) -> None:
    frequency = Counter(of)
    assert mode(counts(of)) == min(c for c in frequency if frequency[c] == max(frequency.values()))


def test_nothing_has_no_average() -> None:
    assert lower_median(np.zeros(4, dtype=np.int64)) == -1
    assert mode(np.zeros(4, dtype=np.int64)) == -1


@pytest.mark.parametrize(
    ("frequencies", "ordinal", "wildcard", "average"),
    [
        ([2, 0, 3, 3], False, False, 2),  # a tie with missing goes to the category
        ([2, 0, 3, 4], False, False, -1),
        ([2, 0, 3, 4], False, True, 2),
        ([2, 0, 3, 5], True, False, 2),  # missing needs more than half
        ([2, 0, 3, 6], True, False, -1),
        ([2, 0, 3, 6], True, True, 2),
        ([0, 0, 0, 1], True, True, -1),
        ([0, 0, 0, 1], False, True, -1),
    ],
)
def test_missing_values_in_an_average(frequencies: list[int], ordinal: bool, wildcard: bool, average: int) -> None:
    assert average_category(np.array(frequencies), ordinal, wildcard) == average


@given(mixed_tables(), st.data())
def test_a_class_gets_its_average(table: Table, data: st.DataObject) -> None:
    n = len(table)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    classes = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    records = references.records_of(aggregated(table, classes))
    for group in range(classes.max() + 1):
        rows = np.flatnonzero(classes == group).tolist()
        expected = references.average_of(table, rows)
        for row in rows:
            assert records[row] == pytest.approx(expected, nan_ok=True)
            assert records[row] == records[rows[0]]


def test_the_mean_of_equal_numbers_is_that_number() -> None:
    table = numeric(np.full(3, 0.1))
    assert aggregated(table, np.zeros(3, dtype=np.int64)).same_records(table)
