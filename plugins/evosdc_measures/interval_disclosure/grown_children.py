"""By how much the hits of a column of numbers grow in each child of a file; nothing is altered, nor taken back.

What a child changes is taken together as steps: how many records more than in the file have a value below each one. All
near records are passed once for a child, whatever it changes. Where it changes one value, sums over these records tell
by how much their hits grow, or those between the two values are passed.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows
from evosdc_measures.ascending import below_value, through_value
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.interval_disclosure.moved_ranks import DELTAS, ELSEWHERE, MOVED, STEPS, Moves, shift
from evosdc_measures.interval_disclosure.rank_intervals import Hits
from evosdc_measures.interval_disclosure.ranked_column import RankedColumn, hits_of
from evosdc_measures.interval_disclosure.value_growth import (
    ENTERS,
    LEAVES,
    ValueGrowth,
    around_both,
    counted_of_one,
    grown_by_value,
)
from evosdc_measures.ordered_values import count_in

FAR = np.iinfo(np.int64).min
"""Instead of the growth of a child for which the column has to be ranked anew, with what has moved in it."""

MANY = FAR + 1
"""Instead of that of a child that changes so many values that its own column has to be sorted."""

MOST_CHANGES = 32
"""Changed values of a column up to which they are followed; for more, sorting it takes less."""


@njit(cache=True)
def grown_of_children(
    column: RankedColumn,
    moves: Moves,
    growth: ValueGrowth,
    before: Numbers,
    after: Numbers,
    rows: Rows,
    ends: Integers,
    v: int,
    radius: int,
    by_distance: Hits,
) -> Integers:
    """Return by how much the sum of the hits grows in each child, shape (k,); `FAR` and `MANY` where it is not known.

    Parameters
    ----------
    column : RankedColumn
    moves : Moves
        Of the parent.
    growth : ValueGrowth
        Of the parent, or `NOT_SUMMED`.
    before, after, rows, v, radius, by_distance
        As of `evosdc_measures.interval_disclosure.moved_ranks.follow_moves`; all children's one after the other.
    ends : ndarray of int64, shape (k,)
        Where each child's records end.
    """
    apart, steps, taken, whole = moves
    moved, count = whole[MOVED], whole[STEPS]
    deltas, listed = whole[DELTAS : DELTAS + len(steps)], whole[DELTAS + len(steps) :]
    sums, grown, begin = np.zeros(count + 1, np.int64), np.zeros(len(ends), np.int64), 0
    for at in range(count):
        sums[at + 1] = sums[at] + deltas[at]
    own_steps, own_deltas = np.empty(2 * MOST_CHANGES), np.empty(2 * MOST_CHANGES, np.int64)
    own_sums, shifts = np.zeros(2 * MOST_CHANGES + 1, np.int64), np.zeros(len(apart), np.int64)
    changed, gone = np.empty(MOST_CHANGES, np.int64), np.zeros(len(apart), np.bool_)
    for child in range(len(ends)):
        end, changes, own_count = ends[child], 0, 0
        for i in range(begin, end):
            p, q = before[i, v], after[i, v]
            if not (p == q or (np.isnan(p) and np.isnan(q))):
                if changes < MOST_CHANGES:
                    changed[changes] = i
                    own_count = count_in(own_steps, own_deltas, own_count, p, -1)
                    own_count = count_in(own_steps, own_deltas, own_count, q, 1)
                changes += 1
        begin = end
        if changes == 0:
            continue
        for at in range(own_count):
            own_sums[at + 1] = own_sums[at] + own_deltas[at]
        if changes > MOST_CHANGES or _spread_of(steps, sums, 0, own_steps, own_sums, own_count) > radius:
            grown[child] = MANY
            continue
        if _spread_of(steps, sums, count, own_steps, own_sums, own_count) > radius:
            grown[child] = FAR
            continue
        for i in changed[:changes]:
            if column.place[rows[i]] >= 0:
                gone[column.place[rows[i]]] = True
        if changes == 1:
            p, q = before[changed[0], v], after[changed[0], v]
            if len(growth.ends) == 0 or around_both(growth, p, q):
                inside = _grown_by_one(column, apart, gone, p, q, by_distance)
            else:
                inside = grown_by_value(growth, p, LEAVES) + grown_by_value(growth, q, ENTERS)
                one = column.place[rows[changed[0]]]
                if one >= 0:
                    inside -= counted_of_one(column, apart, one, p, q, by_distance)
        else:
            inside = _grown_by_steps(column, apart, gone, own_steps, own_sums, own_count, shifts, by_distance)
        inside += _grown_of_moved(
            column.original, taken, moved, listed, len(taken), rows, changed, changes, own_steps, own_sums, own_count,
            by_distance,
        )  # fmt: skip
        for i in changed[:changes]:
            inside += _grown_of_changed(
                column, apart, listed, moved, len(taken), rows[i], before[i, v], after[i, v], steps, sums, count,
                own_steps, own_sums, own_count, by_distance,
            )  # fmt: skip
            if column.place[rows[i]] >= 0:
                gone[column.place[rows[i]]] = False
        grown[child] = inside
    return grown


@njit(cache=True)
def _spread_of(
    steps: Numbers, sums: Integers, count: int, own_steps: Numbers, own_sums: Integers, own_count: int
) -> int:
    """Return by how many ranks two values may have moved apart by the steps of a file and those of a child."""
    low = high = np.int64(0)
    at = own = 0
    while at < count or own < own_count:
        first = own == own_count or (at < count and steps[at] <= own_steps[own])
        second = at == count or (own < own_count and own_steps[own] <= steps[at])
        at, own = at + first, own + second
        total = sums[at] + own_sums[own]
        low, high = min(low, total), max(high, total)
    return int(high - low)


@njit(cache=True)
def _more(steps: Numbers, sums: Integers, count: int, v: float) -> tuple[int, int]:
    """Return how many more records have a value less than v, and at most v."""
    at = below_value(steps[:count], v)
    below = sums[at]
    return below, sums[at + 1] if at < count and steps[at] == v else below


@njit(cache=True)
def _near_grown(
    column: RankedColumn, apart: Counts, gone: NDArray[np.bool_], one: int, below: int, above: int, by_distance: Hits
) -> int:
    """Return by how much the hits of a near record grow whose distances do; 0 of one that is gone, or went before."""
    if gone[one] or apart[one, 0] == ELSEWHERE or (below == 0 and above == 0):
        return 0
    x, y = column.known[one], column.taken[one]
    former = hits_of(x, y, apart[one, 0], apart[one, 1], by_distance)
    return hits_of(x, y, apart[one, 0] + below, apart[one, 1] + above, by_distance) - former


@njit(cache=True)
def _grown_by_one(
    column: RankedColumn, apart: Counts, gone: NDArray[np.bool_], p: float, q: float, by_distance: Hits
) -> int:
    """Return by how much the hits of near records grow where another one goes from p to q.

    Only of those that have one of their values between p and q, both included.
    """
    known, taken, shown, order = column.known, column.taken, column.shown, column.order
    grown, low, high = 0, min(p, q), max(p, q)
    if np.isnan(p) or np.isnan(q):
        low, high = q if np.isnan(p) else p, np.inf
    for one in range(below_value(known, low), through_value(known, high)):
        below, above = shift(p, q, known[one], taken[one])
        grown += _near_grown(column, apart, gone, one, below, above, by_distance)
    for at in range(below_value(shown, low), through_value(shown, high)):
        one = order[at]
        if known[one] < low or known[one] > high:
            below, above = shift(p, q, known[one], taken[one])
            grown += _near_grown(column, apart, gone, one, below, above, by_distance)
    return grown


@njit(cache=True)
def _grown_by_steps(
    column: RankedColumn,
    apart: Counts,
    gone: NDArray[np.bool_],
    steps: Numbers,
    sums: Integers,
    count: int,
    shifts: Integers,
    by_distance: Hits,
) -> int:
    """Return by how much the hits of near records grow by a child's steps; `shifts` are zeros, and so in the end."""
    known, shown, order = column.known, column.shown, column.order
    grown, low, high = 0, steps[0], steps[count - 1]
    if sums[count] != 0:  # a value went missing, or came: all above it have moved
        high = np.inf
    first, end = below_value(shown, low), through_value(shown, high)
    step = 0
    for at in range(first, end):
        y = shown[at]
        while step < count and steps[step] < y:
            step += 1
        through = sums[step + 1] if step < count and steps[step] == y else sums[step]
        shifts[order[at]] = sums[step] + through
    step = 0
    for one in range(below_value(known, low), through_value(known, high)):
        x = known[one]
        while step < count and steps[step] < x:
            step += 1
        below = sums[step]
        through = sums[step + 1] if step < count and steps[step] == x else below
        shown_by, shifts[one] = shifts[one], 0
        grown += _near_grown(column, apart, gone, one, shown_by - 2 * through, 2 * below - shown_by, by_distance)
    for at in range(first, end):
        one = order[at]
        shown_by, shifts[one] = shifts[one], 0
        grown += _near_grown(column, apart, gone, one, shown_by, -shown_by, by_distance)
    return grown


