"""The five statistics of the probabilistic information loss: their values and their sampling variances."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from evosdc.kernel import kernel
from evosdc.table.table import Numbers, Rows
from evosdc_measures.numeric_loss.moments import Moments, moments_after, moments_of
from evosdc_measures.numeric_loss.ranked_values import move_values, quantiles_of, ranked_of

Part = Literal["means", "variances", "covariances", "correlations", "quantiles"]

LEVELS = np.arange(1, 20) / 20
"""Levels of the quantiles, 5 % to 95 %."""
MOST_CHANGES = 32
"""Changed values of an attribute up to which their order is followed; for more, sorting takes less."""
SAME = 1e-9
"""Statistics that differ by less, in units of their scale, are taken to be equal where nothing varies."""


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


@dataclass(frozen=True, eq=False)
class Sample:
    """The estimates of a masked file.

    Parameters
    ----------
    moments : Moments
    ranked : ndarray of float64, shape (q, n)
        Values in order, missing ones last, of the attributes that vary in the population.
    quantiles : ndarray of float64, shape (q, 19)
        Of these, at `LEVELS`; NaN where there is no value.
    """

    moments: Moments
    ranked: Numbers
    quantiles: Numbers


def sample_of(population: OriginalStatistics, numbers: Numbers) -> Sample:
    """Return the estimates of a masked file, shape (n, p); O(n p**2)."""
    ranked = ranked_of(numbers[:, population.judged])
    return Sample(moments_of(numbers), ranked, _quantiles_of(ranked))


def follow_sample(
    population: OriginalStatistics, sample: Sample, former: Numbers, numbers: Numbers, rows: Rows
) -> Sample:
    """Return the estimates of a file some rows of which have changed, the same as `sample_of`.

    O(n p) for each column that differs somewhere. Values in order and quantiles of `sample` are altered.

    Parameters
    ----------
    population : OriginalStatistics
    sample : Sample
    former : ndarray of float64, shape (m, p)
        The changed rows before the change.
    numbers : ndarray of float64, shape (n, p)
        All rows after it.
    rows : ndarray of intp, shape (m,)
    """
    now = numbers[rows]
    differs = (former != now) & ~(np.isnan(former) & np.isnan(now))
    for place, column in enumerate(population.judged):
        changed = differs[:, column]
        count = int(changed.sum())
        if not count:
            continue
        if count > MOST_CHANGES:
            sample.ranked[place] = np.sort(numbers[:, column])
        else:
            move_values(sample.ranked[place], former[changed, column], now[changed, column])
        sample.quantiles[place] = quantiles_of(sample.ranked[place], LEVELS)
    columns = np.flatnonzero(differs.any(axis=0))
    return Sample(moments_after(sample.moments, numbers, columns), sample.ranked, sample.quantiles)


def _quantiles_of(ranked: Numbers) -> Numbers:
    """Return the quantiles of each column from its values in order, shape (p, 19)."""
    return np.array([quantiles_of(values, LEVELS) for values in ranked]).reshape(-1, len(LEVELS))


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
    quantiles = _quantiles_of(ranked_of(numbers[:, judged]))
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


@kernel
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


def probabilistic_losses(difference: Numbers, variance: Numbers, counts: Numbers, scale: Numbers) -> Numbers:
    """Return ``2 P(0 <= Z <= |difference| / sqrt(variance / counts))``, elementwise, in 0..1.

    Where nothing varies (variance 0 but for rounding, in units of ``scale**2``) it is 0 if there is no difference and 1
    otherwise; where there is no masked value it is 1.
    """
    difference = np.abs(difference)
    still = variance <= (1e-7 * scale) ** 2
    z = difference * np.sqrt(counts / np.where(still, 1.0, variance))
    losses = np.where(still, difference > SAME * scale, erf(z / np.sqrt(2.0)))
    return np.asarray(np.where(counts > 0, losses, 1.0), dtype=np.float64)


def _means(population: OriginalStatistics, sample: Sample) -> Numbers:
    judged, original, masked = population.judged, population.moments, sample.moments
    variance = original.variances[judged]
    difference = masked.means[judged] - original.means[judged]
    return probabilistic_losses(difference, variance, np.diag(masked.counts)[judged], np.sqrt(variance))


def _variances(population: OriginalStatistics, sample: Sample) -> Numbers:
    judged, masked = population.judged, sample.moments
    variance = population.moments.variances[judged]
    difference = masked.variances[judged] - variance
    return probabilistic_losses(difference, population.variances, np.diag(masked.counts)[judged], variance)


def _covariances(population: OriginalStatistics, sample: Sample) -> Numbers:
    pairs, original, masked = population.pairs, population.moments, sample.moments
    difference = masked.covariances[pairs] - original.covariances[pairs]
    scale = np.sqrt(original.variances[pairs[0]] * original.variances[pairs[1]])
    return probabilistic_losses(difference, population.covariances, masked.counts[pairs], scale)


def _correlations(population: OriginalStatistics, sample: Sample) -> Numbers:
    pairs, masked = population.pairs, sample.moments
    difference = masked.correlations[pairs] - population.moments.correlations[pairs]
    return probabilistic_losses(difference, population.correlations, masked.counts[pairs], np.ones(len(pairs[0])))


def _quantiles(population: OriginalStatistics, sample: Sample) -> Numbers:
    counts = np.diag(sample.moments.counts)[population.judged]
    strays = np.abs(sample.quantiles - population.quantiles) * population.densities
    losses = erf(strays * np.sqrt(counts[:, None] / (LEVELS * (1.0 - LEVELS))) / np.sqrt(2.0))
    return np.asarray(np.where(counts[:, None] > 0, losses, 1.0), dtype=np.float64).ravel()


PARTS: Mapping[Part, Callable[[OriginalStatistics, Sample], Numbers]] = {
    "means": _means,
    "variances": _variances,
    "covariances": _covariances,
    "correlations": _correlations,
    "quantiles": _quantiles,
}
"""The losses of each part, one for each attribute, pair, or attribute and level."""
