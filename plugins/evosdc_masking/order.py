"""The order of values in compiled loops: numpy's sorting takes seconds to compile, and this a fraction of one."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

_RUN = 16
"""Runs of so many values are put in order by insertion before they are merged."""


@njit(cache=True)
def stable_order(values: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of values from the least to the greatest, equal ones in the order that they stand in.

    Merges ever longer runs (Knuth 1998, 5.2.4).

    Parameters
    ----------
    values : ndarray, shape (m,)
        No NaN among them.

    Returns
    -------
    ndarray of int64, shape (m,)
    """
    n = values.size
    order, merged = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for position in range(n):
        begin, place = position - position % _RUN, position
        while place > begin and values[order[place - 1]] > values[position]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = position
    width = _RUN
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            left, right = begin, middle
            for place in range(begin, end):
                if right == end or (left < middle and values[order[left]] <= values[order[right]]):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order
