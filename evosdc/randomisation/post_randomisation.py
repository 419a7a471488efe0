"""Drawing published categories from transition matrices, by given uniform numbers."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes


def drawn(column: Codes, sums: Matrix, uniforms: NDArray[np.float64]) -> Codes:
    """Return for each record the first category whose cumulative probability exceeds its uniform number.

    Parameters
    ----------
    column : ndarray of int32, shape (n,)
        Original codes; missing ones are returned as they are.
    sums : ndarray of float64, shape (c, c)
        Cumulative sums of the transition matrix's rows, see `evosdc.randomisation.transition.cumulative`.
    uniforms : ndarray of float64, shape (n,)
        In [0, 1).
    """
    published = np.array(column, dtype=np.int32)
    _draw(published, sums, np.ascontiguousarray(uniforms))
    return published


@njit(cache=True)
def _draw(column: Codes, sums: Matrix, uniforms: NDArray[np.float64]) -> None:
    """Put the published categories in the place of the original ones."""
    for record in range(column.size):
        if column[record] >= 0:
            row = sums[column[record]]
            low, high = 0, row.size - 1
            while low < high:
                middle = (low + high) // 2
                if row[middle] > uniforms[record]:
                    high = middle
                else:
                    low = middle + 1
            column[record] = low
