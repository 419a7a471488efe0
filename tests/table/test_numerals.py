from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.numerals import decimals_of, natural_order, number, numbers, numeral


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1.0), ("-2.50", -2.5), ("+.5", 0.5), ("3.", 3.0), ("1e3", 1000.0), ("007", 7.0)]
)
def test_numbers_are_read(text, value):
    assert number(text) == value


@pytest.mark.parametrize("text", ["", " 1", "1_000", "inf", "nan", "1,5", "0x10", "1.2.3", "\u0661", "1e999", "-"])
def test_other_texts_are_no_numbers(text):
    assert number(text) is None


def test_decimal_comma_excludes_the_point():
    assert number("1,5", ",") == 1.5
    assert number("1.5", ",") is None
    assert number("1.234,5", ",") is None


def test_all_or_none():
    assert numbers(["1", "2.5"]) == [1.0, 2.5]
    assert numbers(["1", "x"]) is None


def test_most_decimals_count():
    assert decimals_of(["1", "2.50", "x", "3.1"]) == 2
    assert decimals_of(["1,125"], ",") == 3
    assert decimals_of(["1e-7"]) == 7
    assert decimals_of(["1e7", "12"]) == 0
    assert decimals_of(["0.1234567890123456789"]) == 15


def test_numerals_round_and_never_write_minus_zero():
    assert numeral(2.345, 1) == "2.3"
    assert numeral(-0.04, 1) == "0.0"
    assert numeral(-0.0, 0) == "0"
    assert numeral(-1.5, 2, ",") == "-1,50"


@given(st.integers(-(10**12), 10**12), st.integers(0, 3))
def test_numeral_and_number_are_inverse_on_decimals(value, decimals):
    exact = value / 10**decimals
    assert number(numeral(exact, decimals)) == exact


def test_natural_order_is_by_number_if_all_are():
    assert natural_order(["10", "9", "1"]) == ("1", "9", "10")
    assert natural_order(["10", "9", "a"]) == ("10", "9", "a")
