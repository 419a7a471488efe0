"""Large delimited files without quotes: read by columns, from the bytes that they are kept as."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import Cells, cell_texts
from evosdc.files.column import FEWEST_HELD, Column, Index
from evosdc.files.decimal_mark import decimal_mark
from evosdc.files.encoding import Encoding, recognised
from evosdc.files.plain_cells import RAGGED, cut_records, placed_anew, tell_cells
from evosdc.files.record_fields import BLANK, TextRecord, lines_of, sniff_separator, split_records, titles_of

_HEAD = 1 << 22
"""So many bytes hold more signs than tell the separator."""

_FIRST_LINES = 64
_BLOCK, _BLOCK_CELLS = 1 << 14, 1 << 18
_ROOM = 1 << 10


class PlainRecords(Sequence[TextRecord]):
    """The records of a file, cut where they are asked for.

    Parameters
    ----------
    content : bytes
        Of the file, without its mark.
    begins : ndarray of int64, shape (n,)
        The first byte of each record.
    encoding : str
    """

    def __init__(self, content: bytes, begins: NDArray[np.int64], encoding: str) -> None:
        self.content, self.begins, self.encoding = content, begins, encoding

    def __len__(self) -> int:
        return len(self.begins)

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
    lines = lines_of(head)
    first, _ = split_records(lines[:_FIRST_LINES], separator)
    header = first[0] if names is None and first else None
    body = first if header is None else first[1:]
    titles = tuple(names or ()) if header is None else titles_of(header.text.split(separator))
    if not body or not titles or len(set(titles)) < len(titles):
        return None
    prefix = "".join(lines[: body[0].line - 1])
    cut = _cut(content, len(prefix.encode(encoding.name)), ord(separator), len(titles))
    if cut is None:
        return None
    begins, found = cut
    cells = [(Cells(content, encoding.name, firsts, sizes), index) for firsts, sizes, index in found]
    columns = _columns(titles, cells, separator)
    if columns is None:
        return None
    records = PlainRecords(content, begins, encoding.name)
    return PlainText(titles, records, prefix, header, separator, encoding, columns)


def _cut(content: bytes, at: int, separator: int, width: int) -> "tuple[NDArray[np.int64], list[_Told]] | None":
    """Return where records begin, and the distinct cells of each column; None where records differ in length."""
    signs = np.frombuffer(content, dtype=np.uint8)
    most = content.count(b"\n", at) + (content.count(b"\r", at) if b"\r" in content else 0) + 1
    begins, records = np.empty(most, dtype=np.int64), 0
    columns = [_DistinctCells(most) for _ in range(width)]
    ends = np.empty((max(min(_BLOCK, _BLOCK_CELLS // width), 1), width), dtype=np.int64)
    while at < len(content):
        found, at = cut_records(signs, at, separator, begins[records:], ends)
        if found == RAGGED:
            return None
        for place, column in enumerate(columns):
            column.tell(signs, begins[records:], ends, place, records, found)
        records += found
    return begins[:records], [column.told(records) for column in columns]


_Told = tuple[NDArray[np.int64], NDArray[np.int32], Index]


class _DistinctCells:
    """The distinct cells of one column, in a hash table that grows."""

    def __init__(self, records: int) -> None:
        self.index = np.empty(records, dtype=np.int32)
        self.table = np.zeros(2 * _ROOM, dtype=np.int64)
        self.keys = np.empty(_ROOM, dtype=np.uint64)
        self.firsts, self.sizes = np.empty(_ROOM, dtype=np.int64), np.empty(_ROOM, dtype=np.int32)
        self.known = 0

    def tell(
        self,
        signs: NDArray[np.uint8],
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        place: int,
        start: int,
        records: int,
    ) -> None:
        """Tell the cells of some more records, those from `start` on."""
        done, index = 0, self.index[start:]
        while True:
            self.known, done = tell_cells(
                signs, begins, ends, place, done, records, index,
                self.table, self.keys, self.firsts, self.sizes, self.known,
            )  # fmt: skip
            if done == records:
                return
            self._grow(start + done)

    def _grow(self, seen: int) -> None:
        """Make room for as many cells again, or for all to come where most that were seen are distinct."""
        room = 2 * self.known
        if 2 * self.known > seen:
            room = max(room, len(self.index))
        more = room - self.known
        self.keys, self.firsts, self.sizes = (_longer(one, more) for one in (self.keys, self.firsts, self.sizes))
        self.table = np.zeros(1 << (2 * room - 1).bit_length(), dtype=np.int64)
        placed_anew(self.table, self.keys, self.sizes, self.known)

    def told(self, records: int) -> _Told:
        """Return the first byte and the length of each distinct cell, and which of them each record has."""
        return self.firsts[: self.known].copy(), self.sizes[: self.known].copy(), self.index[:records]


def _longer(array: Any, more: int) -> Any:
    return np.concatenate([array, np.empty(more, dtype=array.dtype)])


def _columns(titles: Sequence[str], cells: Sequence[tuple[Cells, Index]], separator: str) -> tuple[Column, ...] | None:
    """Return the columns; None where some text has blanks around it that are not of ASCII."""
    marks = (".",) if separator == "," else (".", ",")
    columns = [_column(title, told, index, marks) for title, (told, index) in zip(titles, cells, strict=True)]
    mark = decimal_mark(columns, separator)
    ascii_only = cells[0][0].content.isascii()
    for place, (column, (told, index)) in enumerate(zip(columns, cells, strict=True)):
        if column.held is not None and column.held.mark != mark:
            columns[place] = _column(column.name, told, index, (mark,))
        shown = column.texts if column.held is None else column.held.words
        if not ascii_only and any(text != text.strip() for text in shown):
            return None
    return tuple(replace(column, mark=mark) for column in columns)


def _column(title: str, cells: Cells, index: Index, marks: Sequence[str]) -> Column:
    """Return a column, its many numbers held as numbers by the first decimal mark by which most cells are numbers."""
    if len(cells.firsts) >= FEWEST_HELD:
        for mark in marks:
            held = cell_texts(cells, mark)
            if held is not None:
                return Column(title, held, index, mark)
    return Column(title, cells.texts(), index)
