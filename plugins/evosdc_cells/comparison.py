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
