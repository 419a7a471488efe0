"""How many people are unique in the population under Pitman's sampling formula (Hoshino 2001)."""

from math import exp, isfinite, log, log1p

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logit, psi

Frequencies = NDArray[np.int64]

_LEAST, _MOST = 1e-6, 1.0 - 1e-9
"""Between these an alpha other than 0 is looked for; the derivative by a smaller one would be lost in rounding."""

_LARGE = 1e4
"""From here on differences of digamma are taken by their series: those of the function itself cancel."""


def pitman(sizes: Frequencies, keys: Frequencies, population: float) -> float | None:
    """Return the expected number of people who are unique under Pitman's model (Hoshino 2001); None without a maximum.

    A person of N is alone with probability ``prod_(i=1..N-1) (theta + alpha + i - 1) / (theta + i)``, of which the
    source's ``Gamma(theta + 1) / Gamma(theta + alpha) N**alpha`` is the limit.

    Parameters
    ----------
    sizes, keys : ndarray of int64, shape (m,)
        Frequencies that occur, ascending, and how many keys have each.
    population : float
        Number of people.
    """
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
    """Return theta and alpha of Pitman's sampling formula by maximum likelihood (Hoshino 2001).

    ``sum_(i=1..u-1) ln(theta + i alpha) - sum_(i=1..n-1) ln(theta + i) + sum_j c_j sum_(i=1..j-1) ln(i - alpha)`` is
    maximised over 0 <= alpha < 1 and theta > -alpha. For each alpha one theta is the best, and along these the
    derivative by alpha changes its sign once, or is not positive at 0: so it is in all of thousands of samples tried,
    though no source proves it. None where all keys are unique, or all records have one key: then the likelihood has no
    maximum.
    """
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
