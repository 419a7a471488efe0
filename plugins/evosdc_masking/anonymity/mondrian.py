"""Mondrian: multidimensional partitioning by medians and along hierarchies."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Design
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute
from evosdc.table.spread import Spread, Spreads
from evosdc.table.table import MISSING, Numbers, Table
from evosdc_masking.anonymity.publication import ClusterPublishing
from evosdc_masking.averages import ClassNumbers, ClassParameters
from evosdc_masking.tuning import class_sizes

Ranks = NDArray[np.int64]


class Axes(NamedTuple):
    """All attributes as axes; a tuple of flat arrays, since compiled loops take it as it is."""

    ranks: Ranks  # shape (n, V); rank of each value among the distinct ones of its attribute
    first: Ranks  # shape (V + 1,); where each attribute's entries begin in `places` and, times its levels, in `nodes`
    places: Numbers  # by attribute and rank: where the value lies, 0 to 1 over the file; NaN for a missing value
    heights: Ranks  # shape (V,); height of the attribute's hierarchy, -1 where values are compared by rank
    tree: Ranks  # shape (V + 1,); where each attribute's entries begin in `nodes`
    nodes: Ranks  # by attribute, rank and level: number of the node, counted over all levels of the attribute
    broad: Ranks  # shape (V + 1,); where each attribute's entries begin in `widths`
    widths: Numbers  # by attribute and node: (leaves below it - 1) / (all leaves - 1)


def axes_of(table: Table, by_hierarchy: bool, spreads: Spreads | None = None) -> Axes:
    """Return the axes of a table, n >= 1."""
    # Numbers lie where they are, ordinal categories by their order, nominal ones by the order of their codes, and a
    # missing value stands behind all others.
    # Along a hierarchy values are ranked so that siblings are neighbours. Spreads are those of the whole file where the
    # table is a part of one.
    ranks, places, heights, nodes, widths = [], [], [], [], []
    for attribute in table.schema.attributes:
        values = np.asarray(table.column(attribute.name), dtype=np.float64)
        absent = values == MISSING if attribute.categorical else np.isnan(values)
        hierarchy = attribute.hierarchy if by_hierarchy and attribute.categories else None
        key, above, broad = (values, _NONE, _NOWHERE) if hierarchy is None else _along(attribute, hierarchy, values)
        distinct, rank = np.unique(np.where(absent, np.inf, key), return_inverse=True)
        ranks.append(rank.reshape(-1))
        whole = None if spreads is None else spreads.get(attribute.name)
        places.append(_places(distinct, attribute.categorical, whole))
        heights.append(-1 if hierarchy is None else hierarchy.height)
        if hierarchy is not None:
            nodes.append(above[np.where(np.isinf(distinct), len(above) - 1, distinct).astype(np.int64)].ravel())
            widths.append(broad)
        else:
            nodes.append(_NONE)
            widths.append(_NOWHERE)
    return Axes(
        np.stack(ranks, axis=1).astype(np.int64),
        _starts(places),
        np.concatenate(places),
        np.array(heights, dtype=np.int64),
        _starts(nodes),
        np.concatenate(nodes),
        _starts(widths),
        np.concatenate(widths),
    )


_NONE = np.empty(0, dtype=np.int64)
_NOWHERE = np.empty(0)


def _starts(parts: Sequence[NDArray[Any]]) -> Ranks:
    return np.concatenate(([0], np.cumsum([part.size for part in parts]))).astype(np.int64)


def _places(distinct: Numbers, categorical: bool, whole: Spread | None) -> Numbers:
    present = np.isfinite(distinct)
    # only values that occur count, so that an unused category does not make a part narrower than it is
    at = np.arange(distinct.size, dtype=np.float64) if categorical else distinct
    places = np.full(distinct.size, np.nan)
    if present.any():
        least, greatest = at[present].min(), at[present].max()
        width = greatest - least if whole is None else whole.width
        places[present] = (at[present] - least) / width if width > 0 else 0.0
    return places


def _along(attribute: Attribute, hierarchy: Hierarchy, values: Numbers) -> tuple[Numbers, Ranks, Numbers]:
    """Return where values stand in the order of the tree, the nodes above each such place, and widths of the nodes."""
    # The last place is that of a missing value, which is a child of the root.
    codes, labels = hierarchy.nodes(attribute.categories)
    order = np.lexsort(codes.T)  # the last key, the root's, comes first
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    sizes = np.array([len(names) for names in labels])
    offsets = np.cumsum(sizes) - sizes
    lone = np.append(np.full(hierarchy.height, sizes.sum()), offsets[-1])
    above = np.vstack([codes[order] + offsets, lone]).astype(np.int64)
    leaves = len(hierarchy.leaves)
    widths = []
    for level, names in enumerate(labels):
        below = dict.fromkeys(names, 0)
        for label in hierarchy.generalise(hierarchy.leaves, level):
            if label in below:
                below[label] += 1
        widths += [(below[name] - 1) / max(leaves - 1, 1) for name in names]
    widths[offsets[-1]] = 1.0  # the root holds missing values too, also where it has a single leaf
    positions = np.append(place, -1)[values.astype(np.int64)].astype(np.float64)
    return positions, above, np.array([*widths, 0.0])


Sizes = NDArray[np.int64]

_FEW = 32  # up to this many keys are sorted by insertion


_STRICT, _MEDIAN, _RELAXED = 0, 1, 2

# Which cuts of a part are allowed; see `mondrian_partition`.
CUTS = {"strict": _STRICT, "median": _MEDIAN, "relaxed": _RELAXED}


@njit(cache=True)
def mondrian_partition(axes: Axes, k: int, cuts: int, priorities: NDArray[np.float64]) -> Ranks:
    """Return the part of each record."""
    # A part is cut along the first attribute that allows it, until none does. A strict cut at x is allowed if at least
    # k records have at most x and at least k have more; of the allowed ones the nearest to the median is taken, or the
    # median alone, the upper one of two. A relaxed cut is allowed if there are 2k records: the median value's are
    # divided in the order of their positions, so that halves differ by one at most. Along a hierarchy a part is cut
    # into the children of its lowest common ancestor, if each that occurs has k records; where that is not allowed a
    # relaxed partition halves it in the order of the leaves.
    # Attributes are tried by `priorities` (m, V), greatest first, for each part in turn, m >= 2 n / k; m = 0 stands for
    # the widest first. Parts are numbered in the order of the cuts.
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
    """Order the records of a part so that its pieces follow each other; return how many, 0 without a cut."""
    # Along a hierarchy the pieces are the nodes of a level. The sizes of the pieces are written to `sizes`.
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
    """Return the positions of keys from the least to the greatest; numpy's sorting takes seconds to compile."""
    # Few are inserted one by one, many counted by their digits from the lowest up (Knuth 1998, 5.2.5).
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


