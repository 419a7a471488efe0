"""How many people are unique in the population, estimated from how many keys of a sample have each frequency."""

from math import exp, isfinite, log, log1p

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logit, psi

from evosdc.table.table import Numbers

Frequencies = NDArray[np.int64]
_SIGNIFICANT = 1e-6
_LEAST, _MOST = 1e-6, 1.0 - 1e-9  # where an alpha other than 0 is searched for; smaller ones are lost in rounding
_LARGE = 1e4  # From here on differences of digamma are taken by their series: those of the function itself cancel


def zayatz(sizes: NDArray[np.int64], keys: NDArray[np.int64], population: float) -> float:
    """Return Zayatz's estimate (1991): sample uniques that are unique in the population, over the sampling fraction."""
    # A key of F people is in the sample once with the hypergeometric probability h(F). With keys of the population as
    # frequent as those of the sample, ``P(F = 1 | f = 1) = c_1 h(1) / sum_i c_i h(i)``.
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
    """Return the slide negative binomial estimate (Chen and Keller-McNulty 1998); None without solution."""
    # F - 1 is negative binomial (alpha, beta) over K keys, which are estimated first (`shlosser_keys`); alpha and beta
    # reproduce the numbers of keys that the sample has once and twice. ``K beta**alpha`` people are unique.
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
    """Return the logarithms of the expected numbers of keys that the sample has once and twice, shape (2,)."""
    # With ``d = (1 - f)(1 - beta)`` and ``G = (beta / (1 - d))**alpha``: ``K f G (alpha d / (1 - d) + 1)`` and ``K f**2
    # G alpha (1 - beta) (2 - (1 - alpha) d) / (2 (1 - d)**2)``.
    d = (1.0 - fraction) * (1.0 - beta)
    g = alpha * (np.log(beta) - np.log1p(-d))
    once = np.log(k * fraction) + g + np.log(alpha * d / (1.0 - d) + 1.0)
    twice = np.log(k * fraction**2 * alpha * (1.0 - beta) / 2.0) + g - 2.0 * np.log1p(-d)
    return np.array([once, twice + np.log(2.0 - (1.0 - alpha) * d)])


def pitman(sizes: Frequencies, keys: Frequencies, population: float) -> float | None:
    """Return expected population uniques by Pitman's model (Hoshino 2001); None without a maximum."""
    # A person of N is alone with probability ``prod_(i=1..N-1) (theta + alpha + i - 1) / (theta + i)``, of which the
    # source's ``Gamma(theta + 1) / Gamma(theta + alpha) N**alpha`` is the limit.
    if sizes[0] != 1:
        return 0.0
    found = pitman_parameters(sizes, keys)
    if found is None:
        return None
    theta, alpha = found
    alone = gammaln(theta + alpha + population - 1.0) - gammaln(theta + alpha)
    alone -= gammaln(theta + population) - gammaln(theta + 1.0)
    estimate = population * float(np.exp(alone))
    return min(estimate, population) if isfinite(estimate) else None


def pitman_parameters(sizes: Frequencies, keys: Frequencies) -> tuple[float, float] | None:
    """Return theta and alpha of Pitman's sampling formula by maximum likelihood (Hoshino 2001)."""
    # ``sum_(i=1..u-1) ln(theta + i alpha) - sum_(i=1..n-1) ln(theta + i) + sum_j c_j sum_(i=1..j-1) ln(i - alpha)`` is
    # maximised over 0 <= alpha < 1 and theta > -alpha.
    u, n = float(keys.sum()), float((sizes * keys).sum())
    if u == n or u == 1.0:
        return None
    from scipy.optimize import brentq  # late: it takes a while

    def slope(x: float) -> float:
        return _slope(float(expit(x)), sizes, keys, u, n)

    alpha = 0.0
    if _slope(0.0, sizes, keys, u, n) > 0.0 and slope(logit(_LEAST)) > 0.0:
        alpha = float(expit(brentq(slope, logit(_LEAST), logit(_MOST), xtol=1e-13, rtol=1e-14)))
    return _best_theta(alpha, u, n), alpha


def _best_theta(alpha: float, u: float, n: float) -> float:
    """Return the theta of the greatest likelihood for an alpha: there alone its derivative is 0."""
    from scipy.optimize import brentq

    def slope(x: float) -> float:
        theta = exp(x) - alpha
        return _reciprocals(theta, alpha, u) - _psi_difference(theta + 1.0, n - 1.0)

    return exp(brentq(slope, log(1e-12), 2.0 * log(n), xtol=1e-13, rtol=1e-14)) - alpha


def _slope(alpha: float, sizes: Frequencies, keys: Frequencies, u: float, n: float) -> float:
    """Return the derivative by alpha of the likelihood at its best theta."""
    theta = _best_theta(alpha, u, n)
    fallen = float((keys * (psi(sizes - alpha) - psi(1.0 - alpha))).sum())
    if alpha == 0.0:
        return u * (u - 1.0) / (2.0 * theta) - fallen
    return (u - 1.0 - theta * _reciprocals(theta, alpha, u)) / alpha - fallen


def _reciprocals(theta: float, alpha: float, u: float) -> float:
    """Return ``sum_(i=1..u-1) 1 / (theta + i alpha)``."""
    return (u - 1.0) / theta if alpha == 0.0 else _psi_difference(theta / alpha + 1.0, u - 1.0) / alpha


def _psi_difference(z: float, k: float) -> float:
    """Return ``sum_(i=0..k-1) 1 / (z + i)``, the difference of digamma at z + k and z."""
    end = z + k
    if z < _LARGE:
        return float(psi(end) - psi(z))
    return log1p(k / z) - (1.0 / end - 1.0 / z) / 2.0 - (1.0 / end**2 - 1.0 / z**2) / 12.0
