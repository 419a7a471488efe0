"""The kernel that writes records of plain text: the file's own bytes and new cells are copied eight at a time."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.files.plain_cells import Offsets, skipped, trimmed
from evosdc.files.plain_records import WORD, Bytes, first_of, noughts, put_word, word_at

_LINE_FEED, _CARRIAGE_RETURN, _BLANK = 10, 13, 32
_ONES = np.uint64(0x0101010101010101)


@njit(cache=True)
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


@njit(cache=True)
def _with_part(parts: NDArray[np.int64], count: int, begin: int, end: int, extra: int) -> int:
    """Add bytes that are to be copied, at the last ones where they follow these; return how many parts there are."""
    if begin == end:
        return count
    if count > 0 and parts[count - 1, 1] == begin and parts[count - 1, 2] == extra:
        parts[count - 1, 1] = end
        return count
    parts[count, 0], parts[count, 1], parts[count, 2] = begin, end, extra
    return count + 1


@njit(cache=True)
def _text_end(content: Bytes, begin: int, end: int) -> int:
    """Return where the text of a record ends that reaches to the beginning of the next one."""
    if end - begin > 1 and content[end - 1] == _LINE_FEED and content[end - 2] > _BLANK:
        return end - 1  # nothing stands behind a line end alone
    while begin < end and content[begin] != _LINE_FEED and content[begin] != _CARRIAGE_RETURN:
        begin += 1
    return begin


@njit(cache=True)
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


@njit(cache=True)
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
