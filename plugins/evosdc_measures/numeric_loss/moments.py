"""Counts, means, covariances and correlations of numeric columns, from the values that there are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel
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
        counts[j, j], means[j] = count, total / max(count, 1.0)
        varying[j] = high > low
    whole = True
    for k in range(p):
        whole &= counts[k, k] == n
    for j in columns:
        k = 0
        while whole and k + 4 <= p:
            _four_covariances(numbers, means, j, k, counts, covariances)
            k += 4
        for other in range(k, p):
            both, first, second, products = 0.0, 0.0, 0.0, 0.0
            for i in range(n):
                x, y = numbers[i, j] - means[j], numbers[i, other] - means[other]
                if not (np.isnan(x) or np.isnan(y)):
                    both += 1.0
                    first += x
                    second += y
                    products += x * y
            counts[j, other] = both
            covariances[j, other] = (products - first * second / max(both, 1.0)) / max(both, 1.0)
        for k in range(p):
            counts[k, j] = counts[j, k]
            covariances[k, j] = covariances[j, k] = covariances[j, k] if varying[j] and varying[k] else 0.0


@inner_kernel
def _four_covariances(numbers: Numbers, means: Numbers, j: int, k: int, counts: Numbers, covariances: Numbers) -> None:
    """Write those of an attribute with four that stand side by side, of files without missing values.

    The sums are taken as one by one, but four at a time.
    """
    n = len(numbers)
    own, m0, m1, m2, m3 = means[j], means[k], means[k + 1], means[k + 2], means[k + 3]
    first = s0 = s1 = s2 = s3 = p0 = p1 = p2 = p3 = 0.0
    for i in range(n):
        x = numbers[i, j] - own
        y0, y1, y2, y3 = numbers[i, k] - m0, numbers[i, k + 1] - m1, numbers[i, k + 2] - m2, numbers[i, k + 3] - m3
        first += x
        s0 += y0
        s1 += y1
        s2 += y2
        s3 += y3
        p0 += x * y0
        p1 += x * y1
        p2 += x * y2
        p3 += x * y3
    both = float(n)
    counts[j, k] = counts[j, k + 1] = counts[j, k + 2] = counts[j, k + 3] = both
    covariances[j, k] = (p0 - first * s0 / both) / both
    covariances[j, k + 1] = (p1 - first * s1 / both) / both
    covariances[j, k + 2] = (p2 - first * s2 / both) / both
    covariances[j, k + 3] = (p3 - first * s3 / both) / both


def require_numbers(original: Numbers, masked: Numbers) -> None:
    """Refuse a masked matrix of another shape: a mistake of the caller.

    Raises
    ------
    ValueError
        Another number of records or of numeric attributes.
    """
    if original.shape != masked.shape:
        raise ValueError(f"masked numbers of shape {masked.shape}, original of shape {original.shape}")
