"""Robust distances of records of numbers."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from evosdc.table.robust_covariance import robust_covariance
from evosdc.table.table import Numbers


def filled(numbers: Numbers) -> Numbers:
    """Return numbers with missing values at the median of their attribute; 0 where there is none."""
    present = ~np.isnan(numbers)
    medians = np.array([np.median(c[p]) if p.any() else 0.0 for c, p in zip(numbers.T, present.T, strict=True)])
    return np.where(present, numbers, medians[None, :] if len(medians) else 0.0)


def robust_place(numbers: Numbers) -> tuple[Numbers, Numbers, int]:
    """Return robust centre, shape (Q,), squared distances from it, shape (n,), and the attributes that vary.

    Numbers are taken in their spreads, so that no unit is lost in rounding.
    """
    values = filled(numbers)
    spread = np.ptp(values, axis=0) if len(values) else np.zeros(values.shape[1])
    unit = np.where(spread > 0.0, spread, 1.0)
    low = values.min(axis=0) if len(values) else np.zeros(values.shape[1])
    scaled = (values - low) / unit
    centre, covariance = robust_covariance(scaled)
    away = scaled - centre
    inverse = np.linalg.pinv(covariance, hermitian=True)
    squared = np.maximum(np.einsum("ij,jk,ik->i", away, inverse, away), 0.0)
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True)) if covariance.size else 0
    return low + unit * centre, squared, rank


def limit(quantile: float, attributes: int) -> float:
    """Return the squared distance beyond which so few records of a normal population lie."""
    return float(chi2.ppf(quantile, attributes)) if attributes else np.inf


def univariate_outliers(numbers: Numbers, quantile: float) -> NDArray[np.bool_]:
    """Return which values lie farther from the median than that quantile of a normal distribution, shape (n, Q).

    In units of the median absolute deviation, times 1.4826; none where more than half of the values are equal.
    """
    values = filled(numbers)
    away = np.abs(values - np.median(values, axis=0))
    unit = 1.4826 * np.median(away, axis=0)
    bound = float(norm.ppf((1.0 + quantile) / 2.0))
    outlying: NDArray[np.bool_] = (away > bound * unit) & (unit > 0.0) & ~np.isnan(numbers)
    return outlying
