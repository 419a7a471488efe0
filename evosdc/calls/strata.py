"""Strata of a file: records that agree on some attributes, masked apart and put together again."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table


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
        _, found = np.unique(table.column(name), return_inverse=True)
        _, labels = np.unique(labels * (int(found.max(initial=0)) + 1) + found, return_inverse=True)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []


def join_strata(pieces: Sequence[Table], strata: Sequence[Rows]) -> Table:
    """Return one table from the masked strata; the categories of generalised attributes are united.

    Parameters
    ----------
    pieces : sequence of Table
        One for each stratum.
    strata : sequence of ndarray of intp
        The positions of its records in the whole file.
    """
    first = pieces[0].schema
    attributes = tuple(_united([piece.schema.attributes[j] for piece in pieces]) for j in range(len(first)))
    schema = replace(first, attributes=attributes)
    n = sum(len(rows) for rows in strata)
    codes: Codes = np.empty((n, len(schema.categorical)), dtype=np.int32)
    numbers: Numbers = np.empty((n, len(schema.numeric)))
    for piece, rows in zip(pieces, strata, strict=True):
        numbers[rows] = piece.numbers if piece.schema.numeric == schema.numeric else np.nan
        for j, attribute in enumerate(schema.categorical):
            own = piece.schema[attribute.name]
            recoding = np.array([attribute.code[label] for label in own.categories] + [MISSING], dtype=np.int32)
            codes[rows, j] = recoding[piece.column(attribute.name)]
    return Table(schema, codes, numbers)


def label_at(table: Table, name: str, row: int) -> str | float | None:
    """Return a record's value as a file has it: a category, a number, or None where it is missing."""
    attribute, value = table.schema[name], table.column(name)[row]
    if attribute.categorical:
        return None if value == MISSING else attribute.categories[value]
    return None if np.isnan(value) else float(value)


def _united(attributes: Sequence[Attribute]) -> Attribute:
    first = attributes[0]
    if all(attribute == first for attribute in attributes):
        return first
    labels = tuple(dict.fromkeys(label for attribute in attributes for label in attribute.categories))
    return replace(first, scale=Scale.NOMINAL, categories=labels)
