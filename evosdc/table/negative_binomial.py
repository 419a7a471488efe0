"""Mean of 1 / F, F the population frequency of a key that has frequency f in the sample.

F given f is negative binomial: F - f members of the population were missed before the f-th was sampled, each with
probability p = f / (sum of the sampling weights) of being sampled (Benedetti and Franconi 1998).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers

_SERIES_FROM = 0.1
_NEGLIGIBLE = 1e-17


@njit(cache=True)
def reidentification_risks(frequencies: NDArray[np.int64], population: Numbers) -> Numbers:
    """Return ``E(1 / F | f)`` for each key, shape (m,), in (0, 1 / f]."""
    # With q = 1 - p: ``(p / q) log(1 / p)`` for f = 1, in general ``(p / f) 2F1(1, 1; f + 1; q)``, summed from p = .1
    # on. Below, ``r_f = (p / q) (1 / (f - 1) - r_(f-1))`` from f = 1 damps errors by p / q a step. Exact up to
    # rounding, where mu-Argus approximates f > 2 by ``p / (f - q)``. A population below f counts as f.
    # frequencies (m,); population (m,)
    risks = np.empty(frequencies.size, np.float64)
    for i in range(frequencies.size):
        f = frequencies[i]
        p = min(f / population[i], 1.0)
        q = (population[i] - f) / population[i] if p < 1.0 else 0.0
        if p < _SERIES_FROM:
            risk = p / q * np.log(1.0 / p)
            for step in range(1, f):
                risk = p / q * (1.0 / step - risk)
        else:
            risk = 1.0
            term = 1.0
            k = 0
            while term > _NEGLIGIBLE * risk:
                term *= (k + 1.0) * q / (f + 1.0 + k)
                risk += term
                k += 1
            risk *= p / f
        risks[i] = risk
    return risks
