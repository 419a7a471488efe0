"""How often each sensitive value occurs in equivalence classes that are followed through changes of a file.

Of a class with more records than there are values the numbers are kept; those of a smaller one are counted when they
are asked for. So neither costs more than about what the values cost.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.engine.class_following import ClassState, Places
from evosdc.table.table import Rows

Values = NDArray[np.int64]
Contents = tuple[Values, Values, Values]
"""Where the entries of each class begin; value and number of records of each entry, ascending in each class."""

MOST_VALUES = 1 << 12
"""Of an attribute with more values nothing is kept: its classes are as good as all smaller."""


class ValueCounts(NamedTuple):
    """The values of one sensitive attribute.

    Parameters
    ----------
    values : ndarray of int32, shape (n,)
        Of each record, 0 up to less than s.
    slots : ndarray of int32, shape (m,)
        Row of the counts of each class that has one, by its place; -1 elsewhere. Empty where nothing is kept.
    counts : ndarray of int32, shape (r, s)
    free : ndarray of int32, shape (r + 1,)
        How many rows are free, and which.
    """

    values: Places
    slots: Places
    counts: Places
    free: Places


def counted_values(values: Places, size: int, classes: ClassState) -> ValueCounts:
    """Return the counts of an attribute with so many values in all classes that are large enough.

    Parameters
    ----------
    values : ndarray of int32, shape (n,)
    size : int
        Number of the values.
    classes : ClassState
        With records listed.
    """
    kept = size <= MOST_VALUES
    rows = len(values) // max(size, 1) + 1 if kept else 0
    free = np.concatenate([[rows], np.arange(rows)]).astype(np.int32)
    slots = np.full(len(classes.keys) if kept else 0, -1, dtype=np.int32)
    known = ValueCounts(values, slots, np.zeros((rows, size if kept else 0), dtype=np.int32), free)
    _settle(np.flatnonzero(classes.sizes), classes.sizes, classes.heads, classes.following, known)
    return known


def copied_values(known: ValueCounts) -> ValueCounts:
    """Return a copy that shares no array with it."""
    return ValueCounts._make(array.copy() for array in known)


@njit(cache=True)
def follow_values(
    rows: Rows,
    latest: Places,
    before: Places,
    changed: NDArray[np.int64],
    classes: ClassState,
    known: ValueCounts,
) -> None:
    """Follow records that have come to other classes, or have other values, in place.

    Parameters
    ----------
    rows : ndarray of intp, shape (r,)
    latest : ndarray of int32, shape (r,)
        Their values now.
    before : ndarray of int32, shape (r,)
        The places of their former classes.
    changed : ndarray of int64
        Places of all classes whose records changed.
    classes : ClassState
        After the change.
    known : ValueCounts
    """
    values, slots, counts, _ = known
    for number in range(len(rows)):
        row = rows[number]
        if len(slots):
            left, entered = slots[before[number]], slots[classes.places[row]]
            if left >= 0:
                counts[left, values[row]] -= 1
            if entered >= 0:
                counts[entered, latest[number]] += 1
        values[row] = latest[number]
    _settle(changed, classes.sizes, classes.heads, classes.following, known)


@njit(cache=True)
def _settle(changed: NDArray[np.int64], sizes: Places, heads: Places, following: Places, known: ValueCounts) -> None:
    """Keep counts of those classes that have become large, and no more of those that have become small."""
    values, slots, counts, free = known
    if len(slots) == 0:
        return
    width = counts.shape[1]
    for place in changed:
        slot = slots[place]
        if slot >= 0 and sizes[place] < width:
            slots[place] = -1
            free[0] += 1
            free[free[0]] = slot
    # Each class that has a row has as many records as there are values, so that there are enough rows.
    for place in changed:
        if slots[place] < 0 and sizes[place] >= 2 * width:
            slot = free[free[0]]
            free[0] -= 1
            slots[place] = slot
            counts[slot] = 0
            row = heads[place]
            while row >= 0:
                counts[slot, values[row]] += 1
                row = following[row]


@njit(cache=True)
def _fewer(a: int, b: int) -> int:
    return a if a < b else b


@njit(cache=True)
def values_in_classes(
    chosen: NDArray[np.int64], size: int, heads: Places, sizes: Places, following: Places, known: ValueCounts
) -> Contents:
    """Return how often each value occurs in some classes.

    Parameters
    ----------
    chosen : ndarray of int64, shape (c,)
        Places of classes.
    size : int
        Number of values.
    heads, sizes, following : ndarray
        See `ClassState`.
    known : ValueCounts
    """
    values, slots, counts, _ = known
    total = 0
    for place in chosen:
        total += _fewer(sizes[place], size)
    starts = np.zeros(len(chosen) + 1, np.int64)
    found, times = np.empty(total, np.int64), np.empty(total, np.int64)
    room = np.zeros(size, np.int64)
    end = 0
    for c in range(len(chosen)):
        first, place = end, chosen[c]
        if len(slots) and slots[place] >= 0:
            for value in range(size):
                if counts[slots[place], value] > 0:
                    found[end], times[end] = value, counts[slots[place], value]
                    end += 1
            starts[c + 1] = end
            continue
        record = heads[place]
        while record >= 0:
            value = values[record]
            if room[value] == 0:
                found[end] = value
                end += 1
            room[value] += 1
            record = following[record]
        found[first:end].sort()
        for entry in range(first, end):
            times[entry] = room[found[entry]]
            room[found[entry]] = 0
        starts[c + 1] = end
    return starts, found[:end].copy(), times[:end].copy()
