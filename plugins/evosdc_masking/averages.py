"""Averages of categories: the lower median of an ordinal attribute, the mode of a nominal one.

With an even number of values the lower of the two middle categories is taken, so an average is always a category of
the domain; categories of equal frequency are decided by the order of the categories (thesis 2.3; Domingo-Ferrer and
Torra 2005). How missing values take part is a choice of evosdc, a reconstruction: under the rule ``category`` a
missing value competes for the mode as the last category, and an ordinal or numeric average is missing where more than
half of the values are; under ``wildcard`` an average is missing only where all values are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel

Counts = NDArray[np.int64]


@kernel
def lower_median(counts: Counts) -> int:
    """Return the lower median category.

    Parameters
    ----------
    counts : ndarray of int64, shape (c,)
        Frequency of each category, in the order of the categories.

    Returns
    -------
    int
        Least category with at least half of all values at or below it; -1 when all counts are 0.
    """
    total = counts.sum()
    if total == 0:
        return -1
    below = 0
    category = 0
    while 2 * (below + counts[category]) < total:
        below += counts[category]
        category += 1
    return category


@kernel
def mode(counts: Counts) -> int:
    """Return the most frequent category, the first of them in a tie; -1 when all counts are 0."""
    best = -1
    most = 0
    for category in range(counts.size):
        if counts[category] > most:
            best, most = category, counts[category]
    return best


@kernel
def average_category(counts: Counts, ordinal: bool, wildcard: bool) -> int:
    """Return the average of values that may be missing.

    Parameters
    ----------
    counts : ndarray of int64, shape (c + 1,)
        Frequency of each category; the last entry is that of missing values.
    ordinal : bool
        Lower median if true, else mode.
    wildcard : bool
        Whether missing values equal anything, so that they have no say beside present ones.

    Returns
    -------
    int
        A code, -1 for missing.
    """
    present = counts[:-1]
    missing = 0 if wildcard else counts[-1]
    if ordinal:
        return -1 if missing > present.sum() else lower_median(present)
    best = mode(present)
    return -1 if best >= 0 and missing > present[best] else best
