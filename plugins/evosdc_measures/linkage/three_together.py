"""The Fellegi-Sunter model of three attributes with a known share of matches, for many tables of counts at once.

A search estimates it anew for each candidate, and that was most of what a candidate cost. One table is too small for
the vector unit of a processor. Here each lane of it has a table of its own, whose numbers go through the operations of
`evosdc_measures.linkage.known_share.converged` in the same order, so that the estimates are the same to the last bit.

What belongs to the lanes stands side by side in flat arrays, number i of lane l at ``LANES * i + l``. The compiler
takes all lanes of a loop at once where it has no branches, no calls, and known places in few arrays.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc_measures.domains import Integers
from evosdc_measures.linkage.known_share import CLAMP, CONVERGED, CYCLES, LEAST, ROUNDING, likelihood

LANES = 8
PATTERNS = 8

SETTLED, KNOWN, UNDECIDED = 0.0, 1.0, 2.0
"""How a cycle ended in a lane: nothing moved, it is known which estimates count, or logarithms have to tell."""

Lanes = NDArray[np.float64]


@kernel
def three_together(counts: Integers, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `converged` returns for each table.

    Parameters
    ----------
    counts : ndarray of int64, shape (k, 8)
        Pairs of records by agreement pattern.
    share : float
        Of matches among all pairs.

    Returns
    -------
    m, u : ndarray of float64, shape (k, 3)
    """
    tables, lanes = len(counts), LANES
    m, u = np.empty((tables, 3)), np.empty((tables, 3))
    numbers, slack, ends = np.empty(PATTERNS * LANES), np.empty(LANES), np.empty(LANES)
    theta, first, second = np.empty(6 * LANES), np.empty(6 * LANES), np.empty(6 * LANES)
    further, reached = np.empty(6 * LANES), np.empty(6 * LANES)
    chances, beyond = np.empty(PATTERNS * LANES), np.empty(PATTERNS * LANES)
    for begin in range(0, tables, LANES):
        for lane in range(LANES):
            # Lanes to spare hold the last table once more.
            table = min(begin + lane, tables - 1)
            total = 0.0
            for pattern in range(PATTERNS):
                numbers[LANES * pattern + lane] = counts[table, pattern]
                total += counts[table, pattern]
            slack[lane] = ROUNDING * PATTERNS * total
            for i in range(6):
                theta[LANES * i + lane] = 0.9 if i < 3 else 0.1
        for _ in range(CYCLES):
            _step(numbers, share, lanes, theta, first, chances)
            _step(numbers, share, lanes, first, second, beyond)
            _extrapolate(lanes, theta, first, second, further, ends)
            _step(numbers, share, lanes, further, reached, beyond)
            _choose(lanes, numbers, slack, chances, beyond, second, reached, theta, ends)
            moving = False
            for lane in range(LANES):
                # Where nothing moved, nothing moves in further cycles.
                moving |= ends[lane] != SETTLED
                if ends[lane] == UNDECIDED:
                    _decide(lane, numbers, chances, beyond, second, reached, theta)
            if not moving:
                break
        for lane in range(min(LANES, tables - begin)):
            for v in range(3):
                m[begin + lane, v], u[begin + lane, v] = theta[LANES * v + lane], theta[LANES * (3 + v) + lane]
    return m, u


@kernel
def _step(numbers: Lanes, share: float, lanes: int, theta: Lanes, after: Lanes, chances: Lanes) -> None:
    """Write the chance of each pattern by the estimates, and the estimates after a step."""
    for i in range(lanes):
        ma, mb, mc, ua, ub, uc = theta[i], theta[8 + i], theta[16 + i], theta[24 + i], theta[32 + i], theta[40 + i]
        # Of matches (g) and of others (h): by pattern of the first two attributes, times the third's.
        na, nb, without, with_c = 1.0 - ma, 1.0 - mb, share * (1.0 - mc), share * mc
        p0, p1, p2, p3 = na * nb, ma * nb, na * mb, ma * mb
        g0, g1, g2, g3 = without * p0, without * p1, without * p2, without * p3
        g4, g5, g6, g7 = with_c * p0, with_c * p1, with_c * p2, with_c * p3
        na, nb, without, with_c = 1.0 - ua, 1.0 - ub, (1.0 - share) * (1.0 - uc), (1.0 - share) * uc
        p0, p1, p2, p3 = na * nb, ua * nb, na * ub, ua * ub
        h0, h1, h2, h3 = without * p0, without * p1, without * p2, without * p3
        h4, h5, h6, h7 = with_c * p0, with_c * p1, with_c * p2, with_c * p3
        c0, c1, c2, c3 = g0 + h0, g1 + h1, g2 + h2, g3 + h3
        c4, c5, c6, c7 = g4 + h4, g5 + h5, g6 + h6, g7 + h7
        e0, e1, e2, e3 = numbers[i] / c0, numbers[8 + i] / c1, numbers[16 + i] / c2, numbers[24 + i] / c3
        e4, e5, e6, e7 = numbers[32 + i] / c4, numbers[40 + i] / c5, numbers[48 + i] / c6, numbers[56 + i] / c7
        chances[i], chances[8 + i], chances[16 + i], chances[24 + i] = c0, c1, c2, c3
        chances[32 + i], chances[40 + i], chances[48 + i], chances[56 + i] = c4, c5, c6, c7
        g0, g1, g2, g3, g4, g5, g6, g7 = g0 * e0, g1 * e1, g2 * e2, g3 * e3, g4 * e4, g5 * e5, g6 * e6, g7 * e7
        h0, h1, h2, h3, h4, h5, h6, h7 = h0 * e0, h1 * e1, h2 * e2, h3 * e3, h4 * e4, h5 * e5, h6 * e6, h7 * e7
        below, beside = ((g0 + g1) + g2) + g3, ((g4 + g5) + g6) + g7
        matched = below + beside
        matched = matched if matched > LEAST else LEAST
        ma, mb, mc = ((g1 + g5) + (g3 + g7)) / matched, ((g2 + g6) + (g3 + g7)) / matched, beside / matched
        below, beside = ((h0 + h1) + h2) + h3, ((h4 + h5) + h6) + h7
        remaining = below + beside
        remaining = remaining if remaining > LEAST else LEAST
        ua, ub, uc = ((h1 + h5) + (h3 + h7)) / remaining, ((h2 + h6) + (h3 + h7)) / remaining, beside / remaining
        after[i], after[8 + i], after[16 + i], after[24 + i], after[32 + i], after[40 + i] = ma, mb, mc, ua, ub, uc
    _clamp(after, 6 * lanes)


