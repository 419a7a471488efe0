"""Quantiles, from values kept in order while records change, and tables of numbers by classes of their quantiles."""

from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.categorical_loss.tables import FittedSum
from evosdc_measures.domains import Integers
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes

LEVELS = np.arange(1, 20) / 20  # Levels of the quantiles, 5 % to 95 %
FEW = 32  # Up to this many changed values update the quantiles of an attribute; with more, it is sorted again


def in_order(numbers: Numbers) -> Numbers:
    """Return the values of each attribute in order, shape (q, n), missing ones last; `numbers` has shape (n, q)."""
    ordered: Numbers = np.sort(np.ascontiguousarray(numbers.T), axis=1)
    return ordered


def quantiles_of(ordered: Numbers, known: Integers) -> Numbers:
    """Return the quantiles of attributes in order, shape (q, 19), as `numpy.quantile` does; NaN without values."""
    # Shapes: ordered (q, n), known (q,).
    places = LEVELS * (known[:, None] - 1.0)
    below = np.maximum(np.floor(places), 0.0).astype(np.intp)
    low = np.take_along_axis(ordered, below, axis=1)
    high = np.take_along_axis(ordered, np.minimum(below + 1, np.maximum(np.ceil(places), 0.0).astype(np.intp)), axis=1)
    quantiles: Numbers = low + (high - low) * (places - below)
    return quantiles


def reorder(ordered: Numbers, before: Numbers, after: Numbers, whole: Numbers) -> None:
    """Bring the values of one attribute, shape (n,), in the order that they have after a change, in place."""
    # Shapes: ordered (n,), before, after (m,), whole (n,).
    differ = (before != after) & ~(np.isnan(before) & np.isnan(after))
    if np.count_nonzero(differ) > FEW:
        ordered[:] = np.sort(whole)
        return
    for old, new in zip(before[differ].tolist(), after[differ].tolist(), strict=True):
        source, target = int(np.searchsorted(ordered, old)), int(np.searchsorted(ordered, new))
        if target > source:
            ordered[source : target - 1] = ordered[source + 1 : target]
            ordered[target - 1] = new
        else:
            ordered[target + 1 : source + 1] = ordered[target:source]
            ordered[target] = new


def quantiles_of_children(
    ordered: Numbers, known: Integers, numbers: Numbers, rows: Rows, after: Numbers, ends: Integers
) -> tuple[Integers, Integers, Numbers]:
    """Return the quantiles of attributes that differ in children."""
    # Shapes: ordered (q, n), known (q,), numbers (n, q), rows (m,), after (m, q), ends (k,).
    children, attributes, found, sort = _quantiles_of_children(ordered, known, numbers[rows], after, ends, LEVELS, FEW)
    for place in np.flatnonzero(sort).tolist():
        child, v = int(children[place]), attributes[place]
        own = slice(int(ends[child - 1]) if child else 0, int(ends[child]))
        column = numbers[:, v].copy()
        column[rows[own]] = after[own, v]
        found[place] = quantiles_of(np.sort(column)[None], np.count_nonzero(~np.isnan(column), keepdims=True))[0]
    return children, attributes, found


