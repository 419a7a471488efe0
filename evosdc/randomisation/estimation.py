"""Counts of the original file, estimated from a file that was published by post-randomisation.

With T the original counts of the states and P their transition matrix, published counts have the mean ``T P``; so
``T_hat = T_published P^-1`` is unbiased (Kooiman, Willenborg and Gouweleeuw 1997), and in tables of several attributes
each axis is carried back by the inverse of its own matrix. With g the columns of the inverse, the randomisation gives
``T_hat`` the covariances ``sum_l (T P)_l g_lc g_ld - [c = d] T_c``. Put the published counts in place of ``T P`` and
``T_hat`` in place of T, and they are estimated without bias. Sampling is not part of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.transition import Matrix

Counts = NDArray[np.float64]

SINGULAR = 1e12
"""Condition number from which on a matrix is taken for one that has no inverse."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts of a table.

    Parameters
    ----------
    counts : ndarray of float64
        Unbiased; some can be negative.
    variances : ndarray of float64
        Of the counts, due to the randomisation, same shape; unbiased, so of rare cells some can be negative.
    """

    counts: Counts
    variances: Counts

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(self.counts + other.counts, self.variances + other.variances)


def inverted(matrix: Matrix, where: str) -> Matrix:
    """Return the inverse of a transition matrix.

    Raises
    ------
    ParameterError
        The matrix is singular: different originals have the same published distribution.
    """
    condition = float(np.linalg.cond(matrix)) if matrix.size else 1.0
    if not condition < SINGULAR:
        given = "a transition matrix that has no inverse"
        wanted = "one that has"
        advice = "It publishes different originals alike, so their counts cannot be told apart any more."
        raise ParameterError(Fault(where, given, wanted, advice))
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64) if matrix.size else matrix


def estimated(published: Counts, squares: Counts, inverses: Sequence[Matrix], sums: Sequence[Matrix]) -> Estimate:
    """Return the estimated counts of a table with one axis for each block of attributes.

    Parameters
    ----------
    published : ndarray of float64, one axis a block, of m states each
        Published counts, or sums of weights.
    squares : ndarray of float64, same shape
        Sums of squared weights; the counts themselves where records have no weights.
    inverses : sequence of ndarray, each of shape (m, m)
        Inverse of each block's transition matrix.
    sums : sequence of ndarray, each of shape (m, c)
        For each block which states make up which category, 0 or 1; the identity for categories that are states.

    Returns
    -------
    Estimate
        One axis a block, of c categories each.
    """
    carried = [inverse @ total for inverse, total in zip(inverses, sums, strict=True)]
    counts = _carried(published, carried)
    spread = _carried(squares, [matrix**2 for matrix in carried]) - _carried(squares, carried)
    return Estimate(counts, spread)


def covariances(published: Counts, inverse: Matrix) -> Counts:
    """Return the estimated covariances of one attribute's estimated counts, shape (c, c); unweighted.

    Parameters
    ----------
    published : ndarray of float64, shape (c,)
    inverse : ndarray of float64, shape (c, c)
    """
    return inverse.T @ (published[:, None] * inverse) - np.diag(published @ inverse)


def _carried(table: Counts, matrices: Sequence[Matrix]) -> Counts:
    for matrix in matrices:
        # the axis carried goes last, so after all of them the axes stand in their order again
        table = np.tensordot(table, matrix, axes=(0, 0))
    return table
