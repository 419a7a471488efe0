"""The Fellegi-Sunter model with a known share of matches for three attributes, written out pattern by pattern.

The steps are those of `evosdc_measures.linkage.known_share.converged`, whose operations come in the same order, so that
the estimates are the same to the last bit. For eight patterns its loops and arrays took four times the time of the
arithmetic, and a search asks for the estimates of each candidate.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Integers
from evosdc_measures.linkage.known_share import (
    AT_FIRST,
    CLAMP,
    CLOSE,
    CONVERGED,
    LEAST,
    RARE,
    ROUNDING,
    likelihood,
    most_cycles,
)
from evosdc_measures.linkage.second_order import settle

Three = tuple[float, float, float]
Eight = tuple[float, float, float, float, float, float, float, float]


@njit(cache=True)
def _products(share: float, p: Three) -> Eight:
    a, b = (1.0 - p[0]) * (1.0 - p[1]), p[0] * (1.0 - p[1])
    c, d = (1.0 - p[0]) * p[1], p[0] * p[1]
    without, agreed = share * (1.0 - p[2]), share * p[2]
    return without * a, without * b, without * c, without * d, agreed * a, agreed * b, agreed * c, agreed * d


@njit(cache=True)
def _chances(share: float, m: Three, u: Three) -> tuple[Eight, Eight]:
    """Return the probabilities of being a match, and another pair, with each pattern."""
    return _products(share, m), _products(1.0 - share, u)


@njit(cache=True)
def _agreed(g: Eight) -> Three:
    """Return the share of expected pairs that agree on each attribute, within the bounds of estimates."""
    most = 1.0 - CLAMP
    b, c, d = g[1] + g[5], g[2] + g[6], g[3] + g[7]
    with_c = ((g[4] + g[5]) + g[6]) + g[7]
    total = max((((g[0] + g[1]) + g[2]) + g[3]) + with_c, LEAST)
    return (
        min(max((b + d) / total, CLAMP), most),
        min(max((c + d) / total, CLAMP), most),
        min(max(with_c / total, CLAMP), most),
    )


@njit(cache=True)
def _step(numbers: Eight, share: float, m: Three, u: Three) -> tuple[Three, Three, Eight]:
    """Return the estimates after a step, and the chances of all patterns before it."""
    g, h = _chances(share, m, u)
    c = (
        g[0] + h[0], g[1] + h[1], g[2] + h[2], g[3] + h[3],
        g[4] + h[4], g[5] + h[5], g[6] + h[6], g[7] + h[7],
    )  # fmt: skip
    e0, e1, e2, e3 = numbers[0] / c[0], numbers[1] / c[1], numbers[2] / c[2], numbers[3] / c[3]
    e4, e5, e6, e7 = numbers[4] / c[4], numbers[5] / c[5], numbers[6] / c[6], numbers[7] / c[7]
    of_m = g[0] * e0, g[1] * e1, g[2] * e2, g[3] * e3, g[4] * e4, g[5] * e5, g[6] * e6, g[7] * e7
    of_u = h[0] * e0, h[1] * e1, h[2] * e2, h[3] * e3, h[4] * e4, h[5] * e5, h[6] * e6, h[7] * e7
    return _agreed(of_m), _agreed(of_u), c


@njit(cache=True)
def _gain(number: float, before: float, after: float) -> tuple[float, float]:
    """Return what a pattern gains at most, and how far below that its least gain may be: see `as_likely`."""
    gain = after - before
    e = gain / before
    square = gain * gain / (before * before)
    return number * e * (1.0 - e * (0.5 - e / 3.0)), number * square * square * max(1.0, before / after)


@njit(cache=True)
def _told(numbers: Eight, before: Eight, after: Eight, slack: float, close: bool) -> int:
    """Return whether the log-likelihood has fallen by the bounds of `as_likely`: 0 or 1; -1 where they do not tell."""
    (u0, b0), (u4, b4) = _gain(numbers[0], before[0], after[0]), _gain(numbers[4], before[4], after[4])
    (u1, b1), (u5, b5) = _gain(numbers[1], before[1], after[1]), _gain(numbers[5], before[5], after[5])
    (u2, b2), (u6, b6) = _gain(numbers[2], before[2], after[2]), _gain(numbers[6], before[6], after[6])
    (u3, b3), (u7, b7) = _gain(numbers[3], before[3], after[3]), _gain(numbers[7], before[7], after[7])
    most = (((u0 + u4) + (u1 + u5)) + (u2 + u6)) + (u3 + u7)
    apart = 0.25 * ((((b0 + b4) + (b1 + b5)) + (b2 + b6)) + (b3 + b7))
    if most - apart > (-slack if close else slack):
        return 0
    return 1 if most < -slack else -1


@njit(cache=True)
def _further(theta: float, first: float, second: float, length: float) -> float:
    r = first - theta
    v = second - first - r
    return min(max(theta + 2.0 * length * r + length * length * v, CLAMP), 1.0 - CLAMP)


@njit(cache=True)
def _squares(before: Three, first: Three, second: Three, straight: float, bent: float) -> tuple[float, float]:
    for i in range(3):
        r = first[i] - before[i]
        v = second[i] - first[i] - r
        straight += r * r
        bent += v * v
    return straight, bent


@njit(cache=True)
def converged_of_three(counts: Integers, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `converged` returns for pairs by pattern of three attributes, shape (8,)."""
    c = counts.astype(np.float64)
    numbers = c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
    slack = ROUNDING * 8 * c.sum()
    of_m, of_u = AT_FIRST
    m, u = (of_m, of_m, of_m), (of_u, of_u, of_u)
    for _ in range(most_cycles(share)):
        m1, u1, before = _step(numbers, share, m, u)
        change = max(abs(m1[0] - m[0]), abs(m1[1] - m[1]), abs(m1[2] - m[2]))
        change = max(change, abs(u1[0] - u[0]), abs(u1[1] - u[1]), abs(u1[2] - u[2]))
        if change <= CONVERGED:
            return np.array(m), np.array(u)
        close = change <= CLOSE
        m2, u2, _ = _step(numbers, share, m1, u1)
        straight, bent = _squares(m, m1, m2, 0.0, 0.0)
        straight, bent = _squares(u, u1, u2, straight, bent)
        if bent <= 0.0:
            m, u = m2, u2
            continue
        length = max(np.sqrt(straight / bent), 1.0)
        m3 = (
            _further(m[0], m1[0], m2[0], length),
            _further(m[1], m1[1], m2[1], length),
            _further(m[2], m1[2], m2[2], length),
        )
        u3 = (
            _further(u[0], u1[0], u2[0], length),
            _further(u[1], u1[1], u2[1], length),
            _further(u[2], u1[2], u2[2], length),
        )
        m3, u3, after = _step(numbers, share, m3, u3)
        fallen = _told(numbers, before, after, slack, close)
        if fallen < 0:
            table = c.reshape(1, 8)
            was, now = np.array(before).reshape(1, 8), np.array(after).reshape(1, 8)
            gain = likelihood(table, now) - likelihood(table, was)
            fallen = 0 if gain >= (-slack if close else 0.0) else 1
        m, u = (m2, u2) if fallen else (m3, u3)
    theta = np.array((m[0], m[1], m[2], u[0], u[1], u[2]))
    if share < RARE:
        settle(c, share, CLAMP, CONVERGED, theta)
    return theta[:3].copy(), theta[3:].copy()
