"""The partition of k-member clustering (Byun et al. 2007).

From a random record, the record farthest from it begins a cluster, which takes one after the other the records that
increase its loss the least, until it has k; the next cluster begins with the record farthest from the beginning of the
last. Fewer than k records that are over go one by one, in the order of their positions, where they increase the loss
the least.

The spread of a cluster in an attribute is the greatest distance between two of its values. That is the range of
numbers and of ordinal categories, and the level of the lowest common ancestor of categories with a hierarchy. A
cluster that is to grow by one has the same size whatever it takes, so the least increase of the loss is the least sum
of spreads. Ties go to the record with the lower position in the file.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers
from evosdc_masking.anonymity.cluster_spread import Extents, breadth, empty_extents, extend, spread_with
from evosdc_masking.point_search import copy_point, farthest, incomplete_columns, measure, remaining_points
from evosdc_masking.space import Metric, Space

Integers = NDArray[np.int64]


def k_member_partition(space: Space, k: int, first: int) -> Integers:
    """Return the number of each record's cluster, shape (n,), clusters numbered in the order of their formation.

    Parameters
    ----------
    space : Space
        The records with the distance of clustering, n >= k.
    k : int
        Least size of a cluster, at least 1.
    first : int
        Position of the record from which the first farthest one is sought.
    """
    starts, rows = space.points.starts, space.points.rows
    point_of = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    point = int(point_of[np.flatnonzero(rows == first)[0]])
    heads, ends = starts[:-1].copy(), starts[1:].copy()
    extents = empty_extents(rows.size // k, space)
    classes = _grow(space.metric, space.codes, space.numbers, rows, heads, ends, k, point, extents)
    owner = np.empty(rows.size, dtype=np.int64)
    owner[rows] = point_of
    _distribute(space.metric, space.codes, space.numbers, owner, classes, extents)
    return classes


@njit(cache=True)
def _grow(
    metric: Metric,
    codes: Codes,
    numbers: Numbers,
    rows: Integers,
    heads: Integers,
    ends: Integers,
    k: int,
    first: int,
    extents: Extents,
) -> Integers:
    """Form the clusters of k; ``rows[heads[i]:ends[i]]`` are the records of point i that none has taken yet."""
    remaining = rows.size
    classes = np.empty(remaining, dtype=np.int64)
    for row in range(remaining):
        classes[row] = -1
    visited, exhausted = heads.size, 0
    away = np.empty(visited, dtype=np.float64)
    incomplete = incomplete_columns(numbers)
    seed_codes = np.empty(codes.shape[0], dtype=np.int32)
    seed_numbers = np.empty(numbers.shape[0], dtype=np.float64)
    copy_point(codes, numbers, first, seed_codes, seed_numbers)
    widest = 1
    for category_count in metric.sizes:
        widest = max(widest, category_count)
    reach = np.empty((codes.shape[0], widest), dtype=np.float64)
    group = 0
    while remaining >= k:
        measure(metric, codes, numbers, incomplete, seed_codes, seed_numbers, away)
        point = farthest(away, rows, heads, ends)
        copy_point(codes, numbers, point, seed_codes, seed_numbers)
        for j in range(reach.shape[0]):
            for category in range(widest):
                reach[j, category] = 0.0
        for size in range(k):
            if size > 0:
                spread_with(metric, codes, numbers, incomplete, extents, group, reach, away)
                point = _least(away, rows, heads, ends)
            extend(metric, codes, numbers, point, extents, group, reach)
            classes[rows[heads[point]]] = group
            heads[point] += 1
            exhausted += heads[point] == ends[point]
        group += 1
        remaining -= k
        if 16 * exhausted > visited:
            codes, numbers, heads, ends = remaining_points(codes, numbers, heads, ends)
            visited, exhausted = heads.size, 0
            away = away[:visited]
    return classes


@njit(cache=True)
def _least(away: Numbers, rows: Integers, heads: Integers, ends: Integers) -> int:
    """Return the point of the remaining record with the least of `away`, of the lowest position in a tie."""
    best = -1
    least = np.inf
    for point in range(away.size):
        if away[point] <= least and heads[point] < ends[point]:
            if best < 0 or away[point] < least or rows[heads[point]] < rows[heads[best]]:
                best = point
            least = away[point]
    return best


@njit(cache=True)
def _distribute(
    metric: Metric, codes: Codes, numbers: Numbers, owner: Integers, classes: Integers, extents: Extents
) -> None:
    """Put each record without a cluster in the one whose loss it increases the least; ``owner[row]`` is its point."""
    sizes = np.zeros(extents.spreads.shape[0], dtype=np.int64)
    for group in classes:
        if group >= 0:
            sizes[group] += 1
    for row in range(classes.size):
        if classes[row] >= 0:
            continue
        point = owner[row]
        wider = _wider(metric, codes, owner, classes, extents.spreads, point)
        best, least = -1, np.inf
        for group in range(sizes.size):
            before, after = extents.spreads[group].sum(), wider[group].sum()
            for q in range(numbers.shape[0]):
                low, high, absent = extents.low[group, q], extents.high[group, q], extents.absent[group, q]
                before += breadth(metric, low, high, absent)
                value = numbers[q, point]
                if np.isnan(value):
                    after += breadth(metric, low, high, True)
                else:
                    after += breadth(metric, min(low, value), max(high, value), absent)
            increase = (sizes[group] + 1) * after - sizes[group] * before
            if increase < least:
                best, least = group, increase
        classes[row] = best
        sizes[best] += 1
        extents.spreads[best] = wider[best]
        for q in range(numbers.shape[0]):
            if np.isnan(numbers[q, point]):
                extents.absent[best, q] = True
            else:
                extents.low[best, q] = min(extents.low[best, q], numbers[q, point])
                extents.high[best, q] = max(extents.high[best, q], numbers[q, point])


@njit(cache=True)
def _wider(metric: Metric, codes: Codes, owner: Integers, classes: Integers, spreads: Numbers, point: int) -> Numbers:
    """Return the spreads of categories that each cluster would have with a point, shape (m, C)."""
    wider = spreads.copy()
    for row in range(classes.size):
        group = classes[row]
        if group >= 0:
            for j in range(codes.shape[0]):
                cell = metric.offsets[j] + codes[j, owner[row]] * metric.sizes[j] + codes[j, point]
                wider[group, j] = max(wider[group, j], metric.distances[cell])
    return wider
