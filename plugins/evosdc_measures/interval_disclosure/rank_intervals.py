"""Intervals of ranks around masked numbers, which follow single changes: one value that moves shifts ranks by one.

What is kept of a record are whole numbers: how many masked values are at most its original value, how many are less,
and the sum of both for its masked value. A change from a to b alters them for values between a and b alone.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows
from evosdc_measures.domains import Counts, Integers

Hits = NDArray[np.int16]
"""At how many of the widths an original value lies inside; inside one width is inside all greater ones."""

MOST_CHANGES = 32
"""Changed values of an attribute up to which ranks are followed; for more, sorting it anew takes less."""


def wide_enough(percents: Sequence[int]) -> Integers:
    """Return how many half widths are q per cent at least, for q = 0 .. 101, shape (102,)."""
    return np.array([sum(percent >= q for percent in percents) for q in range(102)], dtype=np.int64)


def ranks_of(original: Numbers, masked: Numbers) -> Counts:
    """Return for each record how many masked values are at most, and are less than, its original value, and the sum of
    both for its masked value; shape (3, n), 0 for missing values; O(n log n).
    """
    ranked = np.sort(masked)  # missing values come last
    ranked = ranked[: len(ranked) - int(np.isnan(ranked).sum())]
    through, below = (np.searchsorted(ranked, original, side) for side in ("right", "left"))
    shown = np.searchsorted(ranked, masked, "right") + np.searchsorted(ranked, masked, "left")
    ranks: Counts = np.array([through, below, shown], dtype=np.int32)
    ranks[:2, np.isnan(original)] = 0
    ranks[2, np.isnan(masked)] = 0
    return ranks


@njit(cache=True)
def _hits(x: float, y: float, through: int, below: int, shown: int, n: int, enough: Integers) -> int:
    """Return the hits of one record from the ranks of its original and its masked value; in ranks times 200."""
    if np.isnan(x) or np.isnan(y):
        return int(enough[0]) if np.isnan(x) and np.isnan(y) else 0
    centre = 100 * (shown + 1)
    reach = max(centre - 200 * through, 200 * (below + 1) - centre, 0)
    return int(enough[(reach + 2 * n - 1) // (2 * n)])


@njit(cache=True)
def rank_hits(original: Numbers, masked: Numbers, ranks: Counts, enough: Integers, hits: Hits) -> int:
    """Write the hits of all records, and return their sum; O(n).

    Parameters
    ----------
    original, masked : ndarray of float64, shape (n,)
    ranks : ndarray of int32, shape (3, n)
        See `ranks_of`.
    enough : ndarray of int64, shape (102,)
        See `wide_enough`.
    hits : ndarray of int16, shape (n,)
        Written.
    """
    inside = 0
    for i in range(len(original)):
        hits[i] = _hits(original[i], masked[i], ranks[0, i], ranks[1, i], ranks[2, i], len(original), enough)
        inside += hits[i]
    return inside


@njit(cache=True)
def follow_ranks(
    original: Numbers, former: Numbers, masked: Numbers, rows: Rows, enough: Integers, ranks: Counts, hits: Hits
) -> int:
    """Follow changed values in ranks and hits, and return by how much the sum of hits has grown; O(m n).

    Parameters
    ----------
    original : ndarray of float64, shape (n,)
    former : ndarray of float64, shape (m,)
        Masked values of the changed records before the change.
    masked : ndarray of float64, shape (n,)
        After the change.
    rows : ndarray of intp, shape (m,)
        Changed records, each once.
    enough, ranks, hits
        As of `rank_hits`; `ranks` and `hits` are altered.
    """
    n, grown = len(original), 0
    for row in rows:
        # The rank of its masked value is known when all changes are in: until then it has no hits.
        grown -= hits[row]
        hits[row] = -1
    for place in range(len(rows)):
        a, b = former[place], masked[rows[place]]
        for i in range(n):
            x, y = original[i], masked[i]
            # A comparison with a missing value is false: it enters or leaves no rank.
            through = int(b <= x) - int(a <= x)
            below = int(b < x) - int(a < x)
            shown = int(b <= y) + int(b < y) - int(a <= y) - int(a < y)
            if through != 0 or below != 0 or shown != 0:
                ranks[0, i] += through
                ranks[1, i] += below
                ranks[2, i] += shown
                if hits[i] >= 0:
                    grown -= hits[i]
                    hits[i] = _hits(x, y, ranks[0, i], ranks[1, i], ranks[2, i], n, enough)
                    grown += hits[i]
    for row in rows:
        y, shown = masked[row], 0
        for i in range(n):
            shown += int(masked[i] <= y) + int(masked[i] < y)
        ranks[2, row] = shown
        hits[row] = _hits(original[row], y, ranks[0, row], ranks[1, row], shown, n, enough)
        grown += hits[row]
    return grown
