"""What a method that generalises may change, and whether its labels are true."""

import numpy as np

from evosdc.table.generalisation import LabelReader
from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Table


def assert_same_attributes(original: Schema, published: Schema) -> None:
    """Assert that a generalised table has the original's attributes in their order, with their roles and its rules."""
    assert published.names == original.names, "the masked table has other attributes, or in another order"
    roles = [a.name for a, b in zip(original.attributes, published.attributes, strict=True) if a.role is not b.role]
    assert not roles, f"the roles of {', '.join(roles)} are others in the masked table"
    assert (published.na, published.missing) == (original.na, original.missing), "missing values count otherwise"


def label_misses(table: Table, masked: Table, name: str) -> tuple[float, float]:
    """Return the shares of records whose published label does not cover their own value, and those of all records.

    Labels are read by `evosdc.table.generalisation`; what cannot be read, a user's own name for merged categories for
    one, counts as covering everything, as does a suppressed value. An attribute that is still numeric has no labels.
    """
    original, published = table.schema[name], masked.schema[name]
    if not published.categorical:
        return 0.0, 0.0
    distinct, position = np.unique(table.column(name), return_inverse=True)
    absent = distinct == MISSING if original.categorical else np.isnan(distinct)
    values, labels = position.reshape(-1), masked.column(name)
    reader, own, of_any = LabelReader(original), 0.0, 0.0
    for label in np.unique(labels[labels != MISSING]).tolist():
        extent = reader.read(published.categories[int(label)])
        if extent is not None:
            covered = [
                extent.missing if gone else extent.covers(float(value))
                for value, gone in zip(distinct, absent, strict=True)
            ]
            missed = ~np.array(covered, dtype=bool)[values]
            rows = labels == label
            own += float(missed[rows].sum())
            of_any += float(rows.sum() * missed.mean())
    return own / len(table), of_any / len(table)
