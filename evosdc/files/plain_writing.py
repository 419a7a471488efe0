"""Plain delimited files written back: untouched bytes are copied, and only new cells are put in their places."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import CellTexts
from evosdc.files.changed_numbers import TextsOfChange
from evosdc.files.changes import Change
from evosdc.files.plain_cells import Offsets, skipped, trimmed
from evosdc.files.plain_records import Bytes
from evosdc.files.plain_text import PlainRecords
from evosdc.files.record_fields import rewritten
from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import Rows

_LINE_FEED, _CARRIAGE_RETURN = 10, 13


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


def written(
    records: PlainRecords,
    prefix: bytes,
    separator: str,
    changes: Mapping[int, Change],
    absent: Mapping[int, str],
    kept: Sequence[int],
    width: int,
    rows: Rows,
) -> bytes:
    """Return the bytes of a file with some cells changed, some columns dropped and only some records kept.

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
        A new text has characters that the file's encoding lacks.
    """
    content = np.frombuffer(records.content, dtype=np.uint8)
    cells = np.full((len(rows), len(changes)), -1, dtype=np.int32)
    firsts, sizes, bare = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.bool_)]
    extra, start = bytearray(), 0
    for position, (column, change) in enumerate(changes.items()):
        new = _new_cells(records, change.texts, absent.get(column, ""), len(kept) == 1, separator)
        cells[change.changed, position] = change.index[change.changed] + start
        firsts.append(np.where(new.firsts >= 0, new.firsts, new.firsts - len(extra)))
        sizes.append(new.sizes)
        bare.append(new.bare)
        extra += new.extra
        start += len(new.firsts)
    where = np.full(width, -1, dtype=np.int64)
    where[list(changes)] = np.arange(len(changes))
    shown = np.zeros(width, dtype=np.bool_)
    shown[list(kept)] = True
    all_sizes, ends = np.concatenate(sizes), np.append(records.begins, len(records.content))
    room = int((ends[rows + 1] - ends[rows]).sum() + (ends[np.sort(rows) + 1] - ends[np.sort(rows)]).max(initial=0))
    room += int(all_sizes[cells[cells >= 0]].sum())
    out = np.empty(len(prefix) + room + len(rows), dtype=np.uint8)
    out[: len(prefix)] = np.frombuffer(prefix, dtype=np.uint8)
    size = write_records(
        content, np.frombuffer(bytes(extra), dtype=np.uint8), ends, rows.astype(np.int64),
        np.sort(rows).astype(np.int64), ord(separator), where, shown, cells,
        np.concatenate(firsts), all_sizes, np.concatenate(bare), out, len(prefix),
    )  # fmt: skip
    return out[:size].tobytes()


def _new_cells(
    records: PlainRecords, texts: Sequence[str | None], absent: str, single: bool, separator: str
) -> NewCells:
    """Return the cells that say new texts; of a file of a `single` column an empty one is quoted."""
    held = texts.held if isinstance(texts, TextsOfChange) else None
    of_file = isinstance(held, CellTexts) and held.cells.content is records.content
    if not (isinstance(texts, TextsOfChange) and isinstance(held, CellTexts) and of_file):
        return _made(records, texts, absent, single, separator)
    others, own = _made(records, texts.others, absent, single, separator), texts.places >= 0
    from_file, from_others = texts.places[own], -1 - texts.places[~own]
    cells = NewCells(others.extra, *(np.empty(len(own), dtype=part.dtype) for part in others[1:]))
    cells.firsts[own], cells.firsts[~own] = held.cells.firsts[from_file], others.firsts[from_others]
    cells.sizes[own], cells.sizes[~own] = held.cells.sizes[from_file], others.sizes[from_others]
    cells.bare[own], cells.bare[~own] = False, others.bare[from_others]
    return cells


def _made(records: PlainRecords, texts: Sequence[str | None], absent: str, single: bool, separator: str) -> NewCells:
    said = [absent if text is None else text for text in texts]
    cells = [rewritten("", text, not text and single, separator) for text in said]
    made = [cell.encode(records.encoding) for cell in cells]
    sizes = np.array([len(cell) for cell in made], dtype=np.int32)
    firsts = -1 - (np.cumsum(sizes, dtype=np.int64) - sizes)
    bare = np.array([cell != text for cell, text in zip(cells, said, strict=True)], dtype=np.bool_)
    return NewCells(b"".join(made), firsts, sizes, bare)


@kernel
def write_records(
    content: Bytes,
    extra: Bytes,
    begins: Offsets,
    rows: Offsets,
    ordered: Offsets,
    separator: int,
    where: Offsets,
    shown: NDArray[np.bool_],
    cells: NDArray[np.int32],
    firsts: Offsets,
    sizes: NDArray[np.int32],
    bare: NDArray[np.bool_],
    out: Bytes,
    at: int,
) -> int:
    """Write records one after the other and return where they end.

    Parameters
    ----------
    content, extra : ndarray of uint8
        The file, and what new cells are made of besides.
    begins : ndarray of int64, shape (n + 1,)
        The first byte of each record; at last the size of the file.
    rows, ordered : ndarray of int64, shape (m,)
        The records that are written, and the same in the order of the file, whose line ends are written.
    separator : int
    where : ndarray of int64, shape (columns,)
        The place of each column among those of `cells`, or -1.
    shown : ndarray of bool, shape (columns,)
        Which columns are written.
    cells : ndarray of int32, shape (m, changed columns)
        Which new cell each record has, or -1.
    firsts, sizes, bare
        Of `NewCells`.
    out : ndarray of uint8
    at : int
        Where in `out` writing begins.
    """
    columns = len(shown)
    whole = shown.all()
    for record in range(len(rows)):
        begin = begins[rows[record]]
        end = _text_end(content, begin, begins[rows[record] + 1])
        touched = not whole
        for place in range(cells.shape[1]):
            touched = touched or cells[record, place] >= 0
        if not touched:
            at = _copied(content, begin, end, out, at)
        else:
            first = True
            for column in range(columns):
                stop = begin
                while stop < end and content[stop] != separator:
                    stop += 1
                if shown[column]:
                    if not first:
                        out[at] = separator
                        at += 1
                    new = cells[record, where[column]] if where[column] >= 0 else -1
                    inner = skipped(content, begin, stop)
                    # Blanks before the first cell that is left would stand before the record.
                    moved = first and column > 0
                    front = inner if moved else begin
                    if new < 0:
                        at = _copied(content, front, stop, out, at)
                    else:
                        behind = trimmed(content, inner, stop)
                        plain = bare[new] or inner == behind
                        if not plain:
                            at = _copied(content, front, inner, out, at)
                        source = firsts[new]
                        if source >= 0:
                            at = _copied(content, source, source + sizes[new], out, at)
                        else:
                            at = _copied(extra, -1 - source, sizes[new] - 1 - source, out, at)
                        if not plain and not (moved and sizes[new] == 0):
                            at = _copied(content, behind, stop, out, at)
                    first = False
                begin = stop + 1
        last = begins[ordered[record] + 1]
        at = _copied(content, _text_end(content, begins[ordered[record]], last), last, out, at)
    return at


@inner_kernel
def _text_end(content: Bytes, begin: int, end: int) -> int:
    while begin < end and content[begin] != _LINE_FEED and content[begin] != _CARRIAGE_RETURN:
        begin += 1
    return begin


@inner_kernel
def _copied(source: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    for position in range(begin, end):
        out[at] = source[position]
        at += 1
    return at
