"""Files whose cells hold values rather than texts: the value of each text of a column, and values for texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from evosdc.files.column import NO_TEXT, Column, renamed
from evosdc.files.original import Published
from evosdc.table.numerals import number
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class ValuedColumn:
    """A column of values, the texts read from them, and the values written for new texts."""

    column: Column  # the texts; records without a value have ``NO_TEXT``
    values: tuple[Any, ...]  # the values as the file holds them, by record
    by_text: Mapping[str, Any]  # the value that each text stands for

    def published(self, one: Published, rows: Rows, mixed: bool = False) -> tuple[list[Any], bool]:
        """Return the values of the published records, and whether they are still of the column's own kind."""
        # Where some text is no value all become texts, as labels of a recoding do; `mixed`: that one alone.
        if not one.masked:
            return [self.values[row] for row in rows.tolist()], True
        present = np.unique(one.column.index)
        texts = {int(place): one.column.texts[place] for place in present if place != NO_TEXT}
        numeric = not one.attribute.categorical
        read = {place: self._value(text, numeric) for place, text in texts.items()}
        own = not any(value is _NONE for value in read.values())
        if not own:
            read = {place: texts[place] if not mixed or value is _NONE else value for place, value in read.items()}
        read[NO_TEXT] = None
        return [read[place] for place in one.column.index.tolist()], own

    def _value(self, text: str, numeric: bool) -> Any:
        if text in self.by_text:
            return self.by_text[text]
        kinds = {type(value) for value in self.by_text.values() if value is not None}
        if (kinds and kinds <= {int, float}) or (numeric and kinds & {int, float}):
            found = number(text)
            if found is None:
                return _NONE
            return int(found) if float not in kinds and found == int(found) else found
        try:
            if kinds == {date}:
                return date.fromisoformat(text)
            if kinds == {datetime}:
                return datetime.fromisoformat(text)
        except ValueError:
            return _NONE
        return text if kinds <= {str} else _NONE


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")
_NONE = object()  # what stands for a text that is no value of a column's kind


def valued_column(name: str, values: Sequence[Any], texts: Mapping[Any, str] | None = None) -> ValuedColumn:
    """Return a column of values with the texts that stand for them."""
    plain = tuple(None if value == "" or value != value else value for value in values)
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


def converted(one: Published) -> list[Any]:
    """Return the values of a column of a file of another format: whole numbers, numbers, else texts; None for none."""
    column = one.column
    texts = column.arrow().to_pylist()
    distinct = dict.fromkeys(text for text in texts if text is not None)
    present = [text for text in distinct if text not in one.missing]
    read: dict[str, Any] = {text: int(text) for text in distinct if _WHOLE.fullmatch(text)}
    if any(text not in read for text in present):
        numbers = {text: number(text, column.mark) for text in present}
        if one.attribute.categorical or any(value is None for value in numbers.values()):
            return [None if text is None or text in one.missing else text for text in texts]
        read = {text: float(value) for text, value in read.items()} | numbers
    return [None if text is None else read.get(text) for text in texts]
