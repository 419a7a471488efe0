"""The Fellegi-Sunter model: probabilities of agreement by expectation maximisation on counts of agreement patterns.

Bit v of a pattern is set where a pair of records agrees on attribute v. Estimates are one array, shape (2 V,): the
probabilities m of agreeing on each attribute for matches, then u for other pairs. All numbers of pairs are float64.
Kernels copy element by element: to assign an array to a part of another one takes numba two seconds to compile.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Integers

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
AT_FIRST = 0.9, 0.1
CLAMP = 1e-6  # All estimates are kept within ``CLAMP .. 1 - CLAMP``
LEAST = 1e-300  # No sum is divided by less
CONVERGED, CYCLES = 1e-10, 1000  # When accelerated steps end; mostly after 10 to 30
RARE, CYCLES_OF_RARE = 2.0**-16, 150
"""In files of more than 65 536 records matches are a smaller share of all pairs. They often hardly differ from pairs
that agree by chance, and steps creep: after `CYCLES_OF_RARE` of them Newton's method helps more."""
CLOSE, ROUNDING = 1e-6, 1e-14  # below it extrapolations count unless the likelihood falls by more than rounding
STEPS, DAMPING, LEAST_DAMPING, MOST_DAMPING = 200, 1e-3, 1e-12, 1e8
SAME_WEIGHT = 1e-9  # Weights, in bits, that differ by less are taken to be equal: the difference is rounding


