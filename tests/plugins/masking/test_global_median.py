"""Global Median-based k-anonymity: groups of at least k records publish lower medians and modes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.errors import ParameterError
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Table
from evosdc_masking.anonymity.global_median import GlobalMedian
from tests.plugins.masking.mondrian_reference import mondrian
from tests.plugins.masking.references import average_of, distance_of, records_of
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    categorical_tables,
    joined,
    masked,
    mixed_tables,
    numeric,
    numeric_tables,
)

WAYS = ("mondrian", "global-order")


ANY = st.one_of(categorical_tables(), numeric_tables(), mixed_tables())


def median_of(table: Table, rows: list[int]) -> tuple[Any, ...]:
    """The record that a group publishes: as `average_of`, but the lower median of numbers."""
    records = records_of(table)
    wildcard = table.schema.na is MissingRule.WILDCARD
    found = list(average_of(table, rows))
    for j in range(len(table.schema.categorical), len(table.schema)):
        present = sorted(records[r][j] for r in rows if records[r][j] is not None)
        missing = 0 if wildcard else len(rows) - len(present)
        found[j] = present[(len(present) - 1) // 2] if present and missing <= len(present) else None
    return tuple(found)


def blocks_of(table: Table, k: int) -> list[set[int]]:
    """Blocks of the global order, from its definition."""
    records, distance = records_of(table), distance_of(table)
    attributes = (*table.schema.categorical, *table.schema.numeric)
    in_file_order = [attributes.index(a) for a in table.schema.attributes]
    middle = median_of(table, list(range(len(records))))

    def key(row: int) -> tuple[Any, ...]:
        values = [records[row][j] for j in in_file_order]
        return distance(middle, records[row]), *((value is None, value or 0) for value in values), row

    order = sorted(range(len(records)), key=key)
    begins = [k * block for block in range(len(order) // k)]
    return [set(order[a:b]) for a, b in zip(begins, [*begins[1:], len(order)], strict=True)]


def published(table: Table, groups: list[set[int]]) -> list[tuple[Any, ...]]:
    found: dict[int, tuple[Any, ...]] = {}
    for group in groups:
        found |= dict.fromkeys(group, median_of(table, sorted(group)))
    return [found[row] for row in range(len(table))]


@given(ANY, st.integers(1, 4))
def test_parts_of_mondrian_publish_their_medians(table: Table, k: int) -> None:
    k = min(k, len(table))
    assert records_of(masked(GlobalMedian, table, k=k)) == published(table, mondrian(table, k, False, False))


@given(st.one_of(categorical_tables(), mixed_tables()), st.integers(1, 4))
def test_blocks_of_the_global_order_publish_their_medians(table: Table, k: int) -> None:
    k = min(k, len(table))
    found = masked(GlobalMedian, table, k=k, partitioning="global-order")
    exact = all(
        isinstance(d, Fraction) for d in (distance_of(table)(r, records_of(table)[0]) for r in records_of(table))
    )
    if exact or not table.schema.numeric:
        assert records_of(found) == published(table, blocks_of(table, k))


@given(ANY, st.integers(1, 5), st.sampled_from(WAYS))
def test_every_record_is_like_k_and_values_stay_in_the_domain(table: Table, k: int, way: str) -> None:
    k = min(k, len(table))
    found = masked(GlobalMedian, table, k=k, partitioning=way)
    assert min(Counter(records_of(found)).values()) >= k
    assert found.schema == table.schema
    for name in table.schema.names:
        before, after = table.column(name).astype(float), found.column(name).astype(float)
        known = set(before[~np.isnan(before)].tolist())
        assert set(after[~np.isnan(after)].tolist()) <= known


@given(ANY, st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_the_order_of_the_file_is_of_no_account(table: Table, way: str, shuffler: Any) -> None:
    k = min(2, len(table))
    order = list(range(len(table)))
    shuffler.shuffle(order)
    rows = np.array(order, dtype=np.intp)
    straight = masked(GlobalMedian, table, k=k, partitioning=way)
    shuffled = masked(GlobalMedian, table.take(rows), k=k, partitioning=way)
    pairs = Counter(zip(records_of(table), records_of(straight), strict=True))
    assert pairs == Counter(zip(records_of(table.take(rows)), records_of(shuffled), strict=True))


@given(ANY, st.sampled_from(WAYS))
def test_groups_of_one_change_little_and_one_group_publishes_the_median_record(table: Table, way: str) -> None:
    whole = masked(GlobalMedian, table, k=len(table), partitioning=way)
    assert set(records_of(whole)) == {median_of(table, list(range(len(table))))}
    assert masked(GlobalMedian, table, k=1, partitioning=way).same_records(table)


def test_by_hand() -> None:
    table = joined(categorical([0, 0, 1, 1, 2, 2, 2], [3], [NOMINAL]), numeric([1.0, 2, 3, 10, 11, 12, 50]))
    found = masked(GlobalMedian, table, k=3)
    # The number is cut after its lower median, 10: 1 2 3 10 | 11 12 50.
    assert records_of(found) == [(0, 2.0)] * 4 + [(2, 12.0)] * 3


def test_the_global_order_by_hand() -> None:
    # The median is 2. By distance: 2 2 | 1 3 (both at 1/5, the lower first) | 0 4; blocks of two, the last of the rest.
    table = categorical([0, 3, 2, 4, 1, 2], [5], [ORDINAL])
    found = masked(GlobalMedian, table, k=2, partitioning="global-order")
    assert found.codes[:, 0].tolist() == [0, 1, 2, 0, 1, 2]
    assert masked(GlobalMedian, table, k=4, partitioning="global-order").codes[:, 0].tolist() == [2] * 6


def test_weights_count_in_the_medians() -> None:
    table = numeric([1.0, 2.0, 3.0])
    method = build(GlobalMedian, k=3)
    rng = np.random.default_rng(1)
    assert method.mask(table, rng).numbers[:, 0].tolist() == [2.0] * 3
    assert method.mask_weighted(table, np.array([5.0, 1.0, 1.0]), rng).numbers[:, 0].tolist() == [1.0] * 3


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"method global-median: k: given 4; wanted 1\.\.3"):
        masked(GlobalMedian, numeric([1.0, 2.0, 3.0]), k=4)
    with pytest.raises(ParameterError, match="at least one record"):
        masked(GlobalMedian, numeric(np.empty((0, 1))), k=1)


def test_it_promises_k_anonymity_and_says_that_it_is_a_reconstruction() -> None:
    spec = default_registry().spec("masking-method", "global-median")
    assert spec.guarantees == (("k-anonymity", "k"),)  # type: ignore[attr-defined]
    assert "reconstruction" in spec.source
    assert "reconstruction" in (GlobalMedian.__doc__ or "")
    assert GlobalMedian.supports == frozenset(Scale)


def test_from_python_with_strata() -> None:
    table = joined(categorical([0, 1] * 6, [2], [NOMINAL]), numeric(np.arange(12.0)))
    found = evosdc.mask(table, "global-median", protect=["x0"], by=["c0"], k=3)
    for stratum in (0, 1):
        assert min(Counter(found.numbers[found.codes[:, 0] == stratum, 0].tolist()).values()) >= 3
