"""Delimited text files: read into columns, written back with every untouched field as it stood."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.files.encoding import Encoding
from evosdc.files.record_fields import (
    TextRecord,
    join_fields,
    quoted,
    rewritten,
    split_fields,
    value,
)
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.plain_text import PlainRecords


@dataclass(frozen=True, eq=False)
class DelimitedFile:
    """A delimited text file.

    Parameters
    ----------
    names : tuple of str
        Names of the columns; ``column 1`` and so on for columns that the header leaves unnamed.
    records : tuple of TextRecord, or PlainRecords
    prefix : str
        What stands before the first record: blank lines and the header with its line end.
    header : TextRecord or None
    separator : str
    encoding : Encoding
    columns : tuple of Column
        The values, by column.
    """

    names: tuple[str, ...]
    records: "tuple[TextRecord, ...] | PlainRecords"
    prefix: str
    header: TextRecord | None
    separator: str
    encoding: Encoding
    columns: tuple[Column, ...]

    @property
    def suffix(self) -> str:
        """What the names of such files end with."""
        return ".csv"

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Text declares no types."""
        return {}

    @property
    def unnamed(self) -> tuple[str, ...]:
        """What columns are called that the header leaves unnamed."""
        cut = self._cut(self.header) if self.header is not None else self.names
        return tuple(name for name, field in zip(self.names, cut, strict=True) if not value(field))

    @property
    def plain(self) -> "PlainRecords | None":
        """The records, where the file was read by columns."""
        return self.records if not isinstance(self.records, tuple) else None

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"line {self.records[record].line}"

    def titled(self, titles: Mapping[str, str]) -> "DelimitedFile":
        """Return the file with other names in its header, by name; where it has none nothing changes."""
        if self.header is None:
            return self
        cut = [
            rewritten(field, titles[name], quoted(field), self.separator) if name in titles else field
            for name, field in zip(self.names, self._cut(self.header), strict=True)
        ]
        header = self.header._replace(text=self._joined(cut, range(len(cut))))
        before = self.prefix[: len(self.prefix) - len(self.header.text) - len(self.header.tail)]
        return replace(self, header=header, prefix=before + header.text + header.tail)

    def _absent(self, column: int, missing: Sequence[str]) -> str:
        """Return the text for a missing value: the column's own, else the file's, else the first allowed."""
        for candidates in ((self.columns[column],), self.columns):
            counts = {text: sum(candidate.count(text) for candidate in candidates) for text in missing}
            used = max(missing, key=counts.__getitem__, default="")
            if counts.get(used):
                return used
        return missing[0] if missing else ""

    def pieces(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> Iterator[bytes]:
        """Return what `render` does, piece by piece; raises before there is any."""
        if self.plain is not None:
            from evosdc.files.plain_writing import pieces

            kept = [column for column in range(len(self.names)) if column not in set(dropped)]
            absent = self._absences(changes, missing)
            with suppress(UnicodeEncodeError):  # to be told below
                prefix = self.encoding.encode(self._prefix(kept))
                return pieces(self.plain, prefix, self.separator, changes, absent, kept, len(self.names), rows)
        return iter([self._cell_by_cell(changes, dropped, rows, missing)])

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return the file's bytes with some fields changed, some columns dropped and only some records kept.

        Parameters
        ----------
        changes : mapping from column to Change
            Records are counted among those kept.
        dropped : sequence of int
            Columns left out.
        rows : ndarray of int
            Positions of the records kept, in the order in which they are written.
        missing : sequence of sequence of str
            By column, texts that may stand for a missing value.

        Raises
        ------
        DataError
            A new text has characters that the file's encoding lacks.
        """
        return b"".join(self.pieces(changes, dropped, rows, missing))

    def _absences(self, changes: Mapping[int, Change], missing: Sequence[Sequence[str]]) -> dict[int, str]:
        """Return by column the text for a missing value, where a change has one."""
        return {
            column: self._absent(column, missing[column]) for column, change in changes.items() if None in change.texts
        }

    def _cell_by_cell(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        kept = [column for column in range(len(self.names)) if column not in set(dropped)]
        absent = self._absences(changes, missing)
        parts = [self._prefix(kept)]
        touched = np.zeros(len(rows), dtype=bool)
        for change in changes.values():
            touched |= change.changed
        quoting = {column: self._quotes(column, rows) for column in changes}
        whole = len(kept) == len(self.names)
        # Line ends stay where they are: the last line may have none, whichever record stands there.
        tails = [self.records[row].tail for row in np.sort(rows)]
        for position, row in enumerate(rows):
            record = self.records[row]
            if whole and not touched[position]:
                parts.append(record.text)
            else:
                cut = self._cut(record)
                for column, change in changes.items():
                    if change.changed[position]:
                        found = change.texts[change.index[position]]
                        text = absent[column] if found is None else found
                        quote = quoting[column] or (not text and len(kept) == 1)
                        cut[column] = rewritten(cut[column], text, quote, self.separator)
                parts.append(self._joined(cut, kept))
            parts.append(tails[position])
        try:
            return self.encoding.encode("".join(parts))
        except UnicodeEncodeError as fault:
            given = f"a new value with the character {fault.object[fault.start]!r}"
            advice = "Save the original as UTF-8, or choose other labels."
            raise DataError(Fault("the protected file", given, f"characters of {self.encoding.name}", advice)) from None

    def _prefix(self, kept: Sequence[int]) -> str:
        if self.header is None or len(kept) == len(self.names):
            return self.prefix
        before = self.prefix[: len(self.prefix) - len(self.header.text) - len(self.header.tail)]
        # With columns left out, a column that has no name would be known by another position.
        header = self.titled({name: name for name in self.unnamed}).header
        assert header is not None
        return before + self._joined(self._cut(header), kept) + header.tail

    def _cut(self, record: TextRecord) -> list[str]:
        cut = split_fields(record.text, self.separator)
        if cut is None:
            raise AssertionError(f"line {record.line} was cut when it was read")
        return cut

    def _joined(self, cut: Sequence[str], kept: Sequence[int]) -> str:
        parts = [cut[column] for column in kept]
        if parts and kept[0] != 0:
            parts[0] = parts[0].lstrip()
        return join_fields(parts, self.separator)

    def _quotes(self, column: int, rows: Rows) -> bool:
        """Whether the file quotes the values of a column, judged by its first value that is not empty."""
        for row in rows:
            field = self._cut(self.records[row])[column]
            if value(field):
                return quoted(field)
        return False


def plain_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Return an ordinary CSV file: comma, UTF-8, line feeds, a header, quotes only where needed."""
    texts = {text for row in (names, *rows) for text in row}
    cells = {text: rewritten("", text, len(names) == 1 and not text, ",") for text in texts}
    lines = [",".join([cells[text] for text in row]) for row in (names, *rows)]
    return ("\n".join(lines) + "\n").encode("utf-8")
