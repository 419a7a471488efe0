"""Values of a column in order, which relatives share, and the steps at which those of one of them differ.

A step is a value that more records have than before, or fewer. What a column has at a rank follows from both.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows
from evosdc_measures.ascending import below_value, through_value
from evosdc_measures.domains import Integers
from evosdc_measures.record_figures import room_of


class OrderedValues(NamedTuple):
    """The values that a column has.

    Parameters
    ----------
    ordered : ndarray of float64, shape (n,)
        Ascending, without missing ones; of a base.
    steps : ndarray of float64, shape (k,)
        Ascending, each once.
    deltas : ndarray of int64, shape (k,)
        How many records more than in the base have each of these; never 0.
    """

    ordered: Numbers
    steps: Numbers
    deltas: Integers


def ordered_values(column: Numbers) -> OrderedValues:
    """Return the values of a column, by sorting them."""
    ordered = np.sort(column)  # missing values come last
    return OrderedValues(
        ordered[: len(ordered) - int(np.isnan(ordered).sum())], np.zeros(0), np.zeros(0, dtype=np.int64)
    )


def values_after(values: OrderedValues, before: Numbers, after: Numbers, rows: Rows, v: int) -> OrderedValues:
    """Return the values of a column after some records have changed; O(m k), and O(n) now and then.

    Parameters
    ----------
    values : OrderedValues
        Not altered.
    before, after : ndarray of float64, shape (n, p)
    rows : ndarray of intp, shape (m,)
    v : int
        The column.
    """
    if len(rows) > room_of(len(after)):
        return ordered_values(after[:, v])
    latest = OrderedValues(values.ordered, *_steps_after(values.steps, values.deltas, before, after, rows, v))
    if len(latest.steps) > 2 * room_of(len(after)):
        return OrderedValues(merged(*latest), np.zeros(0), np.zeros(0, dtype=np.int64))
    return latest


@njit(cache=True)
def _steps_after(
    steps: Numbers, deltas: Integers, before: Numbers, after: Numbers, rows: Rows, v: int
) -> tuple[Numbers, Integers]:
    count = len(steps)
    later, more = np.empty(count + 2 * len(rows)), np.empty(count + 2 * len(rows), np.int64)
    later[:count], more[:count] = steps, deltas
    for row in rows:
        count = count_in(later, more, count_in(later, more, count, before[row, v], -1), after[row, v], 1)
    return later[:count], more[:count]


@njit(cache=True)
def count_in(steps: Numbers, deltas: Integers, count: int, v: float, delta: int) -> int:
    """Count records in or out at a value, and return how many steps there are."""
    if np.isnan(v):
        return count
    at = 0
    while at < count and steps[at] < v:
        at += 1
    if at < count and steps[at] == v:
        deltas[at] += delta
        if deltas[at] == 0:
            for later in range(at, count - 1):
                steps[later], deltas[later] = steps[later + 1], deltas[later + 1]
            return count - 1
        return count
    for later in range(count, at, -1):
        steps[later], deltas[later] = steps[later - 1], deltas[later - 1]
    steps[at], deltas[at] = v, delta
    return count + 1


@njit(cache=True)
def quantiles_of_children(
    ordered: Numbers,
    steps: Numbers,
    deltas: Integers,
    levels: Numbers,
    before: Numbers,
    after: Numbers,
    ends: Integers,
    v: int,
    place: int,
    differs: NDArray[np.bool_],
    found: Numbers,
) -> None:
    """Write which children differ in a column, and the quantiles that they have of it.

    Parameters
    ----------
    ordered, steps, deltas, levels : ndarray
        As of `quantiles_of`, of the file whose children they are.
    before, after : ndarray of float64, shape (m, p)
        The changed records alone, child by child.
    ends : ndarray of int64, shape (k,)
        Where each child's records end.
    v, place : int
        The column, and its place among those of which there are quantiles.
    differs : ndarray of bool, shape (k, p)
        Set where a child differs.
    found : ndarray of float64, shape (k, columns, q)
        Written where a child differs.
    """
    begin = 0
    for child in range(len(ends)):
        differing = False
        for row in range(begin, ends[child]):
            a, b = before[row, v], after[row, v]
            differing |= a != b and not (np.isnan(a) and np.isnan(b))
        if differing:
            later, more = _steps_after(steps, deltas, before, after, np.arange(begin, ends[child]), v)
            differs[child, v], found[child, place] = True, quantiles_of(ordered, later, more, levels)
        begin = ends[child]


@njit(cache=True)
def merged(ordered: Numbers, steps: Numbers, deltas: Integers) -> Numbers:
    """Return the values in order after the steps; O(n)."""
    again = np.empty(len(ordered) + deltas.sum())
    filled = place = 0
    for at in range(len(steps) + 1):
        while place < len(ordered) and (at == len(steps) or ordered[place] < steps[at]):
            again[filled] = ordered[place]
            filled, place = filled + 1, place + 1
        if at < len(steps):
            for _ in range(deltas[at]):
                again[filled] = steps[at]
                filled += 1
            place -= min(deltas[at], 0)
    return again


@njit(cache=True)
def _count_of(ordered: Numbers, deltas: Integers) -> int:
    total = len(ordered)
    for delta in deltas:
        total += delta
    return total


@njit(cache=True)
def quantiles_of(ordered: Numbers, steps: Numbers, deltas: Integers, levels: Numbers) -> Numbers:
    """Return quantiles of the values, shape (q,), NaN without any: linear ones, as `numpy.quantile` has; O(k log n).

    Parameters
    ----------
    ordered, steps, deltas : ndarray
        See `OrderedValues`.
    levels : ndarray of float64, shape (q,)
        Ascending.
    """
    known = _count_of(ordered, deltas)
    found = np.full(len(levels), np.nan)
    if known == 0:
        return found
    # Where each step stands now: the rank of the first record that has its value, and that after the last.
    first, end = np.empty(len(steps), np.int64), np.empty(len(steps), np.int64)
    more = 0
    for at in range(len(steps)):
        first[at] = below_value(ordered, steps[at]) + more
        more += deltas[at]
        end[at] = through_value(ordered, steps[at]) + more
    at, more = 0, 0
    for q in range(len(levels)):
        place = (known - 1) * levels[q]
        below = int(np.floor(place))
        share = place - below
        while at < len(steps) and end[at] <= below:
            more += deltas[at]
            at += 1
        low = _value_at(ordered, steps, deltas, first, end, at, more, below)
        high = _value_at(ordered, steps, deltas, first, end, at, more, min(below + 1, known - 1))
        # From the nearer end, as numpy does, so that results agree to the last bit.
        found[q] = high - (high - low) * (1.0 - share) if share >= 0.5 else low + (high - low) * share
    return found


@njit(cache=True)
def _value_at(
    ordered: Numbers, steps: Numbers, deltas: Integers, first: Integers, end: Integers, at: int, more: int, rank: int
) -> float:
    """Return the value at a rank, from a step on that does not end before it."""
    while at < len(steps) and end[at] <= rank:
        more += deltas[at]
        at += 1
    if at < len(steps) and first[at] <= rank:
        return float(steps[at])
    return float(ordered[rank - more])
