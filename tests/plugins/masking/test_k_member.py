from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Schema
from evosdc.table.table import Table
from evosdc_masking.anonymity.k_member import KMember, k_member_partition
from evosdc_masking.space import space_of
from tests.plugins.masking import clustering_references as references
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

TREE = Hierarchy(
    ("000", "001", "002", "003", "004"),
    (("a", "c", "*"), ("a", "c", "*"), ("b", "c", "*"), ("b", "c", "*"), ("d", "d", "*")),
)
any_table = st.one_of(categorical_tables(), numeric_tables(), mixed_tables())


def clusters_of(table: Table, k: int, first: int) -> list[set[int]]:
    numbers = k_member_partition(space_of(table, clustering=True), k, first)
    return [set(np.flatnonzero(numbers == group).tolist()) for group in range(numbers.max() + 1)]


def with_hierarchy(table: Table, position: int, hierarchy: Hierarchy) -> Table:
    attributes = list(table.schema.attributes)
    attributes[position] = replace(attributes[position], hierarchy=hierarchy)
    return Table(Schema(tuple(attributes), na=table.schema.na), table.codes, table.numbers)


def least_repetition(table: Table) -> int:
    records = np.hstack([table.codes, np.nan_to_num(table.numbers, nan=1e308)])
    return int(np.unique(records, axis=0, return_counts=True)[1].min())


@given(categorical_tables(max_records=20), st.data())
def test_categorical_clusters_are_those_of_the_plain_reference(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    first = data.draw(st.integers(0, len(table) - 1))
    assert clusters_of(table, k, first) == references.k_member(table, k, first)


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 2)), min_size=1, max_size=20), st.data())
def test_clusters_by_hierarchy_are_those_of_the_plain_reference(codes: list, data: st.DataObject) -> None:
    na = data.draw(st.sampled_from(["category", "wildcard"]))
    table = with_hierarchy(categorical(codes, [5, 3], [NOMINAL, ORDINAL], na), 0, TREE)
    k = data.draw(st.integers(1, len(table)))
    first = data.draw(st.integers(0, len(table) - 1))
    assert clusters_of(table, k, first) == references.k_member(table, k, first)


@pytest.mark.parametrize("kind", ["numeric", "missing", "wildcard", "mixed"])
@pytest.mark.parametrize(("n", "k"), [(7, 7), (8, 3), (24, 1), (31, 2), (31, 7)])
def test_numeric_clusters_are_those_of_the_plain_reference(n: int, k: int, kind: str) -> None:
    rng = np.random.default_rng([n, k])
    numbers = rng.normal(size=(n, 3)) * [1, 1000, 0.01]
    if kind in ("missing", "wildcard"):
        numbers[rng.random(numbers.shape) < 0.2] = np.nan
    table = numeric(numbers, "wildcard" if kind == "wildcard" else "category")
    if kind == "mixed":
        table = joined(categorical(rng.integers(-1, 4, size=(n, 2)), [4, 5], [ORDINAL, NOMINAL]), table)
    assert clusters_of(table, k, 3) == references.k_member(table, k, 3)


@given(any_table, st.data())
def test_the_published_file_is_k_anonymous(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    published = masked(KMember, table, seed=data.draw(st.integers(0, 3)), k=k)
    assert least_repetition(published) >= k
    if k == 1:
        assert published.same_records(table)
    if k == len(table):
        assert least_repetition(published) == k


@given(st.one_of(categorical_tables(), numeric_tables(missing=False)), st.data())
def test_published_intervals_are_k_anonymous(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    assert build(KMember, output="interval").generalises
    assert not build(KMember).generalises
    assert least_repetition(masked(KMember, table, k=k, output="interval")) >= k


def test_a_hand_made_clustering_and_its_intervals() -> None:
    table = numeric([0.0, 1, 2, 50, 51, 52, 99, 100])
    # 100 takes 99 and 52, then 0 takes 1 and 2; of what is over, 50 and then 51 widen the first cluster the least
    assert clusters_of(table, 3, 0) == [{3, 4, 5, 6, 7}, {0, 1, 2}]
    published = masked(KMember, numeric([1.0, 2, 3, 11, 12, 13]), k=3, output="interval")
    labels = [published.schema.attributes[0].categories[code] for code in published.codes[:, 0]]
    assert labels == ["[1, 3]"] * 3 + ["[11, 13]"] * 3


def test_the_seed_decides_where_to_begin() -> None:
    table = numeric(np.random.default_rng(1).normal(size=(40, 2)))
    files = {masked(KMember, table, seed=seed).numbers.tobytes() for seed in range(6)}
    assert len(files) > 1
    assert masked(KMember, table, seed=4).same_records(masked(KMember, table, seed=4))


def test_refusals() -> None:
    with pytest.raises(ParameterError, match=r"method k-member: k: given 4; wanted 1\.\.3"):
        masked(KMember, numeric(np.zeros((3, 1))), k=4)
    with pytest.raises(ParameterError, match="greater than or equal to 1"):
        build(KMember, k=0)
    with pytest.raises(ParameterError, match="'interval'"):
        build(KMember, output="range")


@pytest.mark.parametrize("output", ["point", "interval"])
def test_real_files(german: Table, flare: Table, adult: Table, tarragona: Table, output: str) -> None:
    for table in (german, flare, adult.take(np.arange(3000)), tarragona):
        assert least_repetition(masked(KMember, table, k=5, output=output)) >= 5
