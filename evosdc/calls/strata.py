"""Strata of a file: records that agree on some attributes, masked apart."""

from collections.abc import Sequence

import numpy as np

from evosdc.table.distinct_values import placed_values
from evosdc.table.table import MISSING, Rows, Table


def strata_of(table: Table, by: Sequence[str]) -> list[Rows]:
    """Return the positions of each stratum's records: records that agree on all attributes of `by`.

    Missing values count as a category of their own. Strata are in the order of the attributes' categories.

    Raises
    ------
    SchemaError
        Attributes that the table does not have.
    """
    table.schema.require(by, "by")
    labels = np.zeros(len(table), dtype=np.int64)
    for name in by:
        _, found, _ = placed_values(table.column(name))
        _, labels, _ = placed_values(labels * (int(found.max(initial=0)) + 1) + found)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []


def label_at(table: Table, name: str, row: int) -> str | float | None:
    """Return a record's value as a file has it: a category, a number, or None where it is missing."""
    attribute, value = table.schema[name], table.column(name)[row]
    if attribute.categorical:
        return None if value == MISSING else attribute.categories[value]
    return None if np.isnan(value) else float(value)
