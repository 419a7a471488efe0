"""The tail of an attribute: its extreme values, which top and bottom coding publish as one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.numerals import number
from evosdc.table.schema import Attribute
from evosdc.table.table import Numbers

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class NumberTail:
    """The numbers at one end of a column.

    Parameters
    ----------
    inside : ndarray of bool, shape (n,)
        The records whose number is replaced.
    threshold : float
        What the tail is published as, where it is not its average.
    innermost : float
        Where the tail begins: its own least extreme number, or the value that a user gives.
    """

    inside: NDArray[np.bool_]
    threshold: float
    innermost: float


def tail_by_share(column: Numbers, share: float, highest: bool) -> NumberTail:
    """Return the ``floor(share m)`` most extreme of m present numbers; the threshold is the next one.

    Where the next number equals some of them, those are not in the tail: they have the threshold's value already.
    With the whole file in the tail the threshold is its least extreme number.
    """
    values = np.sort(column[~np.isnan(column)])
    if values.size == 0:
        return NumberTail(np.zeros(column.shape, dtype=np.bool_), 0.0, 0.0)
    inwards = values[::-1] if highest else values
    size = whole(share, values.size)
    if size >= values.size:
        return NumberTail(~np.isnan(column), float(inwards[-1]), float(inwards[-1]))
    threshold = float(inwards[size])
    inside = column > threshold if highest else column < threshold
    innermost = inwards[int(inside.sum()) - 1] if inside.any() else threshold
    return NumberTail(inside, threshold, float(innermost))


def tail_by_value(column: Numbers, value: float, highest: bool) -> NumberTail:
    """Return the numbers from a value on; the value itself is the threshold and belongs to the tail."""
    return NumberTail(column >= value if highest else column <= value, value, value)


def categories_by_share(counts: Counts, inwards: Sequence[int] | Counts, share: float) -> int:
    """Return how many categories, taken in the order `inwards`, hold together at most a share of all records."""
    taken = np.cumsum(counts[np.asarray(inwards, dtype=np.int64)])
    return int(np.searchsorted(taken, whole(share, int(counts.sum())), side="right"))


def category_at(attribute: Attribute, value: float | str) -> int | None:
    """Return the code of the category with a label, or with a label that writes a number; None where there is none."""
    if isinstance(value, str):
        return attribute.code.get(value)
    return next((code for label, code in attribute.code.items() if number(label) == value), None)


def whole(share: float, n: int) -> int:
    """Return how many of n records a share is, rounded down."""
    return int(share * n + 1e-9)  # 1e-9: the product with an inexact share such as 0.07 may be meant whole
