"""The partition of Mondrian, compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.anonymity.mondrian_axes import Axes, Ranks

Sizes = NDArray[np.int64]

_FEW = 32
"""Up to so many keys are put in order by insertion."""


_STRICT, _MEDIAN, _RELAXED = 0, 1, 2

CUTS = {"strict": _STRICT, "median": _MEDIAN, "relaxed": _RELAXED}
"""Which cuts of a part are allowed; see `mondrian_partition`."""


@njit(cache=True)
def mondrian_partition(axes: Axes, k: int, cuts: int, priorities: NDArray[np.float64]) -> Ranks:
    """Return the part of each record.

    A part is cut along the first attribute that allows it, until none does. A strict cut at x is allowed if at least k
    records have at most x and at least k have more; of the allowed ones the nearest to the median is taken, or the
    median alone, the upper one of two. A relaxed
    cut is allowed if there are 2k records: the median value's are divided in the order of their positions, so that
    halves differ by one at most. Along a hierarchy a part is cut into the children of its lowest common ancestor, if
    each that occurs has k records; where that is not allowed a relaxed partition halves it in the order of the leaves.

    Parameters
    ----------
    axes : Axes
        Of n records, n >= 1.
    k : int
        Least number of records of a part, 1..n.
    cuts : int
        Of `CUTS`.
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
    sizes, spans, levels = np.empty(n, dtype=np.int64), np.empty(width), np.empty(width, dtype=np.int64)
    waiting, visited, made = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        start, end = starts[waiting], ends[waiting]
        rows = order[start:end]
        pieces = 0
        if rows.size >= 2 * k:
            # How much of each attribute the part spans, 0 where it has one value, else up to 1.
            for axis in range(width):
                low = high = some = axes.ranks[rows[0], axis]
                for row in rows:
                    low, high = min(low, axes.ranks[row, axis]), max(high, axes.ranks[row, axis])
                spans[axis], height = 0.0, axes.heights[axis]
                if low == high:
                    continue
                if height < 0:
                    span = axes.places[axes.first[axis] + high] - axes.places[axes.first[axis] + low]
                    spans[axis] = 1.0 if np.isnan(span) else span  # with missing values the whole attribute is lost
                    continue
                # By a hierarchy, that of the lowest common ancestor.
                level, tree = 0, axes.nodes[axes.tree[axis] : axes.tree[axis + 1]]
                for row in rows:
                    rank = axes.ranks[row, axis]
                    while tree[rank * (height + 1) + level] != tree[some * (height + 1) + level]:
                        level += 1
                levels[axis] = level
                spans[axis] = axes.widths[axes.broad[axis] + tree[some * (height + 1) + level]]
            while pieces == 0:
                best, most = width, 0.0  # a constant here would be a type of its own, compiled by itself
                for axis in range(width):
                    weight = priorities[visited, axis] if priorities.size else spans[axis]
                    if spans[axis] > 0.0 and (best == width or weight > most):
                        best, most = axis, weight
                if best == width:
                    break
                spans[best] = 0.0  # tried
                pieces = _cut(axes, rows, best, int(levels[best]) - 1, k, cuts, sizes)
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
def _cut(axes: Axes, rows: Ranks, axis: int, level: int, k: int, cuts: int, sizes: Sizes) -> int:
    """Order the records of a part so that its pieces follow each other; return how many, 0 without a cut.

    Along a hierarchy the pieces are the nodes of a level. The sizes of the pieces are written to `sizes`.
    """
    n, height = rows.size, axes.heights[axis]
    keys, divided = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for trial in range(0 if height >= 0 else 1, 2):
        for i in range(n):
            rank = axes.ranks[rows[i], axis]
            keys[i] = axes.nodes[axes.tree[axis] + rank * (height + 1) + level] if trial == 0 else rank
        order = _stable_order(keys)
        if trial == 1:
            break
        pieces, least, begin = 0, n, 0
        for i in range(1, n + 1):
            if i == n or keys[order[i]] != keys[order[i - 1]]:
                sizes[pieces] = i - begin
                least, begin = min(least, i - begin), i
                pieces += 1
        if least >= k:
            for i in range(n):
                divided[i] = rows[order[i]]
            for i in range(n):
                rows[i] = divided[i]
            return pieces
        if cuts != _RELAXED:
            return 0
    left = (n + 1) // 2
    if cuts != _RELAXED:
        # Of the allowed numbers of records on the left the one nearest to that up to the median.
        wanted, left = (n // 2 if cuts == _MEDIAN else (n - 1) // 2) + 1, 0
        while wanted < n and keys[order[wanted]] == keys[order[wanted - 1]]:
            wanted += 1
        for other in range(k, n - k + 1):
            if cuts == _MEDIAN and other != wanted:
                continue
            if keys[order[other - 1]] != keys[order[other]] and (left == 0 or abs(other - wanted) < abs(left - wanted)):
                left = other
        if left == 0:
            return 0
    # Both pieces keep the order of the records, also of equal ones.
    last, lower, upper, ties = keys[order[left - 1]], 0, left, 0
    while ties < left and keys[order[left - 1 - ties]] == last:
        ties += 1
    for i in range(n):
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
    for i in range(n):
        rows[i] = divided[i]
    sizes[0], sizes[1] = left, n - left
    return 2


@njit(cache=True)
def _stable_order(keys: Ranks) -> Ranks:
    """Return the positions of keys from the least to the greatest; numpy's sorting takes seconds to compile.

    Few are inserted one by one, many counted by their digits from the lowest up (Knuth 1998, 5.2.5).
    """
    n = keys.size
    order, moved = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    if n <= _FEW:
        for position in range(n):
            place = position
            while place > 0 and keys[order[place - 1]] > keys[position]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = position
        return order
    least = greatest = keys[0]
    for position in range(n):
        order[position] = position
        least, greatest = min(least, keys[position]), max(greatest, keys[position])
    bits = 1
    while 1 << bits <= min(greatest - least, 2 * n):
        bits += 1
    counts = np.empty((1 << bits) + 1, dtype=np.int64)
    shift = 0
    while greatest - least >> shift:
        counts[:] = 0
        for position in range(n):
            counts[(keys[position] - least >> shift & (1 << bits) - 1) + 1] += 1
        for digit in range(1 << bits):
            counts[digit + 1] += counts[digit]
        for place in range(n):
            digit = keys[order[place]] - least >> shift & (1 << bits) - 1
            moved[counts[digit]] = order[place]
            counts[digit] += 1
        order, moved = moved, order
        shift += bits
    return order
