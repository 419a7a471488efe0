"""A k-d tree over points of numbers and categories, and the exact count of records tied with a record's own.

Every node knows the box of its points: least and greatest coordinate, and whether any is missing. A branch is left as
soon as its box is farther than the own record. Whether a record is linked needs no nearest neighbour: the search ends
at the first point that is closer than the own one.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows
from evosdc_measures.domains import Counts
from evosdc_measures.linkage.coordinates import SAME, ZERO, Flags, Metric, squared, squared_numbers

LEAF = 8
"""Greatest number of distinct points that are not split."""


class BoxTree(NamedTuple):
    """Distinct points as a tree.

    Parameters
    ----------
    points : ndarray of float64, shape (D, V)
        In the order of the leaves.
    numbers : ndarray of int32, shape (D,)
        How many records stand at each.
    nodes : ndarray of int32, shape (N, 4)
        First point, end of the points, left and right child (-1 for a leaf); the root comes first.
    low, high : ndarray of float64, shape (N, V)
        Box of the coordinates that are not missing; infinite and reversed where all are.
    gaps : ndarray of bool, shape (N, V)
        Whether any is missing.
    """

    points: Numbers
    numbers: Counts
    nodes: Counts
    low: Numbers
    high: Numbers
    gaps: Flags


class Window(NamedTuple):
    """Which points are candidates for each record: those within a box; none of all shape (0, 0) where all are.

    Parameters
    ----------
    low, high : ndarray of float64, shape (n, V)
    gaps : ndarray of bool, shape (n, V)
        Whether a missing coordinate is allowed.
    """

    low: Numbers
    high: Numbers
    gaps: Flags


EVERYTHING = Window(np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0), dtype=np.bool_))


def box_tree_of(points: Numbers, metric: Metric) -> BoxTree:
    """Build the tree of a file's points, shape (n, V); O(n V log n)."""
    return tree_and_order_of(points, metric)[0]


def tree_and_order_of(points: Numbers, metric: Metric) -> tuple[BoxTree, Rows]:
    """Return the tree of a file's points, shape (n, V), and its rows in the order of the leaves; O(n V log n).

    Whoever looks rows up in that order finds in the processor's cache what the one before has asked for: of a million
    records that takes two thirds of the time.
    """
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    new = np.ones(len(points), dtype=np.bool_)
    gaps = np.isnan(ordered)
    new[1:] = ((ordered[1:] != ordered[:-1]) & ~(gaps[1:] & gaps[:-1])).any(axis=1)
    first = np.flatnonzero(new)
    distinct = np.ascontiguousarray(ordered[first])
    numbers = np.diff(first, append=len(points)).astype(np.int32)
    places, nodes, low, high, gaps = _grow(distinct, *metric)
    leaves = np.empty(len(places), np.intp)
    leaves[places] = np.arange(len(places))
    by_leaf = order[np.argsort(np.repeat(leaves, numbers), kind="stable")]
    return BoxTree(np.ascontiguousarray(distinct[places]), numbers[places], nodes, low, high, gaps), by_leaf


@njit(cache=True, nogil=True)
def _grow(points: Numbers, equality: Flags, lost: Numbers) -> tuple[Rows, Counts, Numbers, Numbers, Flags]:
    total, attributes = points.shape
    places = np.arange(total)
    # A part below a fourth is never split off, and leaves hold at least a point.
    nodes = np.full((2 * total, 4), -1, np.int32)
    low, high = np.full((2 * total, attributes), np.inf), np.full((2 * total, attributes), -np.inf)
    gaps = np.zeros((2 * total, attributes), np.bool_)
    nodes[0, 0], nodes[0, 1] = 0, total
    filled, node = 1, 0
    while node < filled:
        begin, end = nodes[node, 0], nodes[node, 1]
        widest, spread = 0, 0.0
        for v in range(attributes):
            for i in range(begin, end):
                value = points[places[i], v]
                if np.isnan(value):
                    gaps[node, v] = True
                else:
                    low[node, v], high[node, v] = min(low[node, v], value), max(high[node, v], value)
            width = 0.0
            if low[node, v] < high[node, v]:
                width = 1.0 if equality[v] else (high[node, v] - low[node, v]) ** 2
            if gaps[node, v] and low[node, v] <= high[node, v]:
                width = max(width, lost[v])
            if width > spread:
                widest, spread = v, width
        if end - begin > LEAF and spread > 0.0:
            part = places[begin:end].copy()
            values = np.empty(end - begin)
            for i in range(end - begin):
                value = points[part[i], widest]
                values[i] = np.inf if np.isnan(value) else value
            order = np.argsort(values)
            for i in range(end - begin):
                places[begin + i] = part[order[i]]
            middle = _boundary(values, order)
            nodes[node, 2], nodes[node, 3] = filled, filled + 1
            nodes[filled, 0], nodes[filled, 1] = begin, begin + middle
            nodes[filled + 1, 0], nodes[filled + 1, 1] = begin + middle, end
            filled += 2
        node += 1
    return places, nodes[:filled].copy(), low[:filled].copy(), high[:filled].copy(), gaps[:filled].copy()


