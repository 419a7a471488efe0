"""One rare record after the other loses its cheapest values, and what is needless is taken back."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.suppression.agreement import agreements
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
    # Records, and rare ones, that agree on each subset; or that would be gained by dropping each attribute.
    several, scarce = np.empty(max(subsets, width), dtype=np.int64), np.empty(max(subsets, width), dtype=np.int64)
    for unit in order:
        if found[unit] >= k:
            continue
        agreements(values, unit, masks)
        best = 0
        if small:
            several[:] = 0
            scarce[:] = 0
            for s in range(size):
                several[masks[s]] += counts[s]
                if found[s] < k:
                    scarce[masks[s]] += counts[s]
            empty = 0
            for a in range(width):
                bit = 1 << a
                empty |= bit * (values[a, unit] < 0)
                for kept in range(subsets):
                    if not kept & bit:
                        several[kept] += several[kept | bit]
                        scarce[kept] += scarce[kept | bit]
            least, most = np.inf, -1
            for kept in range(subsets - 1, -1, -1):
                if kept & empty != empty or several[kept] < k:
                    continue
                if costs[kept] < least or (costs[kept] == least and scarce[kept] > most):
                    best, least, most = kept, costs[kept], scarce[kept]
        else:
            # Attributes are dropped one by one, the most records gained for the cost first.
            best = full
            while True:
                total = 0
                several[:] = 0
                scarce[:] = 0
                for s in range(size):
                    lacking = best & ~masks[s]
                    if lacking == 0:
                        total += counts[s]
                        continue
                    single = lacking & (lacking - 1) == 0
                    for a in range(width):
                        if lacking >> a & 1:
                            scarce[a] += counts[s] * single
                            several[a] += counts[s]
                if total >= k:
                    break
                dropped, value, near = -1, -1.0, -1.0
                for a in range(width):
                    if best >> a & 1 and values[a, unit] >= 0:
                        here, there = min(scarce[a], k - total) / weights[a], several[a] / weights[a]
                        if here > value or (here == value and there > near):
                            dropped, value, near = a, here, there
                best &= ~(1 << dropped)
            # What an attribute dropped early was for, a later one may do alone; the dearest are tried first.
            wanted = full & ~best
            while wanted:
                a = -1
                for other in range(width):
                    if wanted >> other & 1 and (a < 0 or weights[other] > weights[a]):
                        a = other
                wanted &= ~(1 << a)
                total = 0
                for s in range(size):
                    if masks[s] & (best | 1 << a) == best | 1 << a:
                        total += counts[s]
                if total >= k and values[a, unit] >= 0:
                    best |= 1 << a
        total = 0
        for s in range(size):
            if masks[s] & best == best:
                total += counts[s]
                if masks[s] != full:
                    found[s] += counts[unit]
        found[unit] = total
        for a in range(width):
            if not best >> a & 1:
                values[a, unit] = -1


def take_back(
    values: Values, original: Values, counts: Counts, found: Counts, weights: Weights, k: int, order: Counts
) -> None:
    """Take back suppressions that no record needs any more, dearest attributes first."""
    _take_back(values, original, counts, found, np.argsort(-weights, kind="stable"), k, order)


@njit(cache=True)
def _take_back(
    values: Values, original: Values, counts: Counts, found: Counts, dearest_first: Counts, k: int, order: Counts
) -> None:
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    for a in dearest_first:
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
def give_back(values: Values, original: Values, counts: Counts, found: Counts, units: Counts) -> None:
    """Give some units their values back, and count those with which they are compatible then."""
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    for unit in units:
        for sign in (-1, 1):
            agreements(values, unit, masks)
            total = 0
            for s in range(size):
                if masks[s] == full:
                    total += counts[s]
                    found[s] += sign * counts[unit]
            for a in range(width):
                values[a, unit] = original[a, unit]
        found[unit] = total
