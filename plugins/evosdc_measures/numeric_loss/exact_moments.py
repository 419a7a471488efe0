"""Moments of numeric columns from exact sums: each is rounded once, whatever the order of the records."""

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

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
    p = len(sums.shifts)
    if moments is None:
        moments = Moments(np.zeros((p, p)), np.zeros(p), np.zeros((p, p)), np.zeros(p, dtype=np.bool_))
    parts = (moments.counts.copy(), moments.means.copy(), moments.covariances.copy(), moments.varying.copy())
    write_moments(sums, columns.tolist(), *parts)
    return Moments(*parts)


def write_moments(
    sums: Sums,
    columns: Sequence[int],
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
) -> None:
    """Write what `moments_from` returns over what it was before."""
    shifts, numbers, firsts, products = sums
    p = len(shifts)
    for j in columns:
        place = j * p + j
        means[j] = ratio_of(firsts[place], numbers[place], shifts[j]) if numbers[place] else 0.0
        # Of equal values, and of those alone, the mean square is the square of the mean.
        varying[j] = numbers[place] * products[place] > firsts[place] * firsts[place]
    vary = varying.tolist()
    for j in columns:
        row = []
        for k in range(p):
            place = j * p + k
            count, covariance = numbers[place], 0.0
            if count and vary[j] and vary[k]:
                above = count * products[place] - firsts[place] * firsts[k * p + j]
                covariance = ratio_of(above, count * count, shifts[j] + shifts[k])
            row.append(covariance)
        counts[j] = counts[:, j] = numbers[j * p : j * p + p]
        covariances[j] = covariances[:, j] = row


def ratio_of(above: int, below: int, shift: int) -> float:
    """Return ``above / below / 2**shift``, rounded once; infinite beyond the range of a double."""
    try:
        return above / (below << shift) if shift >= 0 else (above << -shift) / below
    except OverflowError:
        return inf if above > 0 else -inf
