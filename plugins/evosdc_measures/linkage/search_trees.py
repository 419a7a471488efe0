"""Trees in which the records nearest to one are found: a prefix tree of categories, and a k-d tree of points."""

from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers, Rows
from evosdc_measures.domains import Counts, Integers


class PrefixTree(NamedTuple):
    """Distinct records as a tree with one level an attribute."""

    order: Integers  # (V,): Attribute of each level
    roots: int  # number of nodes of the first level, which come first
    # (N, 3): Code, first child and end of the children; at the last level code, number of records and position of one
    # of them in the file.
    nodes: Counts


def prefix_tree_of(codes: Codes) -> PrefixTree:
    """Build the tree of a file's records, shape (n, V); O(n V log n)."""
    n, attributes = codes.shape
    # Few branches first: a long common beginning is summed once for many records.
    order = np.argsort([len(np.unique(codes[:, v])) for v in range(attributes)], kind="stable").astype(np.int64)
    positions = in_order(codes[:, order])
    records = codes[positions][:, order]
    # A row begins a new node at a level if it differs from the row above there or further up.
    begins = np.ones((n, attributes), dtype=bool)
    begins[1:] = np.logical_or.accumulate(records[1:] != records[:-1], axis=1)
    levels = [np.flatnonzero(begins[:, level]) for level in range(attributes)]
    starts = np.concatenate(([0], np.cumsum([len(level) for level in levels])))
    parts = []
    for level, rows in enumerate(levels):
        nodes = np.empty((len(rows), 3), dtype=np.int32)
        nodes[:, 0] = records[rows, level]
        if level + 1 < attributes:
            nodes[:, 1] = starts[level + 1] + np.searchsorted(levels[level + 1], rows)
            nodes[:-1, 2] = nodes[1:, 1]
            nodes[-1, 2] = starts[level + 2]
        else:
            nodes[:, 1] = np.diff(rows, append=n)
            nodes[:, 2] = positions[rows]
        parts.append(nodes)
    return PrefixTree(order, len(levels[0]), np.concatenate(parts))


def in_order(codes: Codes) -> Integers:
    """Return the positions of records in lexicographic order, equal ones as they are."""
    # Where records and their positions can be numbered in 64 bits, numbers are sorted instead of rows: the same order
    # in a fifth of the time.
    n, attributes = codes.shape
    least = codes.min(axis=0, initial=0).astype(np.int64)
    widths = codes.max(axis=0, initial=0).astype(np.int64) - least + 1
    if prod(map(int, widths)) * max(n, 1) >= 1 << 63:
        return np.lexsort(codes.T[::-1])
    numbers = np.zeros(n, dtype=np.int64)
    for v in range(attributes):
        numbers *= widths[v]
        numbers += codes[:, v] - least[v]
    numbers *= n
    numbers += np.arange(n)
    numbers.sort()
    numbers %= max(n, 1)
    return numbers


Flags = NDArray[np.bool_]
LEAF = 8  # Greatest number of points that are not split
SQUARE, ABSOLUTE, EQUAL = 0, 1, 2  # what is added: the square, the absolute value, or 1 for any difference


class Metric(NamedTuple):
    """How points are compared."""

    kinds: Integers  # (V,): `SQUARE`, `ABSOLUTE` or `EQUAL`
    lost: Numbers  # (V,): What a missing value (NaN) and any other add
    # Distances that differ by less than this share of them, plus this much, are equal: the difference is rounding.
    relative: float
    absolute: float


class PointTree(NamedTuple):
    """Points as a tree."""

    rows: Rows  # (n,): Of the file, in the order of the leaves
    points: Numbers  # (n, V): In that order
    numbers: Integers  # (n,): Number of equal records at a point; the first of them stands for all
    # (N, 4): First point, end of the points, left and right child (-1 for a leaf); the root comes first.
    nodes: Integers
    low: Numbers  # (N, V): Box of the coordinates that are not missing; infinite and reversed where all are
    high: Numbers
    gaps: Flags  # (N, V): Whether any is missing


class Window(NamedTuple):
    """Which points are candidates for each queried record: those within a box; of shape (0, V) where all are."""

    low: Numbers  # (n, V)
    high: Numbers  # (n, V)
    gaps: Flags  # (n, V): Whether a missing coordinate is allowed


