"""The Fellegi-Sunter model with a known share of matches, for several tables of counts at once.

Most of what a candidate costs in a search is this. Each lane of the processor's vector unit has a table of its own,
whose numbers go through the operations of `evosdc_measures.linkage.known_share.converged` in the same order, so that
the estimates are the same to the last bit. A lane whose estimates have converged takes the next table.

Whether the likelihood falls by an extrapolation is mostly told by bounds that cost little; where it does, the step
from there is not taken.

All numbers are in one flat array, where those of the lanes stand side by side, which `evosdc_measures.lanes` calls a
place.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel, kernel_part
from evosdc_measures.domains import Integers
from evosdc_measures.lanes import LANES
from evosdc_measures.linkage.bounds_together import bound, bound_from_below, bound_roughly, extrapolate
from evosdc_measures.linkage.known_share import AT_FIRST, CLAMP, CLOSE, CONVERGED, RARE, ROUNDING, most_cycles
from evosdc_measures.linkage.second_order import settle
from evosdc_measures.linkage.steps_together import Layout, Numbers, layout_of, step, write_chances

Flags = NDArray[np.bool_]

ROUGH, ROUGH_BY_PATTERN = 5e-14, 2e-15
"""What the two ways to compute the bounds may differ by, for each pair: some twenty roundings of terms that are at most
four times the pairs in all where the bound is negative, and those of the sum."""
ULP, LOGARITHM = 2.0**-53, 16
"""What a rounding errs by, relatively, at most; and how many of them a logarithm of a chance and its product with a
number are at most, and more."""


@kernel
def converged_together(
    counts: Integers, attributes: int, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `converged` returns for each table.

    Parameters
    ----------
    counts : ndarray of int64, shape (k, 2**V)
        Pairs of records by agreement pattern.
    attributes : int
    share : float
        Of matches among all pairs.

    Returns
    -------
    m, u : ndarray of float64, shape (k, V)
    """
    tables, size = len(counts), 2 * attributes
    at, most = layout_of(attributes), most_cycles(share)
    work = np.empty(at.end * LANES)
    m, u = np.empty((tables, attributes)), np.empty((tables, attributes))
    # The table that each lane has, -1 for none; its cycles so far; whether it jumps; see `_enter` for the doubts.
    own, cycles, jumps = np.empty(LANES, np.int64), np.zeros(LANES, np.int64), np.empty(LANES, np.bool_)
    doubts, theta, farthest = np.empty((3, LANES)), np.empty(size), _farthest(attributes, share)
    for lane in range(LANES):
        # Lanes to spare hold the last table once more.
        _enter(counts, min(lane, tables - 1), lane, farthest, work, at, doubts)
        own[lane] = lane if lane < tables else -1
    following = left = min(tables, LANES)
    while left > 0:
        step(work, at, share, at.theta, at.first, True)
        step(work, at, share, at.first, at.second, False)
        extrapolate(work, at)
        bound_roughly(work, at, share)
        _judge(work, at, share, own, doubts, jumps)
        for lane in range(LANES):
            if own[lane] < 0:
                continue
            # Where nothing moved, nothing moves in further cycles.
            moving = work[LANES * at.judged + lane] > CONVERGED
            if moving:
                chosen = at.reached if jumps[lane] else at.second
                for i in range(size):
                    work[LANES * (at.theta + i) + lane] = work[LANES * (chosen + i) + lane]
                cycles[lane] += 1
            if not moving or cycles[lane] == most:
                for i in range(size):
                    theta[i] = work[LANES * (at.theta + i) + lane]
                if moving and share < RARE:
                    settle(counts[own[lane]].astype(np.float64), share, CLAMP, CONVERGED, theta)
                m[own[lane]], u[own[lane]] = theta[:attributes], theta[attributes:]
                if following < tables:
                    _enter(counts, following, lane, farthest, work, at, doubts)
                    own[lane], cycles[lane] = following, 0
                    following += 1
                else:
                    own[lane] = -1
                    left -= 1
    return m, u