@njit(cache=True)
def _boundary(values: Numbers, order: NDArray[np.int64]) -> int:
    """Return where to split: between two different values near the middle, else in the middle."""
    size = len(order)
    middle = size // 2
    for step in range(size // 4):
        for place in (middle - step, middle + step):
            if 0 < place < size and values[order[place - 1]] != values[order[place]]:
                return int(place)
    return middle


@njit(cache=True)
def inside(point: Numbers, low: Numbers, high: Numbers, gaps: Flags) -> bool:
    """Return whether a point lies in a box; a missing coordinate does where there may be gaps."""
    for v in range(len(point)):
        value = point[v]
        if np.isnan(value):
            if not gaps[v]:
                return False
        elif value < low[v] or value > high[v]:
            return False
    return True


@njit(cache=True)
def _bound(
    point: Numbers, low: Numbers, high: Numbers, gaps: Flags, equality: Flags, lost: Numbers, most: float
) -> float:
    """Return a squared distance that no point of a box falls below, or some number above `most`."""
    total = 0.0
    for v in range(len(point)):
        x = point[v]
        if np.isnan(x):
            step = 0.0 if gaps[v] else lost[v]
        else:
            apart = max(low[v] - x, x - high[v], 0.0)
            step = (1.0 if apart > 0.0 else 0.0) if equality[v] else apart * apart
            if gaps[v]:
                step = min(step, lost[v])
        total += step
        if total > most:
            break
    return total


@njit(cache=True)
def _bound_of_numbers(point: Numbers, low: Numbers, high: Numbers, most: float) -> float:
    """Return what `_bound` does for numbers without missing ones, in less time."""
    total = 0.0
    for v in range(len(point)):
        apart = max(low[v] - point[v], point[v] - high[v], 0.0)
        total += apart * apart
        if total > most:
            break
    return total


@njit(cache=True)
def _apart(
    low: Numbers, high: Numbers, gaps: Flags, wanted_low: Numbers, wanted_high: Numbers, wanted_gaps: Flags
) -> bool:
    """Return whether a box holds no candidate for certain."""
    for v in range(len(low)):
        if (low[v] > wanted_high[v] or high[v] < wanted_low[v]) and not (gaps[v] and wanted_gaps[v]):
            return True
    return False


@njit(cache=True, nogil=True)
def tie_sizes(
    asked: Numbers, own: Numbers, rows: Rows, tree: BoxTree, metric: Metric, window: Window, ties: Counts
) -> None:
    """Write for some records how many points are as near as their own, itself counted; 0 where any is nearer.

    Parameters
    ----------
    asked, own : ndarray of float64, shape (n, V)
        The records that are looked up, and their own records among those that are searched.
    rows : ndarray of intp, shape (m,)
    tree : BoxTree
        Of the records that are searched.
    metric : Metric
    window : Window
        Where the own record is no candidate the answer is 0.
    ties : ndarray of int32, shape (n,)
        Written.
    """
    points, numbers, nodes, low, high, gaps = tree
    equality, lost = metric
    first, last, open_gaps = window
    windowed = len(first) > 0
    plain = not equality.any() and not gaps[0].any()
    stack = np.empty(256, np.int64)
    for row in rows:
        record = asked[row]
        ties[row] = 0
        if windowed and not inside(own[row], first[row], last[row], open_gaps[row]):
            continue
        complete = plain and not np.isnan(record.sum())
        distance = squared(record, own[row], equality, lost, np.inf)
        nearer = distance * (1.0 - SAME) - ZERO
        most = distance * (1.0 + SAME) + ZERO
        tied, depth = 0, 1
        stack[0] = 0
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if nodes[node, 2] < 0:
                for place in range(nodes[node, 0], nodes[node, 1]):
                    if windowed and not inside(points[place], first[row], last[row], open_gaps[row]):
                        continue
                    if complete:
                        found = squared_numbers(record, points[place], most)
                    else:
                        found = squared(record, points[place], equality, lost, most)
                    if found < nearer:
                        tied, depth = 0, -1
                        break
                    if found <= most:
                        tied += numbers[place]
                continue
            left, right = nodes[node, 2], nodes[node, 3]
            if complete:
                near = _bound_of_numbers(record, low[left], high[left], most)
                far = _bound_of_numbers(record, low[right], high[right], most)
            else:
                near = _bound(record, low[left], high[left], gaps[left], equality, lost, most)
                far = _bound(record, low[right], high[right], gaps[right], equality, lost, most)
            if windowed:
                if _apart(low[left], high[left], gaps[left], first[row], last[row], open_gaps[row]):
                    near = np.inf
                if _apart(low[right], high[right], gaps[right], first[row], last[row], open_gaps[row]):
                    far = np.inf
            if near > far:
                left, right, near, far = right, left, far, near
            if far <= most:
                stack[depth] = right
                depth += 1
            if near <= most:
                stack[depth] = left
                depth += 1
        ties[row] = tied


def expected_matches(ties: Counts) -> float:
    """Return the sum over records of one in so many as are tied, taken by size of the tie."""
    sizes = np.bincount(ties)[1:]
    return float((sizes / np.arange(1, len(sizes) + 1)).sum())
