"""Structural zeros: pairs of categories that never occur together although one would expect several such records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import WITHHELD, MissingRule, Role
from evosdc.table.table import Table

THRESHOLD = 5.0  # records that the margins must lead to expect, where nothing else is said
BINS = 10  # quantile bins that a numeric attribute is taken in
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
    # No record has both categories though ``n_k n_l / n >= threshold``; rarer categories are merged. A missing value is
    # a category, but under ``wildcard`` goes with everything.
    names = list(dict.fromkeys([*protect, *compared_attributes(table)]))
    bins = {name: bins_of(table, name, threshold) for name in names}
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
        margins = counts.sum(axis=1), counts.sum(axis=0)
        # Compared as products of counts: a quotient could fall below a threshold that it equals.
        zeros = (counts == 0) & (np.multiply.outer(*margins) >= threshold * len(table))
        zeros[-1, :] = zeros[:, -1] = False
        if zeros.any():
            pairs.append(ZeroPair(first, second, zeros))
    return StructuralZeros(bins, tuple(pairs), threshold, tuple(left_out))


def bins_of(table: Table, name: str, threshold: float) -> Bins:
    """Return the classes of an attribute's values: its frequent categories, or quantile bins of numbers."""
    attribute, column = table.schema[name], table.column(name)
    edges: NDArray[np.float64] | None = None
    size = len(attribute.categories) + 1
    if not attribute.categorical:
        known = column[~np.isnan(column)]
        inner = np.arange(1, BINS) / BINS
        quantiles = np.quantile(known, inner, method="inverted_cdf") if len(known) else np.zeros(0)
        # An edge at the least number would leave an interval below it that nothing is in.
        edges = np.unique(quantiles[quantiles > known.min()]) if len(known) else quantiles
        size = len(edges) + 2
    counts = np.bincount(places(column, edges, size), minlength=size)
    frequent = counts >= max(threshold, 1.0)
    if table.schema.na is MissingRule.WILDCARD:
        frequent[-1] = False
    bins = np.full(size, frequent.sum(), dtype=np.int32)
    bins[frequent] = np.arange(frequent.sum())
    return Bins(bins, edges, int(frequent.sum()) + 1)