@inner_kernel
def _judge(work: Numbers, at: Layout, share: float, own: Integers, doubts: NDArray[np.float64], jumps: Flags) -> None:
    """Tell for each lane whether the likelihood has not fallen from the estimates to those beyond.

    If so, what a step from there reaches is written. What `converged` decides by its own bounds and by logarithms is
    told by rougher ones where they leave no doubt.
    """
    slack, spare, rounding = doubts
    doubtful = False
    for lane in range(LANES):
        moving = own[lane] >= 0 and work[LANES * at.judged + lane] > CONVERGED
        bent, most = work[LANES * (at.judged + 1) + lane] > 0.0, work[LANES * (at.judged + 2) + lane]
        apart, least = work[LANES * (at.judged + 3) + lane], work[LANES * (at.judged + 4) + lane]
        # Beyond what the sums of logarithms can err by, those say so as well.
        allowed = -slack[lane] if work[LANES * at.judged + lane] <= CLOSE else min(slack[lane], rounding[lane])
        jumps[lane] = moving and bent and least >= -0.5 and most - apart > allowed + spare[lane]
        doubtful |= moving and bent and not jumps[lane] and not most < -slack[lane] - spare[lane]
    if doubtful:
        doubtful = False
        bound_from_below(work, at)
        for lane in range(LANES):
            moving, bent = work[LANES * at.judged + lane] > CONVERGED, work[LANES * (at.judged + 1) + lane] > 0.0
            if own[lane] >= 0 and moving and bent and not jumps[lane]:
                jumps[lane] = work[LANES * (at.judged + 3) + lane] > slack[lane] + spare[lane]
                doubtful |= not jumps[lane] and not work[LANES * (at.judged + 2) + lane] < -slack[lane] - spare[lane]
    if doubtful:
        write_chances(work, at, share, at.theta, at.before)
        write_chances(work, at, share, at.further, at.after)
        bound(work, at)
        for lane in range(LANES):
            if own[lane] >= 0 and not jumps[lane] and work[LANES * (at.judged + 1) + lane] > 0.0:
                jumps[lane] = _jumps(work, at, lane, slack[lane])
    any_jumps = False
    for lane in range(LANES):
        any_jumps |= jumps[lane]
    if any_jumps:
        step(work, at, share, at.further, at.reached, False)


@inner_kernel
def _jumps(work: Numbers, at: Layout, lane: int, slack: float) -> bool:
    """Decide as `evosdc_measures.linkage.known_share.as_likely`."""
    most, apart = work[LANES * (at.judged + 2) + lane], work[LANES * (at.judged + 3) + lane]
    close = work[LANES * at.judged + lane] <= CLOSE
    if most - apart > (-slack if close else slack):
        return True
    if most < -slack:
        return False
    before = after = 0.0
    for pattern in range(at.height * at.width):
        number = work[LANES * (at.numbers + pattern) + lane]
        before += number * np.log(work[LANES * (at.before + pattern) + lane])
        after += number * np.log(work[LANES * (at.after + pattern) + lane])
    return bool(after - before >= (-slack if close else 0.0))


@kernel_part
def _farthest(attributes: int, share: float) -> NDArray[np.float64]:
    """Return for each pattern how far the logarithm of its chance by the first estimates is from 0, at most."""
    farthest = np.empty(1 << attributes)
    farthest[0] = -np.log(1.0 - share) - attributes * np.log(1.0 - AT_FIRST[1])
    for v in range(attributes):
        for pattern in range(1 << v):
            farthest[(1 << v) + pattern] = farthest[pattern] + np.log(1.0 - AT_FIRST[1]) - np.log(AT_FIRST[1])
    return farthest


@inner_kernel
def _enter(
    counts: Integers,
    table: int,
    lane: int,
    farthest: NDArray[np.float64],
    work: Numbers,
    at: Layout,
    doubts: NDArray[np.float64],
) -> None:
    """Write a table and its first estimates to a lane, and what rounding may come to.

    The first of `doubts` is what `as_likely` allows for, the second what the rough bounds may differ by from the bounds
    there, the third what the difference of two sums of logarithms may err by: no estimates that are come to are less
    likely than the first ones.
    """
    patterns, total, logarithms = counts.shape[1], 0.0, 0.0
    for pattern in range(patterns):
        number = float(counts[table, pattern])
        work[LANES * (at.numbers + pattern) + lane] = number
        work[LANES * (at.inverse + pattern) + lane] = 1.0 / number if number > 0.0 else 0.0
        total += number
        logarithms += number * farthest[pattern]
    for i in range(2 * at.attributes):
        work[LANES * (at.theta + i) + lane] = AT_FIRST[0] if i < at.attributes else AT_FIRST[1]
    doubts[0, lane] = ROUNDING * patterns * total
    doubts[1, lane] = (ROUGH_BY_PATTERN * patterns + ROUGH) * total
    doubts[2, lane] = 2.0 * (patterns + LOGARITHM) * ULP * logarithms
