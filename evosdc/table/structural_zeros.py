"""Structural zeros: pairs of values that never occur together although one would expect several such records.

The evidence may be of several values at once. No child of 3 years is married, but few marriages would be expected of so
few children; of all people below 15 many would, so that all these ages never go with any marriage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import WITHHELD, MissingRule, Role, Scale
from evosdc.table.table import Table

THRESHOLD = 5.0  # records that the margins must lead to expect, where nothing else is said
TOGETHER = 3.0  # times as many must be expected of several values together, since many sets of values are looked at
MOST_RANKS = 20  # of two ordered attributes one has no more categories: else both are numbers in effect
BINS = 10  # quantile bins that a numeric attribute is taken in
MOST_APART = 100  # categories that are looked at one by one; of more, rare ones are merged, ordered ones binned
MOST_CELLS = 2**26  # cells of all pairs of attributes together; pairs beyond, the largest, are left out
# roles of attributes that say nothing of what a respondent can be
NOT_COMPARED = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)


class Bins(NamedTuple):
    """The classes of the values of one attribute."""

    # shape (c + 1,); the bin of each category, or of each interval between edges; the last entry is that of a missing
    # value. The greatest bin holds all that occurs too rarely, and takes part in no structural zero.
    bins: NDArray[np.int32]
    # shape (e,); of a numeric attribute: interval k begins at ``edges[k - 1]``, which it includes. None for categories.
    edges: NDArray[np.float64] | None
    size: int  # how many bins there are, that of the rare values included
    known: int  # how many of the first bins are of values; behind them may be one of missing values
    ordered: bool = False  # whether these are in an order

    def of(self, column: NDArray[np.int32] | NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the bins of a column, shape (n,)."""
        return self.bins[places(column, self.edges, len(self.bins))]


def places(
    column: NDArray[np.int32] | NDArray[np.float64], edges: NDArray[np.float64] | None, size: int
) -> NDArray[np.intp]:
    """Return codes, or the intervals of numbers between edges, with ``size - 1`` for a missing value; shape (n,)."""
    if edges is None:
        return np.where(column < 0, size - 1, column).astype(np.intp)
    found = np.searchsorted(edges, column, side="right")
    found[np.isnan(column)] = size - 1
    return found


@dataclass(frozen=True, eq=False)
class ZeroPair:
    """The structural zeros of two attributes."""

    # first, second: a masked attribute, and any other
    first: str
    second: str
    zeros: NDArray[np.bool_]  # shape (bins of the first, bins of the second)


@dataclass(frozen=True, eq=False)
class StructuralZeros:
    """Combinations that never occur in a file although their margins lead to expect at least `threshold` records."""

    bins: Mapping[str, Bins]  # by attribute that was compared
    pairs: tuple[ZeroPair, ...]  # those pairs of attributes that have any
    threshold: float
    left_out: tuple[tuple[str, str], ...] = ()  # pairs of attributes whose tables are too large to be looked at

    @property
    def count(self) -> int:
        """How many pairs of categories there are."""
        return sum(int(pair.zeros.sum()) for pair in self.pairs)


def compared_attributes(table: Table) -> tuple[str, ...]:
    """Return the attributes of a file that are compared: all but identifiers, weights and households."""
    return tuple(a.name for a in table.schema.attributes if a.role not in NOT_COMPARED)


def find_structural_zeros(table: Table, protect: Sequence[str], threshold: float = THRESHOLD) -> StructuralZeros:
    """Return the structural zeros between each masked attribute and every other attribute of a file."""
    # Under ``wildcard`` a missing value goes with everything; else it is a category.
    names = list(dict.fromkeys([*protect, *compared_attributes(table)]))
    bins = {name: compared_bins(table, name, threshold) for name in names}
    masked = {name: place for place, name in enumerate(protect)}
    chosen = [
        (bins[first].size * bins[second].size, first, second)
        for first in protect
        for second in names
        if masked.get(second, len(masked)) > masked[first]
    ]
    codes = {name: bins[name].of(table.column(name)).astype(np.int64) for name in names}
    pairs, left_out, cells = [], [], 0
    for size, first, second in sorted(chosen, key=lambda pair: pair[0]):
        cells += size
        if cells > MOST_CELLS:
            left_out.append((first, second))
            continue
        shape = (bins[first].size, bins[second].size)
        counts = np.bincount(codes[first] * shape[1] + codes[second], minlength=size).reshape(shape)
        zeros = never_together(counts, bins[first], bins[second], threshold)
        if zeros.any():
            pairs.append(ZeroPair(first, second, zeros))
    return StructuralZeros(bins, tuple(pairs), threshold, tuple(left_out))


