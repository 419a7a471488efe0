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

from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.anonymity.publication import ClusterPublishing
from evosdc_masking.averages import ClassNumbers, ClassParameters
from evosdc_masking.point_search import BLOCK, farthest, incomplete_columns, measure
from evosdc_masking.space import Metric, Space, space_of

Integers = NDArray[np.int64]


class Extents(NamedTuple):
    """How far the records of each cluster are spread; arrays that are filled while clusters grow."""

    spreads: Numbers  # shape (m, C); greatest distance between two categories of a cluster
    # low, high: shape (m, Q); least and greatest number; infinity and minus infinity where a cluster has none
    low: Numbers
    high: Numbers
    absent: NDArray[np.bool_]  # shape (m, Q); whether a number is missing in a cluster


def k_member_partition(space: Space, k: int, first: int) -> Integers:
    """Return the number of each record's cluster, shape (n,), clusters numbered in the order of their formation."""
    # The first cluster begins with the record farthest from the one at position `first`.
    rows, heads, ends = space.points.members, space.points.starts[:-1].copy(), space.points.starts[1:].copy()
    codes, numbers = space.codes, space.numbers
    incomplete = incomplete_columns(numbers)
    owner = np.empty(rows.size, dtype=np.int64)
    owner[rows] = np.repeat(np.arange(heads.size), ends - heads)
    seed_codes, seed_numbers = codes[:, owner[first]].copy(), numbers[:, owner[first]].copy()
    clusters, quantities = rows.size // k, len(numbers)
    extents = Extents(
        np.zeros((clusters, len(codes))),
        np.full((clusters, quantities), np.inf),
        np.full((clusters, quantities), -np.inf),
        np.zeros((clusters, quantities), dtype=np.bool_),
    )
    reach = np.zeros((len(codes), int(space.metric.sizes.max(initial=1))))
    classes = np.full(rows.size, -1, dtype=np.int64)
    group = 0
    while group < clusters:
        # Exhausted points are dropped now and then.
        left = heads < ends
        codes, numbers = np.ascontiguousarray(codes[:, left]), np.ascontiguousarray(numbers[:, left])
        heads, ends = heads[left], ends[left]
        group = _grow(
            space.metric, codes, numbers, incomplete, rows, heads, ends, k, seed_codes, seed_numbers, extents, reach,
            group, classes,
        )  # fmt: skip
    _distribute(space, owner, classes, extents)
    return classes


@njit(cache=True)
def _grow(
    metric: Metric, codes: Codes, numbers: Numbers, incomplete: NDArray[np.bool_], rows: Integers, heads: Integers,
    ends: Integers, k: int, seed_codes: Codes, seed_numbers: Numbers, extents: Extents, reach: Numbers, group: int,
    classes: Integers,
) -> int:  # fmt: skip
    """Form clusters of k until all are formed or a sixteenth of the points is exhausted; return the next number."""
    # ``rows[heads[i]:ends[i]]`` are the records of point i that no cluster has taken yet. `reach`, shape (C, largest
    # domain with missing), is room for the greatest distance of each category from those of the cluster.
    visited, exhausted = heads.size, 0
    away = np.empty(visited, dtype=np.float64)
    wider = np.empty((reach.shape[0], reach.shape[1]), dtype=np.float64)
    while group < extents.spreads.shape[0] and 16 * exhausted <= visited:
        measure(metric, codes, numbers, incomplete, seed_codes, seed_numbers, away)
        point = farthest(away, rows, heads, ends)
        for j in range(codes.shape[0]):
            seed_codes[j] = codes[j, point]
        for q in range(numbers.shape[0]):
            seed_numbers[q] = numbers[q, point]
        for j in range(reach.shape[0]):
            for category in range(reach.shape[1]):
                reach[j, category] = 0.0
        for size in range(k):
            if size > 0:
                # The sum of spreads that the cluster would have with each point, and the point of the least.
                for j in range(codes.shape[0]):
                    for category in range(wider.shape[1]):
                        wider[j, category] = max(reach[j, category], extents.spreads[group, j])
                for begin in range(0, visited, BLOCK):
                    block = away[begin : begin + BLOCK]
                    block[:] = 0.0
                    for j in range(codes.shape[0]):
                        row = wider[j]
                        column = codes[j, begin : begin + BLOCK]
                        for i in range(block.size):
                            block[i] += row[np.uint32(column[i])]
                    for q in range(numbers.shape[0]):
                        low, high = extents.low[group, q], extents.high[group, q]
                        values = numbers[q, begin : begin + BLOCK]
                        if not incomplete[q]:
                            for i in range(block.size):
                                block[i] += max(high, values[i]) - min(low, values[i])
                            continue
                        for i in range(block.size):
                            absent = extents.absent[group, q] or np.isnan(values[i])
                            least, greatest = low, high
                            if not np.isnan(values[i]):
                                least, greatest = min(low, values[i]), max(high, values[i])
                            if least <= greatest:
                                block[i] += metric.apart if absent and not metric.wildcard else greatest - least
                point = -1
                for other in range(visited):
                    if heads[other] < ends[other] and (
                        point < 0
                        or away[other] < away[point]
                        or (away[other] == away[point] and rows[heads[other]] < rows[heads[point]])
                    ):
                        point = other
            for j in range(codes.shape[0]):
                domain, code = metric.sizes[j], codes[j, point]
                extents.spreads[group, j] = max(extents.spreads[group, j], reach[j, code])
                start = metric.offsets[j] + code * domain
                for category in range(domain):
                    reach[j, category] = max(reach[j, category], metric.distances[start + category])
            for q in range(numbers.shape[0]):
                value = numbers[q, point]
                if np.isnan(value):
                    extents.absent[group, q] = True
                else:
                    extents.low[group, q] = min(extents.low[group, q], value)
                    extents.high[group, q] = max(extents.high[group, q], value)
            classes[rows[heads[point]]] = group
            heads[point] += 1
            exhausted += heads[point] == ends[point]
        group += 1
    return group


