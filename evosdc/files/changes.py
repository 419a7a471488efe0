"""What a masked table changes in the values of a file, attribute by attribute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evosdc.files.changed_numbers import FORMS, chosen_texts, stored_texts
from evosdc.files.column import Column, Index
from evosdc.table.numerals import held_in_single_precision, number, number_to, numeral
from evosdc.table.table import MISSING, Table

_NEITHER = -2  # neither a category nor a missing value, so that it differs from every code


@dataclass(frozen=True, eq=False)
class Change:
    """New texts for some records of an attribute.

    Parameters
    ----------
    changed : ndarray of bool, shape (n,)
        Whether a record has another value.
    texts : sequence of str or None
        None: no value.
    index : ndarray of int32, shape (n,)
        Position of each record's new text in `texts`; counts only where `changed` or `reworded`.
    reworded : ndarray of bool, shape (n,)
        Whether a record has the same value as before, which the file writes otherwise where others have it: 5 as 5.0.
    """

    changed: NDArray[np.bool_]
    texts: Sequence[str | None]
    index: Index
    reworded: NDArray[np.bool_]

    def alike(self) -> "Change":
        """Return the change after which equal values are equal texts too.

        Otherwise the records of a class could be told apart by how their values are written, and whoever kept its own
        writing would be known to have kept its value.
        """
        return replace(self, changed=self.changed | self.reworded) if self.reworded.any() else self


def change_of(column: Column, missing: Sequence[str], masked: Table, decimals: int) -> Change:
    """Return what `masked` changes in a column of its name and its number of records.

    A categorical value is unchanged if its label is the text that stands in the file, a number if it equals the number
    that the text writes. A number is written as the file first writes it, and otherwise rounded to `decimals`.
    """
    attribute = masked.schema[column.name]
    new = masked.column(column.name)
    several = len(column.occurring(missing)) + column.lacking > 1
    if attribute.categorical:
        by_text = [MISSING if text in missing else attribute.code.get(text, _NEITHER) for text in column.texts]
        old = np.array([*by_text, MISSING], dtype=np.int32)[column.index]
        changed, texts = old != new, (*attribute.categories, None)
        reworded = changed & False if not several else (old == MISSING) & (new == MISSING)
        if not changed.any() and not reworded.any():
            return Change(changed, texts, np.broadcast_to(np.int32(0), changed.shape), reworded)
        # The last entry is the missing value, where its code -1 finds it.
        index = np.where(new == MISSING, np.int32(len(attribute.categories)), new)
        return Change(changed, texts, index, reworded)
    if column.held is not None:
        from evosdc.files.changed_records import change_in_place  # needs kernels, which are loaded with such a column
        from evosdc.files.record_column import RecordColumn

        if isinstance(column, RecordColumn):
            in_place = change_in_place(column, missing, np.asarray(new, dtype=np.float64), decimals, several)
            if in_place is not None:
                return in_place
    changed = differing(column, missing, np.asarray(new, dtype=np.float64), decimals)
    if column.held is not None:
        read, form = column.numbers_to(missing, decimals), stored_form_of(column, missing, decimals)
        chosen = chosen_texts(np.asarray(new, dtype=np.float64), column.held, read, form, decimals)
        reworded = ~changed & np.where(np.isnan(new), several, column.index != chosen.places)
        return Change(changed, chosen.texts, chosen.positions, reworded)
    values, position = np.unique(np.asarray(new, dtype=np.float64), return_inverse=True)
    written = first_texts(column, missing, decimals)
    form = stored_form(written, column.mark)
    texts = tuple(None if np.isnan(v) else _numeral(float(v), decimals, column.mark, written, form) for v in values)
    place = {text: position for position, text in enumerate(texts)}
    own = np.array([*(place.get(None if text in missing else text, _NEITHER) for text in column.texts), _NEITHER])
    other = own[column.index] != position.reshape(-1)
    reworded = ~changed & (np.where(np.isnan(new), several, other))
    return Change(changed, texts, position.reshape(-1).astype(np.int32), reworded)


def first_texts(column: Column, missing: Sequence[str], decimals: int) -> dict[float, str]:
    """Return the text by which a column first writes each of its numbers."""
    written: dict[float, str] = {}
    for text in column.texts:
        value = None if text in missing else number_to(text, decimals, column.mark)
        if value is not None:
            written.setdefault(value, text)
    return written


def stored_form_of(column: Column, missing: Sequence[str], decimals: int) -> str:
    """Return the `stored_form` of a column's numbers."""
    if column.held is None:
        return stored_form(first_texts(column, missing, decimals), column.mark)
    return stored_form(stored_texts(column.held, column.numbers_to(missing, decimals)), column.mark)


def stored_form(written: Mapping[float, str], mark: str) -> str:
    """Return the format by which numbers in single precision were written with more digits; empty where none was.

    New numbers are written by it too: shorter ones would tell which values were masked.

    Parameters
    ----------
    written : mapping of float to str
        Of `first_texts`.
    mark : str
    """
    stored = [text.replace(mark, ".") for value, text in written.items() if number(text, mark) != value]
    for form in FORMS:
        if stored and all(form.format(float(np.float32(text))) == text for text in stored):
            return form
    return ""


def _numeral(value: float, decimals: int, mark: str, written: Mapping[float, str], form: str) -> str:
    """Return the text of a number: the file's own if it has one, also for the rounded number."""
    if value in written:
        return written[value]
    text = numeral(value, decimals, mark)
    rounded = number(text, mark)
    if form and rounded is not None and rounded not in written and held_in_single_precision(rounded):
        return form.format(float(np.float32(rounded))).replace(".", mark)
    return text if rounded is None else written.get(rounded, text)


def differing(column: Column, missing: Sequence[str], new: NDArray[np.float64], decimals: int) -> NDArray[np.bool_]:
    """Return where numbers differ from those that the column's texts write, shape (n,)."""
    read = column.numbers_to(missing, decimals)
    foreign = np.isnan(read)
    foreign[column.places_of(missing)] = False
    old = np.append(read, np.nan)[column.index]
    result: NDArray[np.bool_] = ~((old == new) | (np.isnan(old) & np.isnan(new)))
    return result | np.append(foreign, False)[column.index] if foreign.any() else result
