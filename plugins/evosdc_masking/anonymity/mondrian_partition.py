"""The partition of Mondrian, compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.anonymity.mondrian_axes import Axes, Ranks
from evosdc_masking.order import stable_order

Sizes = NDArray[np.int64]


@njit(cache=True)
def mondrian_partition(axes: Axes, k: int, relaxed: bool, priorities: NDArray[np.float64]) -> Ranks:
    """Return the part of each record.

    A part is cut along the first attribute that allows it, until none does. A strict cut at x is allowed if at least k
    records have at most x and at least k have more; of the allowed ones the nearest to the median is taken. A relaxed
    cut is allowed if there are 2k records: the median value's are divided in the order of their positions, so that
    halves differ by one at most. Along a hierarchy a part is cut into the children of its lowest common ancestor, if
    each that occurs has k records; where that is not allowed a relaxed partition halves it in the order of the leaves.

    Parameters
    ----------
    axes : Axes
        Of n records, n >= 1.
    k : int
        Least number of records of a part, 1..n.
    relaxed : bool
    priorities : ndarray of float64, shape (m, V)
        The order in which attributes are tried, greatest first, for each part in turn, m >= 2 n / k; none (m = 0)
        stands for the widest first.

    Returns
    -------
    ndarray of int64, shape (n,)
        Numbers of the parts from 0, in the order of the cuts.
    """
    n, width = axes.ranks.shape
    order, parts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for row in range(n):
        order[row] = row
    # Parts that are not taken up yet hold different records, so there are never more than n.
    starts, ends = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    starts[0], ends[0] = 0, n
    sizes, spans, tried = np.empty(n, dtype=np.int64), np.empty(width), np.empty(width, dtype=np.bool_)
    waiting, visited, made = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        start, end = starts[waiting], ends[waiting]
        rows = order[start:end]
        pieces = 0
        if rows.size >= 2 * k:
            _measure_spans(axes, rows, spans)
            for axis in range(width):
                tried[axis] = spans[axis] <= 0.0
            axis = _greatest(priorities, visited, spans, tried)
            while axis >= 0 and pieces == 0:
                tried[axis] = True
                pieces = _cut(axes, rows, axis, k, relaxed, sizes)
                axis = _greatest(priorities, visited, spans, tried)
            visited += 1
        for piece in range(pieces - 1, -1, -1):  # the first child is taken up first
            starts[waiting], ends[waiting] = end - sizes[piece], end
            end -= sizes[piece]
            waiting += 1
        if pieces == 0:
            for row in rows:
                parts[row] = made
            made += 1
    return parts


@njit(cache=True)
def _greatest(
    priorities: NDArray[np.float64], part: int, spans: NDArray[np.float64], left_out: NDArray[np.bool_]
) -> int:
    """Return the attribute of greatest priority, or span, the first of equal ones, not left out; -1 if all are."""
    best, most = -1, 0.0
    for axis in range(spans.size):
        weight = priorities[part, axis] if priorities.size else spans[axis]
        if not left_out[axis] and (best < 0 or weight > most):
            best, most = axis, weight
    return best


@njit(cache=True)
def _measure_spans(axes: Axes, rows: Ranks, spans: NDArray[np.float64]) -> None:
    """Write how much of each attribute a part spans, 0 where it has one value, else up to 1, to `spans`."""
    for axis in range(spans.size):
        low = high = axes.ranks[rows[0], axis]
        for row in rows:
            low, high = min(low, axes.ranks[row, axis]), max(high, axes.ranks[row, axis])
        if low == high:
            spans[axis] = 0.0
        elif axes.heights[axis] >= 0:
            spans[axis] = axes.widths[axes.broad[axis] + _node(axes, axis, low, _common_level(axes, rows, axis))]
        else:
            span = axes.places[axes.first[axis] + high] - axes.places[axes.first[axis] + low]
            spans[axis] = 1.0 if np.isnan(span) else span  # with missing values the whole attribute is lost


@njit(cache=True)
def _node(axes: Axes, axis: int, rank: int, level: int) -> int:
    node: int = axes.nodes[axes.tree[axis] + rank * (axes.heights[axis] + 1) + level]
    return node


@njit(cache=True)
def _common_level(axes: Axes, rows: Ranks, axis: int) -> int:
    """Return the level of the lowest common ancestor of the values of some records."""
    level = 0
    some = axes.ranks[rows[0], axis]
    for row in rows:
        rank = axes.ranks[row, axis]
        while _node(axes, axis, rank, level) != _node(axes, axis, some, level):
            level += 1
    return level


@njit(cache=True)
def _cut(axes: Axes, rows: Ranks, axis: int, k: int, relaxed: bool, sizes: Sizes) -> int:
    """Order the records of a part so that its pieces follow each other; return how many, 0 without a cut.

    The sizes of the pieces are written to `sizes`.
    """
    n = rows.size
    keys = np.empty(n, dtype=np.int64)
    if axes.heights[axis] >= 0:
        level = _common_level(axes, rows, axis) - 1
        for i in range(n):
            keys[i] = _node(axes, axis, axes.ranks[rows[i], axis], level)
        order = stable_order(keys)
        pieces = _count_runs(keys, order, sizes)
        least = n
        for piece in range(pieces):
            least = min(least, sizes[piece])
        if least >= k:
            for i in range(n):
                keys[i] = rows[order[i]]
            for i in range(n):
                rows[i] = keys[i]
            return pieces
        if not relaxed:
            return 0
    for i in range(n):
        keys[i] = axes.ranks[rows[i], axis]
    ordered = _ordered(keys)
    left = (n + 1) // 2 if relaxed else _median_cut(ordered, k)
    if left == 0:
        return 0
    _divide(rows, keys, ordered[left - 1], left)
    sizes[0], sizes[1] = left, n - left
    return 2


@njit(cache=True)
def _ordered(keys: Ranks) -> Ranks:
    """Return ranks from the least to the greatest: counted where they lie close together, sorted otherwise."""
    least = greatest = keys[0]
    for key in keys:
        least, greatest = min(least, key), max(greatest, key)
    ordered, place = np.empty(keys.size, dtype=np.int64), 0
    if greatest - least > 4 * keys.size:
        for position in stable_order(keys):
            ordered[place] = keys[position]
            place += 1
        return ordered
    counts = np.zeros(greatest - least + 1, dtype=np.int64)
    for key in keys:
        counts[key - least] += 1
    for rank in range(counts.size):
        for _ in range(counts[rank]):
            ordered[place] = least + rank
            place += 1
    return ordered


@njit(cache=True)
def _count_runs(keys: Ranks, order: Ranks, sizes: Sizes) -> int:
    """Write the lengths of the runs of equal keys, in an order, to `sizes`; return how many there are."""
    runs = 0
    sizes[0] = 0
    for i in range(order.size):
        if i > 0 and keys[order[i]] != keys[order[i - 1]]:
            runs += 1
            sizes[runs] = 0
        sizes[runs] += 1
    return runs + 1


@njit(cache=True)
def _median_cut(ordered: Ranks, k: int) -> int:
    """Return how many values a strict cut puts to the left, the allowed number nearest to the median's; 0 if none."""
    n = ordered.size
    middle = (n - 1) // 2
    while middle + 1 < n and ordered[middle + 1] == ordered[middle]:
        middle += 1
    wanted, best = middle + 1, 0
    for left in range(k, n - k + 1):
        allowed = ordered[left - 1] != ordered[left]
        if allowed and (best == 0 or abs(left - wanted) < abs(best - wanted)):
            best = left
    return best


@njit(cache=True)
def _divide(rows: Ranks, keys: Ranks, last: int, left: int) -> None:
    """Put the `left` records with the least keys, up to `last`, first; keep the order, also of equal ones."""
    ties = left
    for key in keys:
        if key < last:
            ties -= 1
    divided = np.empty(rows.size, dtype=np.int64)
    lower, upper = 0, left
    for i in range(rows.size):
        low = keys[i] < last
        if keys[i] == last and ties > 0:
            low = True
            ties -= 1
        if low:
            divided[lower] = rows[i]
            lower += 1
        else:
            divided[upper] = rows[i]
            upper += 1
    for i in range(rows.size):
        rows[i] = divided[i]
