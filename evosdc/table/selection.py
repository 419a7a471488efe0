"""Choosing records: those without missing values."""

from collections.abc import Sequence

import numpy as np

from evosdc.table.table import MISSING, Rows, Table


def complete_rows(table: Table, names: Sequence[str] | None = None) -> Rows:
    """Return the positions of the records that have a value of every named attribute; by default of all."""
    part = table if names is None else table.select(names)
    present = (part.codes != MISSING).all(axis=1) & ~np.isnan(part.numbers).any(axis=1)
    return np.flatnonzero(present)
