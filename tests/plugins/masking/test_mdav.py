from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.table import Table
from evosdc_masking.microaggregation.mdav import Mdav, destandardised, mdav_partition
from evosdc_masking.space import space_of
from tests.plugins.masking import references
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
from tests.published import DataSets


def classes_of(table: Table, k: int) -> list[set[int]]:
    numbers = mdav_partition(space_of(table), k)
    return [set(np.flatnonzero(numbers == group).tolist()) for group in range(numbers.max() + 1)]


def least_repetition(table: Table) -> int:
    records = np.hstack([table.codes, np.nan_to_num(table.numbers, nan=1e308)])
    return int(np.unique(records, axis=0, return_counts=True)[1].min())


any_table = st.one_of(categorical_tables(), numeric_tables(), mixed_tables())


@given(categorical_tables(), st.data())
def test_categorical_partition_is_that_of_the_plain_reference(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    assert classes_of(table, k) == references.mdav(table, k)


@pytest.mark.parametrize(
    ("n", "k"), [(1, 1), (1, 2), (2, 2), (5, 3), (6, 3), (7, 3), (8, 7), (31, 1), (31, 7), (60, 3)]
)
@pytest.mark.parametrize("kind", ["numeric", "repeated", "missing", "wildcard", "mixed"])
def test_numeric_partition_is_that_of_the_plain_reference(n: int, k: int, kind: str) -> None:
    rng = np.random.default_rng([n, k])
    numbers = rng.normal(size=(n, 3)) * [1, 1000, 0.01]
    if kind == "repeated":
        numbers = numbers[rng.integers(0, (n + 1) // 2, size=n)]
    if kind in ("missing", "wildcard"):
        numbers[rng.random(numbers.shape) < 0.2] = np.nan
    table = numeric(numbers, "wildcard" if kind == "wildcard" else "category")
    if kind == "mixed":
        table = joined(categorical(rng.integers(-1, 4, size=(n, 2)), [4, 5], [ORDINAL, NOMINAL]), table)
    if k <= n:
        classes = classes_of(table, k)
        expected = references.mdav(table, k)
        if k == 1:
            # of the last two records each is as far from their mean: rounding decides which goes first
            assert sorted(map(min, classes)) == sorted(map(min, expected))
        else:
            assert classes == expected
        if kind in ("numeric", "repeated"):
            sse = references.sum_of_squares(numbers.tolist(), expected)
            published = masked(Mdav, table, k=k, destandardise=False).numbers
            assert ((numbers - published) ** 2).sum() == pytest.approx(sse)
    else:
        with pytest.raises(ParameterError):
            masked(Mdav, table, k=k)


@given(any_table, st.data())
def test_every_class_has_k_to_2k_minus_1_records(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    sizes = [len(members) for members in classes_of(table, k)]
    assert sum(sizes) == len(table)
    assert k <= min(sizes)
    assert max(sizes) <= 2 * k - 1


@pytest.mark.parametrize("k", range(2, 12))
def test_no_size_of_file_leaves_a_small_class(k: int) -> None:
    rng = np.random.default_rng(k)
    for n in range(k, 80):
        sizes = [len(members) for members in classes_of(numeric(rng.normal(size=n)), k)]
        assert min(sizes) >= k


@given(any_table, st.data(), st.booleans())
def test_the_published_file_is_k_anonymous(table: Table, data: st.DataObject, destandardise: bool) -> None:
    k = data.draw(st.integers(1, len(table)))
    assert least_repetition(masked(Mdav, table, k=k, destandardise=destandardise)) >= k


@given(any_table)
def test_k_of_1_is_the_identity(table: Table) -> None:
    assert masked(Mdav, table, k=1).same_records(table)


@given(any_table)
def test_k_of_n_publishes_one_record(table: Table) -> None:
    published = masked(Mdav, table, k=len(table))
    assert least_repetition(published) == len(table)
    (expected,) = {references.average_of(table, range(len(table)))}
    assert references.records_of(published)[0] == pytest.approx(expected, nan_ok=True)


def test_seven_and_ten_records_in_threes() -> None:
    assert sorted(map(len, classes_of(numeric(np.arange(7.0) ** 2), 3))) == [3, 4]
    assert sorted(map(len, classes_of(numeric(np.arange(10.0) ** 2), 3))) == [3, 3, 4]


def test_a_hand_made_partition() -> None:
    table = numeric([0.0, 1, 2, 50, 51, 52, 53, 100, 101, 103])
    assert classes_of(table, 3) == [{7, 8, 9}, {0, 1, 2}, {3, 4, 5, 6}]


def test_equal_records_are_served_by_position() -> None:
    # all coincide: r is record 0, its class takes the next ones, then s is the first that is left
    assert classes_of(categorical(np.zeros(9), [2], [NOMINAL]), 3) == [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}]
    assert classes_of(numeric(np.zeros(9)), 3) == [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}]


def test_the_first_class_is_served_first() -> None:
    # the farthest record from r falls in r's own class, since all others coincide with r
    table = categorical([0, 0, 0, 0, 0, 0, 1, 1, 1], [2], [NOMINAL])
    assert classes_of(table, 3) == references.mdav(table, 3)
    assert classes_of(table, 3)[0] == {6, 7, 8}


def test_order_of_records_does_not_change_averages_of_distinct_ones() -> None:
    rng = np.random.default_rng(5)
    numbers = rng.normal(size=(60, 2))
    order = rng.permutation(60)
    straight = masked(Mdav, numeric(numbers), k=4, destandardise=False).numbers
    shuffled = masked(Mdav, numeric(numbers[order]), k=4, destandardise=False).numbers
    np.testing.assert_allclose(shuffled, straight[order])


@given(numeric_tables(missing=False), st.data())
def test_destandardised_moments_are_the_originals(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    plain = masked(Mdav, table, k=k, destandardise=False).numbers
    published = masked(Mdav, table, k=k, destandardise=True).numbers
    for j in range(published.shape[1]):
        if plain[:, j].std() > 1e-9:
            assert published[:, j].mean() == pytest.approx(table.numbers[:, j].mean(), abs=1e-9)
            assert published[:, j].std() == pytest.approx(table.numbers[:, j].std())
        else:
            np.testing.assert_array_equal(published[:, j], plain[:, j])


def test_destandardised_by_hand_and_in_the_extreme() -> None:
    original, averages = np.array([0.0, 2, 8, 10]), np.array([1.0, 1, 9, 9])
    stretched = destandardised(averages, original)
    np.testing.assert_allclose(stretched, 5 + (averages - 5) * np.sqrt(17) / 4)
    np.testing.assert_allclose(destandardised(averages * 1e200, original * 1e200), stretched * 1e200)
    assert np.isnan(destandardised(np.full(2, np.nan), np.array([1.0, np.nan]))).all()


def test_huge_numbers_and_constant_columns_do_not_disturb() -> None:
    numbers = np.column_stack([np.arange(12.0) * 1e300, np.full(12, 5.0), np.arange(12.0) * 1e-300])
    published = masked(Mdav, numeric(numbers), k=4)
    assert least_repetition(published) >= 4
    assert np.isfinite(published.numbers).all()
    np.testing.assert_array_equal(published.numbers[:, 1], 5.0)
    assert classes_of(numeric(numbers), 4) == classes_of(numeric(np.arange(12.0)), 4)


def test_very_many_sizes_of_domains_have_no_common_whole_unit() -> None:
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151]
    rng = np.random.default_rng(3)
    table = categorical(np.column_stack([rng.integers(0, p, 40) for p in primes]), primes, [ORDINAL] * len(primes))
    assert [len(c) for c in classes_of(table, 4)] == [4] * 10


@pytest.mark.parametrize(("n", "text"), [(3, "k: given 4; wanted 1..3"), (0, "given no record")])
def test_too_few_records_are_refused(n: int, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        masked(Mdav, numeric(np.zeros((n, 1))), k=4)


@pytest.mark.parametrize(
    ("params", "text"),
    [({"k": 0}, "greater than or equal to 1"), ({"k": 2.5}, "k: given 2.5")],
)
def test_refusals(params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(Mdav, **params)


@pytest.mark.parametrize("k", [2, 5, 9])
def test_real_categorical_files(german: Table, flare: Table, adult: Table, k: int) -> None:
    for table in (german, flare, adult):
        published = masked(Mdav, table, k=k)
        assert least_repetition(published) >= k
        for j in range(published.codes.shape[1]):
            assert set(published.codes[:, j]) <= set(table.codes[:, j])
    assert classes_of(german.take(np.arange(150)), k) == references.mdav(german.take(np.arange(150)), k)
    assert classes_of(flare.take(np.arange(150)), k) == references.mdav(flare.take(np.arange(150)), k)


def test_real_numeric_file(tarragona: Table) -> None:
    published = masked(Mdav, tarragona, k=3, destandardise=True)
    assert least_repetition(published) >= 3
    np.testing.assert_allclose(published.numbers.mean(axis=0), tarragona.numbers.mean(axis=0))
    np.testing.assert_allclose(published.numbers.std(axis=0), tarragona.numbers.std(axis=0))
    part = tarragona.take(np.arange(120))
    assert classes_of(part, 5) == references.mdav(part, 5)


def test_plain_averages_lose_on_tarragona_what_is_published(data_sets: DataSets) -> None:
    """IL 16.93 with k = 3: the sum of squares within classes over that of the standardised file, in percent."""
    original = data_sets.table("tarragona")
    original = original.select(original.schema.names[-13:])
    numbers = (original.numbers - original.numbers.mean(axis=0)) / original.numbers.std(axis=0)
    published = masked(Mdav, original, k=3).numbers
    published = (published - original.numbers.mean(axis=0)) / original.numbers.std(axis=0)
    lost = 100 * ((numbers - published) ** 2).sum() / (numbers**2).sum()
    assert lost == pytest.approx(16.93, abs=0.005)
