"""The noise of each count: distributions of greatest entropy with mean 0 and a given variance (ptable)."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from evosdc.errors import Fault, ParameterError
from evosdc.table.table import Numbers

_EXACT = 1e-6


@dataclass(frozen=True, eq=False)
class PerturbationTable:
    """Distributions of the noise of counts.

    Parameters
    ----------
    noise : int
        D, the greatest noise.
    changes : ndarray of int64, shape (2 D + 1,)
        -D .. D.
    probabilities : ndarray of float64, shape (m, 2 D + 1)
        Row i: of a count i; the last row holds for all greater ones. Row 0 leaves a zero alone.
    """

    noise: int
    changes: NDArray[np.int64]
    probabilities: Numbers


def perturbation_table(noise: int, variance: float, smallest: int = 0) -> PerturbationTable:
    """Return the noise of greatest entropy with mean 0 and a variance, for every count.

    Published counts are never negative and never 1 .. `smallest`; zeros stay (Fraser and Wooton 2005; Giessing 2016).

    Parameters
    ----------
    noise : int
        D, at least 1.
    variance : float
        V, at most D**2.
    smallest : int
        Counts up to this one, but 0, are not published.

    Raises
    ------
    ParameterError
        No distribution has that mean and variance for some count.
    """
    changes = np.arange(-noise, noise + 1, dtype=np.int64)
    rows = [np.where(changes == 0, 1.0, 0.0)]
    for count in range(1, noise + smallest + 2):
        published = count + changes
        allowed = (published == 0) | (published > smallest)
        row = np.zeros(len(changes))
        row[allowed] = _most_random(changes[allowed].astype(np.float64), variance, count)
        rows.append(row)
    return PerturbationTable(noise, changes, np.array(rows))


def _most_random(values: Numbers, variance: float, count: int) -> Numbers:
    """Return the distribution ``exp(a v + b v**2)`` on some values that has mean 0 and the variance."""
    squares = values**2

    def dual(x: Numbers) -> tuple[float, Numbers]:
        exponents = x[0] * values + x[1] * squares
        top = exponents.max()
        weights = np.exp(exponents - top)
        total = weights.sum()
        shares = weights / total
        gradient = np.array([shares @ values, shares @ squares - variance])
        return float(np.log(total) + top - x[1] * variance), gradient

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where no distribution is, the dual has no minimum: told below
        found = minimize(dual, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-12, "maxiter": 2000})
    exponents = found.x[0] * values + found.x[1] * squares
    weights = np.exp(exponents - exponents.max())
    shares: Numbers = weights / weights.sum()
    if abs(shares @ values) > _EXACT or abs(shares @ squares - variance) > _EXACT:
        given = f"{variance:g} for counts of {count}, with noise of {values.min():g} to {values.max():g}"
        advice = "Choose another variance, a greater noise, or a smaller least count."
        raise ParameterError(Fault("variance", given, "one that noise of mean 0 can have", advice))
    return shares
