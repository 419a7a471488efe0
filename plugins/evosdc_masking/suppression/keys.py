"""The records of a table as whole numbers, and the distinct ones among them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_masking.distinct import Distinct, distinct

Values = NDArray[np.int32]
Counts = NDArray[np.int64]


def key_values(table: Table) -> Values:
    """Return every attribute's values as whole numbers, ``MISSING`` where there is none, shape (n, V) as in the schema.

    Categories are their codes; a number is its rank among the distinct numbers of its attribute.
    """
    values = np.empty((len(table), len(table.schema)), dtype=np.int32)
    for j, attribute in enumerate(table.schema.attributes):
        column = table.column(attribute.name)
        if attribute.categorical:
            values[:, j] = column
        else:
            present = ~np.isnan(column)
            values[:, j] = MISSING
            values[present, j] = np.unique(column[present], return_inverse=True)[1]
    return values


def with_suppressed(table: Table, suppressed: NDArray[np.bool_]) -> Table:
    """Return the table with missing values where `suppressed`, shape (n, V), says so."""
    codes: Codes = table.codes.copy()
    numbers: Numbers = table.numbers.copy()
    categorical = np.array([a.categorical for a in table.schema.attributes], dtype=np.bool_)
    codes[suppressed[:, categorical]] = MISSING
    numbers[suppressed[:, ~categorical]] = np.nan
    return Table(table.schema, codes, numbers)


@dataclass(frozen=True, eq=False)
class Units:
    """Records taken together: a distinct record is one unit, unless it is rare; rare records are units by themselves.

    Parameters
    ----------
    records : Distinct
        Which records are in which unit.
    values : ndarray of int32, shape (V, u)
        Values of each unit, attribute by attribute.
    counts : ndarray of int64, shape (u,)
        Records in each unit.
    """

    records: Distinct
    values: Values
    counts: Counts


def units_of(values: Values, rarer_than: int) -> Units:
    """Return the units of records, shape (n, V) with n >= 1; those of fewer than `rarer_than` records are divided."""
    records = distinct(values)
    sizes = np.diff(records.starts)
    pieces = np.where(sizes < rarer_than, sizes, 1)
    sizes = np.repeat(np.where(sizes < rarer_than, 1, sizes), pieces)
    divided = Distinct(records.rows, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64))
    return Units(divided, np.ascontiguousarray(values[divided.first].T), sizes.astype(np.int64))
