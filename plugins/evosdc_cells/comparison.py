"""In which records, and in how many cells, two files differ."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Rows


@kernel
def differing_cells(a: NDArray[Any], b: NDArray[Any]) -> int:
    """Return the number of cells in which two files, shape (n, V), differ."""
    x, y = a.reshape(a.size), b.reshape(b.size)
    found = 0
    for cell in range(len(x)):
        found += x[cell] != y[cell]
    return found


def differing_rows(a: NDArray[Any], b: NDArray[Any]) -> Rows:
    """Return the positions of the records in which two files, shape (n, V), differ, in order."""
    # Cells of the flat file first: comparing along the short axis of attributes takes ten times as long.
    rows: Rows = (a.reshape(-1) != b.reshape(-1)).nonzero()[0] // a.shape[1]
    return rows if len(rows) < 2 else rows[np.concatenate(([True], rows[1:] != rows[:-1]))]


STRETCH = 64
"""So many cells are compared at once; only where any of them differ it is asked which."""


@kernel
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
            end, apart = min(begin + STRETCH, cells), 0
            for cell in range(begin, end):
                apart |= one[cell] ^ other[cell]
            if apart == 0:
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
