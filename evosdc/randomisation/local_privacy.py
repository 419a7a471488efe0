"""Local differential privacy of transition matrices."""

from math import inf, log

import numpy as np
from numpy.typing import NDArray


def epsilon(rows: NDArray[np.float64]) -> float:
    """Return ``max_l ln(max_k p_kl / min_k p_kl)``; infinite where a column is zero in some rows only.

    A published value then changes the odds of any two original ones by a factor of at most ``exp(epsilon)``
    (Kasiviswanathan et al. 2011).

    Parameters
    ----------
    rows : ndarray of float64, shape (r, c)
        Rows of a transition matrix, those of the categories that occur; fewer than two need no protection.
    """
    if len(rows) < 2:
        return 0.0
    most, least = rows.max(axis=0), rows.min(axis=0)
    reached = most > 0.0
    if (least[reached] <= 0.0).any():
        return inf
    return log(float((most[reached] / least[reached]).max()))
