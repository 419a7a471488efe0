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


@njit(cache=True)
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
    n, width = points.shape
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    begins = np.zeros(n + 1, dtype=np.int64)
    mean = np.empty(width, dtype=np.float64)
    for j in range(k, n + 1):
        mean[:] = 0.0
        loss = 0.0
        for size in range(1, min(2 * k - 1, j) + 1):
            i = j - size
            for v in range(width):
                away = points[i, v] - mean[v]
                mean[v] += away / size
                loss += away * (points[i, v] - mean[v])
            if size >= k and best[i] + loss < best[j]:
                best[j], begins[j] = best[i] + loss, i
    return _runs(begins)


@njit(cache=True)
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
    n = codes.size
    below = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        below[i + 1] = below[i] + codes[i]
    best = np.full(n + 1, np.iinfo(np.int64).max, dtype=np.int64)
    best[0] = 0
    begins = np.zeros(n + 1, dtype=np.int64)
    for j in range(k, n + 1):
        for size in range(k, min(2 * k - 1, j) + 1):
            i, half = j - size, size // 2
            if i > 0 and i < k:
                continue
            loss = (below[j] - below[j - half]) - (below[i + half] - below[i])
            if best[i] + loss < best[j]:
                best[j], begins[j] = best[i] + loss, i
    return _runs(begins)


@njit(cache=True)
def equal_runs(n: int, k: int) -> Labels:
    """Return the partition of n places in runs of k, the last of which takes the fewer than k that are over."""
    labels = np.empty(n, dtype=np.int64)
    last = max(n // k - 1, 0)
    for i in range(n):
        labels[i] = min(i // k, last)
    return labels


@njit(cache=True)
def _runs(begins: Integers) -> Labels:
    """Return the number of each place's run, where ``begins[j]`` is the begin of the run that ends at j."""
    n = begins.size - 1
    labels = np.empty(n, dtype=np.int64)
    count = 0
    end = n
    while end > 0:
        count += 1
        end = begins[end]
    end = n
    while end > 0:
        count -= 1
        labels[begins[end] : end] = count
        end = begins[end]
    return labels
