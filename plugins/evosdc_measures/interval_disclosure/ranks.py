"""Hits of attributes whose values have an order: how many ranks lie between each original and its masked value.

Distances are in half ranks. An interval of p per cent holds the original value where none exceeds ``p n / 50``. A
change from p to q moves the ranks of all values between them, but the distances of few records: of those alone that
have one of their values there, by two half ranks. So a child is judged by the records near the limit of an interval.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers

FEW = 2  # Changed numbers of an attribute up to which a child is judged by the records near a limit
MANY = np.iinfo(np.int64).min


def hits_by_distance(percents: Sequence[int], records: int) -> Integers:
    """Return, by distance in half ranks, how many of the intervals hold a value: none beyond all ranks."""
    limits = np.sort(np.array(percents, dtype=np.int64)) * records
    return (len(limits) - np.searchsorted(limits, 50 * np.arange(2 * (records + FEW) + 4))).astype(np.int64)


class Part(ABC):
    """One attribute or several of a file, and how the hits of its records are counted in them."""

    # The state of a masked table is immutable: a change makes a new one, so that trackers share it.

    def __init__(self, attributes: Sequence[int]) -> None:
        self.attributes = attributes

    @abstractmethod
    def values(self, table: Table) -> NDArray[Any]:
        """Return the values of some records, shape (m, ...)."""

    @abstractmethod
    def begin(self, masked: NDArray[Any]) -> Any:
        """Return the state of a masked table, from its values."""

    @abstractmethod
    def after(self, known: Any, rows: Rows, values: NDArray[Any]) -> Any:
        """Return the state of a child, from the values of its changed records."""

    @abstractmethod
    def hits(self, known: Any) -> Integers:
        """Return the hits of each record, shape (n,)."""

    @abstractmethod
    def inside(self, known: Any) -> int:
        """Return the sum of the hits."""

    def grown(self, known: Any, rows: Rows, values: NDArray[Any], ends: Integers) -> Integers:
        """Return by how much the sum of the hits grows in each of k children, shape (k,)."""
        grown = np.empty(len(ends), dtype=np.int64)
        for child in range(len(ends)):
            grown[child] = self.grown_in(child, known, rows, values, ends)
        return grown

    def grown_in(self, child: int, known: Any, rows: Rows, values: NDArray[Any], ends: Integers) -> int:
        """Return by how much the sum of the hits grows in one of several children, which is followed."""
        own = slice(int(ends[child - 1]) if child else 0, int(ends[child]))
        return self.inside(self.after(known, rows[own], values[own])) - self.inside(known)


class CategoryCounts(NamedTuple):
    """The state of the masked categories of a file."""

    masked: Counts  # (n, V): Places of the categories, from 1 on; 0 where there is none
    counts: Integers  # of each attribute whose categories have an order, records by masked and original place
    hits: Integers  # (V,): Of all records


class Categories(Part):
    """Categorical attributes; where they have no order, only the same category is a hit, in all intervals."""

    def __init__(self, original: Table, orders: dict[int, Integers | None], by_distance: Integers, whole: bool) -> None:
        super().__init__(list(orders))
        sizes = [len(original.schema.categorical[v].categories) + 1 for v in orders]
        places = [np.arange(size, dtype=np.int32) for size in sizes]
        for own, order in zip(places, orders.values(), strict=True):
            if order is not None:
                own[order + 1] = np.arange(1, len(own))
        self._places, self._starts = np.concatenate(places), np.cumsum([0, *sizes[:-1]]) + 1
        self._widths = np.array(
            [0 if order is None else size for size, order in zip(sizes, orders.values(), strict=True)], dtype=np.int64
        )
        self._offsets = np.concatenate(([0], np.cumsum(self._widths**2)))
        self._by_distance, self._whole = by_distance, whole
        self._original, self._ordered = self.values(original), np.flatnonzero(self._widths).tolist()
        self._firsts = (self._offsets[:-1] + self._original)[:, self._ordered]

    def values(self, table: Table) -> Counts:
        """Return the places of the categories."""
        places: Counts = self._places[table.codes.take(self.attributes, axis=1) + self._starts]
        return places

    def begin(self, masked: Counts) -> CategoryCounts:
        """Count all records; O(n V)."""
        cells = self._firsts + masked[:, self._ordered] * self._widths[self._ordered]
        counts = np.bincount(cells.ravel(), minlength=self._offsets[-1])
        hits = (masked == self._original).sum(axis=0) * self._by_distance[0]
        for v in self._ordered:
            hits[v] = self._pair_hits(counts, v)[0]
        return CategoryCounts(masked, counts, hits)

    def _pair_hits(self, counts: Integers, v: int) -> tuple[int, Integers]:
        own = counts[self._offsets[v] : self._offsets[v + 1]]
        by_pair = np.zeros(len(own), dtype=np.int64)
        return int(pair_hits(own, int(self._widths[v]), self._by_distance, by_pair)), by_pair

    def after(self, known: CategoryCounts, rows: Rows, values: Counts) -> CategoryCounts:
        """Count the changed records where they are now."""
        child = CategoryCounts(known.masked.copy(), known.counts.copy(), known.hits.copy())
        ends = np.array([len(rows)], dtype=np.int64)
        self._followed(*child, rows, values, ends, True)
        child.masked[rows] = values
        return child

    def hits(self, known: CategoryCounts) -> Integers:
        """Return the hits of each record."""
        by_attribute = np.ascontiguousarray((known.masked == self._original).T) * self._by_distance[0]
        for v in self._ordered:
            pairs = known.masked[:, v] * self._widths[v] + self._original[:, v]
            by_attribute[v] = self._pair_hits(known.counts, v)[1][pairs]
        hits: Integers = by_attribute.min(axis=0) if self._whole else by_attribute.sum(axis=0)
        return hits

    def inside(self, known: CategoryCounts) -> int:
        """Return the sum of the hits."""
        return int(known.hits.sum())

    def grown(self, known: CategoryCounts, rows: Rows, values: Counts, ends: Integers) -> Integers:
        """Return by how much the sum of the hits grows in each child; O(c**2) for each attribute that changes."""
        # A copy, since trackers of relatives share the counts and may be queried at the same time.
        return self._followed(known.masked, known.counts.copy(), known.hits, rows, values, ends, False)

    def _followed(
        self,
        masked: Counts,
        counts: Integers,
        hits: Integers,
        rows: Rows,
        values: Counts,
        ends: Integers,
        stay: bool,
    ) -> Integers:
        grown: Integers = follow_categories(
            self._original,
            masked,
            rows,
            values,
            ends,
            self._widths,
            self._offsets,
            self._by_distance,
            counts,
            hits,
            stay,
        )
        return grown


@njit(cache=True)
def pair_hits(counts: Integers, width: int, by_distance: Integers, hits: Integers) -> int:
    """Return the hits of all records in an attribute; write those of each pair that is hit and may have records."""
    # Shapes: counts (width**2,), hits (width**2,).
    through = np.zeros(width, np.int64)
    for y in range(1, width):
        through[y] = through[y - 1]
        for x in range(width):
            through[y] += counts[y * width + x]
    # Missing values have no ranks: they are hits where both files have none.
    hits[0], inside = by_distance[0], counts[0] * by_distance[0]
    for y in range(1, width):
        shown = through[y - 1] + through[y]
        if through[y - 1] == through[y]:
            continue
        for x, step in ((y, -1), (y + 1, 1)):
            while 0 < x < width:
                distance = max(shown + 1 - 2 * through[x], 2 * through[x - 1] + 1 - shown, 0)
                if by_distance[distance] == 0:
                    break  # what lies beyond is further away
                hits[y * width + x] = by_distance[distance]
                inside += counts[y * width + x] * by_distance[distance]
                x += step
    return int(inside)


@njit(cache=True)
def follow_categories(
    original: Counts,
    masked: Counts,
    rows: Rows,
    after: Counts,
    ends: Integers,
    widths: Integers,
    offsets: Integers,
    by_distance: Integers,
    counts: Integers,
    hits: Integers,
    stay: bool,
) -> Integers:
    """Return by how much the hits grow in each child, shape (k,)."""
    # Shapes: original, masked (n, V), rows (m,), after (m, V), ends (k,).
    grown, begin = np.zeros(len(ends), np.int64), 0
    changed, scratch = np.zeros(len(widths), np.int64), np.empty(len(counts), np.int64)
    for child in range(len(ends)):
        for turn in range(1 if stay else 2):
            for i in range(begin, ends[child]):
                for v in range(len(widths)):
                    own, p, q, width = original[rows[i], v], masked[rows[i], v], after[i, v], widths[v]
                    if p == q:
                        continue
                    if width > 0:
                        changed[v], first = 1, offsets[v] + own
                        counts[first + p * width] -= 1 - 2 * turn
                        counts[first + q * width] += 1 - 2 * turn
                    elif turn == 0:
                        more = (int(q == own) - int(p == own)) * by_distance[0]
                        grown[child] += more
                        hits[v] += more * int(stay)
            for v in range(len(widths)):
                if changed[v] > 0 and turn == 0:
                    inside = pair_hits(counts[offsets[v] : offsets[v + 1]], widths[v], by_distance, scratch)
                    grown[child] += inside - hits[v]
                    hits[v] = inside if stay else hits[v]
                changed[v] = 0
        begin = ends[child]
    return grown


class NumberRanks(NamedTuple):
    """The state of a masked column of numbers."""

    masked: Numbers  # (n,)
    order: Rows  # (n,): Records in the order of their masked values, missing ones last
    ordered: Numbers  # (k,): The masked values in order, without missing ones
    # (2, n): How many half ranks the original value lies below the masked one, and above; negative where it does not.
    # Where one of them is missing it is further than all ranks, where both are missing it is nearer.
    apart: Counts
    near: Integers  # (m,): Records whose hits may be others if `FEW` records change
    hits: Integers  # (n,)
    inside: int  # sum of the hits


class RankedNumbers(Part):
    """An attribute of numbers, or of very many categories that have an order."""

    def __init__(
        self, original: Table, attribute: int, column: int, by_distance: Integers, order: Integers | None = None
    ) -> None:
        super().__init__((attribute,))
        self._column, self._by_distance, self._places = column, by_distance, None
        if order is not None:
            self._places = np.full(len(order) + 1, np.nan)
            self._places[order + 1] = np.arange(len(order))
        self._original = self.values(original)
        self._order = np.argsort(self._original)

    def values(self, table: Table) -> Numbers:
        """Return the numbers, or places of categories; NaN where there are none."""
        if self._places is None:
            return table.numbers[:, self._column].copy()
        places: Numbers = self._places[table.codes[:, self._column] + 1]
        return places

    def begin(self, masked: Numbers) -> NumberRanks:
        """Sort the column; O(n log n)."""
        return self._ranked(masked, np.argsort(masked))

    def _ranked(self, masked: Numbers, order: Rows) -> NumberRanks:
        known, far = int(np.count_nonzero(~np.isnan(masked))), len(self._by_distance) - 1
        ordered, apart = masked[order[:known]], np.zeros((2, len(masked)), dtype=np.int64)
        # Looked up in order, which is faster: twice the middle rank of equal masked values, and where originals belong.
        apart[0, order[:known]] = ordered.searchsorted(ordered) + ordered.searchsorted(ordered, "right")
        originals, shown = self._original[self._order], apart[0, self._order]
        apart[0, self._order] = shown + 1 - 2 * ordered.searchsorted(originals, "right")
        apart[1, self._order] = 2 * ordered.searchsorted(originals) + 1 - shown
        missing, gone = np.isnan(self._original), np.isnan(masked)
        apart[:, missing | gone], apart[:, missing & gone] = far, -far
        distance = apart.max(axis=0)
        hits = self._by_distance[np.maximum(distance, 0)]
        # A changed value moves a distance by two half ranks at most.
        ends = self._by_distance[np.clip([distance - 2 * FEW, distance + 2 * FEW], 0, far)]
        near = np.flatnonzero(ends[0] != ends[1])
        return NumberRanks(masked, order, ordered, apart.astype(np.int32), near, hits, int(hits.sum()))

    def after(self, known: NumberRanks, rows: Rows, values: Numbers) -> NumberRanks:
        """Sort the column again, most of which is in order; O(n), and O(n log n) where much changes."""
        masked = known.masked.copy()
        masked[rows] = values
        if 10 * len(rows) > len(masked):
            return self.begin(masked)
        # Which of equal values comes first is of no account.
        return self._ranked(masked, known.order[np.argsort(masked[known.order], kind="stable")])

    def hits(self, known: NumberRanks) -> Integers:
        """Return the hits of each record."""
        return known.hits

    def inside(self, known: NumberRanks) -> int:
        """Return the sum of the hits."""
        return known.inside

    def grown(self, known: NumberRanks, rows: Rows, values: Numbers, ends: Integers) -> Integers:
        """Return by how much the sum of the hits grows in each child; O(near records)."""
        masked, _, ordered, apart, near, hits, _ = known
        children = np.array(rows), values, np.array(ends)
        grown: Integers = rank_children(
            self._original, masked, ordered, apart, near, hits, self._by_distance, *children
        )
        for child in np.flatnonzero(grown == MANY).tolist():
            grown[child] = self.grown_in(child, known, rows, values, ends)
        return grown


@njit(cache=True)
def _hits_of(ordered: Numbers, x: float, y: float, was: Numbers, now: Numbers, by_distance: Integers) -> int:
    """Return the hits of a pair of values after some values of a column have become others."""
    if np.isnan(x) or np.isnan(y):
        return int(by_distance[0]) if np.isnan(x) and np.isnan(y) else 0
    # How many values are less than x, at most x, less than y, at most y.
    ranks = np.zeros(4, np.int64)
    for one in range(4):
        v, through, high = x if one < 2 else y, one % 2 == 1, len(ordered)
        while ranks[one] < high:
            middle = (ranks[one] + high) // 2
            if ordered[middle] < v or (through and ordered[middle] == v):
                ranks[one] = middle + 1
            else:
                high = middle
        for i in range(len(was)):
            # A comparison with a missing value is false: it enters or leaves no rank.
            ranks[one] += int(now[i] < v or (through and now[i] == v))
            ranks[one] -= int(was[i] < v or (through and was[i] == v))
    shown = ranks[2] + ranks[3]
    return int(by_distance[max(shown + 1 - 2 * ranks[1], 2 * ranks[0] + 1 - shown, 0)])


@njit(cache=True)
def rank_children(
    original: Numbers,
    masked: Numbers,
    ordered: Numbers,
    apart: Counts,
    near: Integers,
    hits: Integers,
    by_distance: Integers,
    rows: Rows,
    values: Numbers,
    ends: Integers,
) -> Integers:
    """Return by how much the hits of a column grow in each child, shape (k,); `MANY` where more than `FEW` change."""
    # Shapes: original (n,), rows (m,), values (m,), ends (k,).
    grown, begin = np.zeros(len(ends), np.int64), 0
    changed, before, after = np.empty(FEW, np.int64), np.empty(FEW), np.empty(FEW)
    for child in range(len(ends)):
        count = 0
        for i in range(begin, ends[child]):
            p, q = masked[rows[i]], values[i]
            if p == q or (np.isnan(p) and np.isnan(q)):
                continue
            if count < FEW:
                changed[count], before[count], after[count] = rows[i], p, q
            count += 1
        begin = ends[child]
        if count > FEW:
            grown[child] = MANY
        if count == 0 or count > FEW:
            continue
        more = 0
        for u in near:
            x, y, low, high = original[u], masked[u], apart[0, u], apart[1, u]
            for i in range(count):
                p, q = before[i], after[i]
                through, below = int(q <= x) - int(p <= x), int(q < x) - int(p < x)
                shown = int(q <= y) + int(q < y) - int(p <= y) - int(p < y)
                low += shown - 2 * through
                high += 2 * below - shown
            more += by_distance[max(low, high, 0)] - hits[u]
        # So far the changed records count as if they still had their old values.
        was, now = before[:count], after[:count]
        for i in range(count):
            x = original[changed[i]]
            more += _hits_of(ordered, x, now[i], was, now, by_distance)
            more -= _hits_of(ordered, x, was[i], was, now, by_distance)
        grown[child] = more
    return grown
