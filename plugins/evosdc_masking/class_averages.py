"""The last step of every microaggregation: the records of a class get the class's average."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.averages import LOWER_MEDIAN, Average, average_category, average_number, average_rule

ClassNumbers = NDArray[np.int64]


def aggregated(
    table: Table,
    classes: ClassNumbers,
    average: Average | None = None,
    weights: Numbers | None = None,
    in_domain: bool = False,
) -> Table:
    """Return the table in which every value is the average of its class.

    Parameters
    ----------
    table : Table
        Shape (n, V).
    classes : ndarray of int64, shape (n,)
        Number of each record's class, 0 and up, without gaps.
    average : {"median", "convex-median", "mode", "mean"}, optional
        None for lower medians of ordinal attributes, modes of nominal ones and means of numeric ones.
    weights : ndarray of float64, shape (n,), optional
        Sampling weights, positive; all records count the same if not given.
    in_domain : bool
        Whether numbers get their lower median, whatever `average` says: a value that some record of the class has.

    Returns
    -------
    Table
        The averages of `evosdc_masking.averages`, which says how missing values take part. The records of one class
        are equal to the last bit.
    """
    wildcard = table.schema.na is MissingRule.WILDCARD
    counted = np.ones(len(table)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    members = np.argsort(classes, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(classes)))).astype(np.int64)
    codes = np.empty_like(table.codes)
    for j, attribute in enumerate(table.schema.categorical):
        rule, size = average_rule(attribute.scale, average), len(attribute.categories)
        codes[:, j] = _category_averages(np.array(table.codes[:, j]), members, starts, counted, size, rule, wildcard)
    numbers = np.empty_like(table.numbers)
    for j, attribute in enumerate(table.schema.numeric):
        rule = LOWER_MEDIAN if in_domain else average_rule(attribute.scale, average)
        numbers[:, j] = _number_averages(np.array(table.numbers[:, j]), members, starts, counted, rule, wildcard)
    return Table(table.schema, codes, numbers)


@njit(cache=True)
def _category_averages(
    column: Codes, members: ClassNumbers, starts: ClassNumbers, weights: Numbers, size: int, rule: int, wildcard: bool
) -> Codes:
    averages = np.empty(column.size, dtype=np.int32)
    counts = np.empty(size + 1, dtype=np.float64)
    for group in range(starts.size - 1):
        rows = members[starts[group] : starts[group + 1]]
        for category in range(counts.size):
            counts[category] = 0.0
        for row in rows:
            counts[column[row]] += weights[row]
        average = average_category(counts, rule, wildcard)
        for row in rows:
            averages[row] = average
    return averages


@njit(cache=True)
def _number_averages(
    column: Numbers, members: ClassNumbers, starts: ClassNumbers, weights: Numbers, rule: int, wildcard: bool
) -> Numbers:
    averages = np.empty(column.size, dtype=np.float64)
    values = np.empty(column.size, dtype=np.float64)
    counted = np.empty(column.size, dtype=np.float64)
    for group in range(starts.size - 1):
        rows = members[starts[group] : starts[group + 1]]
        present = 0
        known, missing = 0.0, 0.0
        for row in rows:
            if np.isnan(column[row]):
                missing += weights[row]
            else:
                values[present], counted[present] = column[row], weights[row]
                known += weights[row]
                present += 1
        if present == 0 or (missing > known and not wildcard):
            average = np.nan
        else:
            average = average_number(values[:present], counted[:present], rule)
        for row in rows:
            averages[row] = average
    return averages
