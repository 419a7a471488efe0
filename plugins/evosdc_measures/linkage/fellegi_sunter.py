"""The Fellegi-Sunter model: agreement weights by expectation maximisation on pattern counts."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Integers
from evosdc_measures.linkage.known_share import CLAMP, converged
from evosdc_measures.linkage.known_share_of_three import converged_of_three
from evosdc_measures.linkage.pattern_sums import fold, spread
from evosdc_measures.linkage.three_attributes import maximised

TOLERANCE = 1e-6
ITERATIONS = 200
SAME_WEIGHT = 1e-9
"""Weights, in bits, that differ by less are taken to be equal: the difference is rounding."""


@njit(cache=True)
def _total(values: NDArray[np.float64]) -> float:
    """Return a sum in eight strands, which do not wait for each other."""
    a = b = c = d = e = f = g = h = 0.0
    whole = len(values) // 8 * 8
    for i in range(0, whole, 8):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    for i in range(whole, len(values)):
        a += values[i]
    return ((a + e) + (b + f)) + ((c + g) + (d + h))


@njit(cache=True)
def _maximised(
    counts: Integers, attributes: int, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return probabilities of agreement of matches and of others, and the share of matches, from a share on."""
    # A pattern is a row and a column of a grid, so that the inner loop is over arrays that stay in the nearest cache.
    low = (attributes + 1) // 2 if attributes <= 6 else 6
    width, height = 1 << low, 1 << (attributes - low)
    numbers = counts.astype(np.float64).reshape(height, width)
    pairs = float(counts.sum())
    m, u = np.full(attributes, 0.9), np.full(attributes, 0.1)
    agreed, coincided = np.empty(attributes), np.empty(attributes)
    # Probabilities by column and by row of being a match, or of not being one; then the expected numbers of pairs.
    column_m, column_u, row_m, row_u = np.empty(width), np.empty(width), np.empty(height), np.empty(height)
    matches, others = np.empty(width), np.empty(width)
    below_m, below_u, beside_m, beside_u = np.empty(width), np.empty(width), np.empty(height), np.empty(height)
    for _ in range(ITERATIONS):
        spread(m, 0, low, 1.0, column_m)
        spread(u, 0, low, 1.0, column_u)
        spread(m, low, attributes, share, row_m)
        spread(u, low, attributes, 1.0 - share, row_u)
        below_m[:] = 0.0
        below_u[:] = 0.0
        for row in range(height):
            of_m, of_u = row_m[row], row_u[row]
            for column in range(width):
                match, other = of_m * column_m[column], of_u * column_u[column]
                each = numbers[row, column] / (match + other)
                match *= each
                other *= each
                matches[column], others[column] = match, other
                below_m[column] += match
                below_u[column] += other
            beside_m[row], beside_u[row] = _total(matches), _total(others)
        fold(below_m, 0, low, agreed)
        fold(below_u, 0, low, coincided)
        fold(beside_m, low, attributes, agreed)
        fold(beside_u, low, attributes, coincided)
        matched, remaining = beside_m[0], beside_u[0]
        change = 0.0
        for v in range(attributes):
            better = min(max(agreed[v] / matched, CLAMP), 1.0 - CLAMP)
            change = max(change, abs(better - m[v]))
            m[v] = better
            better = min(max(coincided[v] / remaining, CLAMP), 1.0 - CLAMP)
            change = max(change, abs(better - u[v]))
            u[v] = better
        better = min(max(matched / pairs, CLAMP), 1.0 - CLAMP)
        change = max(change, abs(better - share))
        share = better
        if change <= TOLERANCE:
            break
    return m, u, share


@njit(cache=True)
def share_of(n: int) -> float:
    """Return the share of matches among all pairs of n records each."""
    return min(max(1.0 / n, CLAMP), 1.0 - CLAMP)


@njit(cache=True)
def estimate(
    counts: Integers, attributes: int, n: int, known: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Estimate the probabilities of agreement under conditional independence.

    Starts from m = 0.9 and u = 0.1; all estimates are kept within ``CLAMP .. 1 - CLAMP``.

    With a known share of matches, 1 / n, which an intruder knows who holds a file of the same n people, accelerated
    steps go on until one changes no estimate by more than `evosdc_measures.linkage.known_share.CONVERGED`: see there.

    With an unknown one the share is estimated as well, by plain steps from 1 / n on, until none changes by more than
    `TOLERANCE` or after `ITERATIONS`: the few matches among n**2 pairs are seldom found so. Where m < u for more than
    half of the attributes the two classes have changed roles, and are exchanged.

    Where attributes are interchangeable the estimates may sit on a saddle, and rounding decides how they fall; the same
    counts always give the same estimates.

    Parameters
    ----------
    counts : ndarray of int64, shape (2**V,)
        Pairs of records by agreement pattern.
    attributes : int
    n : int
        Number of records.
    known : bool
        Whether the share of matches is known to be 1 / n.

    Returns
    -------
    m, u : ndarray of float64, shape (V,)
        Probability of agreeing on an attribute for matches and for others.
    share : float
        Of matches among all pairs.
    """
    share = share_of(n)
    if known:
        m, u = converged_of_three(counts, share) if attributes == 3 else converged(counts, attributes, share)
        return m, u, share
    if attributes == 3:
        m, u, share = maximised(counts, share, CLAMP, TOLERANCE, ITERATIONS)
    else:
        m, u, share = _maximised(counts, attributes, share)
    reversed_attributes = 0
    for v in range(attributes):
        if m[v] < u[v]:
            reversed_attributes += 1
    if 2 * reversed_attributes > attributes:
        return u, m, 1.0 - share
    return m, u, share


@njit(cache=True)
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
