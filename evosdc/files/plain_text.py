"""Large delimited files without quotes: read by columns, from the bytes that they are kept as."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import cell_texts
from evosdc.files.column import FEWEST_HELD, Column
from evosdc.files.column_reading import ColumnReader, ReadNumbers
from evosdc.files.decimal_mark import decimal_mark
from evosdc.files.distinct_cells import Told, longer, told_of
from evosdc.files.encoding import Encoding, is_of_text, recognised
from evosdc.files.plain_records import Places, cut_records, places
from evosdc.files.record_column import RecordColumn
from evosdc.files.record_fields import (
    BLANK,
    TextRecord,
    first_lines,
    lines_of,
    sniff_separator,
    split_records,
    titles_of,
)
from evosdc.files.record_texts import NumbersOfRecords

_HEAD = 1 << 22
"""So many bytes hold more signs than tell the separator."""

_FIRST_LINES = 64
_BLOCK, _BLOCK_CELLS = 1 << 14, 1 << 18
_SLACK = (33, 32)


class PlainRecords(Sequence[TextRecord]):
    """The records of a file, cut where they are asked for.

    Parameters
    ----------
    content : bytes
        Of the file, without its mark.
    begins : ndarray of int, shape (n,)
        The first byte of each record.
    encoding : str
    """

    def __init__(self, content: bytes, begins: Places, encoding: str) -> None:
        self.content, self.begins, self.encoding = content, begins, encoding

    def __len__(self) -> int:
        return len(self.begins)

    def ends(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where records end, with their line ends and blank lines behind them: where the next ones begin."""
        ends: NDArray[np.int64] = self.begins[np.minimum(rows + 1, len(self) - 1)].astype(np.int64)
        ends[rows == len(self) - 1] = len(self.content)
        return ends

    @overload
    def __getitem__(self, place: int) -> TextRecord: ...
    @overload
    def __getitem__(self, place: "slice[Any, Any, Any]") -> tuple[TextRecord, ...]: ...
    def __getitem__(self, place: "int | slice[Any, Any, Any]") -> TextRecord | tuple[TextRecord, ...]:
        if isinstance(place, slice):
            return tuple(self[position] for position in range(*place.indices(len(self))))
        text, tail = self._cut(int(place))
        before = self.content[: self.begins[place]]
        ends = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
        return TextRecord(text, tail, ends + 1)

    def __iter__(self) -> Iterator[TextRecord]:
        line = self[0].line
        for place in range(len(self)):
            text, tail = self._cut(place)
            yield TextRecord(text, tail, line)
            line += len(lines_of(tail))

    def _cut(self, place: int) -> tuple[str, str]:
        end = self.begins[place + 1] if place + 1 < len(self) else len(self.content)
        whole = self.content[self.begins[place] : end].decode(self.encoding)
        text = lines_of(whole)[0].rstrip("\r\n")
        return text, whole[len(text) :]


@dataclass(frozen=True, eq=False)
class PlainText:
    """What was read of a plain file; see `evosdc.files.delimited_file.DelimitedFile`."""

    names: tuple[str, ...]
    records: PlainRecords
    prefix: str
    header: TextRecord | None
    separator: str
    encoding: Encoding
    columns: tuple[Column, ...]


def read_plain(content: bytes, separator: str | None, names: Sequence[str] | None) -> PlainText | None:
    """Return what a file without quotes holds; None where it has anything out of the ordinary.

    Parameters
    ----------
    content, separator, names
        As of `evosdc.files.delimited_reading.parse_delimited`.
    """
    if b'"' in content:
        return None
    encoding = recognised(content)
    if encoding is None:
        return None
    content = content[len(encoding.mark) :]
    head = codecs.getincrementaldecoder(encoding.name)().decode(content[:_HEAD], final=len(content) <= _HEAD)
    separator = separator or sniff_separator(head)
    if len(separator) != 1 or not separator.isascii() or separator in (BLANK, "\r", "\n"):
        return None
    lines = first_lines(head, _FIRST_LINES)
    first, _ = split_records(lines, separator)
    header = first[0] if names is None and first else None
    body = first if header is None else first[1:]
    titles = tuple(names or ()) if header is None else titles_of(header.text.split(separator))
    if not body or not titles or len(set(titles)) < len(titles):
        return None
    prefix = "".join(lines[: body[0].line - 1])
    marks = (".",) if separator == "," else (".", ",")
    cut = _cut(content, encoding.name, len(prefix.encode(encoding.name)), ord(separator), len(titles), marks)
    if cut is None:
        return None
    begins, found = cut
    columns = _columns(titles, found, separator, marks, content.isascii())
    if columns is None:
        return None
    records = PlainRecords(content, begins, encoding.name)
    return PlainText(titles, records, prefix, header, separator, encoding, columns)


def _cut(
    content: bytes, encoding: str, at: int, separator: int, width: int, marks: tuple[str, ...]
) -> "tuple[Places, list[Told | ReadNumbers]] | None":
    """Return where records begin, and what each column holds; None where records differ in length."""
    if not is_of_text(content[:at]):
        return None
    signs, start, records = np.frombuffer(content, dtype=np.uint8), at, 0
    ends = places(max(min(_BLOCK, _BLOCK_CELLS // width), 1) * width, content).reshape(-1, width)
    begins, columns = places(len(ends), content), list[ColumnReader]()
    while at < len(content):
        if records + len(ends) > len(begins):
            begins = longer(begins, max(_guess(records, at - start, len(content) - at), len(ends)))
        found, at = cut_records(signs, at, separator, begins[records:], ends)
        if found < 0:
            return None
        if not columns:
            room = found + _guess(found, at - start, len(content) - at)
            columns = [ColumnReader(content, encoding, signs, marks, room) for _ in range(width)]
        for place, column in enumerate(columns):
            column.take(begins[records:], ends, place, records, found)
        records += found
    return begins[:records], [column.told(records) for column in columns]


def _guess(records: int, size: int, left: int) -> int:
    """Return how many records are in the bytes that are left, to judge by those so far; rather too many."""
    return left * records // max(size, 1) * _SLACK[0] // _SLACK[1] + _BLOCK


def _columns(
    titles: Sequence[str], found: "Sequence[Told | ReadNumbers]", separator: str, marks: Sequence[str], ascii_only: bool
) -> tuple[Column, ...] | None:
    """Return the columns; None where some text has blanks around it that are not of ASCII."""
    columns = [_column(title, told, marks) for title, told in zip(titles, found, strict=True)]
    mark = decimal_mark(columns, separator)
    for place, (column, told) in enumerate(zip(columns, found, strict=True)):
        if column.held is not None and column.held.mark != mark:
            own = Told(*told_of(told.cells)) if isinstance(told, ReadNumbers) else told
            columns[place] = _column(column.name, own, (mark,))
        shown = column.texts if column.held is None else column.held.words
        if not ascii_only and any(text != text.strip() for text in shown):
            return None
    return tuple(column if column.mark == mark else replace(column, mark=mark) for column in columns)


def _column(title: str, told: "Told | ReadNumbers", marks: Sequence[str]) -> Column:
    """Return a column, its many numbers held as numbers by the first decimal mark by which most cells are numbers."""
    if isinstance(told, ReadNumbers):
        return RecordColumn(title, NumbersOfRecords(told))
    if len(told.cells.firsts) >= FEWEST_HELD:
        for mark in marks:
            held = cell_texts(told.cells, mark)
            if held is not None:
                return Column(title, held, told.of_records, mark)
    return Column(title, told.cells.texts(), told.of_records)
