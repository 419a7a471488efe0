"""The Fellegi-Sunter model: agreement weights by expectation maximisation on pattern counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc_measures.domains import Integers

CLAMP = 1e-6
TOLERANCE = 1e-6
ITERATIONS = 200
SAME_WEIGHT = 1e-9
"""Weights, in bits, that differ by less are taken to be equal: the difference is rounding."""


@kernel
def estimate(counts: Integers, attributes: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Estimate the probabilities of agreement under conditional independence.

    Starts from m = 0.9, u = 0.1 and a share of matches of 1 / n; all estimates are kept within
    ``CLAMP .. 1 - CLAMP``; stops when none changes by more than `TOLERANCE`, or after `ITERATIONS`. Where m < u for
    more than half of the attributes the two classes have changed roles, and are exchanged.

    Where attributes are interchangeable the estimates may sit on a saddle, and rounding decides how they fall; the same
    counts always give the same estimates.

    Parameters
    ----------
    counts : ndarray of int64, shape (2**V,)
        Pairs of records by agreement pattern.
    attributes : int
    n : int
        Number of records.

    Returns
    -------
    m, u : ndarray of float64, shape (V,)
        Probability of agreeing on an attribute for matches and for others.
    share : float
        Of matches among all pairs.
    """
    size = 1 << attributes
    m = np.full(attributes, 0.9)
    u = np.full(attributes, 0.1)
    share = min(max(1.0 / n, CLAMP), 1.0 - CLAMP)
    pairs = 0.0
    for pattern in range(size):
        pairs += counts[pattern]
    matches = np.empty(size)
    others = np.empty(size)
    for _ in range(ITERATIONS):
        # Joint probability of class and pattern, doubled attribute by attribute.
        matches[0], others[0] = share, 1.0 - share
        filled = 1
        for v in range(attributes):
            for pattern in range(filled):
                matches[filled + pattern] = matches[pattern] * m[v]
                matches[pattern] *= 1.0 - m[v]
                others[filled + pattern] = others[pattern] * u[v]
                others[pattern] *= 1.0 - u[v]
            filled *= 2
        matched, remaining = 0.0, 0.0
        for pattern in range(size):
            each = counts[pattern] / (matches[pattern] + others[pattern])
            matches[pattern] *= each
            others[pattern] *= each
            matched += matches[pattern]
            remaining += others[pattern]
        change = 0.0
        for v in range(attributes - 1, -1, -1):
            # Sum the half of patterns that agree on v, then fold it onto the other half.
            filled //= 2
            agreed, coincided = 0.0, 0.0
            for pattern in range(filled):
                agreed += matches[filled + pattern]
                coincided += others[filled + pattern]
                matches[pattern] += matches[filled + pattern]
                others[pattern] += others[filled + pattern]
            better = min(max(agreed / matched, CLAMP), 1.0 - CLAMP)
            change = max(change, abs(better - m[v]))
            m[v] = better
            better = min(max(coincided / remaining, CLAMP), 1.0 - CLAMP)
            change = max(change, abs(better - u[v]))
            u[v] = better
        better = min(max(matched / pairs, CLAMP), 1.0 - CLAMP)
        change = max(change, abs(better - share))
        share = better
        if change <= TOLERANCE:
            break
    reversed_attributes = 0
    for v in range(attributes):
        if m[v] < u[v]:
            reversed_attributes += 1
    if 2 * reversed_attributes > attributes:
        return u, m, 1.0 - share
    return m, u, share


@kernel
def weights_of(m: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each pattern in bits, shape (2**V,)."""
    weights = np.zeros(1 << len(m))
    filled = 1
    for v in range(len(m)):
        agreement = np.log2(m[v] / u[v])
        disagreement = np.log2((1.0 - m[v]) / (1.0 - u[v]))
        for pattern in range(filled):
            weights[filled + pattern] = weights[pattern] + agreement
            weights[pattern] += disagreement
        filled *= 2
    return weights
