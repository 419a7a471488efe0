"""Values of numeric columns in order, which follow single changes, and their quantiles."""

import numpy as np

from evosdc.kernel import kernel
from evosdc.table.table import Numbers


def ranked_of(numbers: Numbers) -> Numbers:
    """Return the values of each column in ascending order, missing ones last, shape (p, n); O(n p log n)."""
    return np.sort(np.ascontiguousarray(numbers.T), axis=1)


@kernel
def move_values(ranked: Numbers, former: Numbers, latter: Numbers) -> None:
    """Put new values in the place of former ones; O(n) at most for each, and only what lies between is moved.

    Parameters
    ----------
    ranked : ndarray of float64, shape (n,)
        Ascending, missing values last; altered.
    former, latter : ndarray of float64, shape (m,)
        Values that are there, and those that take their place.
    """
    n = len(ranked)
    for change in range(len(former)):
        a, b = former[change], latter[change]
        at = n - 1 if np.isnan(a) else np.searchsorted(ranked, a)
        if np.isnan(b) or a < b:
            while at + 1 < n and (ranked[at + 1] < b or (np.isnan(b) and not np.isnan(ranked[at + 1]))):
                ranked[at] = ranked[at + 1]
                at += 1
        else:
            while at > 0 and (ranked[at - 1] > b or np.isnan(ranked[at - 1])):
                ranked[at] = ranked[at - 1]
                at -= 1
        ranked[at] = b


@kernel
def quantiles_of(ranked: Numbers, levels: Numbers) -> Numbers:
    """Return quantiles of the values that there are, shape (q,), NaN without any: linear ones, as `numpy.quantile` has.

    Parameters
    ----------
    ranked : ndarray of float64, shape (n,)
        Ascending, missing values last.
    levels : ndarray of float64, shape (q,)
    """
    known = len(ranked)
    while known > 0 and np.isnan(ranked[known - 1]):
        known -= 1
    found = np.full(len(levels), np.nan)
    if known == 0:
        return found
    for q in range(len(levels)):
        place = (known - 1) * levels[q]
        below = int(np.floor(place))
        share = place - below
        low, high = ranked[below], ranked[min(below + 1, known - 1)]
        # From the nearer end, as numpy does, so that results agree to the last bit.
        found[q] = high - (high - low) * (1.0 - share) if share >= 0.5 else low + (high - low) * share
    return found
