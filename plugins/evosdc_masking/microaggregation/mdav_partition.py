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
from evosdc_masking.averages import CONVEX_MEDIAN, MEAN, MODE
from evosdc_masking.point_search import farthest, incomplete_columns, measure
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
    points, codes, numbers = space.points, space.codes, space.numbers
    heads, ends = points.starts[:-1].copy(), points.starts[1:].copy()
    incomplete = incomplete_columns(numbers)
    classes = np.full(points.rows.size, -1, dtype=np.int64)
    widest = int(space.metric.sizes.max(initial=1))
    group, remaining = 0, points.rows.size
    while remaining >= 2 * k:
        # Exhausted points are dropped now and then, and sums taken again before rounding adds up.
        left = heads < ends
        codes, numbers = np.ascontiguousarray(codes[:, left]), np.ascontiguousarray(numbers[:, left])
        heads, ends = heads[left], ends[left]
        counts = np.zeros((len(codes), widest), dtype=np.int64)
        for j, column in enumerate(codes):
            counts[j] = np.bincount(column, ends - heads, widest)
        known = ~np.isnan(numbers)
        sums = np.where(known, numbers, 0.0).cumsum(axis=1)[:, -1].copy()
        group, remaining = _form(
            space.metric, codes, numbers, incomplete, points.rows, heads, ends, counts, sums, known.sum(axis=1), k,
            group, remaining, classes,
        )  # fmt: skip
    classes[classes < 0] = group
    return classes


@njit(cache=True)
def _form(
    metric: Metric,
    codes: Codes,
    numbers: Numbers,
    incomplete: NDArray[np.bool_],
    rows: Integers,
    heads: Integers,
    ends: Integers,
    counts: Integers,
    sums: Numbers,
    present: Integers,
    k: int,
    group: int,
    remaining: int,
    classes: Integers,
) -> tuple[int, int]:
    """Form classes until a sixteenth of the points is exhausted; return the next class and the records that are left.

    ``rows[heads[i]:ends[i]]`` are the records of point i that no class has taken yet; `counts` of categories, `sums` of
    numbers and how many are `present` are over all of them. All these arrays are updated.
    """
    visited, exhausted = heads.size, 0
    away = np.empty(visited, dtype=np.float64)
    centre_codes = np.empty(codes.shape[0], dtype=np.int32)
    centre_numbers = np.empty(numbers.shape[0], dtype=np.float64)
    hull = np.empty(counts.shape[1], dtype=np.int64)
    points = np.empty(k, dtype=np.int64)
    positions = np.empty(k, dtype=np.int64)
    reach = np.empty(k, dtype=np.float64)
    while remaining >= 2 * k and 16 * exhausted <= visited:
        for step in range(3 if remaining >= 3 * k else 2):
            pole = -1
            if step > 0:
                # The record farthest from the average, then the one farthest from that record.
                pole = farthest(away, rows, heads, ends)
                for j in range(codes.shape[0]):
                    centre_codes[j] = codes[j, pole]
                for j in range(numbers.shape[0]):
                    centre_numbers[j] = numbers[j, pole]
            else:
                # As `evosdc_masking.averages.average_category` has it.
                for j in range(codes.shape[0]):
                    size, rule = metric.sizes[j], metric.averages[j]
                    missing = 0 if metric.wildcard else counts[j, size - 1]
                    total, moment, most, average = 0, 0.0, 0, -1
                    for category in range(size - 1):
                        total += counts[j, category]
                        moment += category * counts[j, category]
                        if counts[j, category] > most and rule == MODE:
                            average, most = category, counts[j, category]
                    if rule == MEAN and total > 0:
                        average = int(np.ceil(moment / total - 0.5))
                    elif rule != MODE and total > 0:
                        most = 0
                        for category in range(size - 1):
                            most = max(most, counts[j, category])
                            hull[category] = most if rule == CONVEX_MEDIAN else counts[j, category]
                        summed, most = 0, 0
                        for category in range(size - 2, -1, -1):
                            most = max(most, counts[j, category])
                            hull[category] = min(hull[category], most)
                            summed += hull[category]
                        average, below = 0, hull[0]
                        while 2 * below < summed:
                            average += 1
                            below += hull[average]
                        most = 0
                    if missing > (most if rule == MODE else total):
                        average = -1
                    centre_codes[j] = average if average >= 0 else size - 1
                for j in range(sums.size):
                    missing = 0 if metric.wildcard else remaining - present[j]
                    absent = present[j] == 0 or missing > present[j]
                    centre_numbers[j] = np.nan if absent else sums[j] / present[j]
            measure(metric, codes, numbers, incomplete, centre_codes, centre_numbers, away)
            if step == 0:
                continue
            # The pole's first record and the k - 1 nearest others, by distance and position.
            points[0] = pole
            filled = 1
            for point in range(visited if k > 1 else 0):
                distance = away[point]
                if filled == k and distance > reach[k - 1]:
                    continue
                for queued in range(heads[point] + (1 if point == pole else 0), ends[point]):
                    position = rows[queued]
                    if filled == k and (
                        distance > reach[k - 1] or (distance == reach[k - 1] and position > positions[k - 1])
                    ):
                        break
                    place = filled if filled < k else k - 1
                    filled = min(filled + 1, k)
                    while place > 1 and (
                        reach[place - 1] > distance
                        or (reach[place - 1] == distance and positions[place - 1] > position)
                    ):
                        reach[place], positions[place] = reach[place - 1], positions[place - 1]
                        points[place] = points[place - 1]
                        place -= 1
                    reach[place], positions[place], points[place] = distance, position, point
            for member in points:
                classes[rows[heads[member]]] = group
                heads[member] += 1
                exhausted += heads[member] == ends[member]
                for j in range(codes.shape[0]):
                    counts[j, codes[j, member]] -= 1
                for j in range(numbers.shape[0]):
                    if not np.isnan(numbers[j, member]):
                        sums[j] -= numbers[j, member]
                        present[j] -= 1
            group += 1
            remaining -= k
    return group, remaining