def everything(attributes: int) -> Window:
    """Return the window that leaves no point out."""
    return Window(np.empty((0, attributes)), np.empty((0, attributes)), np.empty((0, attributes), dtype=np.bool_))


def point_tree_of(points: Numbers, metric: Metric) -> PointTree:
    """Build the tree of a file's points, shape (n, V); O(n V log n)."""
    rows, numbers, nodes, low, high, gaps = _grow(points, metric.kinds, metric.lost)
    return PointTree(rows, points[rows], numbers, nodes, low, high, gaps)


def distances_of(queries: Numbers, searched: Numbers, metric: Metric) -> Numbers:
    """Return the distances of points, which lie along the last axis; other axes are broadcast."""
    total = np.zeros(np.broadcast_shapes(queries.shape[:-1], searched.shape[:-1]))
    for v, (kind, lost) in enumerate(zip(metric.kinds.tolist(), metric.lost.tolist(), strict=True)):
        x, y = queries[..., v], searched[..., v]
        apart = x - y
        missing = np.isnan(apart)
        if kind == EQUAL:
            apart = (apart != 0.0).astype(np.float64)
        elif kind == ABSOLUTE:
            apart = np.abs(apart)
        else:
            apart = apart * apart
        if missing.any():
            apart = np.where(missing, np.where(np.isnan(x) & np.isnan(y), 0.0, lost), apart)
        total += apart
    return total


@njit(cache=True, nogil=True)
def _grow(points: Numbers, kinds: Integers, lost: Numbers) -> tuple[Rows, Integers, Integers, Numbers, Numbers, Flags]:
    """Split points at the mean of their widest attribute until they are few or equal."""
    total, attributes = points.shape
    rows, numbers = np.arange(total), np.ones(total, np.int64)
    # Both parts of a split hold a point at least; unfilled rows are never touched.
    nodes = np.empty((2 * total, 4), np.int64)
    low, high = np.empty((2 * total, attributes)), np.empty((2 * total, attributes))
    gaps = np.empty((2 * total, attributes), np.bool_)
    nodes[0, 0], nodes[0, 1] = 0, total
    filled, node = 1, 0
    while node < filled:
        begin, end = nodes[node, 0], nodes[node, 1]
        nodes[node, 2], nodes[node, 3] = -1, -1
        widest, spread = 0, 0.0
        for v in range(attributes):
            least, greatest, gap = np.inf, -np.inf, False
            for i in range(begin, end):
                value = points[rows[i], v]
                if np.isnan(value):
                    gap = True
                else:
                    least, greatest = min(least, value), max(greatest, value)
            low[node, v], high[node, v], gaps[node, v] = least, greatest, gap
            width = 0.0
            if least < greatest:
                width = greatest - least
                if kinds[v] == EQUAL:
                    width = 1.0
                elif kinds[v] == SQUARE:
                    width *= width
            if gap and least <= greatest:
                # Under wildcards a missing value is near to all others, but these are not near to each other.
                width = max(width, lost[v], 1e-300)
            if width > spread:
                widest, spread = v, width
        if spread == 0.0:
            numbers[begin] = end - begin
            nodes[node, 1] = begin + 1
        elif end - begin > LEAF:
            # By means boxes of skewed numbers are tighter than by medians: a search takes a quarter less.
            least, middle, known = low[node, widest], 0.0, 0
            for i in range(begin, end):
                value = points[rows[i], widest]
                if not np.isnan(value):
                    middle += value - least
                    known += 1
            middle = least + middle / known
            if middle >= high[node, widest]:
                middle = least
            # Missing values are below nothing, so that they come to the right.
            left, right = begin, end
            while left < right:
                if points[rows[left], widest] <= middle:
                    left += 1
                else:
                    right -= 1
                    rows[left], rows[right] = rows[right], rows[left]
            if begin < left < end:
                nodes[node, 2], nodes[node, 3] = filled, filled + 1
                nodes[filled, 0], nodes[filled, 1] = begin, left
                nodes[filled + 1, 0], nodes[filled + 1, 1] = left, end
                filled += 2
        node += 1
    return rows, numbers, nodes[:filled].copy(), low[:filled].copy(), high[:filled].copy(), gaps[:filled].copy()


