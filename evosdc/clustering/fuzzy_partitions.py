"""Comparison of two fuzzy partitions of the same records."""

import numpy as np
from scipy.spatial.distance import cdist

from evosdc.clustering.geometry import Integers
from evosdc.clustering.membership import Memberships

MOST_PAIRS = 3000
"""Distinct pairs of membership vectors that are compared with each other; of more, as many are drawn."""


def fuzzy_rand(first: Memberships, second: Memberships) -> float:
    """Return the fuzzy Rand index of two fuzzy partitions (Huellermeier, Rifqi, Henzgen and Senge, 2012).

    Two records are together in a partition to the degree 1 minus half the sum of absolute differences of their
    memberships. The index is 1 minus the mean, over all pairs of records, of the absolute difference of these degrees:
    1 for equal partitions, whatever the clusters are called, and the Rand index for crisp ones.

    Parameters
    ----------
    first, second : ndarray of float64, shapes (n, c) and (n, d)
        Rows sum to 1.

    Of more than `MOST_PAIRS` distinct rows so many records are drawn, always the same.
    """
    rows, counts = np.unique(np.hstack([first, second]), axis=0, return_counts=True)
    if len(rows) > MOST_PAIRS:
        drawn = np.random.default_rng(0).choice(len(first), size=MOST_PAIRS, replace=False)
        rows, counts = np.hstack([first, second])[np.sort(drawn)], np.ones(MOST_PAIRS, dtype=np.int64)
    n = int(counts.sum())
    if n < 2:
        return 1.0
    split = first.shape[1]
    one, other = np.ascontiguousarray(rows[:, :split]), np.ascontiguousarray(rows[:, split:])
    return float(1.0 - _apart(one, other, counts.astype(np.int64)) / (n * (n - 1) / 2))


def _apart(first: Memberships, second: Memberships, counts: Integers) -> float:
    """Return the sum over pairs of records of the difference of the degrees to which they are together."""
    # Each by itself, so that equal ones differ by nothing to the last bit.
    one, two = cdist(first, first, "cityblock"), cdist(second, second, "cityblock")
    differences = np.multiply.outer(counts, counts) * np.abs(one - two) / 2.0
    pairs = differences[np.tri(counts.size, k=-1, dtype=np.bool_)]
    return float(pairs.cumsum()[-1]) if pairs.size else 0.0
