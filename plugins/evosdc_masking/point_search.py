"""Distances of many points from one, and the farthest of them."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers
from evosdc_masking.space import Metric

BLOCK = 1024
"""Points whose distances are summed attribute by attribute while they stay in the fastest cache."""

Integers = NDArray[np.int64]


@njit(cache=True)
def incomplete_columns(numbers: Numbers) -> NDArray[np.bool_]:
    """Return which of the attributes, shape (Q,), lack values."""
    incomplete = np.zeros(numbers.shape[0], dtype=np.bool_)
    for j in range(numbers.shape[0]):
        for point in range(numbers.shape[1]):
            if np.isnan(numbers[j, point]):
                incomplete[j] = True
                break
    return incomplete


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
    """Write each point's distance from a centre to `away`.

    Parameters
    ----------
    metric : Metric
    codes, numbers : ndarray, shape (C, m) and (Q, m)
        The points of a `Space`.
    incomplete : ndarray of bool, shape (Q,)
        Of `incomplete_columns`.
    centre_codes, centre_numbers : ndarray, shape (C,) and (Q,)
    away : ndarray of float64, shape (m,)
        Is overwritten.
    """
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


@njit(cache=True)
def remaining_points(
    codes: Codes, numbers: Numbers, heads: Integers, ends: Integers
) -> tuple[Codes, Numbers, Integers, Integers]:
    """Return the points whose queues are not exhausted, so that later searches pass by fewer of them.

    Parameters
    ----------
    codes, numbers : ndarray, shape (C, m) and (Q, m)
    heads, ends : ndarray of int64, shape (m,)
        The records of point i that are left are ``heads[i]`` up to ``ends[i]``.
    """
    kept = 0
    for point in range(heads.size):
        kept += heads[point] < ends[point]
    left_codes = np.empty((codes.shape[0], kept), dtype=np.int32)
    left_numbers = np.empty((numbers.shape[0], kept), dtype=np.float64)
    left_heads, left_ends = np.empty(kept, dtype=np.int64), np.empty(kept, dtype=np.int64)
    # No fancy indices: they take seconds to compile.
    place = 0
    for point in range(heads.size):
        if heads[point] < ends[point]:
            left_heads[place], left_ends[place] = heads[point], ends[point]
            for j in range(codes.shape[0]):
                left_codes[j, place] = codes[j, point]
            for j in range(numbers.shape[0]):
                left_numbers[j, place] = numbers[j, point]
            place += 1
    return left_codes, left_numbers, left_heads, left_ends


@njit(cache=True)
def copy_point(codes: Codes, numbers: Numbers, point: int, point_codes: Codes, point_numbers: Numbers) -> None:
    """Write the codes and numbers of a point, shapes (C,) and (Q,), to two arrays."""
    for j in range(codes.shape[0]):
        point_codes[j] = codes[j, point]
    for j in range(numbers.shape[0]):
        point_numbers[j] = numbers[j, point]