@njit(cache=True)
def _grown_of_moved(
    original: Numbers,
    taken: Numbers,
    moved: int,
    listed: Integers,
    room: int,
    rows: Rows,
    changed: Integers,
    changes: int,
    steps: Numbers,
    sums: Integers,
    count: int,
    by_distance: Hits,
) -> int:
    """Return by how much the hits grow of records that moved before, and that the child does not change."""
    grown = 0
    for other in range(moved):
        row, own = listed[other], False
        for place in range(changes):
            own |= rows[changed[place]] == row
        if own:
            continue
        x, y = original[row], taken[other]
        below, through = _more(steps, sums, count, x)
        shown_below, shown_through = _more(steps, sums, count, y)
        shown_by = shown_below + shown_through
        if np.isnan(x) or np.isnan(y) or (shown_by == 2 * through and shown_by == 2 * below):
            continue
        low, high = listed[room + other], listed[2 * room + other]
        former = hits_of(x, y, low, high, by_distance)
        grown += hits_of(x, y, low + shown_by - 2 * through, high + 2 * below - shown_by, by_distance)
        grown -= former
    return grown


@njit(cache=True)
def _grown_of_changed(
    column: RankedColumn,
    apart: Counts,
    listed: Integers,
    moved: int,
    room: int,
    row: int,
    p: float,
    q: float,
    steps: Numbers,
    sums: Integers,
    count: int,
    own_steps: Numbers,
    own_sums: Integers,
    own_count: int,
    by_distance: Hits,
) -> int:
    """Return by how much the hits of a changed record grow."""
    x, at = column.original[row], column.place[row]
    low: Any = np.int64(column.apart[0, row])
    high: Any = np.int64(column.apart[1, row])
    if at >= 0:
        low, high = np.int64(apart[at, 0]), np.int64(apart[at, 1])
    for other in range(moved):
        if listed[other] == row:
            low, high = listed[room + other], listed[2 * room + other]
    former = hits_of(x, p, low, high, by_distance)
    if np.isnan(x) or np.isnan(q):
        return hits_of(x, q, 0, 0, by_distance) - former
    ordered = column.ordered
    below, through = _more(steps, sums, count, x)
    own_below, own_through = _more(own_steps, own_sums, own_count, x)
    below += below_value(ordered, x) + own_below
    through += through_value(ordered, x) + own_through
    shown_below, shown_through = _more(steps, sums, count, q)
    own_below, own_through = _more(own_steps, own_sums, own_count, q)
    shown_by = below_value(ordered, q) + through_value(ordered, q)
    shown_by += shown_below + shown_through + own_below + own_through
    return hits_of(x, q, shown_by + 1 - 2 * through, 2 * below + 1 - shown_by, by_distance) - former
