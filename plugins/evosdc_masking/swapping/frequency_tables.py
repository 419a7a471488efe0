"""The frequency tables that swapping keeps: which ones, in what detail, and where their cells stand."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import placed_values
from evosdc.table.merged_classes import least_of_classes, merged_classes
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Table

Integers = NDArray[np.int64]

CLASSES = 20
"""Classes of an attribute, at most, in tables of three attributes and in large ones."""

LARGE = 1 << 16
"""Cells of a pair of attributes from which on it is tabulated by classes."""

SENSITIVE_CLASSES = 5
"""Classes of a sensitive number in a table that is kept."""

PAIRS, TRIPLES = 400, 300
"""Tables of two and of three attributes, at most: those whose attributes depend most on each other."""


class FrequencyTables(NamedTuple):
    """Tables of two and three columns in one array of cells.

    Parameters
    ----------
    attributes : ndarray of int64, shape (T, 3)
        Columns of each table, -1 where a table has two.
    strides : ndarray of int64, shape (T, 3)
        Cells between neighbouring values of each column.
    offsets : ndarray of int64, shape (T,)
        First cell of each table.
    detail : ndarray of int64, shape (T,)
        0 where a table has all values, 1 where it has classes, from 2 on where it has those of a sensitive attribute.
    first, of : ndarray of int64
        Tables of column v are ``of[first[v]:first[v + 1]]``.
    cells : int
        Cells of all tables.
    """

    attributes: Integers
    strides: Integers
    offsets: Integers
    detail: Integers
    first: Integers
    of: Integers
    cells: int

    def counts(self, levels: Integers) -> Integers:
        """Return the records in each cell, shape (cells,), of columns in all details, shape (2 or more, n, c)."""
        found = np.zeros(self.cells, dtype=np.int64)
        columns = np.ascontiguousarray(levels.transpose(0, 2, 1))
        for place, (members, strides) in enumerate(zip(self.attributes, self.strides, strict=True)):
            own = columns[self.detail[place]]
            # Column by column: numpy multiplies no matrix of integers fast.
            cells = own[members[0]] * strides[0]
            for v, stride in zip(members[1:][members[1:] >= 0], strides[1:], strict=False):
                cells += own[v] * stride
            counts = np.bincount(cells)
            found[self.offsets[place] : self.offsets[place] + len(counts)] += counts
        return found


def levels_of(table: Table) -> Integers:
    """Return the values of a table as integers, shape (2, n, V): all different ones, and `CLASSES` at most.

    A missing value is one of its own. Classes are quantile bins of numbers and of ordered categories; of other
    categories the most frequent ones stay, and the rest are one class.
    """
    values = _values(table)
    return np.stack([values, _classes(table, values)])


def with_sensitive(levels: Integers, attributes: Sequence[Attribute], least_cell: int) -> tuple[Integers, list[int]]:
    """Return levels with a further one for each sensitive attribute, and their columns.

    There every other attribute has classes so large that the cells of its table with the sensitive one have
    `least_cell` people in the mean: a table of single values tells of one or two persons what is theirs.

    Parameters
    ----------
    levels : ndarray of int64, shape (2, n, c)
        Of `levels_of`.
    attributes : sequence of Attribute
        Of the columns.
    least_cell : int
    """
    columns = [c for c, attribute in enumerate(attributes) if attribute.role is Role.SENSITIVE]
    found = [levels[0], levels[1]]
    for column in columns:
        sensitive = attributes[column]
        guessed = levels[0][:, column]
        if not sensitive.categorical:
            counts = np.bincount(guessed)
            guessed = merged_classes(counts, sensitive, len(guessed) // SENSITIVE_CLASSES)[guessed]
        own = levels[0].copy()
        for v, attribute in enumerate(attributes):
            own[:, v] = _merged(own[:, v], attribute, least_of_classes(guessed, least_cell))
        own[:, column] = guessed
        found.append(own)
    return np.stack(found), columns


def _merged(values: Integers, attribute: Attribute, least: int) -> Integers:
    merged: Integers = merged_classes(np.bincount(values), attribute, least)[values]
    return merged


def frequency_tables(levels: Integers, masked: int, order: int, sensitive: Sequence[int] = ()) -> FrequencyTables:
    """Return the tables of two, and with order 3 of three, columns of which at least one is masked.

    Parameters
    ----------
    levels : ndarray of int64, shape (2 or more, n, c)
        Values and classes of all columns, the masked ones first, and those of tables with sensitive columns.
    masked : int
        How many columns are masked.
    order : {2, 3}
    sensitive : sequence of int
        Columns that are in tables of two columns alone, by classes of their own: see `with_sensitive`.
    """
    columns = levels.shape[2]
    sizes = levels.max(axis=1) + 1
    dependence = {
        pair: _dependence(levels[1][:, pair], sizes[1, list(pair)]) for pair in combinations(range(columns), 2)
    }
    members: list[tuple[int, ...]] = []
    for size, most in ((2, PAIRS), (3, TRIPLES)):
        if size <= order:
            found = [group for group in combinations(range(columns), size) if group[0] < masked]
            found = [group for group in found if size == 2 or not set(group) & set(sensitive)]
            strength = [sum(dependence[pair] for pair in combinations(group, 2)) for group in found]
            ranked = sorted(range(len(found)), key=lambda place: (-strength[place], found[place]))
            members += sorted(found[place] for place in ranked[:most])
    return _laid_out(members, sizes, columns, sensitive)


def _laid_out(
    members: Sequence[tuple[int, ...]], sizes: Integers, columns: int, sensitive: Sequence[int]
) -> FrequencyTables:
    attributes = np.full((len(members), 3), -1, dtype=np.int64)
    strides = np.zeros((len(members), 3), dtype=np.int64)
    offsets, detail = np.zeros(len(members), dtype=np.int64), np.zeros(len(members), dtype=np.int64)
    cells = 0
    for place, group in enumerate(members):
        chosen = list(group)
        detail[place] = int(len(group) > 2 or np.prod(sizes[0, chosen]) > LARGE)
        told = [at for at, column in enumerate(sensitive) if column in group]
        if told:
            detail[place] = 2 + told[0]
        own = sizes[detail[place], chosen]
        attributes[place, : len(group)] = chosen
        strides[place, : len(group)] = np.cumprod([1, *own[:-1]])
        offsets[place] = cells
        cells += int(np.prod(own))
    tables = [[t for t, group in enumerate(members) if v in group] for v in range(columns)]
    first = np.cumsum([0, *(len(one) for one in tables)]).astype(np.int64)
    of = np.array([t for one in tables for t in one], dtype=np.int64)
    return FrequencyTables(attributes, strides, offsets, detail, first, of, cells)


def _dependence(pair: Integers, sizes: Integers) -> float:
    """Return the share of records by which the table of two columns differs from independence."""
    joint = np.bincount(pair[:, 0] * sizes[1] + pair[:, 1], minlength=int(sizes[0] * sizes[1])).reshape(sizes)
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / len(pair)
    return float(np.abs(joint - expected).sum() / 2 / len(pair))


def _values(table: Table) -> Integers:
    columns = [placed_values(table.column(name))[1] for name in table.schema.names]
    return np.stack(columns, axis=1).astype(np.int64)


def _classes(table: Table, values: Integers) -> Integers:
    columns = []
    for v, attribute in enumerate(table.schema.attributes):
        column = values[:, v]
        size = int(column.max()) + 1
        if size > CLASSES:
            counts = np.bincount(column)
            if attribute.scale is not Scale.NOMINAL:
                ranks = np.cumsum(counts) - counts / 2
                merged = (ranks * CLASSES / len(table)).astype(np.int64)
            else:
                order = np.argsort(-counts, kind="stable")
                merged = np.empty(size, dtype=np.int64)
                merged[order] = np.minimum(np.arange(size), CLASSES - 1)
            column = np.unique(merged, return_inverse=True)[1][column]
        columns.append(column)
    return np.stack(columns, axis=1).astype(np.int64)
