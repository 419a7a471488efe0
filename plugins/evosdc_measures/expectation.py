"""What the measures are expected to give for tables drawn by transition matrices, from the matrices alone."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes

Numbers = NDArray[np.float64]


def counts_of(codes: Codes, v: int, size: int) -> Numbers:
    """Return how often each of `size` categories of attribute `v` occurs; missing values are not counted."""
    column = codes[:, v]
    return np.bincount(column[column >= 0], minlength=size).astype(np.float64)


def mean_kept(counts: Numbers, matrix: Matrix) -> float:
    """Return the expected number of unchanged values, ``sum_k T_k p_kk``: exact."""
    return float(counts @ matrix.diagonal())


@njit(cache=True)
def mean_inside(counts: Numbers, matrix: Matrix, order: NDArray[np.int64], percents: NDArray[np.int64]) -> float:
    """Return the hits (records and per cents inside the interval) at the expected published counts."""
    size = counts.size
    n = counts.sum()
    through = np.zeros(size + 1)
    for place in range(size):
        arriving = 0.0
        for k in range(size):
            arriving += counts[k] * matrix[k, order[place]]
        through[place + 1] = through[place] + arriving
    inside = 0.0
    for place in range(size):
        shown = order[place]
        if through[place + 1] <= through[place]:
            continue
        centre = 0.5 * (through[place] + 1.0 + through[place + 1])
        low = high = place
        near = counts[shown] * matrix[shown, shown]
        for percent in percents:
            reach = percent * n / 100.0
            while low > 0 and through[low] >= centre - reach:
                low -= 1
                near += counts[order[low]] * matrix[order[low], shown]
            while high < size - 1 and through[high + 1] + 1.0 <= centre + reach:
                high += 1
                near += counts[order[high]] * matrix[order[high], shown]
            inside += near
    return inside