@njit(cache=True)
def _quantiles_of_children(
    ordered: Numbers, known: Integers, before: Numbers, after: Numbers, ends: Integers, levels: Numbers, few: int
) -> tuple[Integers, Integers, Numbers, NDArray[np.bool_]]:
    """Return what `quantiles_of_children` does, and which have too many changes and are left to be sorted."""
    k, q = len(ends), len(ordered)
    children, attributes = np.empty(k * q, np.int64), np.empty(k * q, np.int64)
    found, sort, filled = np.empty((k * q, len(levels))), np.zeros(k * q, np.bool_), 0
    # Places in order of what goes, and what comes with the place that it has then; both ascending.
    gone, came, stands = np.empty(few, np.int64), np.empty(few), np.empty(few, np.int64)
    for child in range(k):
        begin = ends[child - 1] if child else 0
        for v in range(q):
            column, less, more, differ = ordered[v, : known[v]], 0, 0, 0
            for i in range(begin, ends[child]):
                x, y = before[i, v], after[i, v]
                if x == y or (np.isnan(x) and np.isnan(y)):
                    continue
                differ += 1
                if differ > few:
                    break
                if not np.isnan(x):
                    place, at = np.searchsorted(column, x), less
                    while at > 0 and gone[at - 1] > place:
                        gone[at] = gone[at - 1]
                        at -= 1
                    gone[at] = place
                    less += 1
                if not np.isnan(y):
                    at = more
                    while at > 0 and came[at - 1] > y:
                        came[at] = came[at - 1]
                        at -= 1
                    came[at] = y
                    more += 1
            if differ == 0:
                continue
            children[filled], attributes[filled], sort[filled] = child, v, differ > few
            filled += 1
            count = known[v] - less + more
            found[filled - 1] = np.nan
            if differ > few or count == 0:
                continue
            for at in range(1, less):
                # Of equal values the one after the last one that goes.
                gone[at] = max(gone[at], gone[at - 1] + 1)
            out = 0
            for at in range(more):
                place = np.searchsorted(column, came[at])
                while out < less and gone[out] < place:
                    out += 1
                stands[at] = place - out + at
            into, out = 0, 0
            for level in range(len(levels)):
                exact = (count - 1) * levels[level]
                below = int(np.floor(exact))
                low = high = np.nan
                entering, leaving = into, out
                for rank in range(below, min(below + 2, count)):
                    while entering < more and stands[entering] < rank:
                        entering += 1
                    place = rank - entering
                    while leaving < less and gone[leaving] <= place + leaving:
                        leaving += 1
                    own = entering < more and stands[entering] == rank
                    high = came[entering] if own else column[place + leaving]
                    if rank == below:
                        low, into, out = high, entering, leaving
                found[filled - 1, level] = low + (high - low) * (exact - below)
    return children[:filled], attributes[:filled], found[:filled], sort[:filled]


FEWEST, MOST = 4, 10  # Classes of an attribute, at least and at most
IN_A_CELL = 25  # records in a cell of two numbers, in the mean: with fewer, tables tell of sampling


class QuantileTables(Measure):
    """Share of records moved to another cell, over all one- and two-way tables with numbers, times 100.

    Numbers, and dates of many days, stand in classes of about equal frequency in the original; categories stand as they
    are. The sum of ``|x - y|`` over the cells of T tables, x original and y masked counts, as ``100 * sum / (2 n T)``:
    range 0..100, smaller is better. What `ContingencyTableLoss` (Domingo-Ferrer and Torra, 2001) is for categories;
    tables of categories alone are left to it. Moves within a class cost nothing, and neither does an exchange of whole
    records. A missing value is a category of its own. Classes and normalisation are reconstructions.
    """

    supports = frozenset(Scale)

    class Params(Parameters):
        """Classes of numbers."""

        bins: int | None = Field(
            None,
            ge=2,
            description="Classes of about equal frequency; by default chosen so that a cell of two numbers has 25 "
            "records in the mean, 4 to 10.",
        )

    params: Params

    def fit(self, original: Table) -> Fitted:
        """Count the original's tables."""
        self.require_support(original)
        bins = self.params.bins or min(max(int((len(original) / IN_A_CELL) ** 0.5), FEWEST), MOST)
        numbers = set(by_classes(original.schema, bins))
        if not numbers:
            where, wanted = "measure quantile-tables", "at least one number"
            raise ParameterError(Fault(where, "attributes without numbers", wanted, "Judge categories by ctbil."))
        names = original.schema.names
        chosen = [
            members
            for size in (1, 2)
            for members in combinations(range(len(names)), size)
            if any(names[v] in numbers for v in members)
        ]
        return FittedOnIntervals(original, bins, lambda classed: FittedSum(classed, chosen, "quantile-tables"))
