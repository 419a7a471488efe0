"""Plain delimited files written back: untouched bytes are copied, and only new cells are put in their places."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import Cells, CellTexts
from evosdc.files.changed_numbers import TextsOfChange
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
    extra : bytes
        What the file does not have.
    firsts : ndarray of int64, shape (k,)
        First byte in the file; -1 - first byte among the extra ones.
    sizes : ndarray of int32, shape (k,)
    bare : ndarray of bool, shape (k,)
        Whether blanks around the old cell are left out, since a quote has to stand at the very beginning.
    """

    extra: bytes
    firsts: Offsets
    sizes: NDArray[np.int32]
    bare: NDArray[np.bool_]


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
    texts = [(change.texts, absent.get(column, "")) for column, change in changes.items()]
    cells, starts = _new_cells(records, texts, len(kept) == 1, separator)
    where = np.full(width, -1, dtype=np.int64)
    where[list(changes)] = np.arange(len(changes))
    shown = np.zeros(width, dtype=np.bool_)
    shown[list(kept)] = True
    ordered = rows if bool((rows[1:] > rows[:-1]).all()) else np.sort(rows)
    changed = list(zip(changes.values(), starts, strict=True))
    layout = _Layout(ord(separator), where, shown, cells, changed)
    return _rendered(records, prefix, layout, rows, ordered)


class _Layout(NamedTuple):
    separator: int
    where: Offsets
    shown: NDArray[np.bool_]
    cells: NewCells
    changes: list[tuple[Change, int]]


def _rendered(records: PlainRecords, prefix: bytes, layout: _Layout, rows: Rows, ordered: Rows) -> Iterator[bytes]:
    yield prefix
    content = np.frombuffer(records.content, dtype=np.uint8)
    extra, new = np.frombuffer(layout.cells.extra, dtype=np.uint8), layout.cells
    out = np.empty(0, dtype=np.uint8)
    for at in range(0, len(rows), _ROWS):
        these, lines = (part[at : at + _ROWS].astype(np.int64) for part in (rows, ordered))
        chosen = np.full((len(these), len(layout.changes)), -1, dtype=np.int32)
        for position, (change, start) in enumerate(layout.changes):
            changed = change.changed[at : at + _ROWS]
            chosen[changed, position] = change.index[at : at + _ROWS][changed] + start
        starts, stops = records.begins[these].astype(np.int64), records.ends(these)
        tails, line_ends = records.begins[lines].astype(np.int64), records.ends(lines)
        room = int((stops - starts).sum() + (line_ends - tails).sum() + new.sizes[chosen[chosen >= 0]].sum())
        room += len(these) + 2 * WORD
        out = out if room <= len(out) else np.empty(room, dtype=np.uint8)
        size = write_records(
            content, extra, starts, stops, tails, line_ends, layout.separator, layout.where, layout.shown, chosen,
            new.firsts, new.sizes, new.bare, out,
        )  # fmt: skip
        yield out[:size].tobytes()


def _new_cells(
    records: PlainRecords, columns: Sequence[tuple[Sequence[str | None], str]], single: bool, separator: str
) -> tuple[NewCells, list[int]]:
    """Return the cells that say new texts, those of one column after the other, and where those of each begin.

    Parameters
    ----------
    records : PlainRecords
    columns : sequence of tuple
        The new texts of each column, and the text of a missing value.
    single : bool
        Whether the file has a single column, of which an empty cell is quoted.
    separator : str
    """
    starts = np.cumsum([0, *(len(texts) for texts, _ in columns)]).tolist()
    firsts, sizes = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.int32)
    bare, extra = np.zeros(starts[-1], dtype=np.bool_), bytearray()
    for (texts, absent), start, stop in zip(columns, starts[:-1], starts[1:], strict=True):
        # In place: a column of many numbers has as many new cells as there are records.
        first, size, quoted = firsts[start:stop], sizes[start:stop], bare[start:stop]
        places, others, held = _divided(texts, records)
        made = _made(records, others, absent, single, separator)
        if held is None:
            first[:], size[:], quoted[:] = made.firsts - len(extra), made.sizes, made.bare
        else:
            own = places >= 0
            from_file, from_others = places[own], -1 - places[~own]
            first[own], size[own] = held.firsts[from_file], held.sizes[from_file]
            first[~own], size[~own] = made.firsts[from_others] - len(extra), made.sizes[from_others]
            quoted[~own] = made.bare[from_others]
        extra += made.extra
    return NewCells(bytes(extra), firsts, sizes, bare), starts[:-1]


def _divided(texts: Sequence[str | None], records: PlainRecords) -> tuple[Index, Sequence[str | None], Cells | None]:
    """Return the place of each text among the cells of the file, or -1 less that among others, these and the cells.

    None where no text is known to stand in the file: all are others, and places do not count.
    """
    if isinstance(texts, TextsOfChange) and isinstance(texts.held, CellTexts):
        cells = texts.held.cells
        if cells.content is records.content:
            return texts.places, texts.others, cells
    return np.empty(0, dtype=np.int32), texts, None


def _made(records: PlainRecords, texts: Sequence[str | None], absent: str, single: bool, separator: str) -> NewCells:
    said = [absent if text is None else text for text in texts]
    cells = [rewritten("", text, not text and single, separator) for text in said]
    made = [cell.encode(records.encoding) for cell in cells]
    sizes = np.array([len(cell) for cell in made], dtype=np.int32)
    firsts = -1 - (np.cumsum(sizes, dtype=np.int64) - sizes)
    bare = np.array([cell != text for cell, text in zip(cells, said, strict=True)], dtype=np.bool_)
    return NewCells(b"".join(made), firsts, sizes, bare)
