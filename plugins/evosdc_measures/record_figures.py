"""One figure for each record, which relatives share: what a file has otherwise lies over those of a common base.

So a child costs what it changes. Now and then, when much lies over it, a base is made anew.
"""

from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows
from evosdc_measures.ascending import below_value

Figures = NDArray[Any]
"""Of records: numbers, or whole numbers."""

LEAF = 128
"""So many figures are added by numpy in one go; more are halved."""


def room_of(records: int) -> int:
    """Return how many figures may lie over those of a base: each of them costs a child something, and a base too."""
    return max(16, isqrt(records) // 8)


class Overlay(NamedTuple):
    """Figures that differ from those of a base.

    Parameters
    ----------
    rows : ndarray of intp, shape (k,)
        Ascending.
    figures : ndarray, shape (k,)
    """

    rows: Rows
    figures: Figures


@njit(cache=True)
def figure_of(base: Figures, rows: Rows, figures: Figures, row: int) -> Any:
    """Return the figure of a record, of its base or what lies over it."""
    place = below_value(rows, row)
    if place < len(rows) and rows[place] == row:
        return figures[place]
    return base[row]


@njit(cache=True)
def laid_over(base: Figures, rows: Rows, figures: Figures, changed: Rows, latest: Figures) -> tuple[Rows, Figures]:
    """Return what lies over a base after some more figures have changed; those that are the base's again do not.

    Parameters
    ----------
    base : ndarray, shape (n,)
    rows, figures : ndarray, shape (k,)
        See `Overlay`; not altered.
    changed : ndarray of intp, shape (m,)
        Each once, in any order.
    latest : ndarray, shape (m,)
        Their figures.
    """
    count = len(rows)
    after = np.empty(count + len(changed), rows.dtype)
    over = np.empty(count + len(changed), base.dtype)
    after[:count], over[:count] = rows, figures
    for number in range(len(changed)):
        row, figure = changed[number], latest[number]
        place = below_value(after[:count], row)
        there = place < count and after[place] == row
        if figure == base[row]:
            if there:
                for later in range(place, count - 1):
                    after[later], over[later] = after[later + 1], over[later + 1]
                count -= 1
            continue
        if not there:
            for later in range(count, place, -1):
                after[later], over[later] = after[later - 1], over[later - 1]
            count += 1
        after[place], over[place] = row, figure
    return after[:count], over[:count]


@njit(cache=True)
def sum_of(figures: Numbers, begin: int, length: int) -> Any:
    """Return the sum of at most `LEAF` figures in the order in which numpy adds them."""
    if length < 8:
        total = figures[begin]
        for place in range(begin + 1, begin + length):
            total += figures[place]
        return total
    a, b, c, d = figures[begin], figures[begin + 1], figures[begin + 2], figures[begin + 3]
    e, f, g, h = figures[begin + 4], figures[begin + 5], figures[begin + 6], figures[begin + 7]
    whole = length - length % 8
    for place in range(begin + 8, begin + whole, 8):
        a += figures[place]
        b += figures[place + 1]
        c += figures[place + 2]
        d += figures[place + 3]
        e += figures[place + 4]
        f += figures[place + 5]
        g += figures[place + 6]
        h += figures[place + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for place in range(begin + whole, begin + length):
        total += figures[place]
    return total
