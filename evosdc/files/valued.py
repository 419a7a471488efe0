"""Files whose cells hold values rather than texts: the value of each text of a column, and new values for old."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from evosdc.files.changes import Change
from evosdc.files.column import NO_TEXT, Column, renamed
from evosdc.files.missing_reasons import NO_REASON
from evosdc.table.numerals import number
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class ValuedColumn:
    """A column of values, the texts that are read of them, and what is written for new texts.

    Parameters
    ----------
    column : Column
        The texts; records without a value have ``NO_TEXT``.
    values : tuple
        The values as the file holds them, by record.
    by_text : mapping of str to object
        The value that each text stands for.
    """

    column: Column
    values: tuple[Any, ...]
    by_text: Mapping[str, Any]

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.by_text.values())

    def changed(self, change: Change | None, rows: Rows, missing: Sequence[str]) -> tuple[list[Any], bool]:
        """Return the values of some records after a change, and whether they are still of the column's own kind.

        A new text stands for the value that it stood for before, else for the number or day that it writes; where it is
        neither though the others are, all values become texts, as labels of a recoding do. A value that is taken away
        becomes the most frequent of the column's own codes for missing values, or none.

        Parameters
        ----------
        change : Change or None
        rows : ndarray of intp
            The records that are kept.
        missing : sequence of str
            Texts that stand for a missing value.
        """
        kept = [self.values[row] for row in rows]
        if change is None or not change.changed.any():
            return kept, True
        places = np.flatnonzero(change.changed).tolist()
        texts = {place: change.texts[change.index[place]] for place in places}
        gone = self._absent(missing)
        try:
            read = {text: self._value(text) for text in set(texts.values()) if text}
            read[NO_REASON] = self.by_text.get(NO_REASON)
        except ValueError:
            own = {value: text for text, value in self.by_text.items()}
            labels = [None if value is None else own.get(value, value) for value in kept]
            for place, text in texts.items():
                labels[place] = text
            return labels, False
        for place, text in texts.items():
            kept[place] = gone if text is None else read[text]
        return kept, True

    def _absent(self, missing: Sequence[str]) -> Any:
        counts = {text: self.column.count(text) for text in missing if text in self.by_text}
        return self.by_text[max(counts, key=counts.__getitem__)] if counts else None

    def _value(self, text: str) -> Any:
        if text in self.by_text:
            return self.by_text[text]
        kinds = {type(value) for value in self.by_text.values() if value is not None}
        if kinds and kinds <= {int, float}:
            found = number(text)
            if found is None:
                raise ValueError(text)
            return int(found) if kinds == {int} and found == int(found) else found
        if kinds == {date}:
            return date.fromisoformat(text)
        if kinds == {datetime}:
            return datetime.fromisoformat(text)
        if kinds <= {str}:
            return text
        raise ValueError(text)


def valued_column(name: str, values: Sequence[Any], texts: Mapping[Any, str] | None = None) -> ValuedColumn:
    """Return a column of values with the texts that stand for them.

    Parameters
    ----------
    name : str
    values : sequence
        Texts, numbers, truth values, days; None where there is none.
    texts : mapping, optional
        Texts of some values, such as their labels; others are written plainly.
    """
    plain = tuple(None if _empty(value) else value for value in values)
    known = {
        value: (texts or {}).get(value, text_of(value)) for value in dict.fromkeys(v for v in plain if v is not None)
    }
    order = list(known)
    place = {value: position for position, value in enumerate(order)}
    index = np.array([NO_TEXT if value is None else place[value] for value in plain], dtype=np.int32)
    column = renamed(Column(name, tuple(map(str, range(len(order)))), index), [known[value] for value in order])
    return ValuedColumn(column, plain, {text: value for value, text in reversed(known.items())})


def text_of(value: Any) -> str:
    """Return the text of a value: whole numbers without a fraction, days in the order year, month, day."""
    if isinstance(value, float) and value == int(value) and abs(value) < 2.0**53:
        return str(int(value))
    if isinstance(value, datetime):
        at_midnight = value.time() == datetime.min.time()
        return str(value.date()) if at_midnight else value.isoformat(" ", "seconds")
    return repr(value) if isinstance(value, float) else str(value)


def _empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)
