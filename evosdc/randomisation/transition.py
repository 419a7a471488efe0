"""Transition matrices of the post-randomisation method, as functions of the categories' frequencies.

A matrix P has p_kl = Pr(published = l | original = k); its rows sum to one. Only categories that occur take part: one
of frequency zero has an identity row and an otherwise zero column, so no published value is new to the file, and
design b is invariant (it would not be if such categories were counted). With a single occurring category every design
is the identity.

Drawing published categories from transition matrices, by given uniform numbers.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
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


def even(T: Frequencies, p: float) -> Matrix:
    """Return the matrix that keeps an occurring category with probability p and goes to all other ones alike."""
    occurring = np.flatnonzero(T)
    matrix = np.identity(len(T))
    if occurring.size > 1:
        matrix[np.ix_(occurring, occurring)] = (1.0 - p) / (occurring.size - 1)
        matrix[occurring, occurring] = p
    return matrix


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


Weights = NDArray[np.float64]

Bound = float | NDArray[np.float64]  # of the diagonal: of all categories, or one each


def exchanged_weights(distances: NDArray[np.float64], ordered: bool) -> Weights:
    """Return weights ``d + 1`` with each diagonal one exchanged for that of the nearest other category."""
    # Without the exchange the diagonal would be each row's least weight and the optimum the identity, which protects
    # nothing.
    weights: Weights = distances + 1.0
    size = len(weights)
    for row in range(size if size > 1 else 0):
        if ordered:
            others = np.array([row + 1 if row + 1 < size else row - 1])
        else:
            away = np.where(np.arange(size) == row, np.inf, weights[row])
            others = np.flatnonzero(away == away.min())
        weights[row, row], weights[row, others] = weights[row, others[0]], weights[row, row]
    return weights


def neighbour_weights(size: int) -> Weights:
    """Return weights ``|i - j| + 1`` with each diagonal one exchanged for that of the next category."""
    # Moving by one step is then preferred to staying; the last category prefers the one before it. With the diagonal as
    # each row's least weight the optimum would be the identity, which protects nothing. The exchange is that of the
    # IHSN's guide to disclosure control.
    codes = np.arange(size)
    return exchanged_weights(np.abs(codes[:, None] - codes[None, :]).astype(np.float64), ordered=True)


def preference_matrix(
    frequencies: Frequencies, weights: Weights, least: Bound = 0.0, most: Bound = 1.0, by_record: bool = False
) -> Matrix:
    """Return the invariant matrix of least weight."""
    # Minimises ``sum_ij w_ij p_ij`` subject to ``T P = T``, rows summing to one, ``p_ij >= 0`` and ``least <= p_ii <=
    # most`` (Gross et al., 2004; bounds on the diagonal are a reconstruction). It is solved for the flows ``T_i p_ij``.
    # With whole numbers as margins and bounds these form a transportation problem, whose vertices are whole, so the
    # result is invariant exactly and not to a tolerance. Otherwise the solver's flows are balanced afterwards. Where
    # several optima exist the solver's choice, HiGHS' dual simplex, stands.
    occurring = np.flatnonzero(frequencies)
    T = frequencies[occurring].astype(np.float64)
    n = T.size
    result = np.identity(frequencies.size)
    if n < 2:
        return result
    low, high = (np.broadcast_to(bound, frequencies.shape)[occurring] * T for bound in (least, most))
    whole = frequencies.dtype.kind in "iu" and all(np.abs(bound - np.rint(bound)).max() < 1e-9 for bound in (low, high))
    scale = 1.0 if whole else 1.0 / float(T.sum())
    T, low, high = T * scale, low * scale, high * scale
    if whole:
        low, high = np.rint(low), np.rint(high)
    cost = weights[np.ix_(occurring, occurring)]
    if not by_record:
        cost = cost / T[:, None]
    rows, columns = np.divmod(np.arange(n * n), n)
    entries = np.concatenate((rows, n + columns))
    # Late: these take as long to import as all else that a run needs.
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    margins = csr_array((np.ones(2 * n * n), (entries, np.tile(np.arange(n * n), 2))), shape=(2 * n, n * n))
    lowest, highest = np.diag(low), np.minimum(T[:, None], T[None, :]).astype(np.float64)
    highest[np.diag_indices(n)] = high
    solved = None
    if (low <= high).all():
        solved = linprog(
            cost.ravel(),
            A_eq=margins,
            b_eq=np.concatenate((T, T)),
            bounds=np.column_stack((lowest.ravel(), highest.ravel())),
            method="highs-ds",
        )
    if solved is None or solved.status != 0:
        wanted = "bounds within which some matrix keeps these frequencies"
        advice = "A category of more than half the records keeps some of them: raise the upper bound."
        raise ParameterError(Fault("preference matrix", f"a diagonal between {least} and {most}", wanted, advice))
    flows = solved.x.reshape(n, n)
    flows = np.abs(np.rint(flows)) if whole else balanced(flows, T)
    result[np.ix_(occurring, occurring)] = flows / T[:, None]
    return result


def balanced(flows: Matrix, T: Frequencies) -> Matrix:
    """Return flows with the margins T to rounding, from flows that have them to a solver's tolerance."""
    # Flows that are zero but for the tolerance become zero; the others take the least changes that make as much leave
    # each category as enters it; the diagonal is what is left.
    n = T.size
    moved = flows * (flows > 1e-8 * T.sum())
    moved[np.diag_indices(n)] = 0.0
    linked = ((moved + moved.T) > 0).astype(np.float64)
    laplacian = np.diag(linked.sum(axis=1)) - linked
    excess = moved.sum(axis=0) - moved.sum(axis=1)
    potential = np.linalg.lstsq(laplacian, excess, rcond=None)[0]
    # half of a difference each way where flows go both ways, all of it where they go one way
    ways = np.maximum((moved > 0).astype(np.float64) + (moved.T > 0), 1.0)
    moved = np.where(moved > 0, np.maximum(moved + (potential[:, None] - potential[None, :]) / ways, 0.0), 0.0)
    leaving = moved.sum(axis=1)
    moved *= min(1.0, float(np.divide(T, leaving, out=np.ones(n), where=leaving > 0).min()))
    moved[np.diag_indices(n)] = T - moved.sum(axis=1)
    return np.maximum(moved, 0.0)
