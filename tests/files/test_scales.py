from __future__ import annotations

import pytest

from evosdc.files.inference.column_proposal import guess_scale
from evosdc.files.inference.name_hints import NameHint
from evosdc.table.schema import Scale

from .build import column


def scale_of(*values: str, nominal: bool = False, mark: str = ".") -> tuple[Scale, tuple[str, ...]]:
    guess = guess_scale(column("a", values, mark), ("", "?"), NameHint(unordered=nominal))
    return guess.scale, guess.categories


@pytest.mark.parametrize(
    "order",
    [
        ["low", "medium", "high"],
        ["Strongly disagree", "disagree", "Neutral", "agree", "strongly agree"],
        ["Jan", "Feb", "Mar", "Dec"],
        ["monday", "tuesday", "sunday"],
        ["<1", "1-4", "4-7", ">=7"],
        ["under 18", "18-24", "25-64", "65 and over"],
        ["<5 years", "5-10 years", "11+ years"],
        ["$0-999", "$1,000-1,999", "$2,000+"],
        ["[0,5)", "[5,10)", "[10,20]"],
        ["0", "1-2", "3+"],
        ["never", "sometimes", "always"],
        ["very_low", "low", "high"],
        ["Preschool", "9th", "HS-grad", "Doctorate"],
        ["2", "10", "11"],
    ],
)
def test_known_orders(order):
    assert scale_of(*reversed(order)) == (Scale.ORDINAL, tuple(order))


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "blue"],
        ["low", "high", "purple"],
        ["v2020-01", "v2020-02", "v2020-03"],
        ["1-5", "3-9", "10-12"],
        ["f", "m", "?"],
        ["08001", "08002", "17003"],
        ["High", "high", "low"],
    ],
)
def test_values_without_a_known_order(values):
    present = [value for value in values if value != "?"]
    assert scale_of(*values) == (Scale.NOMINAL, tuple(sorted(present)))


def test_numbers():
    assert scale_of("1.5", "2", "3") == (Scale.NUMERIC, ())
    assert scale_of("1,5", "2", "3", mark=",") == (Scale.NUMERIC, ())
    assert scale_of(*map(str, range(17, 91)))[0] is Scale.ORDINAL
    assert scale_of(*map(str, range(0, 120000, 1000)))[0] is Scale.NUMERIC
    assert scale_of(*map(str, range(121)))[0] is Scale.NUMERIC
    assert scale_of("1", "2") == (Scale.NOMINAL, ("1", "2"))
    assert scale_of("3", "1", "2", nominal=True) == (Scale.NOMINAL, ("1", "2", "3"))


def test_decimals_are_those_written():
    assert guess_scale(column("a", ["1.50", "2.125"]), ("",)).decimals == 3


def test_nothing_at_all():
    assert scale_of("", "?") == (Scale.NOMINAL, ())
