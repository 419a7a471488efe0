"""Partitions of records that stand in a line: optimal ones, and runs of k.

Hansen and Mukherjee (2003): an optimal partition of sorted values in groups of at least k consists of runs of k to 2k -
1 neighbours. The best partition of the first j values ends with one of the k runs (i, j], j - 2k < i <= j - k. Before
that run it is the best partition of the first i. A run's loss is updated value by value while the run is lengthened
downwards, which takes O(kn) steps and no differences of large sums.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers

Labels = NDArray[np.int64]
Integers = NDArray[np.int64]


def least_squares(points: Numbers, k: int) -> Labels:
    """Return the partition in runs of the least sum of squared deviations from the runs' means.

    Parameters
    ----------
    points : ndarray of float64, shape (n, V)
        In the order of the line, n >= k.
    k : int
        Least size of a run.

    Returns
    -------
    ndarray of int64, shape (n,)
        Number of each point's run, counting up along the line. Optimal among the partitions in runs; where V = 1 and
        the points are sorted, among all partitions.
    """
    return _runs(_begins(np.ascontiguousarray(points, dtype=np.float64), k, True))


def least_deviations(codes: Integers, k: int) -> Labels:
    """Return the partition in runs of the least sum of absolute deviations from the runs' medians.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Ascending, n >= k.
    k : int
        Least size of a run.

    Returns
    -------
    ndarray of int64, shape (n,)
        Number of each value's run, counting up. Optimal among all partitions in groups of at least k: groups may be
        taken as runs, and a run of 2k or more can be cut without loss.
    """
    return _runs(_begins(np.ascontiguousarray(codes[:, None], dtype=np.float64), k, False))


def equal_runs(n: int, k: int) -> Labels:
    """Return the partition of n places in runs of k, the last of which takes the fewer than k that are over."""
    return np.minimum(np.arange(n) // k, max(n // k - 1, 0))


@njit(cache=True)
def _begins(points: Numbers, k: int, squares: bool) -> Integers:
    """Return for each place, shape (n + 1,), where the run begins that ends before it in the best partition up to it.

    The loss of a run is its sum of squares, or its sum of absolute deviations of one attribute of whole numbers.
    """
    n, width = points.shape
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    begins = np.zeros(n + 1, dtype=np.int64)
    mean, below = np.empty(width, dtype=np.float64), np.zeros(n + 1, dtype=np.float64)
    for i in range(n):
        below[i + 1] = below[i] + points[i, 0]
    for j in range(k, n + 1):
        mean[:] = 0.0
        loss = 0.0
        for size in range(1 if squares else k, min(2 * k - 1, j) + 1):
            i = j - size
            if squares:
                for v in range(width):
                    away = points[i, v] - mean[v]
                    mean[v] += away / size
                    loss += away * (points[i, v] - mean[v])
            else:
                half = size // 2
                loss = (below[j] - below[j - half]) - (below[i + half] - below[i])
            if size >= k and best[i] + loss < best[j]:
                best[j], begins[j] = best[i] + loss, i
    return begins


def _runs(begins: Integers) -> Labels:
    """Return the number of each place's run, where ``begins[j]`` is the begin of the run that ends at j."""
    before, ends = begins.tolist(), [begins.size - 1]
    while ends[-1] > 0:
        ends.append(before[ends[-1]])
    sizes = -np.diff(ends)[::-1]
    return np.repeat(np.arange(sizes.size), sizes)
