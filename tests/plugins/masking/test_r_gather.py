from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.table import Table
from evosdc_masking.anonymity import r_gather as r_gather_partition
from evosdc_masking.anonymity.r_gather import RGather, centres_of, gathered, necessary_diameter
from evosdc_masking.space import space_of
from tests.plugins.masking import clustering_references as references
from tests.plugins.masking.references import records_of
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    categorical_tables,
    masked,
    mixed_tables,
    numeric,
    numeric_tables,
)

RULE = ("category",)
any_table = st.one_of(categorical_tables(rules=RULE), numeric_tables(), mixed_tables())


def tiny_tables() -> st.SearchStrategy[Table]:
    return st.one_of(categorical_tables(max_records=7, rules=RULE), numeric_tables(max_records=7, missing=False))


def least_repetition(table: Table) -> int:
    records = np.hstack([table.codes, np.nan_to_num(table.numbers, nan=1e308)])
    return int(np.unique(records, axis=0, return_counts=True)[1].min())


def unit_of(table: Table) -> float:
    """What a distance of 1 is in the units of the space: the least common denominator of the distances of Eq. 2.6."""
    ordinal = [len(a.categories) for a in table.schema.categorical if a.scale is ORDINAL]
    return float(math.lcm(*ordinal))


@given(tiny_tables(), st.data())
def test_the_radius_is_at_most_twice_the_least_possible(table: Table, data: st.DataObject) -> None:
    r = data.draw(st.integers(1, len(table)))
    gathering = gathered(space_of(table, clustering=True), r)
    records, distance = records_of(table), references.record_distance(table)
    sizes = np.bincount(gathering.classes, minlength=gathering.centres.size)
    assert sizes.size == gathering.centres.size
    assert sizes.min() >= r
    radius = max(
        float(distance(records[gathering.centres[group]], records[row])) for row, group in enumerate(gathering.classes)
    )
    assert radius <= gathering.reach / unit_of(table) + 1e-12
    assert gathering.reach / unit_of(table) <= 2 * references.least_radius(table, r) + 1e-12


@given(tiny_tables(), st.data())
def test_the_flow_exists_exactly_if_every_set_of_centres_reaches_enough(table: Table, data: st.DataObject) -> None:
    r = data.draw(st.integers(1, 3))
    space, unit = space_of(table, clustering=True), unit_of(table)
    counts = np.diff(space.points.starts)
    diameter = data.draw(st.sampled_from([0.0, 0.2, 0.34, 0.5, 0.75, 1.0, 1.5]))
    centres, begins, reached, _, _ = centres_of(space, diameter * unit + 1e-9, len(table), 10**6)
    flow = r_gather_partition._flow(begins, reached, counts, r)
    possible = references.gather_is_possible(
        table, r, space.points.members[space.points.starts[centres]].tolist(), diameter + 1e-9
    )
    assert (flow is not None) == possible
    if flow is not None:
        assert (flow.sum(axis=1) == r).all()
        assert (flow.sum(axis=0) <= counts).all()


@given(tiny_tables(), st.data())
def test_the_necessary_diameter_holds_r_records_around_each(table: Table, data: st.DataObject) -> None:
    r = data.draw(st.integers(1, len(table)))
    space = space_of(table, clustering=True)
    found = necessary_diameter(space, r)
    records, distance = records_of(table), references.record_distance(table)
    assert found / unit_of(table) == pytest.approx(
        max(sorted(float(distance(a, b)) for b in records)[r - 1] for a in records)
    )


@pytest.mark.parametrize("r", [31, 32, 33, 60, 120])
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_the_necessary_diameter_of_many_records(kind: str, r: int) -> None:
    rng = np.random.default_rng(r)
    table = (
        numeric(rng.normal(size=(120, 2)))
        if kind == "numbers"
        else categorical(rng.integers(0, 6, (120, 2)), [6, 6], [ORDINAL, NOMINAL])
    )
    space = space_of(table, clustering=True)
    found = necessary_diameter(space, r)
    records, distance = records_of(table), references.record_distance(table)
    expected = max(sorted(float(distance(a, b)) for b in records)[r - 1] for a in records)
    assert found / unit_of(table) == pytest.approx(expected)


