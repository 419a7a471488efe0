from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_masking.swapping.rank_swapping import RankSwapping, reach, swapped
from tests.plugins.masking import references
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, masked, mixed_tables, numeric

percent = st.floats(0, 100)


@given(st.lists(st.floats(0, 1, exclude_max=True), max_size=60), st.integers(0, 70))
def test_partners_are_those_of_the_plain_reference(uniforms: list[float], D: int) -> None:
    assert swapped(np.array(uniforms), D).tolist() == references.swap_ranks(uniforms, D)


@given(st.integers(0, 2**32 - 1), st.sampled_from([(1000, 2), (1000, 10), (30, 10), (834, 15), (50, 100)]))
def test_every_rank_is_swapped_once_and_within_reach(seed: int, case: tuple[int, int]) -> None:
    n, p = case
    D = reach(n, p)
    partner = swapped(np.random.default_rng(seed).random(n), D)
    np.testing.assert_array_equal(partner[partner], np.arange(n))
    assert np.abs(partner - np.arange(n)).max() <= D


@given(mixed_tables(), percent, st.integers(0, 5))
def test_marginals_and_places_of_missing_values_are_kept(table: Table, p: float, seed: int) -> None:
    published = masked(RankSwapping, table, seed, p=p)
    np.testing.assert_array_equal(np.sort(published.codes, axis=0), np.sort(table.codes, axis=0))
    np.testing.assert_array_equal(np.sort(published.numbers, axis=0), np.sort(table.numbers, axis=0))
    np.testing.assert_array_equal(published.codes == -1, table.codes == -1)
    np.testing.assert_array_equal(np.isnan(published.numbers), np.isnan(table.numbers))
    assert published.same_records(masked(RankSwapping, table, seed, p=p))


@given(mixed_tables())
def test_zero_percent_is_the_identity(table: Table) -> None:
    assert masked(RankSwapping, table, p=0).same_records(table)


def test_a_reach_below_one_rank_changes_nothing() -> None:
    table = numeric(np.arange(50.0))
    assert masked(RankSwapping, table, p=1.9).same_records(table)
    assert not masked(RankSwapping, table, p=2).same_records(table)


@given(st.integers(2, 200), percent, st.integers(0, 5))
def test_values_without_ties_move_no_more_than_their_reach(n: int, p: float, seed: int) -> None:
    values = np.random.default_rng(seed).permutation(n)
    published = masked(RankSwapping, numeric(values), seed, p=p).numbers[:, 0]
    assert np.abs(published - values).max() <= n * p / 100 + 1e-9


@given(mixed_tables(), percent, st.integers(0, 5))
def test_values_with_ties_move_no_more_than_their_reach_beyond_their_ties(table: Table, p: float, seed: int) -> None:
    published = masked(RankSwapping, table, seed, p=p)
    for attribute in table.schema.attributes:
        before, after = table.column(attribute.name), published.column(attribute.name)
        present = before != -1 if attribute.categorical else ~np.isnan(before)
        values = np.sort(before[present])
        lowest, new_lowest = (np.searchsorted(values, column[present]) for column in (before, after))
        highest, new_highest = (np.searchsorted(values, column[present], "right") - 1 for column in (before, after))
        distance = np.maximum(np.maximum(new_lowest - highest, lowest - new_highest), 0)
        assert distance.max(initial=0) <= reach(int(present.sum()), p)


def test_reach_is_not_spoilt_by_inexact_percentages() -> None:
    assert [reach(1000, tenths / 10) for tenths in range(1, 1001)] == list(range(1, 1001))


def test_nominal_attributes_are_ranked_alphabetically_and_ordinal_ones_by_category() -> None:
    labels = ("b", "c", "a", "d")
    values = np.arange(4).repeat(25).reshape(-1, 1)
    for scale, order in [(Scale.NOMINAL, ["a", "b", "c", "d"]), (Scale.ORDINAL, list(labels))]:
        table = Table(Schema((Attribute("x", scale=scale, categories=labels),)), values, np.empty((100, 0)))
        published = masked(RankSwapping, table, p=25).codes[:, 0]
        places = np.array([order.index(label) for label in labels])
        # 25 ranks reach no further than the neighbouring category
        assert np.abs(places[published] - places[values[:, 0]]).max() == 1


def test_ties_are_broken_at_random() -> None:
    table = categorical(np.arange(2).repeat(100), [2], [ORDINAL])
    moved = np.array([(masked(RankSwapping, table, s, p=10).codes != table.codes)[:, 0] for s in range(200)])
    assert moved[:, :100].any(axis=0).all()
    assert moved[:, 100:].any(axis=0).all()


def test_attributes_are_swapped_independently() -> None:
    values = np.random.default_rng(0).permutation(500)
    published = masked(RankSwapping, numeric(np.column_stack([values, values])), p=20).numbers
    assert (published[:, 0] != published[:, 1]).mean() > 0.9


@pytest.mark.parametrize(
    "table", [numeric([[3.0]]), categorical([2], [3], [NOMINAL]), categorical([-1, -1], [1], [ORDINAL])]
)
def test_nothing_to_swap_with(table: Table) -> None:
    assert masked(RankSwapping, table, p=100).same_records(table)


def test_a_constant_column_stays() -> None:
    table = categorical(np.zeros(40), [3], [NOMINAL])
    assert masked(RankSwapping, table, p=50).same_records(table)


@pytest.mark.parametrize(
    ("params", "text"),
    [({"p": 101}, "less than or equal to 100"), ({"p": -1}, "p: given -1")],
)
def test_refusals(params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(RankSwapping, **params)


def test_real_files(german: Table, tarragona: Table) -> None:
    published = masked(RankSwapping, german, p=5)
    np.testing.assert_array_equal(np.sort(published.codes, axis=0), np.sort(german.codes, axis=0))
    assert not published.same_records(german)
    swapped_numbers = masked(RankSwapping, tarragona, p=15).numbers
    np.testing.assert_array_equal(np.sort(swapped_numbers, axis=0), np.sort(tarragona.numbers, axis=0))
    assert (swapped_numbers != tarragona.numbers).mean() > 0.9