@kernel
def _clamp(values: Lanes, count: int) -> None:
    for i in range(count):
        value = values[i]
        value = value if value > CLAMP else CLAMP
        values[i] = value if value < 1.0 - CLAMP else 1.0 - CLAMP


@kernel
def _extrapolate(lanes: int, theta: Lanes, first: Lanes, second: Lanes, further: Lanes, ends: Lanes) -> None:
    """Write the estimates beyond two steps, and how the cycle ends so far: settled, known where it goes, or not."""
    for i in range(lanes):
        r0, r1, r2 = first[i] - theta[i], first[8 + i] - theta[8 + i], first[16 + i] - theta[16 + i]
        r3, r4, r5 = first[24 + i] - theta[24 + i], first[32 + i] - theta[32 + i], first[40 + i] - theta[40 + i]
        v0, v1, v2 = second[i] - first[i] - r0, second[8 + i] - first[8 + i] - r1, second[16 + i] - first[16 + i] - r2
        v3, v4 = second[24 + i] - first[24 + i] - r3, second[32 + i] - first[32 + i] - r4
        v5 = second[40 + i] - first[40 + i] - r5
        straight = ((((r0 * r0 + r1 * r1) + r2 * r2) + r3 * r3) + r4 * r4) + r5 * r5
        bent = ((((v0 * v0 + v1 * v1) + v2 * v2) + v3 * v3) + v4 * v4) + v5 * v5
        length = np.sqrt(straight / (bent if bent > 0.0 else 1.0))
        length = length if length > 1.0 else 1.0
        single, double = 2.0 * length, length * length
        further[i], further[8 + i] = theta[i] + single * r0 + double * v0, theta[8 + i] + single * r1 + double * v1
        further[16 + i] = theta[16 + i] + single * r2 + double * v2
        further[24 + i] = theta[24 + i] + single * r3 + double * v3
        further[32 + i] = theta[32 + i] + single * r4 + double * v4
        further[40 + i] = theta[40 + i] + single * r5 + double * v5
        near = (abs(r0) <= CONVERGED) & (abs(r1) <= CONVERGED) & (abs(r2) <= CONVERGED)
        near = near & (abs(r3) <= CONVERGED) & (abs(r4) <= CONVERGED) & (abs(r5) <= CONVERGED)
        ends[i] = SETTLED if near else (UNDECIDED if bent > 0.0 else KNOWN)
    _clamp(further, 6 * lanes)


@kernel
def _choose(
    lanes: int,
    numbers: Lanes,
    slack: Lanes,
    before: Lanes,
    after: Lanes,
    second: Lanes,
    reached: Lanes,
    theta: Lanes,
    ends: Lanes,
) -> None:
    """Set the estimates at the end of the cycle where no logarithms are needed, and say where they are.

    The bounds are those of `evosdc_measures.linkage.known_share.as_likely`, summed in its order.
    """
    most, apart = np.zeros(LANES), np.zeros(LANES)
    for column in range(4):
        for i in range(lanes):
            upper = below = 0.0
            for row in range(2):
                place = 32 * row + 8 * column + i
                number, was, now = numbers[place], before[place], after[place]
                gain = now - was
                e, square = gain / was, gain * gain / (was * was)
                shrunk = was / now
                shrunk = shrunk if shrunk > 1.0 else 1.0
                upper += number * e * (1.0 - e * (0.5 - e / 3.0))
                below += number * square * square * shrunk
            most[i] += upper
            apart[i] += below
    for lane in range(LANES):
        better, worse = most[lane] - 0.25 * apart[lane] > slack[lane], most[lane] < -slack[lane]
        if ends[lane] == UNDECIDED and (better or worse):
            for i in range(6):
                theta[LANES * i + lane] = (reached if better else second)[LANES * i + lane]
            ends[lane] = KNOWN
        elif ends[lane] == KNOWN:
            for i in range(6):
                theta[LANES * i + lane] = second[LANES * i + lane]


@kernel
def _decide(
    lane: int, numbers: Lanes, before: Lanes, after: Lanes, second: Lanes, reached: Lanes, theta: Lanes
) -> None:
    """Take the estimates from beyond where the likelihood has not fallen, else those after two steps."""
    pairs, was, now = np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4))
    for pattern in range(PATTERNS):
        place = LANES * pattern + lane
        pairs[pattern // 4, pattern % 4] = numbers[place]
        was[pattern // 4, pattern % 4], now[pattern // 4, pattern % 4] = before[place], after[place]
    likelier = likelihood(pairs, now) >= likelihood(pairs, was)
    for i in range(6):
        theta[LANES * i + lane] = (reached if likelier else second)[LANES * i + lane]
