"""How far figures may be from stored ones."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.reproduction.tolerance import ANY, SAME, Tolerance

FIGURES = st.floats(allow_nan=False, allow_infinity=False, width=32)


def test_a_number_is_absolute_a_share_relative():
    assert Tolerance.of(0.5) == Tolerance(absolute=0.5)
    assert Tolerance.of("2 %") == Tolerance(relative=0.02)
    assert Tolerance.of("0.1%") == Tolerance(relative=0.001)
    assert Tolerance.of("any") == ANY


@pytest.mark.parametrize("given", ["2", "some", "-1 %", -0.1, ""])
def test_what_is_no_tolerance_is_refused(given):
    with pytest.raises(ValueError, match="a number of at least 0"):
        Tolerance.of(given)


@given(FIGURES)
def test_a_figure_is_as_it_is_stored(figure):
    assert SAME.holds(figure, figure)
    assert Tolerance.of("1 %").holds(figure, figure)


@given(FIGURES, FIGURES)
def test_absolute_tolerances_are_symmetric_and_exact(stored, found):
    allowed = Tolerance.of(1.5)
    assert allowed.holds(stored, found) == allowed.holds(found, stored)
    if abs(stored - found) > 1.6 and abs(stored) < 1e8:
        assert not allowed.holds(stored, found)


def test_edges():
    assert Tolerance.of("10 %").holds(100.0, 110.0)
    assert not Tolerance.of("10 %").holds(100.0, 110.1)
    assert not Tolerance.of("10 %").holds(0.0, 1e-6)
    assert SAME.holds(math.nan, math.nan)
    assert not Tolerance.of(5.0).holds(math.nan, 1.0)
    assert SAME.holds(0.1 + 0.2, 0.3)
    assert not SAME.holds(0.3, 0.3001)
    assert [str(Tolerance.of(text)) for text in (0.5, "2 %")] == ["0.5", "2 %"]
    assert str(SAME) == "nothing"
