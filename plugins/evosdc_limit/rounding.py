"""Whole numbers of records from shares, with the original counts exact and the published ones as near as can be."""

import numpy as np
from numpy.typing import NDArray

from evosdc_limit.attribute import Floats

_EVEN = 1e-6
"""A number of records so near to a whole one is that one."""


def rounded(joint: Floats, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers of records by published and original category, shape (B, A).

    Each entry is its share times n, rounded up or down; each original category keeps its records, and each published
    one has its own number of records rounded up or down. Of all such roundings the one that rounds up the largest
    remainders is taken. It is the optimum of a transport problem, whose vertices are whole; one exists, since the
    remainders themselves fulfil all constraints.

    Parameters
    ----------
    joint : ndarray of float64, shape (B, A)
        Shares of the records; the sum over b is ``counts[a] / n``.
    counts : ndarray of int64, shape (A,)
        Records of each original category.
    """
    exact = joint * (counts / np.maximum(joint.sum(axis=0), 1e-300))
    low = np.floor(exact + _EVEN)
    rest = np.where(exact - low > _EVEN, exact - low, 0.0)
    b, a = np.nonzero(rest)
    need = counts - low.sum(axis=0)
    if not need.any():
        return np.asarray(low, dtype=np.int64)
    from scipy import sparse  # late, as below

    x = np.arange(len(b))
    by_original = sparse.csr_matrix((np.ones(len(x)), (a, x)), (joint.shape[1], len(x)))
    by_published = sparse.csr_matrix((np.ones(len(x)), (b, x)), (joint.shape[0], len(x)))
    whole = rest.sum(axis=1)
    near = np.abs(whole - np.round(whole)) <= _EVEN * joint.shape[1]
    least, most = (np.where(near, np.round(whole), limit) for limit in (np.floor(whole), np.ceil(whole)))
    from scipy.optimize import linprog  # late: it takes a while

    found = linprog(
        -rest[b, a],
        sparse.vstack([by_published, -by_published]),
        np.concatenate([most, -least]),
        by_original,
        need,
        bounds=(0.0, 1.0),
        method="highs-ds",
    )
    up = np.zeros(joint.shape)
    up[b, a] = _largest_remainders(rest[b, a], a, need) if found.x is None else np.round(found.x)
    return np.asarray(low + up, dtype=np.int64)


def _largest_remainders(rest: Floats, a: NDArray[np.intp], need: Floats) -> Floats:
    """Round up the largest remainders of each original category: what is left where rounding errors forbid the rest."""
    up = np.zeros(len(rest))
    for original, number in enumerate(need):
        own = np.flatnonzero(a == original)
        up[own[np.argsort(-rest[own], kind="stable")[: int(number)]]] = 1.0
    return up
