"""Drawing published categories from transition matrices, by given uniform numbers."""

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes


def drawn(column: Codes, sums: Matrix, uniforms: NDArray[np.float64]) -> Codes:
    """Return for each record the first category whose cumulative probability exceeds its uniform number.

    Parameters
    ----------
    column : ndarray of int32, shape (n,)
        Original codes; missing ones are returned as they are.
    sums : ndarray of float64, shape (c, c)
        Cumulative sums of the transition matrix's rows, see `evosdc.randomisation.transition.cumulative`.
    uniforms : ndarray of float64, shape (n,)
        In [0, 1).
    """
    published = np.array(column, dtype=np.int32)
    order = np.argsort(column, kind="stable")
    # Category by category; missing ones come first, and stay.
    begins = np.searchsorted(column[order], np.arange(len(sums) + 1))
    for category, (begin, end) in enumerate(zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)):
        if begin < end:
            rows = order[begin:end]
            published[rows] = np.searchsorted(sums[category, :-1], uniforms[rows], side="right")
    return published
