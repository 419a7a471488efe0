"""Counts, means, covariances and correlations of numeric columns, from the values that there are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Numbers, Rows


@dataclass(frozen=True, eq=False)
class Moments:
    """OriginalStatistics moments (divided by the number of values), by pairs of attributes that both have a value.

    Parameters
    ----------
    counts : ndarray of float64, shape (p, p)
        Records with a value of both attributes; on the diagonal of the one.
    means : ndarray of float64, shape (p,)
        0 where an attribute has no value.
    covariances : ndarray of float64, shape (p, p)
        0 where no record has both values.
    varying : ndarray of bool, shape (p,)
        Whether an attribute has two values that differ; others have no spread, whatever rounding leaves.
    """

    counts: Numbers
    means: Numbers
    covariances: Numbers
    varying: NDArray[np.bool_]

    @property
    def variances(self) -> Numbers:
        """OriginalStatistics variances, shape (p,)."""
        diagonal: Numbers = np.diag(self.covariances).copy()
        return diagonal

    @cached_property
    def correlations(self) -> Numbers:
        """Pearson correlations, shape (p, p), within -1..1; 0 where either attribute is constant."""
        spread = np.sqrt(np.where(self.varying, self.variances, 0.0))
        product = np.outer(spread, spread)
        ratio: Numbers = np.divide(self.covariances, product, out=np.zeros_like(product), where=product > 0.0)
        return np.clip(ratio, -1.0, 1.0)


def moments_of(numbers: Numbers) -> Moments:
    """Return the moments of a file's numeric columns, shape (n, p), n >= 1; O(n p**2)."""
    p = numbers.shape[1]
    nothing = Moments(np.zeros((p, p)), np.zeros(p), np.zeros((p, p)), np.zeros(p, dtype=np.bool_))
    return moments_after(nothing, numbers, np.arange(p))


def moments_after(moments: Moments, numbers: Numbers, columns: NDArray[np.intp]) -> Moments:
    """Return the moments of a file some columns of which have changed; O(n p) for each, the same as `moments_of`.

    Parameters
    ----------
    moments : Moments
        Before the change; not altered.
    numbers : ndarray of float64, shape (n, p)
        After it.
    columns : ndarray of intp
        Those that may differ, each once.
    """
    parts = (moments.counts.copy(), moments.means.copy(), moments.covariances.copy(), moments.varying.copy())
    _describe(numbers, columns, *parts)
    return Moments(*parts)


def changed_columns(before: Numbers, after: Numbers, rows: Rows) -> NDArray[np.intp]:
    """Return the columns in which some of the given rows differ, ascending; a missing value equals another one."""
    old, new = before[rows], after[rows]
    return np.flatnonzero(((old != new) & ~(np.isnan(old) & np.isnan(new))).any(axis=0))


@kernel
def _describe(
    numbers: Numbers,
    columns: NDArray[np.intp],
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
) -> None:
    """Write what belongs to some columns: each entry is a sum over records in their order, of its own columns alone."""
    n, p = numbers.shape
    for j in columns:
        count, total, low, high = 0.0, 0.0, np.inf, -np.inf
        for i in range(n):
            x = numbers[i, j]
            if not np.isnan(x):
                count += 1.0
                total += x
                low, high = min(low, x), max(high, x)
        means[j] = total / max(count, 1.0)
        varying[j] = high > low
    for j in columns:
        for k in range(p):
            both, first, second, products = 0.0, 0.0, 0.0, 0.0
            for i in range(n):
                x, y = numbers[i, j] - means[j], numbers[i, k] - means[k]
                if not (np.isnan(x) or np.isnan(y)):
                    both += 1.0
                    first += x
                    second += y
                    products += x * y
            counts[j, k] = counts[k, j] = both
            covariance = (products - first * second / max(both, 1.0)) / max(both, 1.0)
            covariances[j, k] = covariances[k, j] = covariance if varying[j] and varying[k] else 0.0


def require_numbers(original: Numbers, masked: Numbers) -> None:
    """Refuse a masked matrix of another shape: a mistake of the caller.

    Raises
    ------
    ValueError
        Another number of records or of numeric attributes.
    """
    if original.shape != masked.shape:
        raise ValueError(f"masked numbers of shape {masked.shape}, original of shape {original.shape}")
