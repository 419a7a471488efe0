"""Random numbers of the kinds that files hold."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import strategies as st

from evosdc.table.numerals import number

CODES = [0.0, -0.0, 1.0, 7.0, 9.0, 99.0, 999.0, -1.0, -8.0, -9.0, 2.0**53, 2.0**53 + 2, 1e16, 1e300, 1e-70, 0.1, 12.5]


def single(value: float) -> float:
    """Return what is left of a number in single precision."""
    return float(np.float32(value))


WHOLE = st.one_of(st.integers(-20, 120), st.integers(-(2**62), 2**62)).map(float)
MONEY = st.integers(-(10**7), 10**7).map(lambda cents: cents / 100)
STORED = MONEY.map(single)
LONG = st.floats(-1e6, 1e6)
SIZES = st.floats(-1e300, 1e300)
KINDS = [WHOLE, MONEY, STORED, LONG, SIZES, st.sampled_from(CODES)]


def numbers(least: int = 1, most: int = 12) -> st.SearchStrategy[list[float]]:
    """Return a strategy for columns, most of one kind with some of another."""

    def column(kinds: tuple[Any, Any]) -> st.SearchStrategy[list[float]]:
        mostly, sometimes = kinds
        return st.lists(st.one_of(mostly, mostly, mostly, sometimes), min_size=least, max_size=most)

    return st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)).flatmap(column)


def number_to(text: str, decimals: int, mark: str = ".") -> float | None:
    """Return the number that one text writes, by its shortest text if that single has so few decimals."""
    value = number(text, mark)
    after = text.partition(mark)[2]
    if value is None or not after.strip("0") or abs(value) > np.finfo(np.float32).max:
        return value
    shortest = str(np.float32(value))
    same = abs(float(np.float32(value)) - value) <= 1e-13 * abs(value)
    digits = 0 if shortest.endswith(".0") else -int(Decimal(shortest).as_tuple().exponent)
    long = -int(Decimal(text.replace(mark, ".")).as_tuple().exponent) > decimals
    return float(shortest) if same and long and digits <= decimals else value
