"""The partition of Mondrian, compiled."""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc_masking.anonymity.mondrian_axes import Axes, Ranks

Sizes = NDArray[np.int64]


@kernel
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
    n = axes.ranks.shape[0]
    order = np.arange(n)
    parts = np.empty(n, dtype=np.int64)
    starts, ends = [0], [n]
    visited, made = 0, 0
    while len(starts) > 0:
        start, end = starts.pop(), ends.pop()
        rows = order[start:end]
        sizes = np.empty(0, dtype=np.int64)
        if rows.size >= 2 * k:
            spans = _spans(axes, rows)
            weights = priorities[visited] if priorities.size else spans
            tried = spans <= 0.0
            while not tried.all() and sizes.size == 0:
                axis = _greatest(weights, tried)
                tried[axis] = True
                sizes = _cut(axes, rows, axis, k, relaxed)
            visited += 1
        if sizes.size:
            for size in sizes[::-1]:  # the first child is taken up first
                starts.append(end - size)
                ends.append(end)
                end -= size
        else:
            parts[rows] = made
            made += 1
    return parts


@kernel
def _greatest(weights: NDArray[np.float64], left_out: NDArray[np.bool_]) -> int:
    """Return where the greatest weight is, the first of equal ones, of those that are not left out; -1 if all are."""
    best = -1
    for axis in range(weights.size):
        if not left_out[axis] and (best < 0 or weights[axis] > weights[best]):
            best = axis
    return best


@kernel
def _spans(axes: Axes, rows: Ranks) -> NDArray[np.float64]:
    """Return how much of each attribute a part spans, 0 where it has one value, else up to 1."""
    width = axes.ranks.shape[1]
    spans = np.empty(width)
    for axis in range(width):
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
    return spans


@kernel
def _node(axes: Axes, axis: int, rank: int, level: int) -> int:
    node: int = axes.nodes[axes.tree[axis] + rank * (axes.heights[axis] + 1) + level]
    return node


@kernel
def _common_level(axes: Axes, rows: Ranks, axis: int) -> int:
    """Return the level of the lowest common ancestor of the values of some records."""
    level = 0
    some = axes.ranks[rows[0], axis]
    for row in rows:
        rank = axes.ranks[row, axis]
        while _node(axes, axis, rank, level) != _node(axes, axis, some, level):
            level += 1
    return level


@kernel
def _cut(axes: Axes, rows: Ranks, axis: int, k: int, relaxed: bool) -> Sizes:
    """Order the records of a part so that its pieces follow each other; return their sizes, none without a cut."""
    keys = np.empty(rows.size, dtype=np.int64)
    if axes.heights[axis] >= 0:
        level = _common_level(axes, rows, axis) - 1
        for i in range(rows.size):
            keys[i] = _node(axes, axis, axes.ranks[rows[i], axis], level)
        order = np.argsort(keys, kind="mergesort")
        sizes = _runs(keys[order])
        if sizes.min() >= k:
            ordered = rows[order]
            for i in range(rows.size):
                rows[i] = ordered[i]
            return sizes
    if axes.heights[axis] >= 0 and not relaxed:
        return np.empty(0, dtype=np.int64)
    for i in range(rows.size):
        keys[i] = axes.ranks[rows[i], axis]
    left = (rows.size + 1) // 2 if relaxed else _median_cut(np.sort(keys), k)
    if left == 0:
        return np.empty(0, dtype=np.int64)
    _divide(rows, keys, left)
    return np.array([left, rows.size - left])


@kernel
def _runs(ordered: Ranks) -> Sizes:
    """Return the lengths of the runs of equal values."""
    sizes, runs = np.zeros(ordered.size, dtype=np.int64), 0
    for i in range(ordered.size):
        if i > 0 and ordered[i] != ordered[i - 1]:
            runs += 1
        sizes[runs] += 1
    return sizes[: runs + 1]


@kernel
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


@kernel
def _divide(rows: Ranks, keys: Ranks, left: int) -> None:
    """Put the `left` records with the least keys first, equal ones in the order that they stand in; keep the order."""
    last = np.sort(keys)[left - 1]
    ties = left
    for key in keys:
        if key < last:
            ties -= 1
    divided = np.empty_like(rows)
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
