"""Plain delimited files written back: untouched bytes are copied, and only new cells are put in their places."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import CellTexts
from evosdc.files.changed_numbers import TextsOfChange
from evosdc.files.changes import Change
from evosdc.files.plain_cells import Offsets, skipped, trimmed
from evosdc.files.plain_records import WORD, Bytes, first_of, noughts, put_word, word_at
from evosdc.files.plain_text import PlainRecords
from evosdc.files.record_fields import rewritten
from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import Rows

_LINE_FEED, _CARRIAGE_RETURN, _BLANK = 10, 13, 32
_ONES = np.uint64(0x0101010101010101)
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
    new = [
        _new_cells(records, change.texts, absent.get(column, ""), len(kept) == 1, separator)
        for column, change in changes.items()
    ]
    extras = np.cumsum([0, *(len(cells.extra) for cells in new)])[:-1]
    starts = np.cumsum([0, *(len(cells.firsts) for cells in new)])[:-1]
    firsts = [np.where(c.firsts >= 0, c.firsts, c.firsts - at) for c, at in zip(new, extras, strict=True)]
    cells = NewCells(
        b"".join(one.extra for one in new),
        np.concatenate([np.empty(0, dtype=np.int64), *firsts]),
        np.concatenate([np.empty(0, dtype=np.int32), *(one.sizes for one in new)]),
        np.concatenate([np.empty(0, dtype=np.bool_), *(one.bare for one in new)]),
    )
    where = np.full(width, -1, dtype=np.int64)
    where[list(changes)] = np.arange(len(changes))
    shown = np.zeros(width, dtype=np.bool_)
    shown[list(kept)] = True
    ordered = rows if bool((rows[1:] > rows[:-1]).all()) else np.sort(rows)
    changed = list(zip(changes.values(), starts.tolist(), strict=True))
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
    starts: Offsets,
    stops: Offsets,
    tails: Offsets,
    line_ends: Offsets,
    separator: int,
    where: Offsets,
    shown: NDArray[np.bool_],
    cells: NDArray[np.int32],
    firsts: Offsets,
    sizes: NDArray[np.int32],
    bare: NDArray[np.bool_],
    out: Bytes,
) -> int:
    """Write records one after the other and return where they end.

    Parameters
    ----------
    content, extra : ndarray of uint8
        The file, and what new cells are made of besides.
    starts, stops : ndarray of int64, shape (m,)
        The first byte of each record, and of what stands behind its line end.
    tails, line_ends : ndarray of int64, shape (m,)
        The same of the records whose line ends are written.
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
        Has room for some more bytes than are written.
    """
    columns, at = len(shown), 0
    whole = shown.all()
    parts = np.empty((4 * columns + 2, 3), dtype=np.int64)
    for record in range(len(starts)):
        begin, count = starts[record], 0
        end = _text_end(content, begin, stops[record])
        touched = not whole
        for place in range(cells.shape[1]):
            touched = touched or cells[record, place] >= 0
        if not touched:
            count = _with_part(parts, count, begin, end, 0)
        else:
            first = True
            for column in range(columns):
                stop = _next(content, begin, end, separator) if column < columns - 1 else end
                if shown[column]:
                    new = cells[record, where[column]] if where[column] >= 0 else -1
                    # Blanks before the first cell that is left would stand before the record.
                    moved = first and column > 0
                    front = begin if first else begin - 1  # with the separator
                    if new < 0:
                        front = skipped(content, begin, stop) if moved else front
                        count = _with_part(parts, count, front, stop, 0)
                    else:
                        inner = skipped(content, begin, stop)
                        behind = trimmed(content, inner, stop)
                        plain = bare[new] or inner == behind
                        count = _with_part(parts, count, front, begin if plain or moved else inner, 0)
                        source = firsts[new]
                        if source >= 0:
                            count = _with_part(parts, count, source, source + sizes[new], 0)
                        else:
                            count = _with_part(parts, count, -1 - source, sizes[new] - 1 - source, 1)
                        if not plain and not (moved and sizes[new] == 0):
                            count = _with_part(parts, count, behind, stop, 0)
                    first = False
                begin = stop + 1
        tail = end if tails[record] == starts[record] else _text_end(content, tails[record], line_ends[record])
        count = _with_part(parts, count, tail, line_ends[record], 0)
        for part in range(count):
            if parts[part, 2] == 0:
                at = _copied(content, parts[part, 0], parts[part, 1], out, at)
            else:
                at = _copied(extra, parts[part, 0], parts[part, 1], out, at)
    return at


@inner_kernel
def _with_part(parts: NDArray[np.int64], count: int, begin: int, end: int, extra: int) -> int:
    """Add bytes that are to be copied, at the last ones where they follow these; return how many parts there are."""
    if begin == end:
        return count
    if count > 0 and parts[count - 1, 1] == begin and parts[count - 1, 2] == extra:
        parts[count - 1, 1] = end
        return count
    parts[count, 0], parts[count, 1], parts[count, 2] = begin, end, extra
    return count + 1


@inner_kernel
def _text_end(content: Bytes, begin: int, end: int) -> int:
    """Return where the text of a record ends that reaches to the beginning of the next one."""
    if end - begin > 1 and content[end - 1] == _LINE_FEED and content[end - 2] > _BLANK:
        return end - 1  # nothing stands behind a line end alone
    while begin < end and content[begin] != _LINE_FEED and content[begin] != _CARRIAGE_RETURN:
        begin += 1
    return begin


@inner_kernel
def _next(content: Bytes, begin: int, end: int, separator: int) -> int:
    """Return where the next separator stands, or the end."""
    pattern = np.uint64(separator) * _ONES
    while begin + WORD <= len(content):
        found = noughts(word_at(content, begin) ^ pattern)
        if found != np.uint64(0):
            return min(begin + first_of(found), end)
        begin += WORD
        if begin >= end:
            return end
    while begin < end and content[begin] != separator:
        begin += 1
    return begin


@inner_kernel
def _copied(source: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    """Copy some bytes, eight at a time where nothing else is behind the last ones; return where they end."""
    stop = at + end - begin
    if end + WORD <= len(source) and stop + WORD <= len(out):
        while begin < end:
            put_word(out, at, word_at(source, begin))
            begin, at = begin + WORD, at + WORD
        return stop
    while begin < end:
        out[at] = source[begin]
        begin, at = begin + 1, at + 1
    return stop
