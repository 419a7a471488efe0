"""Global recoding by hierarchy level, by a user's groups, and of numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.generalisation import LabelReader
from evosdc.table.hierarchy import Hierarchy, number_intervals
from evosdc.table.table import Table
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    joined,
    masked,
    mixed_tables,
    numeric,
    numeric_tables,
)

TREE = Hierarchy(
    ("000", "001", "002", "003", "004"),
    (("low", "*"), ("low", "*"), ("middle", "*"), ("high", "*"), ("high", "*")),
)


def with_tree(table: Table, name: str = "c0", tree: Hierarchy = TREE) -> Table:
    attributes = tuple(replace(a, hierarchy=tree) if a.name == name else a for a in table.schema.attributes)
    return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)


def texts(table: Table, name: str) -> list[str | None]:
    categories = table.schema[name].categories
    return [None if code == -1 else categories[code] for code in table.column(name).tolist()]


FIVE = with_tree(categorical([0, 1, 1, 2, 3, 4, 4, -1], [5], [ORDINAL]))


@pytest.mark.parametrize(
    ("level", "point", "label"),
    [
        (0, [0, 1, 1, 2, 3, 4, 4, -1], ["000", "001", "001", "002", "003", "004", "004", None]),
        (1, [1, 1, 1, 2, 4, 4, 4, -1], ["low", "low", "low", "middle", "high", "high", "high", None]),
        (2, [2, 2, 2, 2, 2, 2, 2, -1], ["*", "*", "*", "*", "*", "*", "*", None]),
    ],
)
def test_levels_by_hand(level: int, point: list[int], label: list[str | None]) -> None:
    assert masked(GlobalRecoding, FIVE, level=level).codes[:, 0].tolist() == point
    assert texts(masked(GlobalRecoding, FIVE, level={"c0": level}, output="label"), "c0") == label


@pytest.mark.parametrize(
    ("scale", "groups", "point", "label"),
    [
        (ORDINAL, {"few": ["000", "001"]}, [1, 1, 1, 2, 3, 4, 4, -1], ["few"] * 3),
        (ORDINAL, [["000", "001"], ["003", "004"]], [1, 1, 1, 2, 4, 4, 4, -1], ["[000, 001]"] * 3),
        (ORDINAL, [["000", "001", "004"]], [1, 1, 1, 2, 3, 1, 1, -1], ["{000, 001, 004}"] * 3),
        (NOMINAL, [["000", "001", "004"]], [1, 1, 1, 2, 3, 1, 1, -1], ["{000, 001, 004}"] * 3),
        (NOMINAL, {"003": ["003", "000"]}, [0, 1, 1, 2, 0, 4, 4, -1], ["003", "001", "001"]),
        (NOMINAL, [["002"]], [0, 1, 1, 2, 3, 4, 4, -1], ["000", "001", "001"]),
    ],
)
def test_groups_by_hand(scale: Any, groups: Any, point: list[int], label: list[str]) -> None:
    table = categorical(FIVE.codes, [5], [scale])
    assert masked(GlobalRecoding, table, partition={"c0": groups}).codes[:, 0].tolist() == point
    assert texts(masked(GlobalRecoding, table, partition={"c0": groups}, output="label"), "c0")[:3] == label


def test_groups_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "groups.toml"
    path.write_text('c0 = { few = ["000", "001"], many = ["003", "004"] }\n', encoding="utf-8")
    published = masked(GlobalRecoding, FIVE, partition=str(path), output="label")
    assert texts(published, "c0") == ["few", "few", "few", "002", "many", "many", "many", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [("c0 = 3", "another form for c0"), ("c0 = [[1, 2]]", "another form for c0"), ("c0 = [", "cannot be read")],
)
def test_files_that_are_no_groups_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "groups.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=message):
        build(GlobalRecoding, partition=str(path))
    with pytest.raises(ParameterError, match="no such file"):
        build(GlobalRecoding, partition=str(tmp_path / "none.toml"))


NUMBERS = [17.0, 20, 24, 25, 61, float("nan"), 19]


@pytest.mark.parametrize(
    ("params", "point", "label"),
    [
        ({"width": 5}, [17, 20, 20, 25, 61, None, 17], ["[15, 20)", "[20, 25)", "[20, 25)", "[25, 30)", "[60, 65)"]),
        ({"width": 5, "start": 2}, [19, 19, 24, 24, 61, None, 19], ["[17, 22)", "[17, 22)", "[22, 27)", "[22, 27)"]),
        ({"width": {"x0": 2.5}}, [17, 20, 24, 25, 61, None, 19], ["[15.0, 17.5)", "[20.0, 22.5)", "[22.5, 25.0)"]),
        ({"cuts": [25, 20]}, [17, 20, 20, 25, 25, None, 17], ["< 20", "[20, 25)", "[20, 25)", ">= 25", ">= 25"]),
        ({"cuts": {"x0": [60]}}, [20, 20, 20, 20, 61, None, 20], ["< 60", "< 60", "< 60", "< 60", ">= 60"]),
        ({"cuts": [99]}, [20, 20, 20, 20, 20, None, 20], ["< 99"] * 5),
    ],
)
def test_numbers_by_hand(params: dict[str, Any], point: list[float | None], label: list[str]) -> None:
    table = numeric(NUMBERS)
    published = masked(GlobalRecoding, table, **params).numbers[:, 0]
    assert [None if np.isnan(value) else value for value in published] == point
    named = texts(masked(GlobalRecoding, table, output="label", **params), "x0")
    assert named[: len(label)] == label
    assert named[5] is None


def test_levels_of_numbers() -> None:
    table = with_tree(numeric(NUMBERS), "x0", number_intervals(range(17, 91), [5, 10]))
    assert texts(masked(GlobalRecoding, table, level=2, output="label"), "x0") == [
        "10-19", "20-29", "20-29", "20-29", "60-69", None, "10-19",
    ]  # fmt: skip
    assert masked(GlobalRecoding, table, level=3).numbers[:5, 0].tolist() == [20.0] * 5
    with pytest.raises(ParameterError, match="a leaf of the hierarchy"):
        masked(GlobalRecoding, with_tree(numeric([1.0]), "x0", number_intervals([2], [5])), level=1)


def test_an_interval_begins_at_its_decimal_number() -> None:
    values = np.arange(1, 200) / 10
    published = masked(GlobalRecoding, numeric(values), width=0.1, output="label")
    assert texts(published, "x0") == [f"[{i / 10:.1f}, {(i + 1) / 10:.1f})" for i in range(1, 200)]
    assert masked(GlobalRecoding, numeric(values), width=0.1).same_records(numeric(values))


@given(numeric_tables(), st.floats(0.01, 20), st.floats(-3, 3))
def test_intervals_hold_their_numbers_and_no_others(table: Table, width: float, start: float) -> None:
    labels = masked(GlobalRecoding, table, width=width, start=start, output="label")
    point = masked(GlobalRecoding, table, width=width, start=start)
    for j, name in enumerate(table.schema.names):
        reader = LabelReader(table.schema[name])
        for value, text, middle in zip(table.numbers[:, j], texts(labels, name), point.numbers[:, j], strict=True):
            if text is None:
                assert np.isnan(value)
                assert np.isnan(middle)
                continue
            extent = reader.read(text)
            assert extent is not None
            assert extent.low <= value < extent.high
            assert extent.low <= middle < extent.high
            assert middle in table.numbers[:, j]
            assert extent.high - extent.low == pytest.approx(width)


@given(mixed_tables(), st.sampled_from(["point", "label"]))
def test_without_parameters_every_attribute_is_recoded_where_it_can_be(table: Table, output: str) -> None:
    sizes = [len(set(column.tolist()) - {-1}) for column in table.codes.T]
    if min(sizes) < 2:
        with pytest.raises(ParameterError, match="q for attribute"):
            masked(GlobalRecoding, table, output=output)
        return
    published = masked(GlobalRecoding, table, output=output)
    published.verify()
    for name, size in zip([a.name for a in table.schema.categorical], sizes, strict=True):
        assert len(set(published.column(name).tolist()) - {-1}) == size - 1
    assert len(set(published.column("x0").tolist())) <= len(set(table.column("x0").tolist()))


def test_names_decide_and_the_rest_stays() -> None:
    table = joined(categorical([[0, 0], [1, 1], [2, 1]], [5, 2], [ORDINAL, NOMINAL]), numeric([1.0, 2.0, 3.0]))
    table = with_tree(table)
    published = masked(GlobalRecoding, table, level={"c0": 1}, width={"x0": 2})
    assert published.codes.tolist() == [[0, 0], [0, 1], [2, 1]]
    assert published.numbers[:, 0].tolist() == [1, 2, 2]
    both = masked(GlobalRecoding, table, q=2, width={"x0": 5})
    assert both.codes.tolist() == [[0, 1], [0, 1], [2, 1]]


@pytest.mark.parametrize(
    ("params", "messages"),
    [
        ({"level": 1}, ["c1: given no hierarchy", "x0: given no hierarchy"]),
        ({"level": {"c0": 3}}, [r"level for attribute c0: given 3; wanted 0\.\.2"]),
        ({"level": {"c7": 1}}, ["level: given 'c7'; wanted one of c0, c1, x0"]),
        ({"q": 2}, ["x0: given no rule, being numeric; wanted one of level, width, cuts"]),
        ({"width": 2}, ["c0: given no rule, being ordinal", "c1: given no rule, being nominal"]),
        ({"width": {"c0": 2}}, ["c0: given width for a ordinal attribute; wanted one of q, level, partition"]),
        ({"q": 3, "width": {"x0": 1}}, [r"q for attribute c1: given 3; wanted 1\.\.2"]),
        ({"level": {"c0": 1}, "partition": {"c0": [["000"]]}}, ["c0: given level and partition; wanted one of them"]),
        ({"partition": {"c0": {"a": ["009"], "b": []}}}, ["group a: given '009'", "group b: given no category"]),
        ({"partition": {"c0": [["000"], ["000"]]}}, ["group 2: given '000' once more"]),
        ({"partition": {"c0": {"001": ["000"]}}}, ["the name of a category that is not in it"]),
        ({"width": {"x0": 1e-12}}, ["width for attribute x0: given 1e-12; wanted a number above"]),
        ({"cuts": {"x0": []}}, ["cuts for attribute x0: given no number"]),
    ],
)
def test_what_does_not_fit_is_refused_all_at_once(params: dict[str, Any], messages: list[str]) -> None:
    table = joined(categorical([[0, 0], [1, 1], [2, 1]], [5, 2], [ORDINAL, NOMINAL]), numeric([1.0, 2.0, 3.0]))
    for message in messages:
        with pytest.raises(ParameterError, match=message):
            masked(GlobalRecoding, with_tree(table), **params)


@pytest.mark.parametrize(
    "params", [{"level": -1}, {"level": {"c0": -1}}, {"width": 0}, {"width": {"x0": -2}}, {"output": "interval"}]
)
def test_parameters_out_of_range_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="method globalrecoding"):
        build(GlobalRecoding, **params)


def test_real_numbers(tarragona: Table) -> None:
    labels = masked(GlobalRecoding, tarragona, output="label")
    labels.verify()
    assert all(2 <= len(set(column.tolist())) <= 60 for column in labels.codes.T)
    point = masked(GlobalRecoding, tarragona)
    for before, after in zip(tarragona.numbers.T, point.numbers.T, strict=True):
        assert set(after) <= set(before)
        order = np.argsort(before, kind="stable")
        assert (np.diff(after[order]) >= 0).all()
