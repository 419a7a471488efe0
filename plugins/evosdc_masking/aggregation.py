"""The last step of every microaggregation: the records of a class get the class's average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.data.schema import MissingRule, Scale
from evosdc.data.table import Codes, Numbers, Table
from evosdc.kernel import kernel
from evosdc_masking.averages import average_category

Classes = NDArray[np.int64]


def aggregated(table: Table, classes: Classes) -> Table:
    """Return the table in which every value is the average of its class.

    Parameters
    ----------
    table : Table
        Shape (n, V).
    classes : ndarray of int64, shape (n,)
        Number of each record's class, 0 and up, without gaps.

    Returns
    -------
    Table
        Lower medians of ordinal attributes, modes of nominal ones, means of numeric ones; missing values take part as
        `evosdc_masking.averages` says. The records of one class are equal to the last bit.
    """
    wildcard = table.schema.na is MissingRule.WILDCARD
    members = np.argsort(classes, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(classes)))).astype(np.int64)
    codes = np.empty_like(table.codes)
    for j, attribute in enumerate(table.schema.categorical):
        ordinal = attribute.scale is Scale.ORDINAL
        codes[:, j] = _category_averages(
            table.codes[:, j], members, starts, len(attribute.categories), ordinal, wildcard
        )
    numbers = np.empty_like(table.numbers)
    for j in range(numbers.shape[1]):
        numbers[:, j] = _means(table.numbers[:, j], members, starts, wildcard)
    return Table(table.schema, codes, numbers)


@kernel
def _category_averages(
    column: Codes, members: Classes, starts: Classes, size: int, ordinal: bool, wildcard: bool
) -> Codes:
    averages = np.empty_like(column)
    counts = np.zeros(size + 1, dtype=np.int64)
    for group in range(starts.size - 1):
        rows = members[starts[group] : starts[group + 1]]
        counts[:] = 0
        for row in rows:
            counts[column[row]] += 1
        average = average_category(counts, ordinal, wildcard)
        for row in rows:
            averages[row] = average
    return averages


@kernel
def _means(column: Numbers, members: Classes, starts: Classes, wildcard: bool) -> Numbers:
    averages = np.empty_like(column)
    for group in range(starts.size - 1):
        rows = members[starts[group] : starts[group + 1]]
        present = 0
        total = 0.0
        least, greatest = np.inf, -np.inf
        for row in rows:
            value = column[row]
            if not np.isnan(value):
                present += 1
                total += value
                least, greatest = min(least, value), max(greatest, value)
        missing = rows.size - present
        if present == 0 or (missing > present and not wildcard):
            average = np.nan
        else:
            # rounding must not push the mean of equal values off them
            average = min(max(total / present, least), greatest)
        for row in rows:
            averages[row] = average
    return averages
