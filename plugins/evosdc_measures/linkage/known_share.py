"""The Fellegi-Sunter model where the share of matches is known: accelerated expectation maximisation."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Integers
from evosdc_measures.linkage.pattern_sums import fold, spread
from evosdc_measures.linkage.second_order import settle

AT_FIRST = 0.9, 0.1
"""The estimates of matches and of others that steps begin from."""
CLAMP = 1e-6
CONVERGED = 1e-10
CYCLES = 1000
"""Accelerated steps at most; mostly they end after 10 to 30."""
RARE, CYCLES_OF_RARE = 2.0**-16, 150
"""Where matches are a smaller share of all pairs, in files of more than 65 536 records, they can often hardly be told
from pairs that agree by chance, and steps creep: after so many of these second derivatives help more."""
LEAST = 1e-300
"""No probability is divided by less."""
CLOSE = 1e-6
"""Where a step changes no estimate by more, extrapolations count unless the likelihood falls by more than rounding."""
ROUNDING = 1e-14
"""Several times what the sum of logarithms may err by, for each of its terms and each pair."""


@njit(cache=True)
def most_cycles(share: float) -> int:
    """Return how many accelerated steps are taken at most."""
    return CYCLES_OF_RARE if share < RARE else CYCLES


@njit(cache=True)
def grid_of(attributes: int) -> tuple[int, int, int]:
    """Return how patterns are laid out as a grid: attributes that columns are of, rows, and columns."""
    low = (attributes + 1) // 2 if attributes <= 6 else 6
    return low, 1 << (attributes - low), 1 << low


@njit(cache=True)
def _step(
    numbers: NDArray[np.float64],
    low: int,
    share: float,
    theta: NDArray[np.float64],
    after: NDArray[np.float64],
    room: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """Write the estimates after one step of expectation maximisation with a known share.

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
    room : ndarray of float64, shape (7 * columns + 4 * rows + 2 V,)
    chances : ndarray of float64, shape (rows, columns)
        Where the probability of each pattern by `theta` is written.
    """
    height, width = numbers.shape
    attributes = len(theta) // 2
    column_m, column_u = room[:width], room[width : 2 * width]
    below_m, below_u = room[2 * width : 3 * width], room[3 * width : 4 * width]
    matches, others, each = room[4 * width : 5 * width], room[5 * width : 6 * width], room[6 * width : 7 * width]
    rest = room[7 * width :]
    row_m, row_u = rest[:height], rest[height : 2 * height]
    beside_m, beside_u = rest[2 * height : 3 * height], rest[3 * height : 4 * height]
    agreed, coincided = rest[4 * height : 4 * height + attributes], rest[4 * height + attributes :]
    m, u = theta[:attributes], theta[attributes:]
    spread(m, 0, low, 1.0, column_m)
    spread(u, 0, low, 1.0, column_u)
    spread(m, low, attributes, share, row_m)
    spread(u, low, attributes, 1.0 - share, row_u)
    below_m[:] = 0.0
    below_u[:] = 0.0
    for row in range(height):
        of_m, of_u = row_m[row], row_u[row]
        # Loops of few arrays each, which the compiler takes several columns at once of.
        for column in range(width):
            chances[row, column] = of_m * column_m[column] + of_u * column_u[column]
        for column in range(width):
            each[column] = numbers[row, column] / chances[row, column]
        for column in range(width):
            matches[column] = of_m * column_m[column] * each[column]
        for column in range(width):
            others[column] = of_u * column_u[column] * each[column]
        for column in range(width):
            below_m[column] += matches[column]
        for column in range(width):
            below_u[column] += others[column]
        together_m = together_u = 0.0
        for column in range(width):
            together_m += matches[column]
            together_u += others[column]
        beside_m[row], beside_u[row] = together_m, together_u
    fold(below_m, 0, low, agreed)
    fold(below_u, 0, low, coincided)
    fold(beside_m, low, attributes, agreed)
    fold(beside_u, low, attributes, coincided)
    matched, remaining = max(beside_m[0], LEAST), max(beside_u[0], LEAST)
    for v in range(attributes):
        after[v] = min(max(agreed[v] / matched, CLAMP), 1.0 - CLAMP)
        after[attributes + v] = min(max(coincided[v] / remaining, CLAMP), 1.0 - CLAMP)


@njit(cache=True)
def likelihood(numbers: NDArray[np.float64], chances: NDArray[np.float64]) -> float:
    """Return the log-likelihood, ``sum_i numbers_i log(chances_i)``, but for a constant."""
    likelihood = 0.0
    for row in range(len(numbers)):
        for column in range(numbers.shape[1]):
            likelihood += numbers[row, column] * np.log(chances[row, column])
    return likelihood


@njit(cache=True)
def as_likely(
    numbers: NDArray[np.float64],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    close: bool,
    room: NDArray[np.float64],
) -> bool:
    """Whether the log-likelihood has not fallen from some chances to others; where close, by more than rounding.

    Close to where steps end all that they gain is less than rounding: by signs of such differences extrapolations were
    rejected for hundreds of cycles, though they lead there.

    With a chance 1 + e times as great a logarithm grows by no more than ``t = e - e**2 / 2 + e**3 / 3``, and by no less
    than ``t - e**4 / 4`` or, for negative e, ``t - e**4 / (4 + 4 e)``. Where these bounds tell by more than rounding
    may come to, no logarithm is taken.

    Parameters
    ----------
    numbers, before, after : ndarray of float64, shape (rows, columns)
    close : bool
        Whether a step changes no estimate by more than `CLOSE`.
    room : ndarray of float64, shape (at least 2 * columns,)
    """
    height, width = numbers.shape
    upper, below = room[:width], room[width : 2 * width]
    upper[:] = 0.0
    below[:] = 0.0
    for row in range(height):
        for column in range(width):
            e = (after[row, column] - before[row, column]) / before[row, column]
            upper[column] += numbers[row, column] * e * (1.0 - e * (0.5 - e / 3.0))
        for column in range(width):
            gain = after[row, column] - before[row, column]
            square = gain * gain / (before[row, column] * before[row, column])
            shrunk = max(1.0, before[row, column] / after[row, column])
            below[column] += numbers[row, column] * square * square * shrunk
    most, apart, slack = upper.sum(), 0.25 * below.sum(), ROUNDING * numbers.size * numbers.sum()
    if most - apart > (-slack if close else slack):
        return True
    if most < -slack:
        return False
    return likelihood(numbers, after) - likelihood(numbers, before) >= (-slack if close else 0.0)


@njit(cache=True)
def converged(counts: Integers, attributes: int, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return probabilities of agreement of matches and of others for a known share, by accelerated steps.

    SQUAREM (Varadhan and Roland, 2008; steplength S3): two steps, an extrapolation along them, and a step from there
    where the likelihood has not fallen (`as_likely`); else the second step counts. Where matches are `RARE`
    `evosdc_measures.linkage.second_order.settle` goes on after some of these.
    """
    low, height, width = grid_of(attributes)
    numbers = counts.astype(np.float64).reshape(height, width)
    size = 2 * attributes
    theta, first, second = np.empty(size), np.empty(size), np.empty(size)
    reached, beyond = np.empty(size), np.empty(size)
    room = np.empty(7 * width + 4 * height + size)
    chances, chances_beyond = np.empty((height, width)), np.empty((height, width))
    theta[:attributes], theta[attributes:] = AT_FIRST
    for _ in range(most_cycles(share)):
        _step(numbers, low, share, theta, first, room, chances)
        change = 0.0
        for i in range(size):
            change = max(change, abs(first[i] - theta[i]))
        if change <= CONVERGED:
            return theta[:attributes].copy(), theta[attributes:].copy()
        _step(numbers, low, share, first, second, room, chances_beyond)
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
        _step(numbers, low, share, beyond, reached, room, chances_beyond)
        theta[:] = reached if as_likely(numbers, chances, chances_beyond, change <= CLOSE, room) else second
    if share < RARE:
        settle(numbers.reshape(-1), share, CLAMP, CONVERGED, theta)
    return theta[:attributes].copy(), theta[attributes:].copy()
