from __future__ import annotations

from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evosdc.table.generalisation import (
    Extent,
    LabelReader,
    bound_label,
    interval_label,
    number_interval_label,
    set_label,
)
from evosdc.table.hierarchy import Hierarchy, number_intervals
from evosdc.table.schema import Attribute, Scale

SCHOOL = Attribute("school", scale=Scale.ORDINAL, categories=("none", "1st, 2nd", '"other"', "high", "[college]"))
TOWN = Attribute(
    "town",
    scale=Scale.NOMINAL,
    categories=("Ghent", "Bruges", "Liege"),
    hierarchy=Hierarchy(
        ("Bruges", "Ghent", "Liege", "Mons"),
        (("Flanders", "*"), ("Flanders", "*"), ("Wallonia", "*"), ("Wallonia", "*")),
    ),
)
AGE = Attribute("age", scale=Scale.NUMERIC)
YEARS = Attribute("years", scale=Scale.ORDINAL, categories=("29", "31", "40", "52"))


@pytest.mark.parametrize(
    ("attribute", "label", "extent"),
    [
        (SCHOOL, "high", Extent((3,))),
        (SCHOOL, "[college]", Extent((4,))),
        (SCHOOL, '["1st, 2nd", high]', Extent((1, 2, 3))),
        (SCHOOL, '{none, "1st, 2nd", "[college]"}', Extent((0, 1, 4))),
        (SCHOOL, '>= """other"""', Extent((2, 3, 4))),
        (SCHOOL, "<= none", Extent((0,))),
        (SCHOOL, "*", Extent((0, 1, 2, 3, 4), missing=True)),
        (TOWN, "Flanders", Extent((0, 1))),
        (TOWN, "Wallonia", Extent((2,))),
        (TOWN, "*", Extent((0, 1, 2), missing=True)),
        (TOWN, "{Ghent, Liege}", Extent((0, 2))),
        (YEARS, "[29, 40]", Extent((0, 1, 2))),
        (YEARS, "[30, 40)", Extent((1,))),
        (YEARS, ">= 35", Extent((2, 3))),
        (YEARS, "< 40", Extent((0, 1))),
        (AGE, "34.5", Extent(low=34.5, high=34.5)),
        (AGE, "[17, 25]", Extent(low=17.0, high=25.0)),
        (AGE, "[-1.5, 25)", Extent(low=-1.5, high=25.0)),
        (AGE, ">= 65", Extent(low=65.0, high=inf)),
        (AGE, "<= 16", Extent(low=-inf, high=16.0)),
        (AGE, "< 16.5", Extent(low=-inf, high=16.5)),
        (AGE, "*", Extent(low=-inf, high=inf, missing=True)),
    ],
)
def test_labels_are_read(attribute: Attribute, label: str, extent: Extent) -> None:
    found = LabelReader(attribute).read(label)
    assert found is not None
    assert str(found) == str(extent)  # NaN is not equal to itself


@pytest.mark.parametrize(
    ("attribute", "label"),
    [
        (YEARS, "[41, 50)"),
        (YEARS, "[40, 30)"),
        (SCHOOL, "[1, 2)"),
        (SCHOOL, "university"),
        (SCHOOL, "[high, none]"),
        (SCHOOL, "[none, high)"),
        (SCHOOL, "{none, university}"),
        (TOWN, "[Ghent, Liege]"),  # towns have no order
        (TOWN, ">= Ghent"),
        (SCHOOL, "< high"),
        (TOWN, "Mons"),  # below the hierarchy, but no category of the file
        (AGE, "[25, 17]"),
        (AGE, "old"),
        (AGE, ""),
        (AGE, "{17, 18}"),
    ],
)
def test_what_is_no_label_is_told(attribute: Attribute, label: str) -> None:
    assert LabelReader(attribute).read(label) is None


def test_a_category_comes_before_the_syntax_and_the_hierarchy_before_the_syntax() -> None:
    strange = Attribute("x", scale=Scale.ORDINAL, categories=("a", "[a, c]", "b", "c"))
    found = LabelReader(strange).read("[a, c]")
    assert found is not None
    assert found.codes == (1,)
    numbered = Attribute("age", scale=Scale.NUMERIC, hierarchy=number_intervals(range(17, 40), [5, 10]))
    decade = LabelReader(numbered).read("20-29")
    assert decade is not None
    assert (decade.low, decade.high, decade.missing) == (20, 29, False)


def test_formats() -> None:
    assert interval_label("a", "a") == "a"
    assert number_interval_label(1, 2.5, 1) == "[1.0, 2.5]"
    assert number_interval_label(-0.04, 0.04, 1) == "[-0.1, 0.1]"
    assert number_interval_label(0.3, 0.3, 1) == "0.3"
    assert number_interval_label(1, 2, closed=False) == "[1, 2)"
    assert set_label(["a", " b"]) == '{a, " b"}'
    assert set_label(["a, b"]) == "a, b"
    assert bound_label("65", above=True) == ">= 65"
    assert bound_label("16", above=False, closed=False) == "< 16"
    with pytest.raises(ValueError, match="part of what it bounds"):
        bound_label("16", above=True, closed=False)
    with pytest.raises(ValueError, match="no category"):
        set_label([])


labels = st.text(alphabet='ab ,"[]{}<>=*)', max_size=6)


@given(st.lists(labels, min_size=1, max_size=6, unique=True), st.data())
def test_what_is_written_is_read_again(categories: list[str], data: st.DataObject) -> None:
    attribute = Attribute("x", scale=Scale.ORDINAL, categories=tuple(categories))
    reader = LabelReader(attribute)
    low = data.draw(st.integers(0, len(categories) - 1))
    high = data.draw(st.integers(low, len(categories) - 1))
    members = sorted(data.draw(st.sets(st.integers(0, len(categories) - 1), min_size=1)))
    written = {
        interval_label(categories[low], categories[high]): tuple(range(low, high + 1)),
        set_label([categories[m] for m in members]): tuple(members),
        bound_label(categories[low], above=True): tuple(range(low, len(categories))),
        bound_label(categories[low], above=False): tuple(range(low + 1)),
    }
    for label, codes in written.items():
        assume(label not in attribute.code or len(codes) == 1)
        found = reader.read(label)
        assert found is not None
        if label not in attribute.code:
            assert found.codes == codes


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.integers(0, 4))
def test_intervals_of_numbers_are_read_again(low: float, width: float, decimals: int) -> None:
    found = LabelReader(AGE).read(number_interval_label(low, low + width, decimals))
    assert found is not None
    assert found.covers(low)
    assert found.covers(low + width)
    assert found.high - found.low <= width + 2.01 * 10.0**-decimals
