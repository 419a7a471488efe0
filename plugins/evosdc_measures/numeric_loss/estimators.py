"""The five statistics of the probabilistic information loss: their values in an original, and sampling variances."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers
from evosdc_measures.numeric_loss.exact_moments import moments_of
from evosdc_measures.numeric_loss.moments import Moments
from evosdc_measures.ordered_values import ordered_values, quantiles_of

LEVELS = np.arange(1, 20) / 20
"""Levels of the quantiles, 5 % to 95 %."""


@dataclass(frozen=True, eq=False)
class OriginalStatistics:
    """What the original says of estimates from samples.

    Parameters
    ----------
    moments : Moments
    judged : ndarray of intp, shape (q,)
        Attributes that vary.
    pairs : tuple of ndarray of intp, each of shape (r,)
        Pairs of them of which some record has both values.
    variances, covariances, correlations : ndarray of float64, shapes (q,), (r,), (r,)
        Sampling variances of the estimators times the number of records of the sample.
    quantiles, densities : ndarray of float64, shape (q, 19)
        At `LEVELS`, by attribute.
    """

    moments: Moments
    judged: NDArray[np.intp]
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]]
    variances: Numbers
    covariances: Numbers
    correlations: Numbers
    quantiles: Numbers
    densities: Numbers


def original_statistics(numbers: Numbers, density: Literal["kernel", "normal"]) -> OriginalStatistics:
    """Return the statistics of an original, shape (n, p); O(n p**2)."""
    moments = moments_of(numbers)
    judged = np.flatnonzero(moments.varying)
    first, second = (judged[places] for places in np.triu_indices(len(judged), 1))
    both = moments.counts[first, second] > 1
    first, second = first[both], second[both]
    centred = numbers - moments.means
    of_variance = np.array([_fourth(centred[:, j], centred[:, j]) - moments.variances[j] ** 2 for j in judged])
    mixed = np.array([_mixed(centred[:, j], centred[:, k]) for j, k in zip(first, second, strict=True)]).reshape(-1, 8)
    m22, m31, m13, m40, m04, m20, m02, m11 = mixed.T
    rho = moments.correlations[first, second]
    # Expanded, so that nothing is divided by m11, which may be 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = m20 * m02
        of_correlation = (
            m22 / spread
            + rho**2 / 4 * (m40 / m20**2 + m04 / m02**2 + 2 * m22 / spread)
            - rho * (m31 / (m20 * np.sqrt(spread)) + m13 / (m02 * np.sqrt(spread)))
        )
    # A pair whose common records leave one of both constant has no correlation to estimate.
    of_correlation = np.where(np.isfinite(of_correlation), np.maximum(of_correlation, 0.0), 0.0)
    columns = [column[~np.isnan(column)] for column in numbers[:, judged].T]
    quantiles = np.array([quantiles_of(*ordered_values(column), LEVELS) for column in columns]).reshape(-1, len(LEVELS))
    estimate = _kernel_density if density == "kernel" else _normal_density
    densities = [estimate(column, at) for column, at in zip(columns, quantiles, strict=True)]
    return OriginalStatistics(
        moments,
        judged,
        (first, second),
        np.maximum(of_variance, 0.0),
        np.maximum(m22 - m11**2, 0.0),
        of_correlation,
        quantiles,
        np.array(densities).reshape(-1, len(LEVELS)),
    )


def _fourth(x: Numbers, y: Numbers) -> float:
    return float(np.nanmean(x * x * y * y))


def _mixed(x: Numbers, y: Numbers) -> tuple[float, ...]:
    """Return m22, m31, m13, m40, m04, m20, m02 and m11 over the records that have both values."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both] - x[both].mean(), y[both] - y[both].mean()
    xx, yy, xy = x * x, y * y, x * y
    powers = (xx * yy, xx * xy, xy * yy, xx * xx, yy * yy, xx, yy, xy)
    return tuple(float(power.mean()) for power in powers)


def _normal_density(column: Numbers, at: Numbers) -> Numbers:
    spread = column.std()
    return np.asarray(np.exp(-0.5 * ((at - column.mean()) / spread) ** 2) / (spread * np.sqrt(2 * np.pi)))


def _kernel_density(column: Numbers, at: Numbers) -> Numbers:
    """Return a Gaussian kernel estimate with Silverman's bandwidth, ``0.9 min(s, IQR / 1.34) n**(-1/5)``."""
    low, high = np.quantile(column, [0.25, 0.75])
    spread = min(column.std(), (high - low) / 1.34) if high > low else column.std()
    return _kernel_sums(np.sort(column), at, float(0.9 * spread * len(column) ** -0.2))


@njit(cache=True)
def _kernel_sums(column: Numbers, at: Numbers, width: float) -> Numbers:
    """Return the density at some points; summands beyond nine bandwidths are below the last bit."""
    result = np.zeros(len(at))
    for q in range(len(at)):
        total = 0.0
        for i in range(np.searchsorted(column, at[q] - 9.0 * width), len(column)):
            z = (column[i] - at[q]) / width
            if z > 9.0:
                break
            total += np.exp(-0.5 * z * z)
        result[q] = total / (len(column) * width * np.sqrt(2.0 * np.pi))
    return result
