"""A file that was read, whatever its format, and a column of it as it is published."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.files.column import NO_TEXT, Column, renamed
from evosdc.table.numerals import number
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Rows

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")


@dataclass(frozen=True, eq=False)
class Published:
    """A column as it is published."""

    position: int  # of the column in the file that was read
    column: Column  # the text of each published record; no text is no value
    attribute: Attribute
    masked: bool  # whether texts are those of a masked table, each value in one way; else they are those of the file
    missing: tuple[str, ...] = ()  # texts that represent a missing value

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name


@dataclass(frozen=True, eq=False, kw_only=True)
class Original(ABC):
    """A file that was read, able to write itself with other values."""

    columns: tuple[Column, ...]  # the values as they stand
    format: str  # the ending of names of files of this format
    # by name, scales, categories and missing values that the types of the file tell; a role other than ``other`` counts
    # where a schema does not give another one
    declared: Mapping[str, Attribute] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what was recognised or left out in reading, for the user
    variable_labels: Mapping[str, str] = field(default_factory=dict)  # by column
    code_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by column and by the text of the code
    # columns that the file writes in another form, such as the edges of a graph, and how: they may hold the order of
    # the records
    carried: Mapping[str, str] = field(default_factory=dict)
    catalog: Path | None = None  # where the labels of its values stand
    packing: str = ""  # the ending of its archive, ``.gz`` or ``.zip``; empty where it is in none
    member: str = ""  # its name in a ZIP archive

    @property
    def suffix(self) -> str:
        """The ending of the file that is written."""
        return ".zip" if self.packing == ".zip" else f"{self.format}{self.packing}"

    def place(self, record: int) -> str:
        """Return where a record is in the file."""
        return f"record {record + 1}"

    def remarks(self, schema: Schema) -> Sequence[str]:
        """Return sentences for the owner of the file on a schema that is proposed for it."""
        return ()

    @abstractmethod
    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of the file with these columns only, in pieces; raises before there is any."""
        # `rows`: positions of the published records in the file that was read, in the order of writing.


@dataclass(frozen=True, eq=False)
class ValuedColumn:
    """A column of values, the texts read from them, and the values written for new texts."""

    column: Column  # the texts; records without a value have ``NO_TEXT``
    values: tuple[Any, ...]  # the values as the file holds them, by record
    by_text: Mapping[str, Any]  # the value that each text represents

    def published(self, one: Published, rows: Rows, mixed: bool = False) -> tuple[list[Any], bool]:
        """Return the values of the published records, and whether they are still of the column's own kind."""
        # Where some text is no value all become texts, as labels of a recoding do; `mixed`: that one alone.
        if not one.masked:
            return [self.values[row] for row in rows.tolist()], True
        cells = one.column.arrow().to_pylist()
        texts = [text for text in dict.fromkeys(cells) if text is not None]
        read: dict[str | None, Any] = {}
        for text in texts:
            with suppress(ValueError):
                read[text] = self._value(text, not one.attribute.categorical)
        own = len(read) == len(texts)
        if not own:
            read = {text: read.get(text, text) if mixed else text for text in texts}
        return [read.get(text) for text in cells], own

    def _value(self, text: str, numeric: bool) -> Any:
        """Return a text as a value of the column's own kind; raises ValueError when it is none."""
        if text in self.by_text:
            return self.by_text[text]
        kinds: set[Any] = {type(value) for value in self.by_text.values() if value is not None}
        if (kinds and kinds <= {int, float}) or (numeric and kinds & {int, float}):
            found = number(text)
            if found is None:
                raise ValueError(text)
            return int(found) if float not in kinds and found == int(found) else found
        if kinds in ({date}, {datetime}):
            return kinds.pop().fromisoformat(text)
        if kinds <= {str}:
            return text
        raise ValueError(text)


def valued_column(name: str, values: Sequence[Any], texts: Mapping[Any, str] | None = None) -> ValuedColumn:
    """Return a column of values with the texts that represent them."""
    plain = tuple(None if value == "" or value != value else value for value in values)
    known = {v: (texts or {}).get(v, text_of(v)) for v in dict.fromkeys(plain) if v is not None}
    place: dict[Any, int] = {value: position for position, value in enumerate(known)} | {None: NO_TEXT}
    index = np.array([place[value] for value in plain], dtype=np.int32)
    column = renamed(Column(name, tuple(map(str, range(len(known)))), index), list(known.values()))
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
