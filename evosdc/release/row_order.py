"""Whether a published file has the rows of its original in another order, so that no figure row by row is true."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Table

MOSTLY = 0.5
"""Share of the rows in other places from which it is said: a few exchanged values may be masking."""


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
    before, after = _numbered(original, published, comparable)
    if np.mean(before != after) < MOSTLY or not np.array_equal(np.sort(before), np.sort(after)):
        return None
    return (
        f"The rows seem to stand in another order than in the original: {', '.join(comparable)} {_have(comparable)} "
        "the same values in other rows. If so, each record is compared with another person's, risks seem too low, and "
        "no figure here is true. True are those of the run that shuffled the file; or compare it before it is shuffled."
    )


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _numbered(original: Table, published: Table, names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for the values that each row has, the same in both tables."""
    both = np.zeros(len(original) + len(published), dtype=np.int64)
    for name in names:
        places = {label: place for place, label in enumerate(original.schema[name].categories)}
        for label in published.schema[name].categories:
            places.setdefault(label, len(places))
        values = np.concatenate([_values(table, name, places) for table in (original, published)])
        codes = np.unique(values, return_inverse=True)[1]
        both = np.unique(both * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return both[: len(original)], both[len(original) :]


def _values(table: Table, name: str, places: dict[str, int]) -> NDArray[np.generic]:
    """Return an attribute's numbers, or where each category stands among those of both files."""
    attribute = table.schema[name]
    if not attribute.categorical:
        return table.column(name)
    return np.array([*(places[label] for label in attribute.categories), -1])[table.column(name)]
