"""How many people are unique in the population, estimated from how many keys of a sample have each frequency."""

from math import exp, isfinite, log

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from evosdc.table.table import Numbers

_SIGNIFICANT = 1e-6


def zayatz(sizes: NDArray[np.int64], keys: NDArray[np.int64], population: float) -> float:
    """Return Zayatz's estimate (1991): sample uniques that are unique in the population, over the sampling fraction.

    A key of F people is in the sample once with the hypergeometric probability h(F). With keys of the population as
    frequent as those of the sample, ``P(F = 1 | f = 1) = c_1 h(1) / sum_i c_i h(i)``.

    Parameters
    ----------
    sizes, keys : ndarray of int64, shape (m,)
        Frequencies that occur, ascending, and how many keys have each, c.
    population : float
        Number of people.
    """
    n = int((sizes * keys).sum())
    if sizes[0] != 1:
        return 0.0
    people = max(round(population), n)
    once = np.array([_sampled_once(int(size), people, n) for size in sizes])
    share = keys[0] * once[0] / float((keys * once).sum())
    return float(min(keys[0] * share * people / n, people))


def _sampled_once(size: int, people: int, n: int) -> float:
    """Return the probability that exactly one of a key's people is among n drawn without replacement."""
    if size - 1 > people - n:
        return 0.0
    others = gammaln(people - size + 1) - gammaln(n) - gammaln(people - size - n + 2)
    return float(size * exp(others - gammaln(people + 1) + gammaln(n + 1) + gammaln(people - n + 1)))


def shlosser_keys(sizes: NDArray[np.int64], keys: NDArray[np.int64], fraction: float) -> float:
    """Return how many keys the population has, by the modified Shlosser estimator Sh3 (Haas and Stokes 1998)."""
    u, q = float(keys.sum()), fraction
    if sizes[0] != 1 or q >= 1.0:
        return u
    i, c = sizes.astype(np.float64), keys.astype(np.float64)
    first = (i * q**2 * (1.0 - q**2) ** (i - 1.0) * c).sum() / ((1.0 - q) ** i * ((1.0 + q) ** i - 1.0) * c).sum()
    second = ((1.0 - q) ** i * c).sum() / (i * q * (1.0 - q) ** (i - 1.0) * c).sum()
    return float(u + c[0] * first * second**2)


def slide_negative_binomial(sizes: NDArray[np.int64], keys: NDArray[np.int64], population: float) -> float | None:
    """Return the estimate of the slide negative binomial model (Chen and Keller-McNulty 1998); None without a solution.

    F - 1 is negative binomial (alpha, beta) over K keys, which are estimated first (`shlosser_keys`); alpha and beta
    reproduce the numbers of keys that the sample has once and twice. ``K beta**alpha`` people are unique.
    """
    n = float((sizes * keys).sum())
    fraction = n / population
    if sizes[0] != 1:
        return 0.0
    if fraction >= 1.0:
        return float(keys[0])
    if len(sizes) < 2 or sizes[1] != 2:
        return None
    from scipy.optimize import root  # late: it takes a while

    k = shlosser_keys(sizes, keys, fraction)
    wanted = np.log(np.array([keys[0], keys[1]], dtype=np.float64))

    def gap(x: Numbers) -> Numbers:
        with np.errstate(all="ignore"):
            return sampled_keys(k, float(np.exp(x[0])), float(expit(x[1])), fraction) - wanted

    for alpha in (0.3, 1.0, 3.0, 0.05):
        for beta in (0.05, 0.3, 0.8):
            found = root(gap, np.array([log(alpha), log(beta / (1.0 - beta))]))
            if found.success and np.abs(gap(found.x)).max() < _SIGNIFICANT:
                estimate = k * float(np.exp(np.exp(found.x[0]) * -np.logaddexp(0.0, -found.x[1])))
                if isfinite(estimate):
                    return min(estimate, population)
    return None


def sampled_keys(k: float, alpha: float, beta: float, fraction: float) -> Numbers:
    """Return the logarithms of the expected numbers of keys that the sample has once and twice, shape (2,).

    With ``d = (1 - f)(1 - beta)`` and ``G = (beta / (1 - d))**alpha``: ``K f G (alpha d / (1 - d) + 1)`` and
    ``K f**2 G alpha (1 - beta) (2 - (1 - alpha) d) / (2 (1 - d)**2)``.
    """
    d = (1.0 - fraction) * (1.0 - beta)
    g = alpha * (np.log(beta) - np.log1p(-d))
    once = np.log(k * fraction) + g + np.log(alpha * d / (1.0 - d) + 1.0)
    twice = np.log(k * fraction**2 * alpha * (1.0 - beta) / 2.0) + g - 2.0 * np.log1p(-d)
    return np.array([once, twice + np.log(2.0 - (1.0 - alpha) * d)])
