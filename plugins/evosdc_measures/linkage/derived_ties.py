"""Ties under a new order of the patterns, from those under another one: most records keep theirs.

Where two orders have the same patterns down to a place, in whatever sequence, the patterns between two such places are
a block. A record whose best pattern is in a block where both orders tie all patterns, or which is a single one, has
the same tie under both. Others find their best pattern in the block of the best one before.
"""

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.ties_by_order import Patterns, tie_at

SAME = -1


@njit(cache=True)
def blocks_of(order: Integers, ranks: Counts, other: Integers, other_ranks: Counts) -> Counts:
    """Return for each pattern where its block begins in both orders, `SAME` where all in the block are tied in both."""
    patterns = len(order)
    places, begins = np.empty(patterns, np.int32), np.empty(patterns, np.int32)
    for place in range(patterns):
        places[other[place]] = place
    begin = furthest = 0
    for place in range(patterns):
        furthest = max(furthest, places[order[place]])
        if place + 1 < patterns:
            tied = ranks[order[place]] == ranks[order[place + 1]]
            if furthest > place or tied or other_ranks[other[place]] == other_ranks[other[place + 1]]:
                continue
        alike = ranks[order[begin]] == ranks[order[place]] and other_ranks[other[begin]] == other_ranks[other[place]]
        for i in range(begin, place + 1):
            begins[order[i]] = SAME if alike else begin
        begin = place + 1
    return begins


@njit(cache=True)
def changed_ties(
    original: Codes,
    masked: Codes,
    places: Counts,
    profiles: Counts,
    wildcard: bool,
    best: Patterns,
    order: Integers,
    ranks: Counts,
    other: Integers,
    other_ranks: Counts,
) -> tuple[Integers, Patterns, Counts, Counts]:
    """Return which records may have another tie under another order, their best patterns there, and both ties.

    Parameters
    ----------
    original, masked : ndarray of int32, shape (n, V)
    places : ndarray of int32, shape (n,)
        Of the records' profiles.
    profiles : ndarray of int32, shape (places, 2**V)
    wildcard : bool
    best : ndarray of uint16, shape (n,)
        A best pattern of each record under the one order.
    order, other : ndarray of int64, shape (2**V,)
    ranks, other_ranks : ndarray of int32, shape (2**V,)

    Returns
    -------
    rows : ndarray of int64, shape (m,)
    patterns : ndarray of uint16, shape (m,)
    before, after : ndarray of int32, shape (m,)
    """
    begins, count = blocks_of(order, ranks, other, other_ranks), 0
    for row in range(len(best)):
        count += begins[best[row]] != SAME
    rows, patterns = np.empty(count, np.int64), np.empty(count, np.uint16)
    before, after = np.empty(count, np.int32), np.empty(count, np.int32)
    i = 0
    for row in range(len(best)):
        begin = begins[best[row]]
        if begin != SAME:
            place = places[row]
            before[i], _ = tie_at(original, row, masked, row, profiles, place, wildcard, order, ranks, begin)
            after[i], patterns[i] = tie_at(
                original, row, masked, row, profiles, place, wildcard, other, other_ranks, begin
            )
            rows[i] = row
            i += 1
    return rows, patterns, before, after