@given(any_table, st.data(), st.sampled_from(["point", "centre"]))
def test_the_published_file_is_k_anonymous(table: Table, data: st.DataObject, output: str) -> None:
    k = data.draw(st.integers(1, len(table)))
    published = masked(RGather, table, k=k, output=output)
    assert least_repetition(published) >= k
    if k == len(table):
        assert least_repetition(published) == k


@given(categorical_tables(), st.data())
def test_published_intervals_are_k_anonymous(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    assert build(RGather, output="interval").generalises
    assert not build(RGather, output="centre").generalises
    assert least_repetition(masked(RGather, table, k=k, output="interval")) >= k


@given(any_table)
def test_k_of_1_is_the_identity(table: Table) -> None:
    for output in ("point", "centre"):
        assert masked(RGather, table, k=1, output=output).same_records(table)


def test_a_hand_made_gathering() -> None:
    table = numeric([0.0, 1, 2, 50, 51, 52, 100])
    gathering = gathered(space_of(table, clustering=True), 3)
    assert gathering.classes.tolist() == [0, 0, 0, 1, 1, 1, 1]
    # within 0.49 of the range three centres were needed; within 0.5 the first one reaches 50, and 51 is the next
    assert gathering.centres.tolist() == [0, 4]
    assert gathering.reach == pytest.approx(0.5)
    assert masked(RGather, table, k=3, output="centre").numbers[:, 0].tolist() == [0, 0, 0, 51, 51, 51, 51]
    assert masked(RGather, table, k=3).numbers[:, 0].tolist() == [1, 1, 1, 63.25, 63.25, 63.25, 63.25]


def test_equal_records_are_divided_between_centres_by_the_flow() -> None:
    # either end can only be a centre with the help of the four equal records in the middle
    table = categorical([0, 1, 1, 1, 1, 2], [3], [ORDINAL])
    gathering = gathered(space_of(table, clustering=True), 3)
    assert np.bincount(gathering.classes).min() >= 3


def test_centres_are_records_of_the_file() -> None:
    table = numeric(np.random.default_rng(1).normal(size=(200, 3)))
    originals = {tuple(record) for record in table.numbers.tolist()}
    published = masked(RGather, table, k=4, output="centre")
    assert {tuple(record) for record in published.numbers.tolist()} <= originals


def test_a_file_that_would_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(r_gather_partition, "MOST_PAIRS", 50)
    with pytest.raises(ParameterError, match="more than 50 pairs of them within reach"):
        masked(RGather, numeric(np.random.default_rng(1).normal(size=(100, 2))), k=3)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match=r"method r-gather: k: given 4; wanted 1\.\.3"):
        masked(RGather, numeric(np.zeros((3, 1))), k=4)
    with pytest.raises(ParameterError, match="greater than or equal to 1"):
        build(RGather, k=0)
    with pytest.raises(ParameterError, match="'centre'"):
        build(RGather, output="center")


@pytest.mark.parametrize("output", ["point", "centre", "interval"])
def test_real_files(german: Table, flare: Table, adult: Table, tarragona: Table, output: str) -> None:
    for table in (german, flare, adult.take(np.arange(3000)), tarragona):
        assert least_repetition(masked(RGather, table, k=5, output=output)) >= 5


def test_missing_values_are_a_category_whatever_the_rule() -> None:
    codes = [[0, 1], [-1, 1], [0, -1], [1, 0], [-1, 0], [1, -1]]
    tables = [categorical(codes, [2, 2], [NOMINAL, NOMINAL], na) for na in ("category", "wildcard")]
    classes = [build(RGather, k=3).classes(table, np.random.default_rng(1)) for table in tables]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(*classes)
