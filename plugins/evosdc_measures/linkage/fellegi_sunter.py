"""The Fellegi-Sunter model: agreement weights by expectation maximisation on pattern counts."""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc_measures.domains import Integers
from evosdc_measures.linkage.three_attributes import maximised

CLAMP = 1e-6
TOLERANCE = 1e-6
ITERATIONS = 200
CONVERGED = 1e-10
CYCLES = 1000
SAME_WEIGHT = 1e-9
"""Weights, in bits, that differ by less are taken to be equal: the difference is rounding."""


@kernel
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


@kernel
def _spread(p: NDArray[np.float64], first: int, last: int, factor: float, table: NDArray[np.float64]) -> None:
    """Write the probability of each pattern of some attributes, times a factor; doubled attribute by attribute."""
    table[0] = factor
    filled = 1
    for v in range(first, last):
        agree, disagree = p[v], 1.0 - p[v]
        for pattern in range(filled):
            table[filled + pattern] = table[pattern] * agree
            table[pattern] *= disagree
        filled *= 2


@kernel
def _fold(table: NDArray[np.float64], first: int, last: int, agreed: NDArray[np.float64]) -> None:
    """Write for some attributes the sum over patterns that agree on it; the sum of all is left at the first place."""
    filled = len(table)
    for v in range(last - 1, first - 1, -1):
        filled //= 2
        total = 0.0
        for pattern in range(filled):
            total += table[filled + pattern]
            table[pattern] += table[filled + pattern]
        agreed[v] = total


@kernel
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
        _spread(m, 0, low, 1.0, column_m)
        _spread(u, 0, low, 1.0, column_u)
        _spread(m, low, attributes, share, row_m)
        _spread(u, low, attributes, 1.0 - share, row_u)
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
        _fold(below_m, 0, low, agreed)
        _fold(below_u, 0, low, coincided)
        _fold(beside_m, low, attributes, agreed)
        _fold(beside_u, low, attributes, coincided)
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


@kernel
def _step(
    numbers: NDArray[np.float64],
    low: int,
    share: float,
    theta: NDArray[np.float64],
    after: NDArray[np.float64],
    room: NDArray[np.float64],
    judged: bool,
) -> float:
    """Write the estimates after one step of expectation maximisation with a known share; return the log-likelihood.

    Parameters
    ----------
    numbers : ndarray of float64, shape (rows, columns)
        Pairs by pattern, as a grid.
    low : int
        Attributes that the columns are of.
    share : float
        Of matches among all pairs.
    theta, after : ndarray of float64, shape (2 V,)
        m, then u: before, and after the step.
    room : ndarray of float64, shape (4 * (rows + columns) + 2 V,)
    judged : bool
        Whether the log-likelihood of `theta`, but for a constant, is wanted; else 0 is returned.
    """
    height, width = numbers.shape
    attributes = len(theta) // 2
    column_m, column_u = room[:width], room[width : 2 * width]
    below_m, below_u = room[2 * width : 3 * width], room[3 * width : 4 * width]
    rest = room[4 * width :]
    row_m, row_u = rest[:height], rest[height : 2 * height]
    beside_m, beside_u = rest[2 * height : 3 * height], rest[3 * height : 4 * height]
    agreed, coincided = rest[4 * height : 4 * height + attributes], rest[4 * height + attributes :]
    m, u = theta[:attributes], theta[attributes:]
    _spread(m, 0, low, 1.0, column_m)
    _spread(u, 0, low, 1.0, column_u)
    _spread(m, low, attributes, share, row_m)
    _spread(u, low, attributes, 1.0 - share, row_u)
    below_m[:] = 0.0
    below_u[:] = 0.0
    likelihood = 0.0
    for row in range(height):
        of_m, of_u = row_m[row], row_u[row]
        matches = others = 0.0
        for column in range(width):
            number = numbers[row, column]
            if number == 0.0:
                continue
            match, other = of_m * column_m[column], of_u * column_u[column]
            if judged:
                likelihood += number * np.log(match + other)
            each = number / (match + other)
            match *= each
            other *= each
            below_m[column] += match
            below_u[column] += other
            matches += match
            others += other
        beside_m[row], beside_u[row] = matches, others
    _fold(below_m, 0, low, agreed)
    _fold(below_u, 0, low, coincided)
    _fold(beside_m, low, attributes, agreed)
    _fold(beside_u, low, attributes, coincided)
    matched, remaining = max(beside_m[0], 1e-300), max(beside_u[0], 1e-300)
    for v in range(attributes):
        after[v] = min(max(agreed[v] / matched, CLAMP), 1.0 - CLAMP)
        after[attributes + v] = min(max(coincided[v] / remaining, CLAMP), 1.0 - CLAMP)
    return likelihood


@kernel
def _converged(counts: Integers, attributes: int, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return probabilities of agreement of matches and of others for a known share, by accelerated steps.

    SQUAREM (Varadhan and Roland, 2008; steplength S3): two steps, an extrapolation along them, and a step from there
    where the likelihood has not fallen below that of the start; else the second step counts.
    """
    low = (attributes + 1) // 2 if attributes <= 6 else 6
    width, height = 1 << low, 1 << (attributes - low)
    numbers = counts.astype(np.float64).reshape(height, width)
    size = 2 * attributes
    theta, first, second = np.empty(size), np.empty(size), np.empty(size)
    reached, beyond = np.empty(size), np.empty(size)
    room = np.empty(4 * (width + height) + size)
    theta[:attributes] = 0.9
    theta[attributes:] = 0.1
    for _ in range(CYCLES):
        likelihood = _step(numbers, low, share, theta, first, room, True)
        change = 0.0
        for i in range(size):
            change = max(change, abs(first[i] - theta[i]))
        if change <= CONVERGED:
            break
        _step(numbers, low, share, first, second, room, False)
        straight = bent = 0.0
        for i in range(size):
            r = first[i] - theta[i]
            v = second[i] - first[i] - r
            straight += r * r
            bent += v * v
        if bent <= 0.0:
            theta[:] = second
            continue
        length = max(np.sqrt(straight / bent), 1.0)
        for i in range(size):
            r = first[i] - theta[i]
            v = second[i] - first[i] - r
            beyond[i] = min(max(theta[i] + 2.0 * length * r + length * length * v, CLAMP), 1.0 - CLAMP)
        if _step(numbers, low, share, beyond, reached, room, True) >= likelihood:
            theta[:] = reached
        else:
            theta[:] = second
    return theta[:attributes].copy(), theta[attributes:].copy()


@kernel
def estimate(
    counts: Integers, attributes: int, n: int, known: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Estimate the probabilities of agreement under conditional independence.

    Starts from m = 0.9 and u = 0.1; all estimates are kept within ``CLAMP .. 1 - CLAMP``.

    With a known share of matches, 1 / n, which an intruder knows who holds a file of the same n people, accelerated
    steps go on until one changes no estimate by more than `CONVERGED`.

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
    share = min(max(1.0 / n, CLAMP), 1.0 - CLAMP)
    if known:
        m, u = _converged(counts, attributes, share)
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