@njit(cache=True, nogil=True)
def _distance(a: Numbers, b: Numbers, kinds: Integers, lost: Numbers, most: float, plain: bool) -> float:
    """Return the distance of two points, or some number above `most` where it exceeds that."""
    # `plain` points have squares of numbers alone, none of which is missing: that takes half of the time.
    total = 0.0
    for v in range(len(a)):
        apart = a[v] - b[v]
        if plain:
            total += apart * apart
            if total > most:
                break
            continue
        if np.isnan(apart):
            if not (np.isnan(a[v]) and np.isnan(b[v])):
                total += lost[v]
        elif kinds[v] == SQUARE:
            total += apart * apart
        elif kinds[v] == ABSOLUTE:
            total += abs(apart)
        elif apart != 0.0:
            total += 1.0
        if total > most:
            break
    return total


@njit(cache=True, nogil=True)
def _bound(
    point: Numbers, low: Numbers, high: Numbers, gaps: Flags, kinds: Integers, lost: Numbers, most: float, plain: bool
) -> float:
    """Return a distance that no point of a box falls below, or some number above `most`; `plain` as of `_distance`."""
    total = 0.0
    for v in range(len(point)):
        if plain:
            apart = max(low[v] - point[v], point[v] - high[v], 0.0)
            total += apart * apart
            if total > most:
                break
            continue
        if np.isnan(point[v]):
            if not gaps[v]:
                total += lost[v]
        else:
            apart = max(low[v] - point[v], point[v] - high[v], 0.0)
            if apart > 0.0:
                if kinds[v] == SQUARE:
                    apart *= apart
                elif kinds[v] == EQUAL:
                    apart = 1.0
                total += min(apart, lost[v]) if gaps[v] else apart
        if total > most:
            break
    return total


@njit(cache=True, nogil=True)
def _inside(point: Numbers, low: Numbers, high: Numbers, gaps: Flags) -> bool:
    """Return whether a point lies in a box; a missing coordinate does where there may be gaps."""
    for v in range(len(point)):
        if np.isnan(point[v]):
            if not gaps[v]:
                return False
        elif point[v] < low[v] or point[v] > high[v]:
            return False
    return True


@njit(cache=True, nogil=True)
def link_points(
    queries: Numbers, own: Numbers, tree: PointTree, metric: Metric, window: Window
) -> tuple[Integers, Rows]:
    """Return how many searched records are as near as the own one, itself counted; 0 where one is nearer."""
    rows, points, numbers, nodes, low, high, gaps = tree
    kinds, lost, relative, absolute = metric
    windowed = len(window.low) > 0
    complete = not gaps[0].any() and not kinds.any()
    ties, rivals = np.zeros(len(queries), np.int64), np.full(len(queries), -1, np.int64)
    stack = np.empty(len(nodes) + 2, np.int64)
    for i in range(len(queries)):
        record = queries[i]
        if windowed and not _inside(own[i], window.low[i], window.high[i], window.gaps[i]):
            continue
        plain = complete and not np.isnan(record.sum())
        distance = _distance(record, own[i], kinds, lost, np.inf, plain)
        nearer, most = distance * (1.0 - relative) - absolute, distance * (1.0 + relative) + absolute
        depth, stack[0] = 1, 0
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if nodes[node, 2] < 0:
                for place in range(nodes[node, 0], nodes[node, 1]):
                    if windowed and not _inside(points[place], window.low[i], window.high[i], window.gaps[i]):
                        continue
                    found = _distance(record, points[place], kinds, lost, most, plain)
                    if found < nearer:
                        ties[i], rivals[i], depth = 0, rows[place], 0
                        break
                    if found <= most:
                        ties[i] += numbers[place]
                continue
            left, right = nodes[node, 2], nodes[node, 3]
            near = _bound(record, low[left], high[left], gaps[left], kinds, lost, most, plain)
            far = _bound(record, low[right], high[right], gaps[right], kinds, lost, most, plain)
            if windowed:
                for v in range(len(record)):
                    first, last, gap = window.low[i, v], window.high[i, v], window.gaps[i, v]
                    if (low[left, v] > last or high[left, v] < first) and not (gaps[left, v] and gap):
                        near = np.inf
                    if (low[right, v] > last or high[right, v] < first) and not (gaps[right, v] and gap):
                        far = np.inf
            if near > far:
                left, right, near, far = right, left, far, near
            if far <= most:
                stack[depth] = right
                depth += 1
            if near <= most:
                stack[depth] = left
                depth += 1
    return ties, rivals
