"""Ranges, designs, and what a parameter model says of them by itself."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from evosdc.model import Choices, Design, MaskingMethod, Parameters, Range, Tunable, designs_of
from evosdc.model.design import derived_designs
from evosdc.table.schema import Scale
from evosdc.testing.tables import sample_table

shares = st.floats(0, 1)


@given(st.floats(-1e3, 1e3), st.floats(0.01, 1e3), shares)
def test_a_linear_range_holds_its_values_and_finds_their_places(low: float, width: float, share: float) -> None:
    own = Range("p", low, low + width)
    value = own.at(share)
    assert own.low <= value <= own.high
    assert own.share(value) == pytest.approx(share, abs=0.01)
    assert (own.at(0.0), own.at(1.0)) == pytest.approx((own.low, own.high), abs=width / 100)


@given(st.floats(1e-3, 10), st.floats(1.1, 1e4), shares)
def test_a_logarithmic_range_has_equal_ratios(low: float, ratio: float, share: float) -> None:
    own = Range("alpha", low, low * ratio, "log")
    assert own.at(share) == pytest.approx(low * ratio**share, rel=0.01)


@given(st.integers(1, 50), st.integers(0, 500), shares, st.sampled_from(["linear", "log"]))
def test_whole_numbers_stay_whole_and_inside(low: int, width: int, share: float, scale: str) -> None:
    own = Range("k", low, low + width, scale, whole=True)  # type: ignore[arg-type]
    value = own.at(share)
    assert isinstance(value, int)
    assert low <= value <= low + width
    assert own.size == width + 1


@given(st.integers(1, 50), st.integers(0, 30), st.integers(1, 12))
def test_a_spread_has_distinct_values_from_end_to_end(low: int, width: int, count: int) -> None:
    own = Range("k", low, low + width, whole=True)
    values = [own.at(share) for share in own.spread(count)]
    assert len(set(values)) == len(values) <= count
    if count > 1:
        assert {min(values), max(values)} == {low, low + width}


def test_values_are_short() -> None:
    assert Range("p", 0.1, 50).at(0.4386) == 21.99
    assert Range("alpha", 0.001, 5, "log").at(0.5) == 0.0707
    assert Range("k", 2, 100, "log", whole=True).at(0.5) == 14


@pytest.mark.parametrize(("low", "high", "scale"), [(2, 1, "linear"), (0, 1, "log"), (float("nan"), 1, "linear")])
def test_impossible_ranges_are_refused(low: float, high: float, scale: str) -> None:
    with pytest.raises(ValueError, match="range of p"):
        Range("p", low, high, scale)  # type: ignore[arg-type]


def test_choices_are_all_reached() -> None:
    own = Choices("way", ("a", "b", "c"))
    assert [own.at(share) for share in own.spread(2)] == ["a", "b", "c"]
    assert [own.at(own.share(value)) for value in own.values] == ["a", "b", "c"]
    assert (own.at(0.0), own.at(1.0)) == ("a", "c")


def test_an_attribute_is_left_alone_beyond_what_it_can_take() -> None:
    design = Design(free=(Range("q", 2, 9, whole=True),), most={"small": 3})
    assert [design.takes("small", {"q": q}) for q in (2, 3, 4)] == [True, True, False]
    assert design.takes("other", {"q": 9})


class Bounded(Parameters):
    share: float = Field(0.3, ge=0, le=1)
    k: int = Field(3, ge=2, lt=1000)
    way: Literal["a", "b"] = "a"
    open_end: float = Field(1.0, gt=0)


class Required(Parameters):
    file: str


class Entangled(Parameters):
    first: float = Field(0.1, ge=0, le=1)
    way: Literal["one", "other"] = "one"

    def model_post_init(self, context: object) -> None:
        if self.way == "other" and self.first != 0.1:
            raise ValueError("these hang together")


def test_ranges_are_read_off_bounds_at_both_ends() -> None:
    (design,) = derived_designs(Bounded)
    assert design.free == (Range("share", 0, 1), Range("k", 2, 999, "log", whole=True))


def test_a_parameter_without_range_or_default_cannot_be_tuned() -> None:
    assert derived_designs(Required) == ()


def test_parameters_that_hang_together_keep_their_defaults() -> None:
    assert derived_designs(Entangled) == (Design(),)


def test_a_method_speaks_for_itself_where_it_can() -> None:
    class Stranger(MaskingMethod):
        Params = Bounded
        mask = None  # type: ignore[assignment]

    class Known(Tunable):
        mask = None  # type: ignore[assignment]

        @classmethod
        def designs(cls, table):
            return [Design({"n": len(table)})]

    table = sample_table("ordinary", frozenset(Scale))
    assert designs_of(Stranger, table) == derived_designs(Bounded)
    assert designs_of(Known, table)[0].fixed == {"n": len(table)}


def test_parameters_within_tables_are_named_with_dots() -> None:
    design = Design(
        {"inner": {"method": "mdav"}, "p": 1},
        (Range("inner.k", 2, 9, whole=True), Range("c", 1, 3), Range("a.b.d", 0, 1)),
    )
    params = design.params([1.0, 0.0, 0.5])
    assert params == {"inner": {"method": "mdav", "k": 9}, "p": 1, "c": 1.0, "a": {"b": {"d": 0.5}}}
    assert design.fixed == {"inner": {"method": "mdav"}, "p": 1}, "the design is not changed"
    assert [one.value_in(params) for one in design.free] == [9, 1.0, 0.5]
    assert Range("inner.k.x", 0, 1).value_in(params) is None
    assert Choices("z", (1,)).value_in(params) is None
    bounded = Design(free=(Range("inner.k", 2, 9, whole=True),), most={"age": 4})
    assert bounded.takes("age", {"inner": {"k": 4}})
    assert not bounded.takes("age", {"inner": {"k": 5}})
    assert bounded.takes("sex", {"inner": {"k": 5}})
