"""One figure for each record, which relatives share: what a file has otherwise lies over those of a common base.

So a child costs what it changes. Now and then, when much lies over it, a base is made anew.
"""

from collections.abc import Sequence
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


def sums_of(figures: Numbers) -> Numbers:
    """Return the sums of the parts that `numpy.sum` adds figures by, halves after wholes: that of all comes first."""
    sums = np.zeros(2 ** max(1, 1 + int(np.ceil(np.log2(max(len(figures), 1) / (LEAF / 2))))))
    if len(figures):
        total_over(figures, sums, np.zeros(0, dtype=np.intp), np.zeros(0), True)
    return sums


@njit(cache=True)
def total_over(base: Numbers, sums: Numbers, rows: Rows, figures: Numbers, fresh: bool) -> Any:
    """Return the sum of the figures of a file, to the last bit as `numpy.sum` has it.

    A part that nothing lies over is not added again: O(k log n), whatever the number of records.

    Parameters
    ----------
    base : ndarray of float64, shape (n,)
    sums : ndarray of float64
        See `sums_of`; written where it is `fresh`.
    rows, figures : ndarray, shape (k,)
        See `Overlay`.
    fresh : bool
    """
    if len(rows) == 0 and not fresh:
        return sums[0]
    # Parts still to be added: number among the sums, first record, length, what lies over them; 1 where halves are.
    parts = np.empty((128, 6), np.int64)
    found, held = np.empty(128), 0
    leaf = np.empty(LEAF)
    parts[0, 0], parts[0, 1], parts[0, 2], parts[0, 3], parts[0, 4], parts[0, 5] = 0, 0, len(base), 0, len(rows), 0
    depth = 1
    while depth > 0:
        depth -= 1
        number, begin, length, low, high, added = parts[depth]
        if added == 1:
            held -= 1
            found[held - 1] += found[held]
            if fresh:
                sums[number] = found[held - 1]
        elif low == high and not fresh:
            found[held] = sums[number]
            held += 1
        elif length <= LEAF:
            leaf[:length] = base[begin : begin + length]
            for place in range(low, high):
                leaf[rows[place] - begin] = figures[place]
            found[held] = sum_of(leaf, 0, length)
            if fresh:
                sums[number] = found[held]
            held += 1
        else:
            half = length // 2
            half -= half % 8
            middle = low + below_value(rows[low:high], begin + half)
            parts[depth, 5] = 1
            after, before = depth + 1, depth + 2
            parts[after, 0], parts[after, 1], parts[after, 2] = 2 * number + 2, begin + half, length - half
            parts[after, 3], parts[after, 4], parts[after, 5] = middle, high, 0
            parts[before, 0], parts[before, 1], parts[before, 2] = 2 * number + 1, begin, half
            parts[before, 3], parts[before, 4], parts[before, 5] = low, middle, 0
            depth += 3
    return found[0]


class FollowedSum(NamedTuple):
    """The sum of one figure for each record.

    Parameters
    ----------
    base, sums : ndarray of float64
        Figures of a base, shape (n,), and of its parts (`sums_of`).
    over : Overlay
    total : float
        As `numpy.sum` has it, to the last bit.
    """

    base: Numbers
    sums: Numbers
    over: Overlay
    total: float


_NOTHING = Overlay(np.zeros(0, dtype=np.intp), np.zeros(0))


def followed_sum(figures: Numbers) -> FollowedSum:
    """Return the sum of these figures, which are a base."""
    sums = sums_of(figures)
    return FollowedSum(figures, sums, _NOTHING, float(sums[0]))


def sum_after(known: FollowedSum, rows: Rows, latest: Numbers) -> FollowedSum:
    """Return the sum after some figures have changed; O(log n), and O(n) now and then.

    Parameters
    ----------
    known : FollowedSum
        Not altered.
    rows : ndarray of intp, shape (m,)
        Each once.
    latest : ndarray of float64, shape (m,)
    """
    base, sums, over, _ = known
    over = Overlay(*laid_over(base, *over, rows, latest))
    if len(over.rows) > room_of(len(base)):
        base = base.copy()
        base[over.rows] = over.figures
        return followed_sum(base)
    return FollowedSum(base, sums, over, float(total_over(base, sums, *over, False)))


def totals_after(known: FollowedSum, rows: Rows, ends: NDArray[np.int64], latest: Numbers) -> Numbers:
    """Return the totals that `sum_after` has of several children, of whose changed figures each one's end is told."""
    base, sums, over, _ = known
    totals: Numbers = _totals_after(base, sums, *over, rows, ends, latest)
    return totals


@njit(cache=True)
def _totals_after(
    base: Numbers,
    sums: Numbers,
    over: Rows,
    figures: Numbers,
    rows: Rows,
    ends: NDArray[np.int64],
    latest: Numbers,
) -> Numbers:
    totals, begin = np.empty(len(ends)), 0
    for child in range(len(ends)):
        end = ends[child]
        own, laid = laid_over(base, over, figures, rows[begin:end], latest[begin:end])
        totals[child] = total_over(base, sums, own, laid, False)
        begin = end
    return totals


def means_of(figures: Numbers, parts: Sequence[slice]) -> list[float]:
    """Return the means of parts of some figures, to the last bit as `numpy.mean` has them, in less time.

    Parameters
    ----------
    figures : ndarray of float64
    parts : sequence of slice
        Each of at least one figure.
    """
    if max((part.stop - part.start for part in parts), default=0) > 2 * LEAF:
        return [float(np.mean(figures[part])) for part in parts]
    limits = np.array([(part.start, part.stop) for part in parts], dtype=np.int64).reshape(-1, 2)
    means: list[float] = _means_of_few(figures, limits).tolist()
    return means


def means_of_rows(figures: Numbers, parts: Sequence[slice]) -> list[list[float]]:
    """Return what `means_of` does of each row of some figures, shape (k, l)."""
    if max((part.stop - part.start for part in parts), default=0) > 2 * LEAF:
        return [means_of(row, parts) for row in figures]
    limits = np.array([(part.start, part.stop) for part in parts], dtype=np.int64).reshape(-1, 2)
    means: list[list[float]] = _means_of_few_by_row(figures, limits).tolist()
    return means


@njit(cache=True)
def _means_of_few_by_row(figures: Numbers, limits: NDArray[np.int64]) -> Numbers:
    means = np.empty((len(figures), len(limits)))
    for row in range(len(figures)):
        means[row] = _means_of_few(figures[row], limits)
    return means


@njit(cache=True)
def _means_of_few(figures: Numbers, limits: NDArray[np.int64]) -> Numbers:
    means = np.empty(len(limits))
    for part in range(len(limits)):
        begin, length = limits[part, 0], limits[part, 1] - limits[part, 0]
        if length <= LEAF:
            means[part] = sum_of(figures, begin, length) / length
        else:
            half = length // 2
            half -= half % 8
            means[part] = (sum_of(figures, begin, half) + sum_of(figures, begin + half, length - half)) / length
    return means
