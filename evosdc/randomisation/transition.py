"""Transition matrices of the post-randomisation method, as functions of the categories' frequencies.

A matrix P has p_kl = Pr(published = l | original = k); its rows sum to one. Only categories that occur take part: one
of frequency zero has an identity row and an otherwise zero column, so no published value is new to the file, and
design b is invariant (it would not be if such categories were counted). With a single occurring category every design
is the identity.

Drawing published categories from transition matrices, by given uniform numbers.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Codes

Frequencies = NDArray[np.int64] | NDArray[np.float64]  # counts of records, or sums of their weights

Matrix = NDArray[np.float64]


def design_a(frequencies: Frequencies, p: float) -> Matrix:
    """Return the matrix of De Wolf and Van Gelder (Eq. 2.3 of the thesis)."""
    # ``p_kk = p`` and ``p_kl = (1 - p)(N - T_k - T_l) / ((n - 2)(N - T_k))``, n the number of occurring categories:
    # rarer categories are likelier targets, so the matrix flattens the marginal and is not invariant. For n = 2 the
    # quotient is 0/0 and ``p_kl = 1 - p``.
    occurring = np.flatnonzero(frequencies)
    T = frequencies[occurring].astype(np.float64)
    n, N = T.size, T.sum()
    if n > 2:
        inner = (1.0 - p) * (N - T[:, None] - T[None, :]) / ((n - 2) * (N - T[:, None]))
    else:
        inner = np.full((n, n), 1.0 - p)
    np.fill_diagonal(inner, p if n > 1 else 1.0)
    return _embedded(inner, occurring, frequencies.size)


def design_b(frequencies: Frequencies, theta: float) -> Matrix:
    """Return the invariant matrix of Gouweleeuw et al. (Eq. 2.4 and 2.5 of the thesis)."""
    # ``p_kk = 1 - theta T_K / T_k`` and ``p_kl = (1 - p_kk) / (n - 1)``, T_K the smallest positive frequency and n the
    # number of occurring categories. T P = T: marginals are kept in expectation. (One source asks for the largest
    # frequency as T_K, which makes probabilities negative.) Even theta = 1 empties only the rarest category's diagonal.
    occurring = np.flatnonzero(frequencies)
    T = frequencies[occurring].astype(np.float64)
    n = T.size
    if n < 2:
        return np.identity(frequencies.size)
    leaving = theta * T.min() / T
    inner = np.repeat(leaving[:, None] / (n - 1), n, axis=1)
    np.fill_diagonal(inner, 1.0 - leaving)
    return _embedded(inner, occurring, frequencies.size)


def plain_rows(matrix: Matrix) -> list[list[float]]:
    """Return the rows of a matrix as they are written: with no zero that has a sign."""
    rows: list[list[float]] = (matrix + 0.0).tolist()
    return rows


def cumulative(matrix: Matrix) -> Matrix:
    """Return the row-wise cumulative sums, 1 exactly from each row's last positive entry on."""
    # A uniform number u in [0, 1) then always falls on a category of positive probability: the first l with sum_l > u.
    sums = np.cumsum(matrix, axis=1)
    size = matrix.shape[1]
    if size == 0:
        return sums  # an attribute without a category: all its values are missing
    last = size - 1 - np.argmax(matrix[:, ::-1] > 0, axis=1)
    sums[np.arange(size)[None, :] >= last[:, None]] = 1.0
    return sums


def forbidding(matrix: Matrix, forbidden: NDArray[np.bool_]) -> Matrix:
    """Return the matrix without the probabilities of some categories, rows brought to the sum 1 again."""
    result = np.where(forbidden, 0.0, matrix)
    left = result.sum(axis=1)
    cut = (matrix[:, forbidden] > 0).any(axis=1) & (left > 0)
    result[cut] /= left[cut, None]
    return result


def _embedded(inner: Matrix, occurring: NDArray[np.intp], size: int) -> Matrix:
    matrix = np.identity(size)
    matrix[np.ix_(occurring, occurring)] = inner
    return matrix


def drawn(column: Codes, sums: Matrix, uniforms: NDArray[np.float64]) -> Codes:
    """Return for each record the first category whose cumulative probability exceeds its uniform number."""
    published = np.array(column, dtype=np.int32)
    order = np.argsort(column, kind="stable")
    # Category by category; missing ones come first, and stay.
    begins = np.searchsorted(column[order], np.arange(len(sums) + 1))
    for category, (begin, end) in enumerate(zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)):
        if begin < end:
            rows = order[begin:end]
            published[rows] = np.searchsorted(sums[category, :-1], uniforms[rows], side="right")
    return published