@njit(cache=True)
def total(values: Vector) -> float:
    """Return a sum in four strands, which do not wait for each other."""
    a = b = c = d = 0.0
    whole = len(values) // 4 * 4
    for i in range(0, whole, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    for i in range(whole, len(values)):
        a += values[i]
    return float((a + b) + (c + d))


# Without checks for zeros divisions are done several at a time.
@njit(cache=True, error_model="numpy")  # type: ignore[call-arg]
def em_step(
    numbers: Vector, agreeing: Vector, share: float, theta: Vector, after: Vector, chances: Vector, room: Matrix
) -> float:
    """Write the estimates after a step of expectation maximisation; return their greatest change."""
    # Shapes: numbers (2**V,), agreeing (V + 1,), theta, after (2 V,), chances (2**V,), room (2, 2**V).
    attributes, filled = len(theta) // 2, 1
    matches, others = room[0], room[1]
    matches[0], others[0] = share, 1.0 - share
    for v in range(attributes):
        m, u = theta[v], theta[attributes + v]
        for i in range(filled):
            matches[filled + i] = matches[i] * m
            matches[i] *= 1.0 - m
        for i in range(filled):
            others[filled + i] = others[i] * u
            others[i] *= 1.0 - u
        filled *= 2
    for i in range(filled):
        chances[i] = matches[i] + others[i]
    for i in range(filled):
        matches[i] *= numbers[i] / chances[i]
    # Folding the table attribute by attribute leaves the sums over the patterns that agree on each.
    for v in range(attributes - 1, -1, -1):
        filled //= 2
        after[v] = total(matches[filled : 2 * filled])
        for i in range(filled):
            matches[i] += matches[filled + i]
    matched = max(matches[0], LEAST)
    remaining = max(agreeing[attributes] - matched, LEAST)
    change = 0.0
    for v in range(attributes):
        after[attributes + v] = min(max((agreeing[v] - after[v]) / remaining, CLAMP), 1.0 - CLAMP)
        after[v] = min(max(after[v] / matched, CLAMP), 1.0 - CLAMP)
        change = max(change, abs(after[v] - theta[v]), abs(after[attributes + v] - theta[attributes + v]))
    return float(change)


@njit(cache=True, error_model="numpy")  # type: ignore[call-arg]
def as_likely(numbers: Vector, before: Vector, after: Vector, slack: float, room: Matrix) -> bool:
    """Whether the log-likelihood has not fallen by more than a slack from some chances to others."""
    # With a chance 1 + e times as great a logarithm grows by no more than ``t = e - e**2 / 2 + e**3 / 3``, and by no
    # less than ``t - e**4 / 4`` or, for negative e, ``t - e**4 / (4 + 4 e)``.
    upper, below = room[0], room[1]
    for i in range(len(numbers)):
        e = (after[i] - before[i]) / before[i]
        upper[i] = numbers[i] * e * (1.0 - e * (0.5 - e / 3.0))
        below[i] = 0.25 * numbers[i] * e * e * e * e * max(1.0, before[i] / after[i])
    most, most_below, rounding = total(upper), total(below), ROUNDING * len(numbers) * total(numbers)
    if most - most_below > rounding - 2.0 * min(slack, rounding):
        return True
    if most < -rounding:
        return False
    gain = 0.0
    for i in range(len(numbers)):
        gain += numbers[i] * np.log1p((after[i] - before[i]) / before[i])
    return gain >= -slack


@njit(cache=True)
def linearised(numbers: Vector, agreeing: Vector, share: float, theta: Vector, damping: float, inverse: Matrix) -> bool:
    """Write the inverse of ``(1 + damping) I - J``, J being the derivatives of a step; False where there is none."""
    size, patterns = len(theta), len(numbers)
    shifted, after, other = theta.copy(), np.empty(size), np.empty(size)
    chances, room = np.empty(patterns), np.empty((2, patterns))
    left = np.empty((size, size))
    em_step(numbers, agreeing, share, theta, after, chances, room)
    for j in range(size):
        shift = 1e-4 * min(theta[j], 1.0 - theta[j])
        shifted[j] = theta[j] + shift
        em_step(numbers, agreeing, share, shifted, other, chances, room)
        shifted[j] = theta[j]
        for i in range(size):
            left[i, j] = (1.0 + damping if i == j else 0.0) - (other[i] - after[i]) / shift
            inverse[i, j] = 1.0 if i == j else 0.0
    for j in range(size):
        pivot = j
        for i in range(j + 1, size):
            if abs(left[i, j]) > abs(left[pivot, j]):
                pivot = i
        if abs(left[pivot, j]) < LEAST_DAMPING:
            return False
        for k in range(size):
            left[j, k], left[pivot, k] = left[pivot, k], left[j, k]
            inverse[j, k], inverse[pivot, k] = inverse[pivot, k], inverse[j, k]
        for i in range(size):
            factor = left[i, j] / left[j, j]
            if i != j and factor != 0.0:
                for k in range(size):
                    left[i, k] -= factor * left[j, k]
                    inverse[i, k] -= factor * inverse[j, k]
    for i in range(size):
        for k in range(size):
            inverse[i, k] /= left[i, i]
    return True


@njit(cache=True)
def settle(numbers: Vector, agreeing: Vector, share: float, theta: Vector) -> None:
    """Iterate until no estimate changes by more than `CONVERGED`; the likelihood never falls."""
    # Where matches hardly differ from other pairs the likelihood is nearly flat, or bent upwards: Newton's steps,
    # damped as Levenberg (1944) and Marquardt (1963) do it, in the metric of expectation maximisation.
    size, patterns = len(theta), len(numbers)
    after, nearer, beyond, inverse = np.empty(size), np.empty(size), np.empty(size), np.empty((size, size))
    chances, nearer_chances, room = np.empty(patterns), np.empty(patterns), np.empty((2, patterns))
    damping = DAMPING
    for _ in range(STEPS):
        if em_step(numbers, agreeing, share, theta, after, chances, room) <= CONVERGED:
            return
        gained = False
        while not gained and damping <= MOST_DAMPING:
            if linearised(numbers, agreeing, share, theta, damping, inverse):
                for i in range(size):
                    step = 0.0
                    for j in range(size):
                        step += inverse[i, j] * (after[j] - theta[j])
                    nearer[i] = min(max(theta[i] + step, CLAMP), 1.0 - CLAMP)
                em_step(numbers, agreeing, share, nearer, beyond, nearer_chances, room)
                gained = as_likely(numbers, chances, nearer_chances, 0.0, room)
            damping = max(damping / 10.0, LEAST_DAMPING) if gained else damping * 10.0
        if not gained:
            return
        for i in range(size):
            theta[i] = nearer[i]


@njit(cache=True)
def maximise(numbers: Vector, n: int, theta: Vector) -> None:
    """Write the estimates for files of n records, of whose n**2 pairs n are matches."""
    # They are where steps of expectation maximisation end from m = 0.9 and u = 0.1 on. SQUAREM (Varadhan and Roland,
    # 2008; steplength S3) leads there: two steps, an extrapolation, and a step there unless the likelihood falls.
    # Shapes: numbers (2**V,), theta (2 V,).
    size, patterns = len(theta), len(numbers)
    attributes = size // 2
    first, second, beyond, reached = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    chances, chances_beyond, room = np.empty(patterns), np.empty(patterns), np.empty((2, patterns))
    agreeing = np.zeros(attributes + 1)  # pairs that agree on each attribute, and all
    agreeing[attributes] = total(numbers)
    for v in range(attributes):
        for i in range(patterns):
            if i >> v & 1:
                agreeing[v] += numbers[i]
    share, pairs = min(max(1.0 / n, CLAMP), 1.0 - CLAMP), agreeing[attributes]
    for v in range(attributes):
        theta[v], theta[attributes + v] = AT_FIRST
    slack = ROUNDING * patterns * pairs
    for _ in range(CYCLES_OF_RARE if share < RARE else CYCLES):
        change = em_step(numbers, agreeing, share, theta, first, chances, room)
        if change <= CONVERGED:
            return
        em_step(numbers, agreeing, share, first, second, chances_beyond, room)
        straight = bent = 0.0
        for i in range(size):
            r = first[i] - theta[i]
            v2 = second[i] - first[i] - r
            straight += r * r
            bent += v2 * v2
        if bent > 0.0:
            length = max(np.sqrt(straight / bent), 1.0)
            for i in range(size):
                r = first[i] - theta[i]
                v2 = second[i] - first[i] - r
                beyond[i] = min(max(theta[i] + 2.0 * length * r + length * length * v2, CLAMP), 1.0 - CLAMP)
            em_step(numbers, agreeing, share, beyond, reached, chances_beyond, room)
            if as_likely(numbers, chances, chances_beyond, slack if change <= CLOSE else 0.0, room):
                for i in range(size):
                    second[i] = reached[i]
        for i in range(size):
            theta[i] = second[i]
    if share < RARE:
        settle(numbers, agreeing, share, theta)


@njit(cache=True)
def rank(theta: Vector, order: Integers, ranks: Integers) -> None:
    """Write the patterns in descending order of weight, and the rank of each; equal weights have equal ranks."""
    # Shapes: theta (2 V,), order (2**V,), ranks (2**V,).
    attributes, patterns, filled = len(theta) // 2, len(order), 1
    weights, before = np.zeros(patterns), np.empty(patterns, np.int64)
    order[0] = 0
    for v in range(attributes):
        m, u = theta[v], theta[attributes + v]
        agreement, disagreement = np.log2(m / u), np.log2((1.0 - m) / (1.0 - u))
        for i in range(filled):
            weights[filled + i] = weights[i] + agreement
            weights[i] += disagreement
            before[i] = order[i]
        # Agreeing on one more attribute adds the same to all, so that their order is merged with itself.
        without = agreed = 0
        for place in range(2 * filled):
            a, b = before[min(without, filled - 1)], before[min(agreed, filled - 1)] + filled
            if agreed == filled or (without < filled and weights[a] >= weights[b]):
                order[place] = a
                without += 1
            else:
                order[place] = b
                agreed += 1
        filled *= 2
    for place in range(1, patterns):
        # What rounding has put elsewhere is inserted.
        pattern, free = order[place], place
        while free > 0 and weights[order[free - 1]] < weights[pattern]:
            order[free] = order[free - 1]
            free -= 1
        order[free] = pattern
    ranks[order[0]] = 0
    for place in range(1, patterns):
        above, below = order[place - 1], order[place]
        ranks[below] = ranks[above] + (1 if weights[above] - weights[below] > SAME_WEIGHT else 0)


def estimate(counts: Integers, n: int) -> tuple[Vector, Vector]:
    """Return the probabilities of agreement of matches and of others, each of shape (V,)."""
    attributes = len(counts).bit_length() - 1
    theta = np.empty(2 * attributes)
    maximise(counts.astype(np.float64), n, theta)
    return theta[:attributes], theta[attributes:]


def weights_of(m: Vector, u: Vector) -> Vector:
    """Return the weight of each pattern in bits, shape (2**V,)."""
    agrees = np.arange(1 << len(m))[:, None] >> np.arange(len(m)) & 1 == 1
    weights: Vector = np.where(agrees, np.log2(m / u), np.log2((1.0 - m) / (1.0 - u))).sum(axis=1)
    return weights
