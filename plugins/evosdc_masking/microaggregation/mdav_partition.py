"""The partition of MDAV-generic (Domingo-Ferrer and Torra 2005), in its correct version.

While 3k records remain: r is the record farthest from the average record and s the one farthest from r; r with its k
- 1 nearest records is a class, then s with its k - 1 nearest of what remains is another. Should s have been taken by
r's class, the farthest from r among the remaining takes its place. From 2k to 3k - 1 remaining records give one class
around r and one of the rest, fewer are one class. So every class has k to 2k - 1 records whenever there are k at all.
(One source stops at k remaining records and can leave a class of fewer; another takes the nearest to the average
instead of to r.)

Ties, of the farthest and of the nearest, go to the record with the lower position in the file. But for that rule,
records with equal categories are interchangeable. So the loops visit distinct records, each with the queue of its
positions; the classes are the same as if all records were visited.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers
from evosdc_masking.averages import average_category
from evosdc_masking.point_search import copy_point, farthest, incomplete_columns, measure, remaining_points
from evosdc_masking.space import Metric, Space

Integers = NDArray[np.int64]


def mdav_partition(space: Space, k: int) -> Integers:
    """Return the number of each record's class, shape (n,), classes numbered in the order of their formation.

    Parameters
    ----------
    space : Space
        The records, n >= k.
    k : int
        Least size of a class, at least 1.
    """
    starts, rows = space.points.starts, space.points.rows
    return _partition(space.metric, space.codes, space.numbers, rows, starts[:-1].copy(), starts[1:].copy(), k)


@njit(cache=True)
def _partition(
    metric: Metric, codes: Codes, numbers: Numbers, rows: Integers, heads: Integers, ends: Integers, k: int
) -> Integers:
    """Form the classes; ``rows[heads[i]:ends[i]]`` are the records of point i that no class has taken yet."""
    remaining = rows.size
    classes = np.empty(remaining, dtype=np.int64)
    for row in range(remaining):
        classes[row] = -1
    group = 0
    visited, exhausted = heads.size, 0
    away = np.empty(visited, dtype=np.float64)
    centre_codes = np.empty(codes.shape[0], dtype=np.int32)
    centre_numbers = np.empty(numbers.shape[0], dtype=np.float64)
    incomplete = incomplete_columns(numbers)
    counts, sums, present = _tally(metric, codes, numbers, heads, ends)
    while remaining >= 2 * k:
        pole = -1
        for step in range(3 if remaining >= 3 * k else 2):
            # From the average first, then from the farthest record: one call to measure, since it is compiled in place.
            if step == 0:
                _average(metric, counts, sums, present, remaining, centre_codes, centre_numbers)
            else:
                pole = farthest(away, rows, heads, ends)
                copy_point(codes, numbers, pole, centre_codes, centre_numbers)
            measure(metric, codes, numbers, incomplete, centre_codes, centre_numbers, away)
            if step == 0:
                continue
            for point in _nearest(away, pole, rows, heads, ends, k):
                classes[rows[heads[point]]] = group
                heads[point] += 1
                exhausted += heads[point] == ends[point]
                for j in range(codes.shape[0]):
                    counts[j, codes[j, point]] -= 1
                for j in range(numbers.shape[0]):
                    if not np.isnan(numbers[j, point]):
                        sums[j] -= numbers[j, point]
                        present[j] -= 1
            group += 1
            remaining -= k
        if 16 * exhausted > visited:
            # exhausted points are dropped, and sums taken anew before rounding adds up
            codes, numbers, heads, ends = remaining_points(codes, numbers, heads, ends)
            counts, sums, present = _tally(metric, codes, numbers, heads, ends)
            visited, exhausted = heads.size, 0
            away = away[:visited]
    for row in range(classes.size):
        if classes[row] < 0:
            classes[row] = group
    return classes


@njit(cache=True)
def _tally(
    metric: Metric, codes: Codes, numbers: Numbers, heads: Integers, ends: Integers
) -> tuple[Integers, Numbers, Integers]:
    """Return counts of categories, sums of numbers and how many numbers are present, over the remaining records."""
    widest = 0
    for size in metric.sizes:
        widest = max(widest, size)
    counts = np.zeros((codes.shape[0], widest), dtype=np.int64)
    for j in range(codes.shape[0]):
        for point in range(heads.size):
            counts[j, codes[j, point]] += ends[point] - heads[point]
    sums = np.zeros(numbers.shape[0], dtype=np.float64)
    present = np.zeros(numbers.shape[0], dtype=np.int64)
    for j in range(numbers.shape[0]):
        for point in range(heads.size):
            if not np.isnan(numbers[j, point]) and heads[point] < ends[point]:
                sums[j] += numbers[j, point]
                present[j] += 1
    return counts, sums, present


@njit(cache=True)
def _average(
    metric: Metric, counts: Integers, sums: Numbers, present: Integers, remaining: int, codes: Codes, numbers: Numbers
) -> None:
    """Write the average of the remaining records, missing as the number of categories and as NaN, to two arrays."""
    for j in range(counts.shape[0]):
        size = metric.sizes[j]
        average = average_category(counts[j, :size], metric.averages[j], metric.wildcard)
        codes[j] = average if average >= 0 else size - 1
    for j in range(sums.size):
        numbers[j] = np.nan
        missing = 0 if metric.wildcard else remaining - present[j]
        if present[j] > 0 and missing <= present[j]:
            numbers[j] = sums[j] / present[j]


@njit(cache=True)
def _nearest(away: Numbers, pole: int, rows: Integers, heads: Integers, ends: Integers, k: int) -> Integers:
    """Return the points of k records: the pole's first record and the k - 1 nearest others, by (distance, position)."""
    points = np.empty(k, dtype=np.int64)
    positions = np.empty(k, dtype=np.int64)
    reach = np.empty(k, dtype=np.float64)
    points[0] = pole
    filled = 1
    for point in range(away.size if k > 1 else 0):
        distance = away[point]
        if filled == k and distance > reach[k - 1]:
            continue
        for queued in range(heads[point] + (1 if point == pole else 0), ends[point]):
            position = rows[queued]
            if filled == k and (distance > reach[k - 1] or (distance == reach[k - 1] and position > positions[k - 1])):
                break
            place = filled if filled < k else k - 1
            filled = min(filled + 1, k)
            while place > 1 and (
                reach[place - 1] > distance or (reach[place - 1] == distance and positions[place - 1] > position)
            ):
                reach[place], positions[place], points[place] = (
                    reach[place - 1], positions[place - 1], points[place - 1],
                )  # fmt: skip
                place -= 1
            reach[place], positions[place], points[place] = distance, position, point
    return points
