"""Moments of numeric columns from exact sums: each is rounded once, whatever the order of the records."""

from math import inf

import numpy as np

from evosdc.table.table import Numbers, Rows
from evosdc_measures.numeric_loss.exact_sums import Sums, sums_of
from evosdc_measures.numeric_loss.moments import Moments


def moments_of(numbers: Numbers) -> Moments:
    """Return the moments of a file's numeric columns, shape (n, p), n >= 1; O(n p**2)."""
    return moments_from(sums_of(numbers), np.arange(numbers.shape[1]))


def moments_from(sums: Sums, columns: Rows, moments: Moments | None = None) -> Moments:
    """Return the moments of a file by its sums; of some columns anew, and all others as they were.

    Parameters
    ----------
    sums : Sums
    columns : ndarray of intp
        Of whose values some may have changed, each once.
    moments : Moments, optional
        Before the change; not altered. None where all columns are given.
    """
    shifts, counts, firsts, products = sums
    p = len(shifts)
    if moments is None:
        moments = Moments(np.zeros((p, p)), np.zeros(p), np.zeros((p, p)), np.zeros(p, dtype=np.bool_))
    parts = (moments.counts.copy(), moments.means.copy(), moments.covariances.copy(), moments.varying.copy())
    listed = columns.tolist()
    for j in listed:
        place = j * p + j
        parts[1][j] = _ratio(firsts[place], counts[place], shifts[j]) if counts[place] else 0.0
        # Of equal values, and of those alone, the mean square is the square of the mean.
        parts[3][j] = counts[place] * products[place] > firsts[place] * firsts[place]
    varying = parts[3].tolist()
    for j in listed:
        row = []
        for k in range(p):
            place = j * p + k
            count, covariance = counts[place], 0.0
            if count and varying[j] and varying[k]:
                above = count * products[place] - firsts[place] * firsts[k * p + j]
                covariance = _ratio(above, count * count, shifts[j] + shifts[k])
            row.append(covariance)
        parts[0][j] = parts[0][:, j] = counts[j * p : j * p + p]
        parts[2][j] = parts[2][:, j] = row
    return Moments(*parts)


def _ratio(above: int, below: int, shift: int) -> float:
    """Return ``above / below / 2**shift``, rounded once; infinite beyond the range of a double."""
    try:
        return above / (below << shift) if shift >= 0 else (above << -shift) / below
    except OverflowError:
        return inf if above > 0 else -inf
