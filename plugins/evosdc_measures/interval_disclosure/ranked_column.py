"""A masked column of numbers in order, and the records that are near the limit of an interval."""

from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Numbers, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.interval_disclosure.rank_intervals import Hits

BEYOND = 8
"""Distances beyond all ranks, which nothing has: two values that leave and enter make for four at most."""


def hits_by_distance(enough: Integers, records: int) -> Hits:
    """Return at how many widths a value lies inside that is so many half ranks away, shape (2 n + 9,).

    Parameters
    ----------
    enough : ndarray of int64, shape (102,)
        See `evosdc_measures.interval_disclosure.rank_intervals.wide_enough`.
    records : int
    """
    ranks = max(records, 1)
    percent = (100 * np.arange(2 * ranks + BEYOND + 1) + 2 * ranks - 1) // (2 * ranks)
    hits: Hits = enough[np.minimum(percent, len(enough) - 1)].astype(np.int16)
    return hits


def radius_of(records: int) -> int:
    """Return by how many ranks values may have moved, apart from each other, until a column is ranked anew.

    To follow a change takes time in proportion to it, and to rank a column anew, now and then, to the records.
    """
    return max(8, int(8 * (records / 10_000) ** (1 / 3)))


class RankedColumn(NamedTuple):
    """A masked column in order, with the records near the limit of an interval; shared by relatives, never altered.

    Distances are in half ranks: an interval of p per cent holds the original value where none exceeds ``p n / 50``.

    Parameters
    ----------
    original, masked : ndarray of float64, shape (n,)
    ordered : ndarray of float64, shape (k,)
        The masked values that there are, ascending.
    apart : ndarray of int32, shape (2, n)
        How far the original value lies below the masked one, and above; negative where it does not. 0 where either is
        missing.
    place : ndarray of int32, shape (n,)
        Where a record stands among the near ones, -1 elsewhere.
    known, taken : ndarray of float64, shape (m,)
        Original and masked values of the near records, ascending by the original one.
    shown : ndarray of float64, shape (m,)
        Their masked values, ascending.
    order : ndarray of int32, shape (m,)
        Where these stand among the near records.
    """

    original: Numbers
    masked: Numbers
    ordered: Numbers
    apart: Counts
    place: Counts
    known: Numbers
    taken: Numbers
    shown: Numbers
    order: Counts


@njit(cache=True)
def hits_of(x: float, y: float, below: int, above: int, by_distance: Hits) -> int:
    """Return the hits of one record: at how many widths its original value x lies inside."""
    if np.isnan(x) or np.isnan(y):
        return int(by_distance[0]) if np.isnan(x) and np.isnan(y) else 0
    return int(by_distance[max(below, above, 0)])


@njit(cache=True)
def distances_of(original: Numbers, masked: Numbers, by_original: Rows, by_masked: Rows) -> tuple[Numbers, Counts]:
    """Return the masked values in order, and the distances of each record: see `RankedColumn`; O(n).

    Parameters
    ----------
    original, masked : ndarray of float64, shape (n,)
    by_original, by_masked : ndarray of intp, shape (n,)
        Records in the order of each, missing values last.
    """
    n = len(original)
    known = n
    while known > 0 and np.isnan(masked[by_masked[known - 1]]):
        known -= 1
    ordered, apart = np.empty(known), np.zeros((2, n), np.int32)
    for place in range(known):
        ordered[place] = masked[by_masked[place]]
    first = 0
    while first < known:
        end = first
        while end < known and ordered[end] == ordered[first]:
            end += 1
        for place in range(first, end):
            apart[0, by_masked[place]] = first + end
        first = end
    through = below = 0
    for place in range(n):
        row = by_original[place]
        x = original[row]
        if np.isnan(x) or np.isnan(masked[row]):
            apart[0, row] = 0
            continue
        while below < known and ordered[below] < x:
            below += 1
        through = max(through, below)
        while through < known and ordered[through] <= x:
            through += 1
        shown = apart[0, row]
        apart[0, row], apart[1, row] = shown + 1 - 2 * through, 2 * below + 1 - shown
    return ordered, apart


@njit(cache=True)
def inside_of_records(original: Numbers, masked: Numbers, apart: Counts, by_distance: Hits) -> int:
    """Return the sum of the hits of all records; O(n)."""
    inside = 0
    for row in range(len(original)):
        inside += hits_of(original[row], masked[row], apart[0, row], apart[1, row], by_distance)
    return inside


@njit(cache=True)
def near_limits(
    original: Numbers, masked: Numbers, apart: Counts, by_original: Rows, by_distance: Hits, radius: int, place: Counts
) -> tuple[Numbers, Numbers, Counts, int]:
    """Write where the near records stand; return their values, their distances and the sum of all hits; O(n).

    A record whose masked value is the original one is never near: it is its own rank that it stands at.
    """
    n, count, inside = len(original), 0, 0
    for row in range(n):
        x, y, below, above = original[row], masked[row], apart[0, row], apart[1, row]
        inside += hits_of(x, y, below, above, by_distance)
        place[row] = -1
        if x == y or np.isnan(x) or np.isnan(y):
            continue
        most = hits_of(x, y, below - 2 * radius, above - 2 * radius, by_distance)
        # No distance is greater than all ranks, and `by_distance` ends soon after.
        least = hits_of(x, y, min(below + 2 * radius, 2 * n), min(above + 2 * radius, 2 * n), by_distance)
        if most != least:
            place[row] = 0
            count += 1
    chosen, at = np.empty(count, np.int32), 0
    for row in by_original:
        if place[row] == 0:
            chosen[at] = row
            at += 1
    for at in range(count):
        place[chosen[at]] = at
    known, taken, distances = np.empty(count), np.empty(count), np.empty((count, 2), np.int32)
    for at in range(count):
        row = chosen[at]
        known[at], taken[at] = original[row], masked[row]
        distances[at, 0], distances[at, 1] = apart[0, row], apart[1, row]
    return known, taken, distances, inside
