"""Plain delimited files written back: untouched bytes are copied, and only new cells are put in their places."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import Cells, CellTexts
from evosdc.files.changed_numbers import TextsOfChange
from evosdc.files.changed_records import TextsInPlace
from evosdc.files.changes import Change
from evosdc.files.column import Index
from evosdc.files.plain_cells import Offsets
from evosdc.files.plain_copying import write_records
from evosdc.files.plain_records import WORD
from evosdc.files.plain_text import PlainRecords
from evosdc.files.record_fields import rewritten
from evosdc.table.table import Rows

_ROWS = 1 << 14
"""So many records are written in one piece."""


class NewCells(NamedTuple):
    """Cells that are written in place of others.

    Parameters
    ----------
    firsts : ndarray of int64, shape (k,)
        First byte in the file; -1 - first byte among the extra ones.
    sizes : ndarray of int32, shape (k,)
    bare : ndarray of bool, shape (k,)
        Whether blanks around the old cell are left out, since a quote has to stand at the very beginning.
    """

    firsts: Offsets
    sizes: NDArray[np.int32]
    bare: NDArray[np.bool_]


class _ChangedColumn(NamedTuple):
    """A change, the cells of the file that it puts in other places, and those that are made for it."""

    change: Change
    held: Cells | None
    made: NewCells

    def chosen(self, records: slice) -> tuple[NDArray[np.bool_], NewCells]:
        """Return which of some records are changed, and the new cell of each of these."""
        changed = self.change.changed[records]
        places = self.change.index[records][changed]
        made = self.made
        if self.held is None:
            return changed, NewCells(made.firsts[places], made.sizes[places], made.bare[places])
        if isinstance(self.change.texts, TextsOfChange):
            places = self.change.texts.places[places]
            own, others = places >= 0, -1 - places
        else:
            own, others = places < len(self.held.firsts), places - np.int32(len(self.held.firsts))
        others = others[~own]
        cells = NewCells(np.empty(len(own), np.int64), np.empty(len(own), np.int32), np.zeros(len(own), np.bool_))
        cells.firsts[own], cells.sizes[own] = self.held.firsts[places[own]], self.held.sizes[places[own]]
        cells.firsts[~own], cells.sizes[~own] = made.firsts[others], made.sizes[others]
        cells.bare[~own] = made.bare[others]
        return changed, cells


def pieces(
    records: PlainRecords,
    prefix: bytes,
    separator: str,
    changes: Mapping[int, Change],
    absent: Mapping[int, str],
    kept: Sequence[int],
    width: int,
    rows: Rows,
) -> Iterator[bytes]:
    """Return the bytes of a file with some cells changed, some columns dropped and only some records kept, in pieces.

    Parameters
    ----------
    records : PlainRecords
    prefix : bytes
        What stands before them.
    separator : str
    changes : mapping from column to Change
    absent : mapping from column to str
        The text of a missing value, where a change has one.
    kept : sequence of int
        Columns that are written.
    width : int
        How many columns there are.
    rows : ndarray of int
        The records that are written, in order.

    Raises
    ------
    UnicodeEncodeError
        A new text has characters that the file's encoding lacks; before there is any piece.
    """
    changed, extra = _changed_columns(records, changes, absent, len(kept) == 1, separator)
    where = np.full(width, -1, dtype=np.int64)
    where[list(changes)] = np.arange(len(changes))
    shown = np.zeros(width, dtype=np.bool_)
    shown[list(kept)] = True
    ordered = rows if bool((rows[1:] > rows[:-1]).all()) else np.sort(rows)
    return _rendered(records, prefix, _Layout(ord(separator), where, shown, changed, extra), rows, ordered)


class _Layout(NamedTuple):
    separator: int
    where: Offsets
    shown: NDArray[np.bool_]
    changed: list[_ChangedColumn]
    extra: bytes


def _rendered(records: PlainRecords, prefix: bytes, layout: _Layout, rows: Rows, ordered: Rows) -> Iterator[bytes]:
    yield prefix
    content = np.frombuffer(records.content, dtype=np.uint8)
    extra = np.frombuffer(layout.extra, dtype=np.uint8)
    out = np.empty(0, dtype=np.uint8)
    for at in range(0, len(rows), _ROWS):
        these, lines = (part[at : at + _ROWS].astype(np.int64) for part in (rows, ordered))
        chosen, new = _new_cells(layout.changed, slice(at, at + len(these)))
        starts, stops = records.begins[these].astype(np.int64), records.ends(these)
        tails, line_ends = records.begins[lines].astype(np.int64), records.ends(lines)
        room = int((stops - starts).sum() + (line_ends - tails).sum() + new.sizes.sum())
        room += len(these) + 2 * WORD
        out = out if room <= len(out) else np.empty(room, dtype=np.uint8)
        size = write_records(
            content, extra, starts, stops, tails, line_ends, layout.separator, layout.where, layout.shown, chosen,
            new.firsts, new.sizes, new.bare, out,
        )  # fmt: skip
        yield out[:size].tobytes()


def _new_cells(columns: Sequence[_ChangedColumn], records: slice) -> tuple[Index, NewCells]:
    """Return the new cells of some records, and which of them each has in each column, -1 where it is not changed."""
    chosen = np.full((records.stop - records.start, len(columns)), -1, dtype=np.int32)
    parts, count = [NewCells(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.bool_))], 0
    for position, column in enumerate(columns):
        changed, cells = column.chosen(records)
        chosen[changed, position] = np.arange(count, count + len(cells.sizes), dtype=np.int32)
        parts.append(cells)
        count += len(cells.sizes)
    firsts, sizes, bare = zip(*parts, strict=True)
    return chosen, NewCells(np.concatenate(firsts), np.concatenate(sizes), np.concatenate(bare))


def _changed_columns(
    records: PlainRecords, changes: Mapping[int, Change], absent: Mapping[int, str], single: bool, separator: str
) -> tuple[list[_ChangedColumn], bytes]:
    """Return changed columns, and the bytes that the file does not have.

    Parameters
    ----------
    records : PlainRecords
    changes : mapping from column to Change
    absent : mapping from column to str
        The text of a missing value.
    single : bool
        Whether the file has a single column, of which an empty cell is quoted.
    separator : str
    """
    found, extra = [], bytearray()
    for column, change in changes.items():
        others, held = _divided(change.texts, records)
        said = [absent[column] if text is None else text for text in others]
        cells = [rewritten("", text, not text and single, separator) for text in said]
        made = [cell.encode(records.encoding) for cell in cells]
        sizes = np.array([len(cell) for cell in made], dtype=np.int32)
        firsts = -1 - len(extra) - (np.cumsum(sizes, dtype=np.int64) - sizes)
        bare = np.array([cell != text for cell, text in zip(cells, said, strict=True)], dtype=np.bool_)
        found.append(_ChangedColumn(change, held, NewCells(firsts, sizes, bare)))
        extra += b"".join(made)
    return found, bytes(extra)


def _divided(texts: Sequence[str | None], records: PlainRecords) -> tuple[Sequence[str | None], Cells | None]:
    """Return the texts that are to be made, and the cells of the file that the others are; None where none is known."""
    if isinstance(texts, TextsInPlace) and texts.cells.content is records.content:
        return texts.others, texts.cells
    if isinstance(texts, TextsOfChange) and isinstance(texts.held, CellTexts):
        cells = texts.held.cells
        if cells.content is records.content:
            return texts.others, cells
    return texts, None
