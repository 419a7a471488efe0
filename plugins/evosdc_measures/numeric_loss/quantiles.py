"""Quantiles, from values kept in order while records change, and tables of numbers by classes of their quantiles."""

from itertools import combinations

import numpy as np
from numba import njit
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
FEW = 32  # The values of up to this many changed records are put in their places; with more, all are sorted again


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


def quantiles_of_children(
    ordered: Numbers, known: Integers, numbers: Numbers, rows: Rows, after: Numbers, ends: Integers, stays: bool
) -> tuple[Integers, Integers, Numbers]:
    """Return the quantiles of attributes that differ in children, with the child and the attribute of each."""
    # Shapes: ordered (q, n), brought in order with `stays`; known (q,), numbers (n, q), rows (m,), after (m, q), ends
    # (k,).
    columns, after = np.ascontiguousarray(numbers.T), np.ascontiguousarray(after)
    found = [_quantiles_of_few(ordered, known, columns, rows, after, ends, stays, LEVELS)]
    begins = np.append(0, ends[:-1])
    for child in np.flatnonzero(ends - begins > FEW).tolist():
        own, table = slice(begins[child], ends[child]), columns.copy()
        table[:, rows[own]] = after[own].T
        table.sort(axis=1)
        if stays:
            ordered[:] = table
        quantiles = quantiles_of(table, np.count_nonzero(~np.isnan(table), axis=1))
        found.append((np.full(len(table), child), np.arange(len(table)), quantiles))
    children, attributes, quantiles = (np.concatenate(part) for part in zip(*found, strict=True))
    return children, attributes, quantiles


@njit(cache=True)
def _quantiles_of_few(
    ordered: Numbers,
    known: Integers,
    columns: Numbers,
    rows: Rows,
    after: Numbers,
    ends: Integers,
    stays: bool,
    levels: Numbers,
) -> tuple[Integers, Integers, Numbers]:
    """Return what `quantiles_of_children` does, of the children that change few records."""
    k, (q, n) = len(ends), ordered.shape
    children, attributes = np.empty(k * q, np.int64), np.empty(k * q, np.int64)
    found, filled, begin = np.empty((k * q, len(levels))), 0, 0
    for child in range(k):
        for v in range(q if ends[child] - begin <= FEW else 0):
            count, differ, column = known[v], 0, ordered[v]
            for i in range(begin, ends[child]):
                x, y = columns[v, rows[i]], after[i, v]
                if x == y or (np.isnan(x) and np.isnan(y)):
                    continue
                if differ == 0:
                    column = column.copy()
                differ += 1
                place = n - 1 if np.isnan(x) else np.searchsorted(column[:count], x)
                # Missing values come last, and a comparison with one is false.
                while place > 0 and not np.isnan(y) and not column[place - 1] <= y:
                    column[place] = column[place - 1]
                    place -= 1
                while place < n - 1 and not np.isnan(column[place + 1]) and not y <= column[place + 1]:
                    column[place] = column[place + 1]
                    place += 1
                column[place] = y
                count += int(np.isnan(x)) - int(np.isnan(y))
            if differ == 0:
                continue
            for level in range(len(levels)):
                found[filled, level] = np.nan
                if count > 0:
                    exact = (count - 1) * levels[level]
                    below = int(np.floor(exact))
                    low, high = column[below], column[min(below + 1, count - 1)]
                    found[filled, level] = low + (high - low) * (exact - below)
            for i in range(n if stays else 0):
                ordered[v, i] = column[i]
            children[filled], attributes[filled] = child, v
            filled += 1
        begin = ends[child]
    return children[:filled], attributes[:filled], found[:filled]


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
