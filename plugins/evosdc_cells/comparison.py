"""In which records files differ."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Rows

STRETCH = 128
"""So many cells are compared at once; only where any of them differ it is asked which."""


@njit(cache=True)
def differing_rows(a: NDArray[Any], b: NDArray[Any]) -> Rows:
    """Return the positions of the records in which two files, shape (n, V), differ, in order."""
    x, y, width = a.reshape(a.size), b.reshape(b.size), a.shape[1]
    rows, found, last = np.empty(64, np.intp), 0, -1
    for begin in range(0, len(x), STRETCH):
        one, other = x[begin : begin + STRETCH], y[begin : begin + STRETCH]
        if not _differing(one, other):
            continue
        for cell in range(len(one)):
            if one[cell] != other[cell] and (begin + cell) // width != last:
                last = (begin + cell) // width
                if found == len(rows):
                    rows = np.concatenate((rows, np.empty(len(rows), np.intp)))
                rows[found] = last
                found += 1
    return rows[:found].copy()


@njit(cache=True)
def _differing(one: NDArray[Any], other: NDArray[Any]) -> int:
    """Return in how many cells two stretches differ: a sum, which the processor takes of many cells at once."""
    found = 0
    for cell in range(len(one)):
        found += one[cell] != other[cell]
    return found


@njit(cache=True)
def differing_children(
    parent: NDArray[Any], children: NDArray[Any], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the records in which children differ from their parent.

    Parameters
    ----------
    parent : ndarray, shape (n, V)
    children : ndarray, shape (k, n, V)
    most : int
        Children that differ in more records are left out.

    Returns
    -------
    chosen, ends : ndarray of int64, shape (k,) or less
        The other children, and where the records of each end.
    rows : ndarray of int64, shape (m,)
        Positions of the records, child by child, ascending.
    """
    width, cells = parent.shape[1], parent.size
    one, others = parent.reshape(cells), children.reshape(len(children), cells)
    chosen, ends = np.empty(len(children), np.int64), np.empty(len(children), np.int64)
    rows = np.empty(max(2 * len(children), 64), np.int64)
    kept = used = 0
    for child in range(len(children)):
        other, found, last = others[child], used, -1
        for begin in range(0, cells, STRETCH):
            end = min(begin + STRETCH, cells)
            if not _differing(one[begin:end], other[begin:end]):
                continue
            for cell in range(begin, end):
                if one[cell] != other[cell] and cell // width != last:
                    last = cell // width
                    if found == len(rows):
                        rows = np.concatenate((rows, np.empty(len(rows), np.int64)))
                    rows[found] = last
                    found += 1
        if found - used <= most:
            chosen[kept], ends[kept] = child, found
            kept += 1
            used = found
    return chosen[:kept], ends[:kept], rows[:used]


@njit(cache=True)
def changed_codes(
    parent: NDArray[Any], children: NDArray[Any], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return what `differing_children` returns, and these records in the parent and in the children, shape (m, V)."""
    chosen, ends, rows = differing_children(parent, children, most)
    width = parent.shape[1]
    before, after = np.empty((len(rows), width), np.int32), np.empty((len(rows), width), np.int32)
    begin = 0
    for place in range(len(chosen)):
        child = children[chosen[place]]
        for at in range(begin, ends[place]):
            for column in range(width):
                before[at, column] = parent[rows[at], column]
                after[at, column] = child[rows[at], column]
        begin = ends[place]
    return chosen, ends, rows, before, after
