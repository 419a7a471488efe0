"""What a masked table changes in the values of a file, attribute by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.data.column import Column, Index
from evosdc.data.numerals import number, numeral
from evosdc.data.table import MISSING, Table

_NEITHER = -2  # neither a category nor a missing value, so that it differs from every code


@dataclass(frozen=True, eq=False)
class Change:
    """New texts for some records of an attribute.

    Parameters
    ----------
    changed : ndarray of bool, shape (n,)
    texts : tuple of str or None
        None: no value.
    index : ndarray of int32, shape (n,)
        Position of each record's new text in `texts`; counts only where `changed`.
    """

    changed: NDArray[np.bool_]
    texts: tuple[str | None, ...]
    index: Index


def change_of(column: Column, missing: Sequence[str], masked: Table, decimals: int) -> Change:
    """Return what `masked` changes in a column of its name and its number of records.

    A categorical value is unchanged if its label is the text that stands in the file, a number if it equals the number
    that the text writes; new numbers are rounded to `decimals`.
    """
    attribute = masked.schema[column.name]
    new = masked.column(column.name)
    if attribute.categorical:
        by_text = [MISSING if text in missing else attribute.code.get(text, _NEITHER) for text in column.texts]
        old = np.array([*by_text, MISSING], dtype=np.int32)[column.index]
        # The last entry is the missing value, where its code -1 finds it.
        last = len(attribute.categories)
        index = np.where(new == MISSING, last, new).astype(np.int32)
        return Change(old != new, (*attribute.categories, None), index)
    changed = differing(column, missing, np.asarray(new, dtype=np.float64))
    values, position = np.unique(np.asarray(new)[changed], return_inverse=True)
    index = np.zeros(len(column), dtype=np.int32)
    index[changed] = position
    texts = tuple(None if np.isnan(v) else numeral(float(v), decimals, column.mark) for v in values)
    return Change(changed, texts, index)


def differing(column: Column, missing: Sequence[str], new: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return where numbers differ from those that the column's texts write, shape (n,)."""
    read = [None if text in missing else number(text, column.mark) for text in column.texts]
    foreign = [text not in missing and value is None for text, value in zip(column.texts, read, strict=True)]
    old = np.array([*read, None], dtype=np.float64)[column.index]
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    result: NDArray[np.bool_] = ~same | np.array([*foreign, False])[column.index]
    return result
