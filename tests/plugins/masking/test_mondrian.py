from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.generalisation import LabelReader
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.testing import MaskingMethodConformance
from evosdc_masking.anonymity.mondrian import Mondrian
from tests.plugins.masking.mondrian_reference import mondrian
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
)


class TestIntervals(MaskingMethodConformance):
    deterministic = True

    def method(self):
        return build(Mondrian, k=3, output="interval")

    def table(self, table_name):
        return with_hierarchies(super().table(table_name), every=2)


del MaskingMethodConformance


def with_hierarchies(table: Table, every: int = 1) -> Table:
    """Give every so manieth categorical attribute a hierarchy of pairs, fours and a root; the order is not kept."""
    attributes = []
    for j, attribute in enumerate(table.schema.attributes):
        if attribute.categories and j % every == 0:
            labels = attribute.categories
            shuffled = [labels[(3 * i + 1) % len(labels)] if len(labels) % 3 else labels[i] for i in range(len(labels))]
            rows = tuple((f"p{i // 2}", f"f{i // 4}", "*") for i in range(len(labels)))
            attribute = replace(attribute, hierarchy=Hierarchy(tuple(shuffled), rows))
        attributes.append(attribute)
    return Table(replace(table.schema, attributes=tuple(attributes)), table.codes, table.numbers)


def classes(table: Table, k: int, seed: int = 1, **params: str) -> np.ndarray:
    method = build(Mondrian, k=k, **params)
    assert isinstance(method, Mondrian)
    return method.classes(table, np.random.default_rng(seed))


def parts(values: list[int], k: int, partitioning: str) -> list[list[float]]:
    table = numeric(values)
    found = classes(table, k, partitioning=partitioning)
    return sorted(sorted(table.numbers[found == part, 0].tolist()) for part in np.unique(found))


def test_the_example_of_the_course() -> None:
    assert parts([1, 2, 3, 3, 4, 5], 2, "strict") == [[1, 2], [3, 3], [4, 5]]
    assert parts([1, 2, 3, 3, 4, 5], 2, "median") == [[1, 2, 3, 3], [4, 5]]
    assert parts([1, 2, 3, 3, 4, 5], 3, "relaxed") == [[1, 2, 3], [3, 4, 5]]
    assert parts([3, 3, 3, 3, 3], 2, "strict") == [[3, 3, 3, 3, 3]]


tables = st.one_of(mixed_tables(), categorical_tables()).flatmap(
    lambda table: st.sampled_from([table, with_hierarchies(table), with_hierarchies(table, every=2)])
)


@given(tables, st.integers(1, 6), st.sampled_from(["strict", "median", "relaxed"]), st.booleans())
def test_parts_are_those_of_the_plain_reference(table: Table, k: int, partitioning: str, by_hierarchy: bool) -> None:
    if k > len(table):
        return
    method = build(Mondrian, k=k, partitioning=partitioning, hierarchies=by_hierarchy)
    assert isinstance(method, Mondrian)
    found = method.classes(table, np.random.default_rng(0))
    plain = mondrian(table, k, partitioning, by_hierarchy)
    assert [set(np.flatnonzero(found == part).tolist()) for part in range(found.max() + 1)] == plain


def copies(table: Table, rows: np.ndarray) -> int:
    part = table.take(rows)
    records = np.hstack([part.codes, np.nan_to_num(part.numbers, nan=1e9)])
    return int(np.unique(records, axis=0, return_counts=True)[1].max())


@given(tables, st.integers(1, 6), st.sampled_from(["widest", "random"]), st.integers(0, 3))
def test_parts_have_the_promised_sizes(table: Table, k: int, dimension: str, seed: int) -> None:
    if k > len(table):
        return
    bare = all(a.hierarchy is None for a in table.schema.attributes)
    for partitioning in ("strict", "relaxed"):
        found = classes(table, k, seed, partitioning=partitioning, dimension=dimension)
        sizes = np.bincount(found)
        assert sizes.min() >= k
        for part, size in enumerate(sizes):
            same = copies(table, np.flatnonzero(found == part))
            if partitioning == "relaxed":
                assert size <= 2 * k - 1 or same == size  # nothing but copies of one record is left whole
            elif bare:
                assert size <= 2 * len(table.schema) * (k - 1) + same


