"""Local suppression: the promise, what it costs, and the limits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import evosdc
from evosdc.errors import ParameterError
from evosdc.files.source import read_source
from evosdc.table.equivalence import key_codes
from evosdc.table.table import Table
from evosdc_masking.suppression.class_repair import cheapest_subsets
from evosdc_masking.suppression.local_suppression import LocalSuppression
from evosdc_masking.suppression.wildcards import (
    Values,
    alike,
    compatible,
    dearest_first,
    relieve,
    suppressed_for_wildcards,
    take_back,
    units_of,
)
from tests.plugins.masking.tables import NOMINAL, categorical, categorical_tables, masked, mixed_tables
from tests.published import DataSets

READINGS = ("wildcard", "category")
sizes = st.integers(1, 4)


def key_values(table):
    return key_codes(table, table.schema.names)


def fewest_alike(table: Table, missing: str) -> int:
    """The promise again, from its definition: for each record the records that it cannot be told from."""
    rows = [tuple(map(int, row)) for row in key_values(table)]

    def same(a: Sequence[int], b: Sequence[int]) -> bool:
        if missing == "category":
            return a == b
        return all(x == y or x < 0 or y < 0 for x, y in zip(a, b, strict=True))

    return min(sum(same(a, b) for b in rows) for a in rows)


@pytest.fixture(scope="module")
def survey_keys(data_sets: DataSets) -> Values:
    """Seven keys of 4580 people, shape (4580, 7)."""
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    return key_values(read_source(data_sets.path("ihsn_testdata/testdata.csv")).table.select(keys))


@pytest.fixture(scope="module")
def survey_microaggregated(data_sets: DataSets) -> Values:
    """Age in groups of three by MDAV and three more keys of 4580 people, shape (4580, 4)."""
    frame = pd.read_csv(data_sets.path("ihsn_testdata/testdata.csv"))
    frame["age"] = evosdc.mask(frame[["age"]].astype(float), "mdav", k=3)["age"]
    columns = [np.unique(frame[name], return_inverse=True)[1] for name in ("age", "urbrur", "electcon", "relat")]
    return np.column_stack(columns).astype(np.int32)


def cells(table: Table, published: Table) -> int:
    return int(((key_values(published) < 0) & (key_values(table) >= 0)).sum())


@pytest.mark.parametrize("missing", READINGS)
@given(table=st.one_of(categorical_tables(max_records=25), mixed_tables()), k=sizes)
def test_every_record_is_like_k_and_nothing_changes_but_by_suppression(table: Table, k: int, missing: str) -> None:
    k = min(k, len(table))
    published = masked(LocalSuppression, table, k=k, missing=missing)
    assert fewest_alike(published, missing) >= k
    for name in table.schema.names:
        before, after = table.column(name), published.column(name)
        gone = np.isnan(after) if after.dtype == np.float64 else after == -1
        np.testing.assert_array_equal(after[~gone], before[~gone])


@pytest.mark.parametrize("missing", READINGS)
@given(table=mixed_tables(), seed=st.integers(0, 3))
@effort(max_examples=15)
def test_the_same_file_comes_out_whatever_the_seed(table: Table, seed: int, missing: str) -> None:
    params = {"k": min(2, len(table)), "missing": missing}
    assert masked(LocalSuppression, table, seed, **params).same_records(masked(LocalSuppression, table, 9, **params))


@given(table=mixed_tables())
@effort(max_examples=15)
def test_one_is_the_identity_and_so_is_a_file_that_is_anonymous_already(table: Table) -> None:
    assert masked(LocalSuppression, table, k=1).same_records(table)
    published = masked(LocalSuppression, table, k=min(2, len(table)))
    assert masked(LocalSuppression, published, k=min(2, len(table))).same_records(published)


@pytest.mark.parametrize("missing", READINGS)
def test_all_records_are_alike_when_k_is_their_number(missing: str) -> None:
    table = categorical([[0, 1, 0], [0, 2, 1], [0, 0, 2], [0, 1, 2]], (1, 3, 3), (NOMINAL,) * 3)
    published = masked(LocalSuppression, table, k=4, missing=missing)
    assert fewest_alike(published, missing) == 4
    np.testing.assert_array_equal(published.codes[:, 0], 0)
    if missing == "category":
        assert (published.codes[:, 1:] == -1).all()


@given(table=categorical_tables(max_records=30), wildcard=st.booleans())
def test_counts_of_alike_records_are_those_of_the_definition(table: Table, wildcard: bool) -> None:
    values = key_values(table)
    expected = [
        sum(all(x == y or (wildcard and min(x, y) < 0) for x, y in zip(a, b, strict=True)) for b in values)
        for a in values
    ]
    np.testing.assert_array_equal(alike(values, wildcard), expected)


@pytest.mark.parametrize("missing", READINGS)
def test_what_is_much_more_important_stays_where_the_other_suffices(missing: str) -> None:
    rng = np.random.default_rng(4)
    codes = np.column_stack([np.arange(60) % 3, rng.integers(0, 5, 60), rng.integers(0, 5, 60)])
    table = categorical(codes, (3, 5, 5), (NOMINAL,) * 3)
    published = masked(LocalSuppression, table, k=3, missing=missing, importance={"c0": 1000.0})
    np.testing.assert_array_equal(published.codes[:, 0], codes[:, 0])
    swapped = masked(LocalSuppression, table, k=3, missing=missing, importance={"c2": 50.0, "c0": 50.0})
    lost = (swapped.codes < 0).sum(axis=0)
    assert lost[1] > lost[2]


def test_the_reading_of_missing_values_is_the_schemas_unless_given() -> None:
    for na in READINGS:
        table = categorical(np.random.default_rng(1).integers(0, 4, (40, 3)), (4,) * 3, (NOMINAL,) * 3, na)
        assert masked(LocalSuppression, table).same_records(masked(LocalSuppression, table, missing=na))
        other = READINGS[1 - READINGS.index(na)]
        assert not masked(LocalSuppression, table).same_records(masked(LocalSuppression, table, missing=other))


@pytest.mark.parametrize("width", [13, 16])
@pytest.mark.parametrize("missing", READINGS)
def test_many_attributes_are_chosen_one_by_one_and_the_promise_holds(width: int, missing: str) -> None:
    codes = np.random.default_rng(width).integers(0, 3, (40, width))
    table = categorical(codes, (3,) * width, (NOMINAL,) * width)
    assert fewest_alike(masked(LocalSuppression, table, k=3, missing=missing), missing) >= 3


@pytest.mark.parametrize(("width", "limit"), [(4, 100), (12, 200)])
def test_sets_of_attributes_come_cheapest_first_and_end_with_all(width: int, limit: int) -> None:
    weights = np.random.default_rng(2).random(width) + 0.1
    subsets = cheapest_subsets(weights, limit)
    costs = [weights[subset].sum() for subset in subsets]
    assert costs == sorted(costs)
    assert subsets[-1].all()
    assert len({subset.tobytes() for subset in subsets}) == len(subsets)
    assert sum(subset.sum() == 1 for subset in subsets) == width


@pytest.mark.parametrize(
    ("params", "texts"),
    [
        ({"k": 0}, ["k: given 0", "greater than or equal to 1"]),
        ({"k": 6}, ["k: given 6", "at most 5"]),
        ({"importance": {"c9": 2, "c0": -1.0}}, ["importance: given 'c9'", "importance: c0: given -1.0"]),
        ({"missing": "never"}, ["missing: given 'never'"]),
        ({"kk": 2}, ["kk: given an unknown key"]),
    ],
)
def test_refusals(params: dict, texts: list[str]) -> None:
    table = categorical([[0, 1], [1, 1], [1, 0], [0, 0], [0, 1]], (2, 2), (NOMINAL, NOMINAL))
    with pytest.raises(ParameterError) as caught:
        masked(LocalSuppression, table, **params)
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize("missing", READINGS)
def test_adult_loses_few_cells(adult: Table, missing: str) -> None:
    published = masked(LocalSuppression, adult, k=3, missing=missing)
    values = key_values(published)
    assert alike(values, missing == "wildcard").min() >= 3
    rare = int((alike(key_values(adult), False) < 3).sum())
    assert cells(adult, published) <= 1.2 * rare


@pytest.mark.parametrize(("k", "in_one_order", "most"), [(2, 96, 76), (3, 161, 125), (5, 275, 240)])
def test_other_orders_suppress_fewer_cells(survey_keys: Values, k: int, in_one_order: int, most: int) -> None:
    assert_fewer_cells(survey_keys, k, in_one_order, most)


def test_records_that_lose_one_value_more_spare_many_others(survey_microaggregated: Values) -> None:
    assert_fewer_cells(survey_microaggregated, 5, 118, 50)


def assert_fewer_cells(survey_keys: Values, k: int, in_one_order: int, most: int) -> None:
    weights = np.ones(survey_keys.shape[1])
    units = units_of(survey_keys, k)
    values, found = units.values.copy(), compatible(units.values, units.counts)
    order = np.argsort(found, kind="stable")
    order = order[found[order] < k]
    relieve(values, units.counts, found, weights, k, order)
    take_back(values, units.values, units.counts, found, dearest_first(weights), k, order[::-1].copy())
    assert (values < 0).sum() == in_one_order
    published = suppressed_for_wildcards(survey_keys, k, weights)
    assert (published < 0).sum() <= most
    assert alike(published, True).min() >= k
    kept = published >= 0
    assert (published[kept] == survey_keys[kept]).all()


@pytest.mark.parametrize("missing", READINGS)
def test_flare_and_german_become_anonymous(flare: Table, german: Table, missing: str) -> None:
    for table in (flare, german):
        values = key_values(masked(LocalSuppression, table, k=5, missing=missing))
        assert alike(values, missing == "wildcard").min() >= 5


@pytest.mark.parametrize("missing", READINGS)
@effort(deadline=None)
@given(table=categorical_tables(max_records=15), k=st.integers(1, 3), size=st.integers(1, 3))
def test_every_set_of_attributes_is_like_k(table: Table, k: int, size: int, missing: str) -> None:
    names, k = table.schema.names, min(k, len(table))
    size = min(size, len(names))
    published = masked(LocalSuppression, table, k=len(table), subsets=(size,), subset_k=(k,), missing=missing)
    for chosen in combinations(names, size):
        assert fewest_alike(published.select(chosen), missing) >= k
