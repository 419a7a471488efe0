"""Equivalence classes followed through small changes of a masked file, for privacy models that judge class by class."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows

Keys = NDArray[np.int64]
Places = NDArray[np.int32]


class ClassState(NamedTuple):
    """The classes of one file: a table by open addressing, and the records of each class as a doubly linked list.

    Parameters
    ----------
    keys : ndarray of int64, shape (m,)
        Key of each place; -1 where none has been. A class that has become empty keeps its place.
    sizes, heads : ndarray of int32, shape (m,)
        Records of the class, and the first of them.
    figures : ndarray of float64, shape (m,)
        Figure of the class; NaN where it has no records.
    places, following, preceding : ndarray of int32, shape (n,)
        Of each record: place of its class, and its neighbours in it. The latter two are empty where nobody asks for
        the records of a class.
    used : int
        Places with a key.
    """

    keys: Keys
    sizes: Places
    heads: Places
    figures: Numbers
    places: Places
    following: Places
    preceding: Places
    used: int


def started_classes(keys: Keys, listed: bool) -> ClassState:
    """Return the classes of records with the given keys, shape (n,), not negative; figures are NaN."""
    n, m = len(keys), 16
    while m < 3 * n:
        m *= 2
    around = n if listed else 0
    state = ClassState(
        np.full(m, -1, dtype=np.int64),
        np.zeros(m, dtype=np.int32),
        np.full(m, -1, dtype=np.int32),
        np.full(m, np.nan),
        np.full(n, -1, dtype=np.int32),
        np.full(around, -1, dtype=np.int32),
        np.full(around, -1, dtype=np.int32),
        0,
    )
    used = _entered(np.arange(n), keys, state)
    return state._replace(used=int(used))


def copied_classes(state: ClassState) -> ClassState:
    """Return a copy of a state that shares no array with it."""
    return ClassState._make((*(array.copy() for array in state[:-1]), state.used))


def followed_classes(
    state: ClassState, keys: Keys, rows: Rows, always: bool
) -> tuple[ClassState, NDArray[np.int64], Places]:
    """Change classes in place; return them, the places of those whose records changed, and their sizes before.

    Parameters
    ----------
    keys : ndarray of int64, shape (r,)
        New keys of the changed records.
    rows : ndarray of intp, shape (r,)
        Changed records.
    always : bool
        Whether a class counts as changed where only other values of its records than the key did.
    """
    before = state.places[rows].astype(np.int64)
    used = int(_entered(rows, keys, state))
    now = state.places[rows].astype(np.int64)
    moved = np.ones(len(rows), dtype=np.bool_) if always else before != now
    changed = np.unique(np.concatenate([before[moved], now[moved]]))
    sizes = state.sizes[changed].copy()
    np.add.at(sizes, changed.searchsorted(before[moved]), 1)
    np.subtract.at(sizes, changed.searchsorted(now[moved]), 1)
    return state._replace(used=used), changed, sizes


@njit(cache=True)
def _entered(rows: Rows, new: Keys, state: ClassState) -> int:
    """Move records to the classes of their new keys, in place, and return how many places have a key."""
    keys, sizes, heads, _, places, following, preceding, used = state
    last = len(keys) - 1
    for i in range(len(rows)):
        row, key = rows[i], new[i]
        old = places[row]
        if old >= 0:
            if keys[old] == key:
                continue
            sizes[old] -= 1
            if len(following):
                before, after = preceding[row], following[row]
                if before >= 0:
                    following[before] = after
                else:
                    heads[old] = after
                if after >= 0:
                    preceding[after] = before
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        place = np.int64(mixed >> np.uint64(33)) & last
        while keys[place] >= 0 and keys[place] != key:
            place = (place + 1) & last
        if keys[place] < 0:
            keys[place] = key
            used += 1
        sizes[place] += 1
        places[row] = place
        if len(following):
            first = heads[place]
            following[row], preceding[row] = first, -1
            if first >= 0:
                preceding[first] = row
            heads[place] = row
    return used


def full(state: ClassState) -> bool:
    """Whether the table of places has so many keys that it is better built anew."""
    return 2 * state.used > len(state.keys)


def radix_of(sizes: Sequence[int]) -> Keys | None:
    """Return the factors by which values below the given sizes make one number; None where that takes too many bits."""
    total, factors = 1, []
    for size in sizes:
        factors.append(total)
        total *= max(size, 1)
    return np.array(factors, dtype=np.int64) if total < 2**62 else None
