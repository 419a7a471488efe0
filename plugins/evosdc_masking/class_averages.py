"""The last step of every microaggregation: the records of a class get the class's average."""

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.averages import LOWER_MEDIAN, Average, average_category, average_number, average_rule

ClassNumbers = NDArray[np.int64]

_MOST_CELLS = 1 << 22
"""Frequencies, of all categories in some classes, that are counted at a time: 32 megabytes."""


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
    codes = np.empty_like(table.codes)
    for j, attribute in enumerate(table.schema.categorical):
        rule, size = average_rule(attribute.scale, average), len(attribute.categories)
        codes[:, j] = _category_averages(table.codes[:, j], classes, counted, size, rule, wildcard)
    numbers = np.empty_like(table.numbers)
    for j, attribute in enumerate(table.schema.numeric):
        rule = LOWER_MEDIAN if in_domain else average_rule(attribute.scale, average)
        numbers[:, j] = _number_averages(table.numbers[:, j], classes, counted, rule, wildcard)
    return Table(table.schema, codes, numbers)


def _category_averages(
    column: Codes, classes: ClassNumbers, weights: Numbers, size: int, rule: int, wildcard: bool
) -> Codes:
    groups, width = int(classes.max(initial=-1)) + 1, size + 1
    averages = np.empty(groups, dtype=np.int32)
    step = max(_MOST_CELLS // width, 1)
    for begin in range(0, groups, step):
        end = min(begin + step, groups)
        rows = slice(None) if end - begin == groups else np.flatnonzero((classes >= begin) & (classes < end))
        digits = np.where(column[rows] < 0, size, column[rows])
        cells = (classes[rows] - begin) * width + digits
        counts = np.bincount(cells, weights[rows], (end - begin) * width).reshape(-1, width)
        averages[begin:end] = average_category(counts, rule, wildcard)
    return averages[classes]


def _number_averages(column: Numbers, classes: ClassNumbers, weights: Numbers, rule: int, wildcard: bool) -> Numbers:
    groups = int(classes.max(initial=-1)) + 1
    absent = np.isnan(column)
    members = np.argsort(classes, kind="stable")
    members = members[~absent[members]]
    values, counted, sizes = column[members], weights[members], np.bincount(classes[members], minlength=groups)
    begins, averages = np.cumsum(sizes) - sizes, np.full(groups, np.nan)
    by_size = np.argsort(sizes, kind="stable")
    ascending = sizes[by_size]
    # Classes of the same size are rows of a matrix; there are never more than the root of 2n different sizes.
    for size in np.unique(sizes[sizes > 0]).tolist():
        begin, end = np.searchsorted(ascending, (size, size + 1))
        same = by_size[begin:end]
        places = begins[same][:, None] + np.arange(size)
        averages[same] = average_number(values[places], counted[places], rule)
    if absent.any() and not wildcard:
        known = np.bincount(classes[~absent], weights[~absent], groups)
        averages[np.bincount(classes[absent], weights[absent], groups) > known] = np.nan
    return averages[classes]
