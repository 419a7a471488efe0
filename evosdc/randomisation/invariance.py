"""Invariant transition matrices: those that keep the expected frequencies of categories, T P = T.

Frequencies are a vector T of shape (c,), matrices have shape (c, c) and rows that sum to one. A category of frequency
zero has an identity row and an otherwise zero column in all results, as in `evosdc.randomisation.transition`.
"""

import numpy as np

from evosdc.randomisation.transition import Frequencies, Matrix

_LARGE = 256  # number of categories from which on products of matrices are the faster way


def two_stage(matrix: Matrix, frequencies: Frequencies) -> Matrix:
    """Return the two-stage invariant matrix R = P Q of any transition matrix P."""
    # ``Q_lk = p_kl T_k / (T P)_l`` is the probability that k was the original of a published l, so ``R_ij = sum_l p_il
    # p_jl T_j / (T P)_l``: the category is redrawn by P and then back by Q. R is invariant and reversible (``T_i R_ij =
    # T_j R_ji``); invariant matrices that are not reversible are out of its reach. Shlomo and De Waal (2006).
    if not 0 < frequencies.size <= _LARGE:
        return _large_two_stage(matrix, frequencies)
    return _two_stage(matrix, frequencies)


def _large_two_stage(matrix: Matrix, frequencies: Frequencies) -> Matrix:
    """Return the same by products of matrices; flows are made symmetric, so that rounding moves no margin."""
    occurs = frequencies > 0
    through = frequencies @ matrix
    scaled = np.divide(matrix, through, out=np.zeros_like(matrix), where=through > 0)
    shares = scaled @ matrix.T
    result = 0.5 * (shares + shares.T) * frequencies[None, :]
    result[~occurs] = 0.0
    result[np.diag_indices(len(result))] = 0.0
    result[np.diag_indices(len(result))] = np.maximum(1.0 - result.sum(axis=1), 0.0)
    return result


def _two_stage(matrix: Matrix, frequencies: Frequencies) -> Matrix:
    """Return the same by sums in the order of the categories."""
    through = (frequencies[:, None] * matrix).cumsum(axis=0)[-1]
    result = np.zeros_like(matrix)
    for share, total in zip(matrix.T[through > 0], through[through > 0], strict=True):
        result += share[:, None] * share[None, :] / total * frequencies
    result[frequencies == 0] = 0.0
    result[np.diag_indices(len(result))] = 0.0
    # The diagonal is the remainder, so rows sum to one but for a last bit, and rounding moves no margin.
    result[np.diag_indices(len(result))] = np.maximum(1.0 - result.cumsum(axis=1)[:, -1], 0.0)
    return result


def diluted(matrix: Matrix, alpha: float) -> Matrix:
    """Return ``alpha P + (1 - alpha) I``: still invariant where P is, with less perturbation for a smaller alpha."""
    result = alpha * matrix
    result[np.diag_indices(len(matrix))] += 1.0 - alpha
    return result


def retained(matrix: Matrix, frequencies: Frequencies) -> float:
    """Return the expected share of values that the matrix leaves unchanged, ``sum_k T_k p_kk / N``, in [0, 1]."""
    total = float(frequencies.sum())
    return float(frequencies @ np.diagonal(matrix)) / total if total else 1.0


def with_retained(matrix: Matrix, frequencies: Frequencies, share: float) -> Matrix:
    """Return ``alpha P + (1 - alpha) I`` with the alpha that makes `share` the expected share of unchanged values."""
    # ``alpha = (1 - share) / (1 - m)`` with m the share that the matrix itself retains. Below m that is an alpha above
    # 1, which takes from the diagonal what can be taken: it stops where the first diagonal probability is 0. The
    # identity stays as it is. A reconstruction of the control of diagonal probabilities that the literature names
    # without a formula.
    moved = 1.0 - retained(matrix, frequencies)
    if moved <= 0.0:
        return matrix.copy()
    alpha = min((1.0 - share) / moved, 1.0 / (1.0 - float(np.diagonal(matrix).min())))
    result = diluted(matrix, alpha)
    # Where the limit is reached, rounding could leave the least of the diagonal below 0.
    result[np.diag_indices(len(result))] = np.maximum(np.diagonal(result), 0.0)
    return result


def marginal_shift(matrix: Matrix, frequencies: Frequencies) -> float:
    """Return how far a matrix is from invariance: ``||T P - T||_1 / (2 N)``, in [0, 1], 0 where it is invariant."""
    total = float(frequencies.sum())
    return float(np.abs(frequencies @ matrix - frequencies).sum()) / (2.0 * total) if total else 0.0
