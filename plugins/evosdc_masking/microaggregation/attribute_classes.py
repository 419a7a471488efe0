"""Classes of records by one attribute alone, and where missing values go."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import MissingRule
from evosdc.table.table import MISSING, Table
from evosdc_masking.averages import Average
from evosdc_masking.class_averages import ClassNumbers, aggregated

Partition = Callable[[NDArray[Any]], ClassNumbers]
"""From sorted values, none missing and at least k, to the number of each value's run."""


def attribute_classes(table: Table, k: int, partition: Partition) -> ClassNumbers:
    """Return the class of each record of a table of one ordinal or numeric attribute.

    Equal values are taken in the order of the records. Missing values are a class of their own; under the rule
    ``category``, where they or the present ones are fewer than k, they join the class of the median record (where the
    present ones are fewer than k, all records are one class), so that every class has k records: a reconstruction.

    Parameters
    ----------
    table : Table
        One attribute, n >= k.
    k : int
    partition : callable

    Returns
    -------
    ndarray of int64, shape (n,)
        Without gaps.
    """
    (attribute,) = table.schema.attributes
    column = table.column(attribute.name)
    missing = column == MISSING if attribute.categorical else np.isnan(column)
    present = np.flatnonzero(~missing)
    order = present[np.argsort(column[present], kind="stable")]
    labels = partition(column[order]) if order.size >= k else np.zeros(order.size, dtype=np.int64)
    classes = np.empty(len(table), dtype=np.int64)
    classes[order] = labels
    few = min(order.size, len(table) - order.size) < k and table.schema.na is not MissingRule.WILDCARD
    if order.size == 0:
        classes[missing] = 0
    elif few:
        classes[missing] = labels[(order.size - 1) // 2]
    else:
        classes[missing] = labels.max() + 1
    return classes


def attribute_by_attribute(
    table: Table, k: int, partition: Callable[[Table], Partition], average: Average | None, weights: Any
) -> Table:
    """Return the table in which each attribute has the averages of classes of its own.

    Parameters
    ----------
    table : Table
    k : int
    partition : callable
        From a table of one attribute to the partition of its sorted values.
    average, weights
        As in `evosdc_masking.class_averages.aggregated`.
    """
    masked = table
    for name in table.schema.names:
        part = table.select([name])
        masked = masked.with_columns(aggregated(part, attribute_classes(part, k, partition(part)), average, weights))
    return masked