def _distribute(space: Space, owner: Integers, classes: Integers, extents: Extents) -> None:
    """Put each record without a cluster in the one whose loss it increases the least; ``owner[row]`` is its point."""
    metric, codes, numbers = space.metric, space.codes, space.numbers
    spreads, low, high, absent = extents
    sizes = np.bincount(classes[classes >= 0], minlength=len(spreads))
    occurs = [np.zeros((len(spreads), size), dtype=np.bool_) for size in metric.sizes.tolist()]
    placed = np.flatnonzero(classes >= 0)
    for column, known in zip(codes, occurs, strict=True):
        known[classes[placed], column[owner[placed]]] = True
    for row in np.flatnonzero(classes < 0).tolist():
        point = owner[row]
        wider = spreads.copy()
        for j, (known, code) in enumerate(zip(occurs, codes[:, point].tolist(), strict=True)):
            size, offset = metric.sizes[j], metric.offsets[j]
            away = metric.distances[offset : offset + size**2].reshape(size, size)[:, code]
            np.maximum(wider[:, j], np.where(known, away, 0.0).max(axis=1), out=wider[:, j])
        values = numbers[:, point]
        # A missing number, NaN, leaves the others' least and greatest as they are.
        least, greatest, lacking = np.fmin(low, values), np.fmax(high, values), absent | np.isnan(values)
        before = _summed(spreads, _breadths(metric, low, high, absent))
        after = _summed(wider, _breadths(metric, least, greatest, lacking))
        best = int(np.argmin((sizes + 1) * after - sizes * before))
        classes[row] = best
        sizes[best] += 1
        for known, code in zip(occurs, codes[:, point].tolist(), strict=True):
            known[best, code] = True
        spreads[best], low[best], high[best], absent[best] = wider[best], least[best], greatest[best], lacking[best]


def _breadths(metric: Metric, low: Numbers, high: Numbers, absent: NDArray[np.bool_]) -> Numbers:
    """Return the spreads of numbers, a missing one as far from others as the metric says."""
    some = low <= high
    widths = np.where(some, high, 0.0) - np.where(some, low, 0.0)
    return np.where(some & absent & (not metric.wildcard), metric.apart, widths)


def _summed(spreads: Numbers, breadths: Numbers) -> Numbers:
    """Return the sums of both by cluster, shape (m,), added in the order of the attributes."""
    return np.hstack((np.zeros((len(spreads), 1)), spreads, breadths)).cumsum(axis=1)[:, -1]


class KMember(ClusterPublishing):
    """Grow clusters of k records, each record the one that costs the least generalisation; publish one record for each.

    The loss of a cluster is its size times the sum of the attributes' spreads: the range of its numbers over the range
    of the file's, and the height of its categories' lowest common ancestor over that of the hierarchy. Without a
    hierarchy, ordinal categories are measured by Eq. 2.6 and nominal ones by whether they differ: a reconstruction, as
    is the treatment of missing values (see `evosdc_masking.space`).

    The published file is k-anonymous on the masked attributes. The first record is drawn at random.

    Source: Byun, Kamra, Bertino and Li (2007), where intervals and common ancestors are published (`output` interval);
    averages (`output` point) keep the file in its domain.
    """

    class Params(ClassParameters):
        """Least size of the clusters, and what they publish."""

        output: Literal["point", "interval"] = Field(
            "point", description="point: the average; interval: labels such as [17, 25], common ancestors, or sets."
        )

    name = "k-member"
    promise = 5
    params: Params

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's cluster, shape (n,), from 0."""
        space = space_of(table, clustering=True, spreads=self.spreads)
        return k_member_partition(space, self.params.k, int(rng.integers(len(table))))
