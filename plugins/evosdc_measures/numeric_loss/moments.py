"""Counts, means, covariances and correlations of numeric columns, from the values that there are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.data.table import Numbers
from evosdc.kernel import kernel


@dataclass(frozen=True, eq=False)
class Moments:
    """Population moments (divided by the number of values), by pairs of attributes that both have a value.

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
        """Population variances, shape (p,)."""
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
    present = ~np.isnan(numbers)
    values = np.where(present, numbers, 0.0)
    counts = present.sum(axis=0)
    means = values.sum(axis=0) / np.maximum(counts, 1)
    centred = np.where(present, numbers - means, 0.0)
    low = np.where(present, numbers, np.inf).min(axis=0)
    high = np.where(present, numbers, -np.inf).max(axis=0)
    both, ones, products = _cross_sums(centred, present)
    covariances = (products - ones * ones.T / np.maximum(both, 1.0)) / np.maximum(both, 1.0)
    varying = high > low
    covariances[~varying] = 0.0
    covariances[:, ~varying] = 0.0
    return Moments(both, means, covariances, varying)


@kernel
def _cross_sums(centred: Numbers, present: NDArray[np.bool_]) -> tuple[Numbers, Numbers, Numbers]:
    """Return sums over records of 1, of the first and of the product of both, where both are present, all (p, p)."""
    n, p = centred.shape
    both, ones, products = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    for i in range(n):
        for j in range(p):
            if present[i, j]:
                for k in range(p):
                    if present[i, k]:
                        both[j, k] += 1.0
                        ones[j, k] += centred[i, j]
                        products[j, k] += centred[i, j] * centred[i, k]
    return both, ones, products


def require_numbers(original: Numbers, masked: Numbers) -> None:
    """Refuse a masked matrix of another shape: a mistake of the caller.

    Raises
    ------
    ValueError
        Another number of records or of numeric attributes.
    """
    if original.shape != masked.shape:
        raise ValueError(f"masked numbers of shape {masked.shape}, original of shape {original.shape}")
