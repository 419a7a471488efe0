"""Invariant transition matrices by linear programming, from preferences between changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from evosdc.data.transition import Frequencies, Matrix
from evosdc.errors import Fault, ParameterError

Weights = NDArray[np.float64]


def neighbour_weights(size: int) -> Weights:
    """Return weights ``|i - j| + 1`` with each diagonal one exchanged for that of the next category.

    Moving by one step is then preferred to staying; the last category prefers the one before it. With the diagonal as
    each row's least weight the optimum would be the identity, which protects nothing. The exchange is that of the
    IHSN's guide to disclosure control.
    """
    codes = np.arange(size)
    weights: Weights = np.abs(codes[:, None] - codes[None, :]) + 1.0
    for row in range(size if size > 1 else 0):
        other = row + 1 if row + 1 < size else row - 1
        weights[row, row], weights[row, other] = weights[row, other], weights[row, row]
    return weights


def preference_matrix(
    frequencies: Frequencies, weights: Weights, least: float = 0.0, most: float = 1.0, by_record: bool = False
) -> Matrix:
    """Return the invariant matrix of least weight.

    Minimises ``sum_ij w_ij p_ij`` subject to ``T P = T``, rows summing to one, ``p_ij >= 0`` and
    ``least <= p_ii <= most`` (Gross et al., 2004; bounds on the diagonal are a reconstruction). It is solved for the
    flows ``T_i p_ij``: with whole numbers as margins and bounds these form a transportation problem, whose vertices are
    whole, so the result is invariant exactly and not to a tolerance. The bounds are drawn in to whole flows. Where
    several optima exist the solver's choice, HiGHS' dual simplex, stands.

    Parameters
    ----------
    frequencies : ndarray of int64, shape (c,)
        T; categories of frequency zero get an identity row.
    weights : ndarray of float64, shape (c, c)
        Of the change from i to j; 1 for the most preferred.
    least, most : float
        Bounds of the diagonal, in [0, 1].
    by_record : bool
        Whether weights count by record, ``T_i w_ij p_ij``, and not by row.

    Raises
    ------
    ParameterError
        No matrix is invariant within these bounds: a category of more than half the records cannot be emptied.
    """
    occurring = np.flatnonzero(frequencies)
    T = frequencies[occurring]
    n = T.size
    result = np.identity(frequencies.size)
    if n < 2:
        return result
    cost = weights[np.ix_(occurring, occurring)]
    if not by_record:
        cost = cost / T[:, None]
    rows, columns = np.divmod(np.arange(n * n), n)
    entries = np.concatenate((rows, n + columns))
    margins = csr_array((np.ones(2 * n * n), (entries, np.tile(np.arange(n * n), 2))), shape=(2 * n, n * n))
    low, high = np.zeros((n, n)), np.minimum(T[:, None], T[None, :]).astype(np.float64)
    low[np.diag_indices(n)] = np.ceil(least * T - 1e-9)
    high[np.diag_indices(n)] = np.floor(most * T + 1e-9)
    solved = None
    if (low <= high).all():
        solved = linprog(
            cost.ravel(),
            A_eq=margins,
            b_eq=np.concatenate((T, T)),
            bounds=np.column_stack((low.ravel(), high.ravel())),
            method="highs-ds",
        )
    if solved is None or solved.status != 0:
        raise ParameterError(
            Fault(
                "preference matrix",
                f"a diagonal between {least} and {most}",
                "bounds within which some matrix keeps these frequencies",
                "A category of more than half the records keeps some of them: raise the upper bound.",
            )
        )
    flows = np.abs(np.rint(solved.x.reshape(n, n)))
    result[np.ix_(occurring, occurring)] = flows / T[:, None]
    return result
