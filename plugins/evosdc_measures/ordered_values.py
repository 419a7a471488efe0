"""Values of a column in order, and the steps at which those of one of its relatives differ.

A step is a value that more records have than before, or fewer.
"""

import numpy as np
from numba import njit

from evosdc.table.table import Numbers
from evosdc_measures.domains import Integers


@njit(cache=True)
def count_in(steps: Numbers, deltas: Integers, count: int, v: float, delta: int) -> int:
    """Count records in or out at a value, and return how many steps there are."""
    if np.isnan(v):
        return count
    at = 0
    while at < count and steps[at] < v:
        at += 1
    if at < count and steps[at] == v:
        deltas[at] += delta
        if deltas[at] == 0:
            for later in range(at, count - 1):
                steps[later], deltas[later] = steps[later + 1], deltas[later + 1]
            return count - 1
        return count
    for later in range(count, at, -1):
        steps[later], deltas[later] = steps[later - 1], deltas[later - 1]
    steps[at], deltas[at] = v, delta
    return count + 1


@njit(cache=True)
def merged(ordered: Numbers, steps: Numbers, deltas: Integers) -> Numbers:
    """Return the values in order after the steps; O(n)."""
    again = np.empty(len(ordered) + deltas.sum())
    filled = place = 0
    for at in range(len(steps) + 1):
        while place < len(ordered) and (at == len(steps) or ordered[place] < steps[at]):
            again[filled] = ordered[place]
            filled, place = filled + 1, place + 1
        if at < len(steps):
            for _ in range(deltas[at]):
                again[filled] = steps[at]
                filled += 1
            place -= min(deltas[at], 0)
    return again
