from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_masking.averages import (
    CONVEX_MEDIAN,
    MEAN,
    MEDIAN,
    MODE,
    aggregated,
    average_category,
    average_number,
    average_rule,
    convex,
    lower_median,
    mode,
    nearest_mean,
)
from tests.plugins.masking import references
from tests.plugins.masking.tables import NOMINAL, NUMERIC, ORDINAL, mixed_tables, numeric

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
    ("frequencies", "rule", "wildcard", "average"),
    [
        ([2, 0, 3, 3], MODE, False, 2),  # a tie with missing goes to the category
        ([2, 0, 3, 4], MODE, False, -1),
        ([2, 0, 3, 4], MODE, True, 2),
        ([2, 0, 3, 5], MEDIAN, False, 2),  # missing needs more than half
        ([2, 0, 3, 6], MEDIAN, False, -1),
        ([2, 0, 3, 6], MEDIAN, True, 2),
        ([0, 0, 0, 1], MEDIAN, True, -1),
        ([0, 0, 0, 1], MODE, True, -1),
    ],
)
def test_missing_values_in_an_average(frequencies: list[int], rule: int, wildcard: bool, average: int) -> None:
    assert average_category(np.array(frequencies), rule, wildcard) == average


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


@pytest.mark.parametrize(
    ("frequencies", "hull", "median"),
    [
        ([3, 0, 0, 4], [3, 3, 3, 4], 2),  # the gap is filled: the median is no longer at the end
        ([1, 2, 1], [1, 2, 1], 1),
        ([0, 0, 0], [0, 0, 0], -1),
        ([5, 1, 2, 0, 0], [5, 2, 2, 0, 0], 0),
    ],
)
def test_convex_median(frequencies: list[int], hull: list[int], median: int) -> None:
    assert convex(np.array(frequencies)).tolist() == hull
    assert average_category(np.array([*frequencies, 0]), CONVEX_MEDIAN, False) == median


@given(values)
def test_convex_frequencies_are_the_least_that_rise_and_fall(of: list[int]) -> None:
    frequency = counts(of)
    hull = convex(frequency)
    for i in range(hull.size):
        assert hull[i] == min(frequency[: i + 1].max(), frequency[i:].max())
    assert (hull >= frequency).all()
    summit = int(np.argmax(hull))
    assert (np.diff(hull[: summit + 1]) >= 0).all()
    assert (np.diff(hull[summit:]) <= 0).all()


@given(values)
def test_mean_of_categories_is_the_nearest_one(of: list[int]) -> None:
    mean = statistics.fmean(of)
    assert nearest_mean(counts(of)) == min(range(7), key=lambda c: (abs(c - mean), c))


@given(values, st.data())
def test_averages_of_numbers(of: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(of), max_size=len(of)))
    repeated = [x for x, w in zip(of, weights, strict=True) for _ in range(w)]
    numbers, counted = np.array(of, dtype=float), np.array(weights, dtype=float)
    frequency = Counter(repeated)
    found = {rule: average_number(numbers[None], counted[None], rule).tolist() for rule in (MEAN, MEDIAN, MODE)}
    assert found[MEAN] == [pytest.approx(statistics.fmean(repeated))]
    assert found[MEDIAN] == [statistics.median(repeated)]
    assert found[MODE] == [min(x for x in frequency if frequency[x] == max(frequency.values()))]


@pytest.mark.parametrize("average", [None, "median", "convex-median", "mode", "mean"])
@given(table=mixed_tables(), data=st.data())
def test_a_weight_counts_like_repeated_records(average: str | None, table: Table, data: st.DataObject) -> None:
    n = len(table)
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    classes = np.unique(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), return_inverse=True)[1]
    weighted = aggregated(table, classes, average, weights.astype(float))
    rows = np.repeat(np.arange(n), weights)
    repeated = aggregated(table.take(rows), classes[rows], average)
    expected = dict(zip(rows.tolist(), references.records_of(repeated), strict=True))
    for row, record in enumerate(references.records_of(weighted)):
        assert record == pytest.approx(expected[row], nan_ok=True)


@pytest.mark.parametrize(
    ("scale", "average", "rule"),
    [
        (NOMINAL, "mean", MODE),
        (NOMINAL, None, MODE),
        (ORDINAL, None, MEDIAN),
        (ORDINAL, "convex-median", CONVEX_MEDIAN),
        (NUMERIC, None, MEAN),
        (NUMERIC, "convex-median", MEDIAN),
    ],
)
def test_scales_get_the_averages_that_they_have(scale: Scale, average: str | None, rule: int) -> None:
    assert average_rule(scale, average) == rule