def never_together(counts: NDArray[np.int64], first: Bins, second: Bins, threshold: float) -> NDArray[np.bool_]:
    """Return which cells of a table of two attributes are structural zeros, shape (k, l)."""
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    # Compared as products of counts: a quotient could fall below a threshold that it equals.
    expected, least = np.multiply.outer(rows, columns), threshold * total
    zeros: NDArray[np.bool_] = (counts == 0) & (expected >= least)
    zeros[-1, :] = zeros[:, -1] = False
    numbers = [bins.edges is not None or (bins.ordered and bins.known > MOST_RANKS) for bins in (first, second)]
    if all(numbers) or first.edges is not None or second.edges is not None:
        # Tighter rules of numbers would bring many values back to the original, where they lead to their people.
        return zeros
    # Missing values are looked at one by one alone: a cell that is suppressed says nothing of what a record can be.
    known = (slice(0, first.known), slice(0, second.known))
    empty, expected, flags = counts[known] == 0, expected[known], zeros[known]
    least *= TOGETHER
    if first.ordered:
        flags |= _tails(empty, expected, least)
    if second.ordered:
        flags |= _tails(empty.T, expected.T, least).T
    if first.ordered and second.ordered:
        flags |= _corners(empty, expected, least)
    # Values that go with one other value alone: all the rest never goes with them, however rare each part of it is.
    flags |= _others_than_one(counts, least, first)[:, : second.known]
    flags |= _others_than_one(counts.T, least, second)[:, : first.known].T
    return zeros


def _tails(empty: NDArray[np.bool_], expected: NDArray[np.int64], least: float) -> NDArray[np.bool_]:
    """Return the cells of those empty runs from either end of the rows that lead to expect enough records."""
    zeros = np.zeros_like(empty)
    for step in (1, -1):
        runs = np.logical_and.accumulate(empty[::step], axis=0)
        zeros[::step] |= runs & (np.where(runs, expected[::step], 0).sum(axis=0) >= least)
    return zeros


def _corners(empty: NDArray[np.bool_], expected: NDArray[np.int64], least: float) -> NDArray[np.bool_]:
    """Return the cells of those empty rectangles in a corner of two orders that lead to expect enough records."""
    zeros = np.zeros_like(empty)
    for down in (1, -1):
        for across in (1, -1):
            runs = np.logical_and.accumulate(np.logical_and.accumulate(empty[::down, ::across], axis=0), axis=1)
            enough = runs & (expected[::down, ::across].cumsum(axis=0).cumsum(axis=1) >= least)
            within = np.logical_or.accumulate(np.logical_or.accumulate(enough[::-1, ::-1], axis=0), axis=1)
            zeros[::down, ::across] |= within[::-1, ::-1]
    return zeros


def _others_than_one(counts: NDArray[np.int64], least: float, bins: Bins) -> NDArray[np.bool_]:
    """Return which columns never go with a row of known values whose records have one column alone, shape (k, l)."""
    columns = counts[:, :-1].sum(axis=0)
    rows = counts[: bins.known, :-1]
    alone, expected = rows == rows.sum(axis=1)[:, None], np.multiply.outer(rows.sum(axis=1), columns.sum() - columns)
    certain: NDArray[np.bool_] = alone & (expected >= least)
    if bins.ordered:
        certain |= _tails(alone, expected, least)
    return np.logical_and(certain.any(axis=1, keepdims=True), ~certain)


def compared_bins(table: Table, name: str, threshold: float) -> Bins:
    """Return the classes of an attribute: each of its categories, ranges of many ordered ones, or quantile bins."""
    attribute = table.schema[name]
    size = len(attribute.categories) + 1
    many = size > MOST_APART
    if not attribute.categorical or (many and attribute.scale is Scale.NOMINAL):
        return bins_of(table, name, threshold)
    counts = np.bincount(places(table.column(name), None, size), minlength=size)
    bins = np.arange(size - 1)
    if many:
        below = np.cumsum(counts[:-1]) - counts[:-1]
        bins = np.unique(MOST_APART * below // max(len(table), 1), return_inverse=True)[1].reshape(-1)
    known = int(bins.max(initial=-1)) + 1
    missing = table.schema.na is not MissingRule.WILDCARD and bool(counts[-1] >= max(threshold, 1.0))
    bin_of = np.append(bins, known).astype(np.int32)
    return Bins(bin_of, None, known + 1 + missing, known, attribute.scale is Scale.ORDINAL)


def bins_of(table: Table, name: str, threshold: float) -> Bins:
    """Return the classes of an attribute's values: its frequent categories, or quantile bins of numbers."""
    attribute, column = table.schema[name], table.column(name)
    edges: NDArray[np.float64] | None = None
    size = len(attribute.categories) + 1
    if not attribute.categorical:
        known = column[~np.isnan(column)].astype(np.float64)
        inner = np.arange(1, BINS) / BINS
        quantiles = np.quantile(known, inner, method="inverted_cdf") if len(known) else known
        # An edge at the least number would leave an interval below it that nothing is in.
        edges = np.unique(quantiles[quantiles > known.min()]) if len(known) else known
        size = len(edges) + 2
    counts = np.bincount(places(column, edges, size), minlength=size)
    frequent = counts >= max(threshold, 1.0)
    if table.schema.na is MissingRule.WILDCARD:
        frequent[-1] = False
    bins = np.full(size, frequent.sum(), dtype=np.int32)
    bins[frequent] = np.arange(frequent.sum())
    return Bins(bins, edges, int(frequent.sum()) + 1, int(frequent[:-1].sum()))
