"""Exact search for the nearest records, by costs that are whole numbers so that ties are ties.

The distinct records of a file in order are searched as the tree of their attributes. Records that begin alike stand
together, so what their beginnings cost is added once, and where a beginning alone costs too much all that begin so are
left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.processors import PARTS, in_threads
from evosdc.table.table import Numbers
from evosdc_judges.classes import Codes, Keys, keys_of

PART = 1 << 21  # pairs of records from which on a part of the queries is worth its own thread


@dataclass(frozen=True)
class SortedRecords:
    """The distinct records of a file, in ascending order by their first attribute, then the next, and so on."""

    records: Codes  # shape (D, V)
    counts: Keys  # shape (D,); how often each one stands in the file
    of_record: Keys  # shape (n,); position of each record of the file among them

    @cached_property
    def tree(self) -> "Tree":
        """The records and how they begin, as kernels take them."""
        return self.records, self.counts, *beginnings(self.records)


# Records, shape (D, V), and their counts, shape (D,); and what `beginnings` says of them, shape (D,) and (D, V)
Tree = tuple[Codes, Keys, Codes, Codes]


def sorted_records(codes: Codes) -> SortedRecords:
    """Return the distinct records of a file of codes that are not negative, shape (n, V)."""
    keys = keys_of(codes, codes.max(axis=0, initial=0) + 1)
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return SortedRecords(
        np.ascontiguousarray(codes[first]), counts.astype(np.int64), inverse.reshape(-1).astype(np.int64)
    )


def beginnings(records: Codes) -> tuple[Codes, Codes]:
    """Return how many attributes each record has in common with the one before it, and where what begins so ends."""
    # Of distinct records (D, V) in order: common (D,); ends (D, V), by attribute the first record behind that differs
    # in it or in an earlier one.
    number, attributes = records.shape
    common, ends = np.zeros(number, np.int32), np.empty((number, attributes), np.int32)
    common[1:] = np.column_stack((records[1:] != records[:-1], np.ones(number - 1, np.bool_))).argmax(axis=1)
    for v in range(attributes):
        first = np.flatnonzero(common <= v)
        ends[:, v] = np.append(first, number)[np.searchsorted(first, np.arange(number), side="right")]
    return common, ends


def nearest(
    queries: Codes, truth: Codes, tree: Tree, flat: Keys, offsets: Keys, widths: Keys
) -> tuple[Keys, Keys, Keys]:
    """Return for each queried record the least cost, how many records have it, and how many of these answer truly."""
    # Records that are most alike, to begin with: most others are then left out at once.
    records, attributes = tree[0], queries.shape[1]
    both = np.vstack((queries, records[:, :attributes]))
    keys = keys_of(both, both.max(axis=0, initial=0) + 1)
    after = np.searchsorted(keys[len(queries) :], keys[: len(queries)])
    costs = [
        flat[offsets + queries * widths + records[place, :attributes]].sum(axis=1)
        for place in (np.minimum(after, len(records) - 1), np.maximum(after - 1, 0))
    ]
    most = np.minimum(*costs)
    parts = max(min(PARTS, len(queries) * len(records) // PART), 1)
    bounds = np.linspace(0, len(queries), parts + 1).astype(int).tolist()
    found = in_threads(
        [
            partial(_nearest, queries[a:b], truth[a:b], most[a:b], tree, flat, offsets, widths)
            for a, b in pairwise(bounds)
        ]
    )
    least, tied, right = map(np.concatenate, zip(*found, strict=True))
    return least, tied, right


@njit(cache=True, nogil=True)
def _nearest(
    queries: Codes, truth: Codes, most: Keys, tree: Tree, flat: Keys, offsets: Keys, widths: Keys
) -> tuple[Keys, Keys, Keys]:
    """Return what `nearest` does, in one piece; costs are at most `most`, shape (m,)."""
    records, counts, common, ends = tree
    attributes = queries.shape[1]
    answered = records.shape[1] > attributes
    found = np.empty((3, len(queries)), np.int64)
    base, sums = np.empty(attributes, np.int64), np.zeros(attributes + 1, np.int64)
    for i in range(len(queries)):
        for v in range(attributes):
            base[v] = offsets[v] + queries[i, v] * widths[v]
        least = most[i]
        tied, right, d = 0, 0, 0
        while d < len(records):
            v = min(common[d], attributes)
            cost = sums[v]
            while v < attributes:
                cost += flat[base[v] + records[d, v]]
                if cost > least:
                    break
                v += 1
                sums[v] = cost
            if v < attributes:
                d = ends[d, v]
                continue
            if cost < least:
                least, tied, right = cost, 0, 0
            tied += counts[d]
            if answered and records[d, attributes] == truth[i]:
                right += counts[d]
            d += 1
        found[0, i], found[1, i], found[2, i] = least, tied, right
    return found[0], found[1], found[2]


_UNIT = 1 << 32  # what a cost of 1 is as a whole number


@dataclass(frozen=True)
class Costs:
    """Costs of pairs of classes, attribute by attribute, summed over the attributes of a pair of records."""

    flat: Keys  # the matrices one after the other, by row of the queried record's class
    offsets: Keys  # shape (V,); where each matrix begins, and the length of its rows
    widths: Keys


def costs_of(matrices: Sequence[Numbers]) -> Costs:
    """Return costs by the queried record's class (rows) and the searched record's class (columns), not negative."""
    parts = [np.rint(matrix * _UNIT).astype(np.int64) for matrix in matrices]
    widths = np.array([part.shape[1] for part in parts], dtype=np.int64)
    ends = np.cumsum([part.size for part in parts])
    return Costs(
        np.concatenate([part.ravel() for part in parts]), np.concatenate(([0], ends[:-1])).astype(np.int64), widths
    )


def linked(queries: Codes, own: Keys, searched: SortedRecords, costs: Costs) -> Numbers:
    """Return for each queried record the chance that linking it at least cost finds its own one, shape (m,)."""
    # Where t of the searched records tie at the least cost and the own one is among them it is 1/t, else 0.
    # own (m,): position of each one's own record among the distinct ones.
    nobody = np.full(len(queries), -1, dtype=np.int32)
    least, tied, _ = nearest(queries, nobody, searched.tree, costs.flat, costs.offsets, costs.widths)
    of_own = costs.flat[costs.offsets + queries * costs.widths + searched.records[own]].sum(axis=1)
    chances: Numbers = np.where(of_own == least, 1.0 / tied, 0.0)
    return chances


def guessed(queries: Codes, truth: Codes, searched: SortedRecords, costs: Costs) -> Numbers:
    """Return for each queried record the share of right answers, the last attribute, among the nearest, shape (m,)."""
    _, tied, right = nearest(queries, truth, searched.tree, costs.flat, costs.offsets, costs.widths)
    return right / tied


def parted(records: Codes, first: NDArray[np.bool_]) -> list[tuple[Keys, SortedRecords]]:
    """Return records, shape (r, V), by the attributes that are marked, by the others, and by all."""
    parts = (np.flatnonzero(first), np.flatnonzero(~first), np.arange(len(first)))
    return [(part, sorted_records(records[:, part])) for part in parts]


def met(queries: Codes, records: list[tuple[Keys, SortedRecords]], costs: Costs) -> Numbers:
    """Return for each queried record the chance that both of its parts find the same record, shape (m,)."""
    # Each part looks for a nearest record on its own, one of those that tie, drawn at random.
    nobody = np.full(len(queries), -1, dtype=np.int32)  # answers that no record gives
    found = [
        nearest(
            np.ascontiguousarray(queries[:, part]),
            nobody,
            searched.tree,
            costs.flat,
            costs.offsets[part],
            costs.widths[part],
        )
        for part, searched in records
    ]
    (one, in_one, _), (two, in_two, _), (whole, in_both, _) = found
    # No record costs less than the sum of both least costs; one that costs just that is nearest to both.
    chance: Numbers = np.where(whole == one + two, in_both, 0) / (in_one.astype(float) * in_two)
    return chance
