"""Distances of many points from one, and the farthest of them."""

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers
from evosdc_masking.space import Metric, Space

BLOCK = 1024  # points whose distances are summed attribute by attribute while they stay in the fastest cache

Integers = NDArray[np.int64]


def incomplete_columns(numbers: Numbers) -> NDArray[np.bool_]:
    """Return which of the attributes, shape (Q,), lack values."""
    return np.array([np.isnan(column).any() for column in numbers], dtype=np.bool_)


@njit(cache=True)
def measure(
    metric: Metric,
    codes: Codes,
    numbers: Numbers,
    incomplete: NDArray[np.bool_],
    centre_codes: Codes,
    centre_numbers: Numbers,
    away: Numbers,
) -> None:
    """Write each point's distance from a centre to `away`, shape (m,)."""
    # codes (C, m), numbers (Q, m): the points of a `Space`; incomplete (Q,): of `incomplete_columns`.
    for begin in range(0, away.size, BLOCK):
        block = away[begin : begin + BLOCK]
        block[:] = 0.0
        for j in range(centre_codes.size):
            start = metric.offsets[j] + centre_codes[j] * metric.sizes[j]
            row = metric.distances[start : start + metric.sizes[j]]
            column = codes[j, begin : begin + BLOCK]
            for i in range(block.size):
                block[i] += row[np.uint32(column[i])]
        for j in range(centre_numbers.size):
            centre = centre_numbers[j]
            values = numbers[j, begin : begin + BLOCK]
            if incomplete[j]:
                for i in range(block.size):
                    if np.isnan(centre) != np.isnan(values[i]):
                        block[i] += metric.apart
                    elif not np.isnan(centre):
                        difference = values[i] - centre
                        block[i] += difference * difference if metric.squared else abs(difference)
            elif metric.squared:
                for i in range(block.size):
                    difference = values[i] - centre
                    block[i] += difference * difference
            else:
                for i in range(block.size):
                    block[i] += abs(values[i] - centre)


@njit(cache=True)
def farthest(away: Numbers, rows: Integers, heads: Integers, ends: Integers) -> int:
    """Return the point of the farthest remaining record, of the lowest position in a tie."""
    best = -1
    most = -1.0
    for point in range(away.size):
        if away[point] >= most and heads[point] < ends[point]:
            if best < 0 or away[point] > most or rows[heads[point]] < rows[heads[best]]:
                best = point
            most = away[point]
    return best


def distances_in(space: Space) -> Callable[[int], Numbers]:
    """Return what gives the distances of all points from one, in an array that the next call overwrites."""
    incomplete, away = incomplete_columns(space.numbers), np.empty(len(space.points))

    def of(point: int) -> Numbers:
        codes, numbers = space.codes[:, point].copy(), space.numbers[:, point].copy()
        measure(space.metric, space.codes, space.numbers, incomplete, codes, numbers, away)
        return away

    return of
