"""Fewer suppressions by ruin and recreate (Schrimpf et al. 2000, Journal of Computational Physics 159(2)).

Relieving rare records one after the other depends on the order. A few suppressed records that are alike get their
values back, and all that are rare then are relieved anew, in a random order; what costs more is undone. In other
rounds a suppressed record loses one value more, so that it is like more records, and what these do not need then is
taken back.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.suppression.agreement import Masks, agreements
from evosdc_masking.suppression.keys import Counts, Values
from evosdc_masking.suppression.relief import Weights, relieve, take_back

ROUNDS_EACH, MOST_ROUNDS = 20, 2000
"""Rounds for each suppressed record, and at most."""

MOST_WORK = 1 << 30
"""Values looked at, about: a second of a core."""

AT_ONCE = 12
"""Records at most that get their values back in a round."""

WIDER = 0.25
"""Share of the rounds in which a record loses one value more. It keeps half of its values, rounded up: k - 1 records
without any value would serve all others, and tell nothing."""

DRAWS = 64
SEED = 2000
"""The rounds are the same for the same file, whatever the seed of a run."""

Draws = NDArray[np.float64]


def exchanged(values: Values, original: Values, counts: Counts, found: Counts, weights: Weights, k: int) -> None:
    """Suppress at most as much as before, at less cost where a round finds it; `values` and `found` are changed.

    Parameters
    ----------
    values, original : ndarray of int32, shape (V, u)
        Values of units, with suppressions that make all compatible with k records, and before them.
    counts, found : ndarray of int64, shape (u,)
        Records in each unit, and records that are compatible with it.
    weights : ndarray of float64, shape (V,)
        Cost of suppressing one value of each attribute, positive.
    k : int
    """
    suppressed = int(((values < 0) & (original >= 0)).any(axis=0).sum())
    rounds = min(MOST_ROUNDS, ROUNDS_EACH * suppressed, MOST_WORK // (60 * values.size))
    if suppressed > 1 and rounds:
        draws = np.random.default_rng(SEED).random((rounds, DRAWS))
        masks, holes, order = (np.empty_like(counts) for _ in range(3))
        room = (values.copy(), found.copy(), masks, holes, order, np.empty(counts.size))
        _exchange(values, original, counts, found, weights, k, draws, *room)


@njit(cache=True)
def _exchange(
    values: Values,
    original: Values,
    counts: Counts,
    found: Counts,
    weights: Weights,
    k: int,
    draws: Draws,
    values_before: Values,
    found_before: Counts,
    masks: Masks,
    holes: Counts,
    order: Counts,
    near: Weights,
) -> None:
    """Do a round for each row of draws from [0, 1); the last six arrays are room to work in."""
    width, size = values.shape
    cost = _cost(values, original, weights)
    for r in range(draws.shape[0]):
        count = 0
        for s in range(size):
            found_before[s] = found[s]
            suppressed = False
            for a in range(width):
                values_before[a, s] = values[a, s]
                suppressed |= values[a, s] < 0 and original[a, s] >= 0
            if suppressed:
                holes[count] = s
                count += 1
        if count < 2:
            return
        if draws[r, DRAWS - 1] < WIDER:
            _widen(values, original, counts, found, weights, k, draws[r], masks, holes[:count], order)
            cost_now = _cost(values, original, weights)
            if cost_now <= cost:
                cost = cost_now
            else:
                _restore(values, found, values_before, found_before)
            continue
        agreements(original, holes[int(draws[r, 0] * count)], masks)
        for i in range(count):
            near[i] = _bits(masks[holes[i]]) + 2.0 * draws[r, 2 + i % (DRAWS - 2)]
        for _ in range(min(count, 2 + int(draws[r, 1] * (AT_ONCE - 1)))):
            nearest = 0
            for i in range(1, count):
                if near[i] > near[nearest]:
                    nearest = i
            near[nearest] = -1.0
            _give_back(values, original, counts, found, masks, holes[nearest])
        rare = 0
        for s in range(size):
            if found[s] < k:
                order[rare] = s
                rare += 1
        for i in range(rare - 1, 0, -1):
            j = int(draws[r, 2 + i % (DRAWS - 2)] * (i + 1))
            order[i], order[j] = order[j], order[i]
        relieve(values, counts, found, weights, k, order[:rare])
        for i in range(rare // 2):
            order[i], order[rare - 1 - i] = order[rare - 1 - i], order[i]
        take_back(values, original, counts, found, weights, k, order[:rare])
        cost_now = _cost(values, original, weights)
        if cost_now <= cost:
            cost = cost_now
        else:
            _restore(values, found, values_before, found_before)


@njit(cache=True)
def _widen(
    values: Values,
    original: Values,
    counts: Counts,
    found: Counts,
    weights: Weights,
    k: int,
    draws: Draws,
    masks: Masks,
    holes: Counts,
    order: Counts,
) -> None:
    """Suppress one value more of a record, and take back what those that it is like do not need any more."""
    width, size = values.shape
    unit = holes[int(draws[0] * holes.size)]
    attribute = int(draws[1] * width)
    gone = 0
    for a in range(width):
        gone += values[a, unit] < 0
    if values[attribute, unit] < 0 or 2 * (gone + 1) > width:
        return
    values[attribute, unit] = -1
    agreements(values, unit, masks)
    full = (1 << width) - 1
    for s in range(size):
        if masks[s] == full and values[attribute, s] >= 0 and values[attribute, s] != original[attribute, unit]:
            found[s] += counts[unit]
            found[unit] += counts[s]
    others = 0
    for s in holes:
        if s != unit and masks[s] == full:
            order[others] = s
            others += 1
    for i in range(others - 1, 0, -1):
        j = int(draws[2 + i % (DRAWS - 3)] * (i + 1))
        order[i], order[j] = order[j], order[i]
    take_back(values, original, counts, found, weights, k, order[:others])


@njit(cache=True)
def _restore(values: Values, found: Counts, values_before: Values, found_before: Counts) -> None:
    for s in range(found.size):
        found[s] = found_before[s]
        for a in range(values.shape[0]):
            values[a, s] = values_before[a, s]


@njit(cache=True)
def _cost(values: Values, original: Values, weights: Weights) -> float:
    cost = 0.0
    for a in range(values.shape[0]):
        for s in range(values.shape[1]):
            if values[a, s] < 0 and original[a, s] >= 0:
                cost += weights[a]
    return cost


@njit(cache=True)
def _bits(mask: int) -> int:
    """Return how many attributes are in a set."""
    count = 0
    while mask:
        count += 1
        mask &= mask - 1
    return count


@njit(cache=True)
def _give_back(values: Values, original: Values, counts: Counts, found: Counts, masks: Masks, unit: int) -> None:
    """Give a unit its values back, and count anew whom it is compatible with."""
    full = (1 << values.shape[0]) - 1
    agreements(values, unit, masks)
    for s in range(masks.size):
        if masks[s] == full:
            found[s] -= counts[unit]
    for a in range(values.shape[0]):
        values[a, unit] = original[a, unit]
    agreements(values, unit, masks)
    total = 0
    for s in range(masks.size):
        if masks[s] == full:
            total += counts[s]
            found[s] += counts[unit]
    found[unit] = total
