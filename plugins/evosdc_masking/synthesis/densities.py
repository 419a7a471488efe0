"""Densities fitted to a sample, and the best of those that the Kolmogorov-Smirnov test accepts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy import stats

from evosdc.table.table import Numbers

FAMILIES = ("uniform", "normal", "logistic", "laplace", "gumbel", "exponential", "gamma", "lognormal", "weibull")
"""The families that are tried, in the order in which ties are decided. Which ones the source tried is not known to us:
a reconstruction."""

LEAST = 8
"""Values that a fit needs at least."""


@dataclass(frozen=True)
class Density:
    """A fitted density and how far it is from the sample.

    Parameters
    ----------
    family : str
        One of `FAMILIES`.
    distribution : frozen distribution of scipy.stats
    statistic : float
        Greatest distance of the two distribution functions, 0..1.
    p_value : float
        Of the test, as if the parameters had not been fitted to the same sample; it is too kind therefore.
    """

    family: str
    distribution: Any
    statistic: float
    p_value: float


def best_density(values: Numbers, significance: float) -> Density | None:
    """Return the density of least Kolmogorov-Smirnov statistic among those that are not rejected.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Without missing ones.
    significance : float
        In 0..1: a density is rejected whose p-value is below it; 1 rejects all and fits none.

    Returns
    -------
    Density or None
        None where all are rejected, or values are fewer than `LEAST` or constant.
    """
    if significance == 1 or len(values) < LEAST or np.ptp(values) == 0:
        return None
    accepted = [density for density in fitted_densities(values) if density.p_value >= significance]
    return min(accepted, key=lambda density: density.statistic, default=None)


def fitted_densities(values: Numbers) -> Iterator[Density]:
    """Yield each family fitted by maximum likelihood; those that cannot be fitted are left out.

    Families of positive values are shifted to begin just below the least value, by the n-th part of the range, unless
    all values are positive: then they begin at 0.
    """
    start = 0.0 if values.min() > 0 else float(values.min() - np.ptp(values) / len(values))
    for family in FAMILIES:
        with np.errstate(all="ignore"), catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # of nearly equal values, whose fits the test judges all the same
            try:
                distribution = _FITS[family](values, start)
                parameters = (*distribution.args, *distribution.kwds.values())
                if not np.isfinite(parameters).all():
                    continue
                test = stats.kstest(values, distribution.cdf)
            except (ValueError, RuntimeError, FloatingPointError, OverflowError):
                continue  # scipy found no maximum
        if np.isfinite(test.statistic):
            yield Density(family, distribution, float(test.statistic), float(test.pvalue))


def _located(distribution: Any) -> Callable[[Numbers, float], Any]:
    return lambda values, start: distribution(*distribution.fit(values))


def _beginning(distribution: Any) -> Callable[[Numbers, float], Any]:
    return lambda values, start: distribution(*distribution.fit(values, floc=start))


_FITS: dict[str, Callable[[Numbers, float], Any]] = {
    "uniform": _located(stats.uniform),
    "normal": _located(stats.norm),
    "logistic": _located(stats.logistic),
    "laplace": _located(stats.laplace),
    "gumbel": _located(stats.gumbel_r),
    "exponential": _beginning(stats.expon),
    "gamma": _beginning(stats.gamma),
    "lognormal": _beginning(stats.lognorm),
    "weibull": _beginning(stats.weibull_min),
}
