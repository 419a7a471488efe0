"""Estimates for a known share of matches, from where accelerated steps creep to where they would end.

Where matches can hardly be told from pairs that agree by chance, the likelihood is nearly flat along some direction, or
bent upwards, and a thousand accelerated steps did not come to an end. Second derivatives tell how far it goes: steps of
Newton's method, damped as Levenberg (1944) and Marquardt (1963) do it, in the metric of expectation maximisation.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.linkage.pattern_sums import spread

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

STEPS = 200
DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-3, 1e-12, 1e8
"""At first, and within which bounds: of so large ones that no step gains, none is to be gained."""
TENFOLD = 10.0
LEAST = 1e-300
"""No number of pairs is divided by less."""


@njit(cache=True)
def settle(numbers: Vector, share: float, clamp: float, converged: float, theta: Vector) -> None:
    """Let estimates go on until a step of expectation maximisation changes none by more than `converged`.

    The likelihood never falls.

    Parameters
    ----------
    numbers : ndarray of float64, shape (2**V,)
        Pairs by pattern.
    share : float
        Of matches among all pairs.
    clamp : float
        All estimates are kept within ``clamp .. 1 - clamp``.
    converged : float
    theta : ndarray of float64, shape (2 V,)
        m, then u; changed.
    """
    size, patterns = len(theta), len(numbers)
    matches, others = np.empty(patterns), np.empty(patterns)
    gradient, metric, step, nearer = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    curvature, factor = np.empty((size, size)), np.empty((size, size))
    near_matches, near_others = np.empty(patterns), np.empty(patterns)
    damping = DAMPING
    _chances(theta, share, matches, others)
    for _ in range(STEPS):
        if _derive(numbers, matches, others, theta, clamp, gradient, metric, curvature) <= converged:
            return
        gained = False
        while not gained and damping <= MOST_DAMPING:
            if _solve(curvature, damping, gradient, factor, step):
                for i in range(size):
                    moved = theta[i] + step[i] / np.sqrt(metric[i])
                    nearer[i] = min(max(moved, clamp), 1.0 - clamp)
                _chances(nearer, share, near_matches, near_others)
                gained = _gain(numbers, matches, others, near_matches, near_others) >= 0.0
            damping = max(damping / TENFOLD, LEAST_DAMPING) if gained else damping * TENFOLD
        if not gained:
            return
        theta[:] = nearer
        matches[:] = near_matches
        others[:] = near_others


@njit(cache=True)
def _chances(theta: Vector, share: float, matches: Vector, others: Vector) -> None:
    """Write the probability of each pattern as a match, and as another pair."""
    attributes = len(theta) // 2
    spread(theta[:attributes], 0, attributes, share, matches)
    spread(theta[attributes:], 0, attributes, 1.0 - share, others)


@njit(cache=True)
def _gain(numbers: Vector, matches: Vector, others: Vector, near_matches: Vector, near_others: Vector) -> float:
    """Return by how much the log-likelihood is greater with other chances."""
    gain = 0.0
    for pattern in range(len(numbers)):
        before = matches[pattern] + others[pattern]
        change = near_matches[pattern] + near_others[pattern] - before
        if numbers[pattern] > 0.0:
            gain += numbers[pattern] * np.log1p(change / before)
    return gain


@njit(cache=True)
def _derive(
    numbers: Vector,
    matches: Vector,
    others: Vector,
    theta: Vector,
    clamp: float,
    gradient: Vector,
    metric: Vector,
    curvature: Matrix,
) -> float:
    """Write what the likelihood says at these estimates; return by how much a step of expectation maximisation moves.

    `metric` is that of expectation maximisation, whose steps are the gradient divided by it. The gradient and the
    curvature, less the second derivatives, are scaled by its root. An estimate at a bound that the gradient points
    beyond stays there.
    """
    size = len(theta)
    attributes = size // 2
    # Expected matches and others, those that agree on each attribute, and the doubt between them by two attributes.
    everyone, sums, both, total = np.zeros(2), np.zeros((2, attributes)), np.zeros((attributes, attributes)), 0.0
    for pattern in range(len(numbers)):
        chance = matches[pattern] + others[pattern]
        each = numbers[pattern] / chance
        match, other = matches[pattern] * each, others[pattern] * each
        doubt = match * others[pattern] / chance
        everyone[0] += match
        everyone[1] += other
        total += doubt
        for v in range(attributes):
            if pattern >> v & 1:
                sums[0, v] += match
                sums[1, v] += other
                for w in range(v + 1):
                    if pattern >> w & 1:
                        both[v, w] += doubt
    moved = 0.0
    for i in range(size):
        kind, v, p = i // attributes, i % attributes, theta[i]
        yes, no, all_pairs = 1.0 / p, -1.0 / (1.0 - p), max(everyone[kind], LEAST)
        reached = min(max(sums[kind, v] / all_pairs, clamp), 1.0 - clamp)
        moved = max(moved, abs(reached - p))
        gradient[i] = yes * sums[kind, v] + no * (everyone[kind] - sums[kind, v])
        metric[i] = all_pairs / (p * (1.0 - p))
        sure = sums[kind, v] - both[v, v]
        curvature[i, i] = yes * yes * sure + no * no * (everyone[kind] - total - sure)
        for j in range(i):
            w, q = j % attributes, theta[j]
            also, neither = 1.0 / q, -1.0 / (1.0 - q)
            together = both[max(v, w), min(v, w)]
            mixed = yes * also * together + no * neither * (total - both[v, v] - both[w, w] + together)
            mixed += yes * neither * (both[v, v] - together) + no * also * (both[w, w] - together)
            curvature[i, j] = -mixed if kind == j // attributes else mixed
    for i in range(size):
        fixed = (theta[i] <= clamp and gradient[i] < 0.0) or (theta[i] >= 1.0 - clamp and gradient[i] > 0.0)
        gradient[i] = 0.0 if fixed else gradient[i] / np.sqrt(metric[i])
        for j in range(size):
            if fixed and i != j:
                curvature[max(i, j), min(i, j)] = 0.0
    for i in range(size):
        for j in range(i + 1):
            curvature[i, j] /= np.sqrt(metric[i] * metric[j])
    return moved


@njit(cache=True)
def _solve(curvature: Matrix, damping: float, gradient: Vector, factor: Matrix, step: Vector) -> bool:
    """Write the damped step by Cholesky's decomposition; False where the damped curvature is not positive definite."""
    size = len(gradient)
    for i in range(size):
        for j in range(i + 1):
            left = curvature[i, j] + (damping if i == j else 0.0)
            for k in range(j):
                left -= factor[i, k] * factor[j, k]
            if i > j:
                factor[i, j] = left / factor[j, j]
            elif left > LEAST_DAMPING:
                factor[i, i] = np.sqrt(left)
            else:
                return False
    for i in range(size):
        left = gradient[i]
        for k in range(i):
            left -= factor[i, k] * step[k]
        step[i] = left / factor[i, i]
    for i in range(size - 1, -1, -1):
        left = step[i]
        for k in range(i + 1, size):
            left -= factor[k, i] * step[k]
        step[i] = left / factor[i, i]
    return True
