"""Masked records in another order than those of the original: how that is seen, and how they are matched again."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Rows, Table

MOSTLY = 0.5
"""Share of the rows in other places from which it is said: a few exchanged values may be masking."""


def matched(original: Table, masked: Table, rows: Rows, by_position: Collection[str] = ()) -> tuple[Table, Table]:
    """Return both tables in the order of the original, without its records of which there is no masked one.

    Parameters
    ----------
    original, masked : Table
    rows : ndarray of intp
        By masked record, the position of its original, each another one.
    by_position : collection of str
        Unmasked columns of both that name records by their rows, as the edges of a graph do. Those of the masked table
        name other rows than those of the original, which are taken in their place.
    """
    order = np.argsort(rows)
    before, after = original.take(rows[order]), masked.take(order)
    names = [name for name in by_position if name in before.schema and name in after.schema]
    return before, after.with_columns(before.select(names)) if names else after


def reordered_words(original: Table, published: Table, names: Sequence[str]) -> str | None:
    """Return a warning where columns that nobody is said to have masked have the same rows in another order.

    Parameters
    ----------
    original, published : Table
        As many rows each.
    names : sequence of str
        Columns of both that are not judged.
    """
    shared = [name for name in names if name in original.schema and name in published.schema]
    comparable = [name for name in shared if original.schema[name].categorical is published.schema[name].categorical]
    if not comparable or len(original) != len(published):
        return None
    columns = [_values(original, published, name) for name in comparable]
    moved = np.zeros(len(original), dtype=np.bool_)
    for before, after in columns:
        # Missing numbers are not equal to themselves.
        moved |= (before != after) & ~((before != before) & (after != after))
    # Numbering rows sorts them, which most files are spared.
    if np.mean(moved) < MOSTLY:
        return None
    before, after = _numbered(columns)
    if not np.array_equal(np.sort(before), np.sort(after)):
        return None
    return (
        f"The rows seem to stand in another order than in the original: {', '.join(comparable)} {_have(comparable)} "
        "the same values in other rows. If so, each record is compared with another person's, risks seem too low, and "
        "no figure here is true. Judge or measure the run folder, or give the --crosswalk of the file."
    )


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _values(original: Table, published: Table, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return an attribute's numbers in both tables, or where each category stands among those of both."""
    if not original.schema[name].categorical:
        return original.column(name), published.column(name)
    places: dict[str, int] = {}
    for label in (*original.schema[name].categories, *published.schema[name].categories):
        places.setdefault(label, len(places))
    first, second = (
        np.array([*(places[label] for label in table.schema[name].categories), MISSING])[table.column(name)]
        for table in (original, published)
    )
    return first, second


def _numbered(columns: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for the values that each row has, the same in both tables."""
    rows = len(columns[0][0])
    both = np.zeros(2 * rows, dtype=np.int64)
    for column in columns:
        codes = np.unique(np.concatenate(column), return_inverse=True)[1]
        both = np.unique(both * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return both[:rows], both[rows:]
