"""One order of all records: by their distance to the median record of the file, then by their values.

A reconstruction, see `evosdc_masking.anonymity.global_median`. Distances are those of MDAV (`evosdc_masking.space`).
"""

import numpy as np

from evosdc.table.spread import Spreads
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table
from evosdc_masking.class_averages import ClassNumbers, aggregated
from evosdc_masking.point_search import incomplete_columns, measure
from evosdc_masking.space import Space, space_of


def global_order(table: Table, spreads: Spreads | None = None) -> Rows:
    """Return the positions of the records, shape (n,), n >= 1, from the nearest to the median record to the farthest.

    Records at the same distance stand in lexicographic order: attribute by attribute as the schema has them, categories
    by their order and numbers by value, a missing value behind all others. Equal ones stand as in the file. Numbers are
    scaled by the spreads given, by default the table's own.
    """
    keys = [_ranked(table, name) for name in reversed(table.schema.names)]
    order: Rows = np.lexsort([*keys, distances_to_median(table, spreads)])
    return order


def distances_to_median(table: Table, spreads: Spreads | None = None) -> Numbers:
    """Return the distance of each record to the median record of the file, shape (n,).

    That record has the lower median of each ordinal or numeric attribute and the mode of each nominal one; nobody need
    be like it.
    """
    n = len(table)
    median = aggregated(table, np.zeros(n, dtype=np.int64), "median", in_domain=True)
    space = space_of(table, spreads=spreads)
    codes = np.where(median.codes[0] == MISSING, space.metric.sizes - 1, median.codes[0]).astype(np.int32)
    away = np.empty(space.points.first.size)
    numbers = _scaled(table, median, space)
    measure(space.metric, space.codes, space.numbers, incomplete_columns(space.numbers), codes, numbers, away)
    distances = np.empty(n)
    distances[space.points.rows] = np.repeat(away, np.diff(space.points.starts))
    return distances


def _scaled(table: Table, median: Table, space: Space) -> Numbers:
    """Return the numbers of the median record on the scale of the space, read off records that have them."""
    scaled = np.full(table.numbers.shape[1], np.nan)
    for j, value in enumerate(median.numbers[0]):
        if not np.isnan(value):
            # With numbers each record is a point of its own.
            scaled[j] = space.numbers[j, np.flatnonzero(table.numbers[:, j] == value)[0]]
    return scaled


def _ranked(table: Table, name: str) -> Codes | Numbers:
    column = table.column(name)
    if table.schema[name].categorical:
        return np.where(column == MISSING, np.iinfo(np.int32).max, column)
    return column


def blocks_of_order(order: Rows, k: int) -> ClassNumbers:
    """Return the number of each record's block, shape (n,): consecutive blocks of k, the last one of k to 2k - 1.

    Parameters
    ----------
    order : ndarray of intp, shape (n,)
        Positions of the records.
    k : int
        1..n.
    """
    n = order.size
    blocks = np.empty(n, dtype=np.int64)
    blocks[order] = np.minimum(np.arange(n) // k, n // k - 1)
    return blocks
