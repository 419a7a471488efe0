"""Hits of one column of numbers that follow single changes, whatever the number of records.

A change from p to q moves every rank between p and q by one, of half of the records on average. It alters few hits: of
a record whose original and masked value both lie between them no distance of ranks changes, and of the others it
changes by one. So hits are followed of those records alone that are near the limit of an interval, whose distance may
come to the other side of it before the column is ranked anew. What has been moved since then is kept apart, and ranks
of values are those of the column that was sorted, corrected by the moves.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Numbers, Rows
from evosdc_measures.ascending import below_value, through_value
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.interval_disclosure.rank_intervals import Hits
from evosdc_measures.interval_disclosure.ranked_column import RankedColumn, hits_of
from evosdc_measures.ordered_values import count_in, merged

INSIDE, MOVED, STEPS, DELTAS = 0, 1, 2, 3
ELSEWHERE = np.iinfo(np.int32).min
FEW_STEPS = 64
"""Steps up to which those below a value are counted; of more a search takes less time."""


def room_of(radius: int) -> int:
    """Return how many records at most may stand elsewhere than in the column that was ranked."""
    return 12 * radius


class Moves(NamedTuple):
    """What a masked column has that is not in its `RankedColumn`; altered as it is followed.

    Parameters
    ----------
    apart : ndarray of int32, shape (m, 2)
        Distances of the near records now; `ELSEWHERE` first for moved ones.
    steps : ndarray of float64, shape (2 k + 2,)
        Values that moved records left or took, ascending, each once; k records may be moved.
    taken : ndarray of float64, shape (k,)
        Values of the moved records.
    whole : ndarray of int64, shape (5 k + 5,)
        Sum of the hits, number of moved records, number of steps; how many records more than before have the value of
        each step; rows of the moved records, and their two distances.
    """

    apart: Counts
    steps: Numbers
    taken: Numbers
    whole: Integers


def no_moves(apart: Counts, inside: int, room: int) -> Moves:
    """Return the moves of a column that was just ranked."""
    whole = np.zeros(5 * room + 5, dtype=np.int64)
    whole[INSIDE] = inside
    return Moves(apart, np.empty(2 * room + 2), np.empty(room), whole)


def copied(moves: Moves) -> Moves:
    """Return a copy that can be altered."""
    return Moves(moves.apart.copy(), moves.steps.copy(), moves.taken.copy(), moves.whole.copy())


@njit(cache=True)
def _moved_by(steps: Numbers, deltas: Integers, count: int, v: float, included: bool) -> int:
    """Return how many more records than before have a value less than v, or v itself where it is included."""
    more = 0
    for at in range(count):
        if steps[at] > v or (steps[at] == v and not included):
            break
        more += deltas[at]
    return more


@njit(cache=True)
def _spread(deltas: Integers, count: int) -> int:
    """Return by how many ranks two values may have moved apart."""
    low = high = total = 0
    for at in range(count):
        total += deltas[at]
        low, high = min(low, total), max(high, total)
    return high - low


@njit(cache=True)
def shift(p: float, q: float, x: float, y: float) -> tuple[int, int]:
    """Return by how much the distances of a record change where another one goes from p to q.

    A comparison with a missing value is false: it enters or leaves no rank.
    """
    through = int(q <= x) - int(p <= x)
    below = int(q < x) - int(p < x)
    shown = int(q <= y) + int(q < y) - int(p <= y) - int(p < y)
    return shown - 2 * through, 2 * below - shown


@njit(cache=True)
def _followed(apart: Counts, one: int, p: float, q: float, x: float, y: float, by_distance: Hits) -> int:
    """Follow in a near record that another one goes from p to q; return by how much its hits grow."""
    if apart[one, 0] == ELSEWHERE:
        return 0
    below, above = shift(p, q, x, y)
    if below == 0 and above == 0:
        return 0
    former = hits_of(x, y, apart[one, 0], apart[one, 1], by_distance)
    apart[one, 0] += below
    apart[one, 1] += above
    return hits_of(x, y, apart[one, 0], apart[one, 1], by_distance) - former


@njit(cache=True)
def _all_followed(column: RankedColumn, apart: Counts, p: float, q: float, by_distance: Hits) -> int:
    """Follow in the near records that another one goes from p to q; return by how much their hits grow.

    Only of those that have one of their values between p and q, both included.
    """
    known, taken, shown, order = column.known, column.taken, column.shown, column.order
    grown = 0
    low, high = min(p, q), max(p, q)
    if np.isnan(p) or np.isnan(q):
        low, high = q if np.isnan(p) else p, np.inf
    for one in range(below_value(known, low), through_value(known, high)):
        grown += _followed(apart, one, p, q, known[one], taken[one], by_distance)
    for at in range(below_value(shown, low), through_value(shown, high)):
        one = order[at]
        if known[one] < low or known[one] > high:
            grown += _followed(apart, one, p, q, known[one], taken[one], by_distance)
    return grown


@njit(cache=True)
def _distances_now(
    ordered: Numbers, steps: Numbers, deltas: Integers, count: int, x: float, y: float
) -> tuple[int, int]:
    """Return the distances of a record with these values, both there."""
    through = through_value(ordered, x) + _moved_by(steps, deltas, count, x, True)
    below = below_value(ordered, x) + _moved_by(steps, deltas, count, x, False)
    shown = through_value(ordered, y) + _moved_by(steps, deltas, count, y, True)
    shown += below_value(ordered, y) + _moved_by(steps, deltas, count, y, False)
    return shown + 1 - 2 * through, 2 * below + 1 - shown


@njit(cache=True)
def follow_moves(
    column: RankedColumn,
    moves: Moves,
    before: Numbers,
    after: Numbers,
    rows: Rows,
    first: int,
    v: int,
    radius: int,
    by_distance: Hits,
) -> int:
    """Follow changed records from the `first` of them on; return at which the column has to be ranked anew, or m.

    Each costs what the near records between its two values cost, and some searches.

    Parameters
    ----------
    column : RankedColumn
    moves : Moves
        Altered.
    before, after : ndarray of float64, shape (m, p)
        Of the changed records.
    rows : ndarray of intp, shape (m,)
    first, v : int
        Position among the rows, and the column in question.
    radius : int
    by_distance : ndarray of int16
        See `evosdc_measures.interval_disclosure.ranked_column.hits_by_distance`.
    """
    original, ordered, base = column.original, column.ordered, column.apart
    apart, steps, taken, whole = moves
    m, room = len(rows), len(taken)
    deltas, listed = whole[DELTAS : DELTAS + len(steps)], whole[DELTAS + len(steps) :]
    moved_rows, moved_below, moved_above = listed[:room], listed[room : 2 * room], listed[2 * room :]
    for number in range(first, m):
        row = rows[number]
        p, q = before[number, v], after[number, v]
        if p == q or (np.isnan(p) and np.isnan(q)):
            continue
        moved, count = whole[MOVED], whole[STEPS]
        if moved == room or _spread(deltas, count) >= radius:
            return number
        x, home, at, known = original[row], column.masked[row], column.place[row], -1
        for other in range(moved):
            if moved_rows[other] == row:
                known = other
        if known >= 0:
            below, above = moved_below[known], moved_above[known]
        elif at >= 0:
            below, above = np.int64(apart[at, 0]), np.int64(apart[at, 1])
            apart[at, 0] = ELSEWHERE
        else:
            below, above = np.int64(base[0, row]), np.int64(base[1, row])
        inside = _all_followed(column, apart, p, q, by_distance) - hits_of(x, p, below, above, by_distance)
        for other in range(moved):
            a, b = original[moved_rows[other]], taken[other]
            below, above = shift(p, q, a, b)
            if other != known and (below != 0 or above != 0):
                inside -= hits_of(a, b, moved_below[other], moved_above[other], by_distance)
                moved_below[other] += below
                moved_above[other] += above
                inside += hits_of(a, b, moved_below[other], moved_above[other], by_distance)
        count = count_in(steps, deltas, count_in(steps, deltas, count, p, -1), q, 1)
        below = above = 0
        if not (np.isnan(x) or np.isnan(q)):
            below, above = _distances_now(ordered, steps, deltas, count, x, q)
        inside += hits_of(x, q, below, above, by_distance)
        if q == home or (np.isnan(q) and np.isnan(home)):
            if known >= 0:
                moved -= 1
                moved_rows[known], taken[known] = moved_rows[moved], taken[moved]
                moved_below[known], moved_above[known] = moved_below[moved], moved_above[moved]
            if at >= 0:
                apart[at, 0], apart[at, 1] = below, above
        else:
            if known < 0:
                known, moved = moved, moved + 1
            moved_rows[known], taken[known] = row, q
            moved_below[known], moved_above[known] = below, above
        whole[INSIDE] += inside
        whole[MOVED], whole[STEPS] = moved, count
    return m


@njit(cache=True)
def _steps_below(steps: Numbers, v: float) -> int:
    """Return how many steps are less than v; a few are counted, which takes less than to guess where a search goes."""
    if len(steps) > FEW_STEPS:
        return below_value(steps, v)
    below = 0
    for step in steps:
        below += int(step < v)
    return below


@njit(cache=True)
def hits_now(column: RankedColumn, moves: Moves, by_distance: Hits, hits: Integers) -> None:
    """Add the hits of each record after the moves, shape (n,); O(n), and O(m) for the near and the moved ones."""
    original, masked, base, place = column.original, column.masked, column.apart, column.place
    rows = moves.whole[DELTAS + len(moves.steps) :]
    for row in range(len(original)):
        one = place[row]
        if one >= 0:
            low, high = moves.apart[one, 0], moves.apart[one, 1]
            if low == ELSEWHERE:
                continue
        else:
            # However far such a record has come, no limit lies on its way.
            low, high = base[0, row], base[1, row]
        hits[row] += hits_of(original[row], masked[row], low, high, by_distance)
    room = len(moves.taken)
    for other in range(moves.whole[MOVED]):
        row = rows[other]
        if place[row] < 0:
            hits[row] -= hits_of(original[row], masked[row], base[0, row], base[1, row], by_distance)
        hits[row] += hits_of(original[row], moves.taken[other], rows[room + other], rows[2 * room + other], by_distance)


@njit(cache=True)
def ranked_again(column: RankedColumn, moves: Moves) -> tuple[Numbers, Numbers, Counts]:
    """Return the masked values, those in order and the distances of all records after the moves; O(n log k)."""
    original, ordered, base = column.original, column.ordered, column.apart
    moved, count = moves.whole[MOVED], moves.whole[STEPS]
    steps, rows = moves.steps[:count], moves.whole[DELTAS + len(moves.steps) :][:moved]
    deltas = moves.whole[DELTAS : DELTAS + count]
    masked, n = column.masked.copy(), len(original)
    for other in range(moved):
        masked[rows[other]] = moves.taken[other]
    again = merged(ordered, steps, deltas)
    # How many more values than before are below each step, and below none of them.
    sums = np.zeros(count + 1, np.int64)
    for at in range(count):
        sums[at + 1] = sums[at] + deltas[at]
    apart = np.zeros((2, n), np.int32)
    for row in range(n):
        x, y = original[row], masked[row]
        if np.isnan(x) or np.isnan(y):
            continue
        if y != column.masked[row]:
            apart[0, row], apart[1, row] = _distances_now(ordered, steps, deltas, count, x, y)
            continue
        at, to = _steps_below(steps, x), _steps_below(steps, y)
        through = sums[at + 1] if at < count and steps[at] == x else sums[at]
        shown = sums[to] + (sums[to + 1] if to < count and steps[to] == y else sums[to])
        apart[0, row] = base[0, row] + shown - 2 * through
        apart[1, row] = base[1, row] + 2 * sums[at] - shown
    return masked, again, apart
