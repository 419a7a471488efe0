"""Counts, means, covariances and correlations of numeric columns: what they are, not how they are taken."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments (divided by the number of values), by pairs of attributes that both have a value.

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
        """Variances, shape (p,)."""
        diagonal: Numbers = np.diag(self.covariances).copy()
        return diagonal

    @cached_property
    def correlations(self) -> Numbers:
        """Pearson correlations, shape (p, p), within -1..1; 0 where either attribute is constant."""
        spread = np.sqrt(np.where(self.varying, self.variances, 0.0))
        product = np.outer(spread, spread)
        ratio: Numbers = np.divide(self.covariances, product, out=np.zeros_like(product), where=product > 0.0)
        return np.clip(ratio, -1.0, 1.0)


def changed_columns(before: Numbers, after: Numbers, rows: Rows) -> NDArray[np.intp]:
    """Return the columns in which some of the given rows differ, ascending; a missing value equals another one."""
    old, new = before[rows], after[rows]
    return np.flatnonzero(((old != new) & ~(np.isnan(old) & np.isnan(new))).any(axis=0))


def require_numbers(original: Numbers, masked: Numbers) -> None:
    """Refuse a masked matrix of another shape: a mistake of the caller.

    Raises
    ------
    ValueError
        Another number of records or of numeric attributes.
    """
    if original.shape != masked.shape:
        raise ValueError(f"masked numbers of shape {masked.shape}, original of shape {original.shape}")