@given(tables, st.integers(1, 6), st.booleans(), st.sampled_from(["strict", "relaxed"]))
def test_labels_cover_the_values_and_are_those_of_a_class(table: Table, k: int, by: bool, partitioning: str) -> None:
    if k > len(table):
        return
    published = masked(Mondrian, table, k=k, output="interval", hierarchies=by, partitioning=partitioning)
    published.verify()
    _, sizes = np.unique(published.codes, axis=0, return_counts=True)
    assert sizes.min() >= k
    for original, own in zip(table.schema.attributes, published.schema.attributes, strict=True):
        reader = LabelReader(original)
        for value, code in zip(table.column(original.name), published.column(own.name), strict=True):
            absent = value == -1 if original.categorical else np.isnan(value)
            extent = None if code == -1 else reader.read(own.categories[code])
            if extent is None:
                assert absent
                assert code == -1
            else:
                assert extent.missing if absent else extent.covers(value)


@given(tables)
def test_every_record_a_part_gives_the_identity(table: Table) -> None:
    published = masked(Mondrian, table, k=1)
    assert published.same_records(table)


@given(tables, st.sampled_from(["point", "interval"]))
def test_all_records_in_one_part_publish_one_record(table: Table, output: str) -> None:
    published = masked(Mondrian, table, k=len(table), output=output)
    assert len(np.unique(published.codes, axis=0)) == 1
    assert (np.isnan(published.numbers).all(axis=0) | (np.ptp(published.numbers, axis=0) == 0)).all()


def test_labels_by_hand() -> None:
    table = joined(
        categorical([[0, 0], [1, 2], [5, 1], [5, 3]], [6, 4], [ORDINAL, NOMINAL]), numeric([1.0, 2.0, 30.0, 31.0])
    )
    published = masked(Mondrian, table, k=2, output="interval")
    rows = [
        [a.categories[c] for a, c in zip(published.schema.attributes, record, strict=True)]
        for record in published.codes
    ]
    assert rows == [["[000, 001]", "{000, 002}", "[1, 2]"]] * 2 + [["005", "{001, 003}", "[30, 31]"]] * 2
    assert [a.scale for a in published.schema.attributes] == [Scale.NOMINAL] * 3


def test_a_hierarchy_is_cut_into_children_and_published_as_their_ancestor() -> None:
    labels = ("Ghent", "Liege", "Bruges", "Mons")
    regions = {"Ghent": "Flanders", "Bruges": "Flanders", "Liege": "Wallonia", "Mons": "Wallonia"}
    hierarchy = Hierarchy(tuple(regions), tuple((region, "*") for region in regions.values()))
    table = categorical(np.array([0, 1, 2, 3, 0, 0]), [4], [NOMINAL])
    attribute = replace(table.schema.attributes[0], categories=labels, hierarchy=hierarchy)
    table = Table(replace(table.schema, attributes=(attribute,)), table.codes, table.numbers)
    published = masked(Mondrian, table, k=2, output="interval")
    names = [published.schema.attributes[0].categories[c] for c in published.codes[:, 0]]
    assert names == ["Flanders", "Wallonia", "Flanders", "Wallonia", "Flanders", "Flanders"]
    assert masked(Mondrian, table, k=5, output="interval").schema.attributes[0].categories[-1] == "*"


@pytest.mark.parametrize("k", [0, -1, 2.5, "x"])
def test_k_is_a_count(k: object) -> None:
    with pytest.raises(ParameterError, match="method mondrian: k"):
        build(Mondrian, k=k)


def test_too_large_k_is_refused_with_the_range() -> None:
    with pytest.raises(ParameterError, match=r"given 4; wanted 1\.\.3"):
        masked(Mondrian, numeric([1.0, 2, 3]), k=4)


def test_averages_and_weights_are_those_of_microaggregation() -> None:
    table = numeric([1.0, 2.0, 6.0, 10.0, 11.0, 15.0])
    assert masked(Mondrian, table, k=3, average="median").numbers[:, 0].tolist() == [2.0] * 3 + [11.0] * 3
    weights = np.array([1.0, 1, 3, 1, 1, 8])
    weighted = build(Mondrian, k=3).mask_weighted(table, weights, np.random.default_rng(0)).numbers[:, 0]
    np.testing.assert_allclose(weighted, [21 / 5] * 3 + [141 / 10] * 3)


def test_random_dimensions_follow_the_seed() -> None:
    table = numeric(np.random.default_rng(0).normal(size=(300, 4)))
    first, again, other = (classes(table, 5, seed, dimension="random") for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_real_files(adult: Table, german: Table, tarragona: Table) -> None:
    for table in (adult, german, tarragona):
        for k in (2, 10):
            point = masked(Mondrian, table, k=k, partitioning="relaxed")
            records = np.hstack([point.codes, point.numbers])
            assert np.unique(records, axis=0, return_counts=True)[1].min() >= k
            labels = masked(Mondrian, table, k=k, output="interval")
            assert np.unique(labels.codes, axis=0, return_counts=True)[1].min() >= k
