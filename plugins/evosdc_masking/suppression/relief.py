"""One rare record after the other loses its cheapest values, and what is needless is taken back."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.suppression.agreement import Masks, agreements
from evosdc_masking.suppression.keys import Counts, Values

Weights = NDArray[np.float64]

WIDEST = 12
"""Number of attributes up to which all subsets of them are weighed; beyond it they are chosen one by one."""


@njit(cache=True)
def relieve(values: Values, counts: Counts, found: Counts, weights: Weights, k: int, order: Counts) -> None:
    """Suppress values of the units in `order` until all are compatible with k records; `found` is kept up to date."""
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    small = width <= WIDEST
    subsets = 1 << width if small else 1
    costs = np.zeros(subsets)
    for kept in range(subsets):
        for a in range(width):
            if small and not kept >> a & 1:
                costs[kept] += weights[a]
    for unit in order:
        if found[unit] >= k:
            continue
        agreements(values, unit, masks)
        if small:
            kept = _cheapest(values, counts, found, costs, masks, k, unit)
        else:
            kept = _stepwise(values, counts, weights, masks, k, unit)
        total = 0
        for s in range(size):
            if masks[s] & kept == kept:
                total += counts[s]
                if masks[s] != full:
                    found[s] += counts[unit]
        found[unit] = total
        for a in range(width):
            if not kept >> a & 1:
                values[a, unit] = -1


@njit(cache=True)
def _cheapest(values: Values, counts: Counts, found: Counts, costs: Weights, masks: Masks, k: int, unit: int) -> int:
    """Return the attributes to keep, as bits: all subsets are weighed."""
    subsets, width = costs.size, values.shape[0]
    total = np.zeros(subsets, dtype=np.int64)
    rare = np.zeros(subsets, dtype=np.int64)
    for s in range(masks.size):
        total[masks[s]] += counts[s]
        if found[s] < k:
            rare[masks[s]] += counts[s]
    for a in range(width):
        bit = 1 << a
        for kept in range(subsets):
            if not kept & bit:
                total[kept] += total[kept | bit]
                rare[kept] += rare[kept | bit]
    empty = 0
    for a in range(width):
        if values[a, unit] < 0:
            empty |= 1 << a
    best, least, most = 0, np.inf, -1
    for kept in range(subsets - 1, -1, -1):
        if kept & empty != empty or total[kept] < k:
            continue
        if costs[kept] < least or (costs[kept] == least and rare[kept] > most):
            best, least, most = kept, costs[kept], rare[kept]
    return best


@njit(cache=True)
def _stepwise(values: Values, counts: Counts, weights: Weights, masks: Masks, k: int, unit: int) -> int:
    """Return the attributes to keep, as bits: dropped one by one, the most records gained for the cost first."""
    width = values.shape[0]
    kept: int = (1 << width) - 1
    while True:
        total = 0
        gained = np.zeros(width, dtype=np.int64)
        nearest = np.zeros(width, dtype=np.int64)
        for s in range(masks.size):
            lacking = kept & ~masks[s]
            if lacking == 0:
                total += counts[s]
                continue
            single = lacking & (lacking - 1) == 0
            for a in range(width):
                if lacking >> a & 1:
                    if single:
                        gained[a] += counts[s]
                    nearest[a] += counts[s]
        if total >= k:
            break
        best, value, near = -1, -1.0, -1.0
        for a in range(width):
            if kept >> a & 1 and values[a, unit] >= 0:
                here, there = min(gained[a], k - total) / weights[a], nearest[a] / weights[a]
                if here > value or (here == value and there > near):
                    best, value, near = a, here, there
        kept &= ~(1 << best)
    # what an attribute dropped early was for, a later one may do alone
    for a in _dearest_first(weights):
        if not kept >> a & 1 and values[a, unit] >= 0:
            total = 0
            for s in range(masks.size):
                if masks[s] & (kept | 1 << a) == kept | 1 << a:
                    total += counts[s]
            if total >= k:
                kept |= 1 << a
    return kept


@njit(cache=True)
def take_back(
    values: Values, original: Values, counts: Counts, found: Counts, weights: Weights, k: int, order: Counts
) -> None:
    """Take back suppressions that no record needs any more, dearest attributes first."""
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    for a in _dearest_first(weights):
        for unit in order:
            if values[a, unit] >= 0 or original[a, unit] < 0:
                continue
            agreements(values, unit, masks)
            total, needed = 0, False
            for s in range(size):
                if masks[s] == full:
                    if values[a, s] < 0 or values[a, s] == original[a, unit]:
                        total += counts[s]
                    elif found[s] - counts[unit] < k:
                        needed = True
                        break
            if needed or total < k:
                continue
            for s in range(size):
                if masks[s] == full and values[a, s] >= 0 and values[a, s] != original[a, unit]:
                    found[s] -= counts[unit]
            values[a, unit] = original[a, unit]
            found[unit] = total


@njit(cache=True)
def _dearest_first(weights: Weights) -> Counts:
    """Return the attributes by falling weight, equal ones in their order; numpy's sort takes seconds to compile."""
    order = np.empty(weights.size, dtype=np.int64)
    for a in range(weights.size):
        place = a
        while place > 0 and weights[order[place - 1]] < weights[a]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = a
    return order