class Mondrian(ClusterPublishing):
    """Cut the file again and again at a median, as long as all pieces keep k records; publish one value for each part.

    The attribute of which a part spans most is tried first (or they are tried in random order), then the others.
    Numbers are compared by value, ordinal categories by order, nominal ones by the order of their codes (a fixed order
    is enough; which one is a reconstruction); categories with a hierarchy are cut into the children
    of their lowest common ancestor instead. A missing value stands behind all others, or below the root (a
    reconstruction). The published file is k-anonymous on the masked attributes. Without hierarchies a relaxed part has
    at most 2k - 1 records, unless all are the same. A strict one has at most 2 V (k - 1) + m, with m the greatest
    number of equal records in it. The paper's algorithm cuts a strict part at the median alone, and the part stays
    whole where k forbids that (`partitioning` median). Nothing bounds such parts: the default looks for another cut.

    Source: LeFevre, DeWitt and Ramakrishnan (2006). There the interval of each part is published (`output` interval);
    averages (`output` point) keep the file in its domain.
    """

    class Params(ClassParameters):
        """Least size of the parts, how they are cut, and what they publish."""

        partitioning: Literal["strict", "median", "relaxed"] = Field(
            "strict",
            description="strict: records of equal value stay together, cut as near to the median as k allows; median: "
            "the same, cut at the median or not at all; relaxed: halves of equal size",
        )
        dimension: Literal["widest", "random"] = Field(
            "widest", description="which attribute is tried first: the one of which the part spans most, or any"
        )
        hierarchies: bool = Field(
            True, description="whether categories with a hierarchy are cut along it and published as its labels"
        )
        output: Literal["point", "interval"] = Field(
            "point", description="point: the average; interval: labels such as [17, 25]"
        )

    name = "mondrian"
    promise = 9
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return strict and relaxed parts, each with k from 2 to a quarter of the file."""
        sizes = class_sizes(len(table))
        return [Design({"partitioning": way}, sizes) for way in ("strict", "relaxed")] if sizes else []

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's part, shape (n,), from 0."""
        k = self.params.k
        axes = axes_of(table, self.params.hierarchies, self.spreads)
        parts = 2 * (len(table) // k) + 1 if self.params.dimension == "random" else 0
        priorities = rng.random((parts, len(table.schema)))
        return mondrian_partition(axes, k, CUTS[self.params.partitioning], priorities)
