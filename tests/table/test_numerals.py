from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.numerals import (
    NumberTexts,
    decimals_of,
    natural_order,
    number,
    numbers,
    numeral,
    single_precision_decimals,
)


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
    assert numbers(["1", "2.5"]).tolist() == [1.0, 2.5]
    assert numbers(["1", "x"]) is None


def test_most_decimals_count():
    assert decimals_of(["1", "2.50", "x", "3.1"]) == 2
    assert decimals_of(["1,125"], ",") == 3
    assert decimals_of(["1e-7"]) == 7
    # Digits that a double cannot count do not count.
    assert decimals_of(["35160.113491451244", "148000"]) == 9
    assert decimals_of(["35160.113491451244"]) == 10
    assert decimals_of(["1e300", "0.123456789"]) == 0
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


SINGLE = ("3.58999991416931", "12", "0.5", "4211.5400390625", "-1.10000002384186")


def test_digits_beyond_single_precision_do_not_count():
    assert single_precision_decimals(SINGLE) == 2
    assert decimals_of(SINGLE) == 2
    assert decimals_of([text.replace(".", ",") for text in SINGLE], ",") == 2
    assert decimals_of([repr(float(np.float32(value))) for value in (3.59, 1e-7, 0.25)]) == 7


@pytest.mark.parametrize(
    "texts", [("3.58999991416931", "3.6"), ("3.589999914",), ("0.125", "2"), ("1e300", "1e-9"), ()]
)
def test_other_numbers_keep_all_their_digits(texts):
    assert single_precision_decimals(texts) is None


def number_to(text, decimals, mark="."):
    (value,) = NumberTexts(pa.array([text]), mark).numbers_to(decimals).tolist()
    return value


def test_a_stored_number_is_what_it_was_before_it_was_stored():
    assert [number_to(text, 2) for text in SINGLE] == [3.59, 12.0, 0.5, 4211.54, -1.1]
    assert number_to("3,58999991416931", 2, ",") == 3.59
    assert number_to("3.58999991416931", 1) == 3.58999991416931
    assert number_to("3.58999991516931", 2) == 3.58999991516931
    assert number_to("766817920.0", 0) == 766817920.0  # 766817900 in single precision
    assert np.isnan(number_to("x", 2))


@given(st.floats(0.5, 1e6, width=32))
def test_single_precision_is_read_as_its_shortest_text(value):
    shortest = str(np.float32(value))
    decimals = decimals_of([shortest])
    assert number_to(f"{value:.15g}", decimals) == pytest.approx(float(shortest), rel=1e-13, abs=0)
