"""Numbers cut apart where few neighbours are separated, and methods in clusters by the spreads of the whole file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.clustering.geometry import records_of
from evosdc.errors import ParameterError
from evosdc.table.spread import spreads_of
from evosdc.table.table import Table
from evosdc_clustering.clustered import SAMPLE, Clustered, clusters_to_mask, cut_apart
from tests.plugins.clustering.test_clustered import build, mdav
from tests.plugins.masking.tables import NOMINAL, categorical, joined, numeric, numeric_tables


@given(numeric_tables(), st.integers(1, 9))
def test_clusters_are_as_many_as_asked_and_none_is_empty(table: Table, clusters: int) -> None:
    records = records_of(table)
    wanted = min(clusters, len(records.counts))
    labels = cut_apart(records, wanted)
    assert set(labels.tolist()) == set(range(wanted))


@given(st.integers(1, 12), st.integers(0, 4))
def test_clusters_of_distinct_records_are_nearly_of_one_size(clusters: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).normal(size=(120, 3))
    sizes = np.bincount(cut_apart(records_of(numeric(numbers)), clusters))
    assert sizes.max() - sizes.min() <= 3


@given(numeric_tables(), st.integers(1, 5), st.randoms(use_true_random=False))
def test_equal_records_stay_together_whatever_the_order_of_the_file(table: Table, c: int, shuffler: Any) -> None:
    order = list(range(len(table)))
    shuffler.shuffle(order)
    rows = np.array(order, dtype=np.intp)
    straight = clusters_to_mask(table, c, np.random.default_rng(1), "cuts")
    shuffled = clusters_to_mask(table.take(rows), c, np.random.default_rng(2), "cuts")
    assert straight.labels[rows].tolist() == shuffled.labels.tolist()
    assert straight.representatives.same_records(shuffled.representatives)
    of: dict[bytes, int] = {}
    for record, label in zip(table.numbers, straight.labels.tolist(), strict=True):
        assert of.setdefault(record.tobytes(), label) == label


def test_a_cut_runs_where_it_separates_no_neighbours() -> None:
    rng = np.random.default_rng(1)
    # Two groups apart along the second attribute, which varies no more than the first: both are standardised.
    numbers = np.column_stack([rng.normal(size=400), rng.normal(size=400) * 0.1 + np.repeat([0.0, 9.0], 200)])
    labels = cut_apart(records_of(numeric(numbers)), 2)
    records = records_of(numeric(numbers))
    assert set(labels[records.numbers[:, 1] > 4].tolist()) != set(labels[records.numbers[:, 1] < 4].tolist())
    assert len(set(labels[records.numbers[:, 1] > 4].tolist())) == 1


def test_representatives_are_lower_medians() -> None:
    table = numeric(
        [[0.0, 5.0], [0.0, 5.0], [1.0, np.nan], [1.0, 7.0], *[[x, np.nan] for x in (100.0, 101.0, 101.0, 103.0)]]
    )
    found = clusters_to_mask(table, 2, np.random.default_rng(1), "cuts")
    first = found.labels[0]
    assert found.labels.tolist() == [first] * 4 + [1 - first] * 4
    np.testing.assert_array_equal(found.representatives.numbers[first], [0.0, 5.0])
    np.testing.assert_array_equal(found.representatives.numbers[1 - first], [101.0, np.nan])


def test_large_files_of_numbers_alone_are_cut_and_others_are_not() -> None:
    rng = np.random.default_rng(3)
    numbers = numeric(rng.normal(size=(SAMPLE + 500, 2)))
    usual = clusters_to_mask(numbers, 3, rng).labels
    assert usual.tolist() == clusters_to_mask(numbers, 3, rng, "cuts").labels.tolist()
    assert np.ptp(np.bincount(usual)) <= 1
    few = numbers.take(np.arange(300))
    settled = clusters_to_mask(few, 3, np.random.default_rng(1)).labels.tolist()
    assert settled == clusters_to_mask(few, 3, np.random.default_rng(1), "c-median").labels.tolist()


def test_categories_cannot_be_cut() -> None:
    table = joined(categorical([0, 1] * 6, [2], [NOMINAL]), numeric(np.arange(12.0)))
    with pytest.raises(ParameterError, match="method clustered: clustering: cuts: given c0, which is nominal"):
        evosdc.mask(table, "clustered", clustering="cuts", inner=mdav(2))


METHODS = [
    {"method": "mdav", "k": 3},
    {"method": "projected-microaggregation", "k": 3},
    {"method": "k-member", "k": 3},
    {"method": "r-gather", "k": 3},
    {"method": "mondrian", "k": 3},
    {"method": "global-median", "k": 3},
    {"method": "global-median", "k": 3, "partitioning": "global-order"},
]


@pytest.mark.parametrize("inner", METHODS, ids=lambda inner: "-".join(map(str, inner.values())))
def test_differences_count_by_the_spreads_of_the_whole_file(inner: dict[str, Any]) -> None:
    """Within either cluster only the first attribute matters: the second varies by a millionth of the file."""
    rng = np.random.default_rng(4)
    half = rng.permutation(np.repeat([0, 1], 30))
    table = numeric(np.column_stack([rng.integers(0, 1000, 60), 1e6 * half + rng.integers(0, 3, 60)]))
    method: Clustered = build(c=2, inner=inner)
    assert {frozenset(half[rows].tolist()) for rows in method.divided(table, rng)} == {frozenset({0}), frozenset({1})}
    masked = method.mask(table, np.random.default_rng(5))
    for label in (0, 1):
        rows = np.flatnonzero(half == label)
        own = table.take(rows)
        flat = numeric(np.column_stack([own.numbers[:, 0], np.full(len(rows), 7.0)]))
        scaled = method.inner.scaled_by(spreads_of(table)).mask(own, np.random.default_rng(5).spawn(2)[label])
        alone = method.inner.mask(flat, np.random.default_rng(5).spawn(2)[label])
        assert masked.numbers[rows, 0].tolist() == scaled.numbers[:, 0].tolist()
        assert scaled.numbers[:, 0].tolist() == alone.numbers[:, 0].tolist()


@pytest.mark.parametrize("inner", METHODS, ids=lambda inner: "-".join(map(str, inner.values())))
def test_by_its_own_spreads_a_file_is_masked_as_ever(inner: dict[str, Any]) -> None:
    rng = np.random.default_rng(6)
    numbers = np.where(rng.random((50, 3)) < 0.1, np.nan, rng.lognormal(size=(50, 3)))
    table = numeric(numbers)
    method = build(inner=inner).inner
    scaled = method.scaled_by(spreads_of(table))
    first, second = (one.mask(table, np.random.default_rng(1)) for one in (method, scaled))
    assert first.same_records(second)
    assert method.spreads is None


@pytest.mark.parametrize("n", [60, 100, 130, 1000])
def test_two_clumps_of_one_size_are_told_apart(n: int) -> None:
    rng = np.random.default_rng(n)
    half = np.repeat([0, 1], n // 2)
    table = numeric(np.column_stack([rng.normal(size=n), 1000.0 * half + 0.01 * rng.normal(size=n)]))
    labels = clusters_to_mask(table, 2, rng, "cuts").labels
    assert len({*zip(labels.tolist(), half.tolist(), strict=True)}) == 2
