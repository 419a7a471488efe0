"""By how much the hits of near records grow where one value leaves a column of numbers, and where one enters it.

A value between the original and the masked value of a record moves the two apart, and any other value leaves them as
they are. So what one value does to all near records together depends on where it lies among theirs alone, and is summed
once for all children of a file. Where a record lies around both values of a child, these sums do not tell what happens
to it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Numbers
from evosdc_measures.ascending import below_value, through_value
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.interval_disclosure.moved_ranks import ELSEWHERE, shift
from evosdc_measures.interval_disclosure.rank_intervals import Hits
from evosdc_measures.interval_disclosure.ranked_column import RankedColumn, hits_of

LEAVES, ENTERS, REACH = 0, 2, 4
WITHIN, AT_END = 0, 1


class ValueGrowth(NamedTuple):
    """What one value does to the hits of the near records of a column.

    Parameters
    ----------
    ends : ndarray of float64, shape (e,)
        Original and masked values of near records, ascending, each once; none where nothing was summed.
    sums : ndarray of int64, shape (5, e + 1)
        By how much the hits grow where a value leaves that lies below an end, and above the one before; where it is
        that end; the same of a value that enters; and the last end that a record has which begins at this one or
        before, -1 without any.
    """

    ends: Numbers
    sums: Integers


NOT_SUMMED = ValueGrowth(np.empty(0), np.zeros((5, 1), dtype=np.int64))


@njit(cache=True)
def growth_by_value(column: RankedColumn, apart: Counts, by_distance: Hits) -> tuple[Numbers, Integers]:
    """Return what one value does to the near records, but for those that stand elsewhere: see `ValueGrowth`; O(m).

    Parameters
    ----------
    column : RankedColumn
    apart : ndarray of int32, shape (m, 2)
        As `Moves` has them.
    by_distance : ndarray of int16
        See `evosdc_measures.interval_disclosure.ranked_column.hits_by_distance`.
    """
    known, taken, shown, order = column.known, column.taken, column.shown, column.order
    m, count, one, other = len(known), 0, 0, 0
    ends, of_known, of_taken = np.empty(2 * m), np.empty(m, np.int64), np.empty(m, np.int64)
    while one < m or other < m:
        value = known[one] if other == m or (one < m and known[one] <= shown[other]) else shown[other]
        ends[count] = value
        while one < m and known[one] == value:
            of_known[one] = count
            one += 1
        while other < m and shown[other] == value:
            of_taken[order[other]] = count
            other += 1
        count += 1
    sums = np.zeros((5, count + 1), np.int64)
    sums[REACH] = -1
    for one in range(m):
        if apart[one, 0] == ELSEWHERE:
            continue
        x, y = known[one], taken[one]
        first, last = min(of_known[one], of_taken[one]), max(of_known[one], of_taken[one])
        sums[REACH, first] = max(sums[REACH, first], last)
        for enters in (LEAVES, ENTERS):
            # What comes to lie within brings the masked value up by a rank and the other not, or the other way round.
            more = 2 if (x < y) == (enters == ENTERS) else -2
            grown = _grown(column, apart, one, more, -more, by_distance)
            sums[enters + WITHIN, first + 1] += grown
            if last < count:
                sums[enters + WITHIN, last + 1] -= grown
            sums[enters + AT_END, first + 1] += grown
            sums[enters + AT_END, last] -= grown
    for enters in (LEAVES, ENTERS):
        for at in range(1, count + 1):
            sums[enters + WITHIN, at] += sums[enters + WITHIN, at - 1]
            sums[enters + AT_END, at] += sums[enters + AT_END, at - 1]
    for at in range(1, count + 1):
        sums[REACH, at] = max(sums[REACH, at], sums[REACH, at - 1])
    for one in range(m):
        if apart[one, 0] != ELSEWHERE:
            x, y = known[one], taken[one]
            for value, end in ((x, of_known[one]), (y, of_taken[one])):
                below, above = shift(value, np.nan, x, y)
                sums[LEAVES + AT_END, end] += _grown(column, apart, one, below, above, by_distance)
                sums[ENTERS + AT_END, end] += _grown(column, apart, one, -below, -above, by_distance)
    return ends[:count].copy(), sums  # a class of its own would have numba loaded to find it


@njit(cache=True)
def _grown(column: RankedColumn, apart: Counts, one: int, below: int, above: int, by_distance: Hits) -> int:
    """Return by how much the hits of a near record grow whose distances do."""
    x, y = column.known[one], column.taken[one]
    former = hits_of(x, y, apart[one, 0], apart[one, 1], by_distance)
    return hits_of(x, y, apart[one, 0] + below, apart[one, 1] + above, by_distance) - former


@njit(cache=True)
def around_both(growth: ValueGrowth, p: float, q: float) -> bool:
    """Whether a record may lie around both values, its own included."""
    first = through_value(growth.ends, min(p, q)) - 1
    return first >= 0 and growth.sums[REACH, first] >= below_value(growth.ends, max(p, q))


@njit(cache=True)
def grown_by_value(growth: ValueGrowth, v: float, enters: int) -> int:
    """Return by how much the hits of all near records grow where a value leaves (`LEAVES`), or enters (`ENTERS`)."""
    if np.isnan(v):
        return 0
    at = below_value(growth.ends, v)
    end = at < len(growth.ends) and growth.ends[at] == v
    return int(growth.sums[enters + int(end), at])


@njit(cache=True)
def counted_of_one(column: RankedColumn, apart: Counts, one: int, p: float, q: float, by_distance: Hits) -> int:
    """Return what both sums hold of one near record, where a value leaves that is p and one enters that is q."""
    if apart[one, 0] == ELSEWHERE:
        return 0
    x, y = column.known[one], column.taken[one]
    below, above = shift(p, np.nan, x, y)
    grown = _grown(column, apart, one, below, above, by_distance)
    below, above = shift(np.nan, q, x, y)
    return grown + _grown(column, apart, one, below, above, by_distance)
