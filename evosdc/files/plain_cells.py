# ruff: noqa: SIM109, SIM110 -- kernels are of loops and comparisons
"""Kernels that cut plain delimited text into cells and tell equal cells, byte by byte.

Text is plain where no cell is quoted: a line is a record, and each separator ends a cell.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]

RAGGED = -1

_TAB, _LINE_FEED, _CARRIAGE_RETURN, _BLANK, _END_OF_FILE = 9, 10, 13, 32, 26
_VERTICAL_TAB, _FORM_FEED = 11, 12
_KEY_BYTES, _BYTE = 8, np.uint64(8)
_ODD, _FOLD, _SLOTS = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(0x7FFFFFFF)


@kernel
def cut_records(content: Bytes, at: int, separator: int, begins: Offsets, ends: Offsets) -> tuple[int, int]:
    """Cut records from a position on, as many as there is room for.

    Parameters
    ----------
    content : ndarray of uint8
    at : int
        The first byte of a line.
    separator : int
    begins : ndarray of int64, shape (r,)
        Takes the first byte of each record.
    ends : ndarray of int64, shape (r, columns)
        Takes where each cell ends.

    Returns
    -------
    records : int
        How many; `RAGGED` where one has more or fewer cells than there are columns.
    at : int
        Where the next line begins.
    """
    room, columns = ends.shape
    size, found = len(content), 0
    while found < room and at < size:
        cell, end = 0, at
        while end < size:
            sign = content[end]
            if sign == separator:
                if cell == columns - 1:
                    return RAGGED, at
                ends[found, cell] = end
                cell += 1
            elif sign == _LINE_FEED or sign == _CARRIAGE_RETURN:
                break
            end += 1
        if cell == 0 and _is_blank(content, at, end, separator):
            at = _next_line(content, end)
            continue
        if cell != columns - 1:
            return RAGGED, at
        ends[found, cell] = end
        begins[found] = at
        found += 1
        at = _next_line(content, end)
    return found, at


@inner_kernel
def _is_blank(content: Bytes, begin: int, end: int, separator: int) -> bool:
    for position in range(begin, end):
        sign = content[position]
        if sign != _BLANK and sign != _END_OF_FILE and (sign != _TAB or separator == _TAB):
            return False
    return True


@inner_kernel
def _next_line(content: Bytes, end: int) -> int:
    size = len(content)
    if end >= size:
        return size
    if content[end] == _CARRIAGE_RETURN and end + 1 < size and content[end + 1] == _LINE_FEED:
        return end + 2
    return end + 1


@inner_kernel
def skipped(content: Bytes, begin: int, end: int) -> int:
    """Return where a cell begins without the blanks before it."""
    while begin < end and _blank(content[begin]):
        begin += 1
    return begin


@inner_kernel
def trimmed(content: Bytes, begin: int, end: int) -> int:
    """Return where a cell ends without the blanks after it."""
    while end > begin and _blank(content[end - 1]):
        end -= 1
    return end


@inner_kernel
def _blank(sign: int) -> bool:
    return sign == _BLANK or sign == _TAB or sign == _VERTICAL_TAB or sign == _FORM_FEED


@kernel
def tell_cells(
    content: Bytes,
    begins: Offsets,
    ends: Offsets,
    column: int,
    start: int,
    records: int,
    index: NDArray[np.int32],
    table: NDArray[np.int32],
    keys: NDArray[np.uint64],
    firsts: Offsets,
    sizes: NDArray[np.int32],
    known: int,
) -> tuple[int, int]:
    """Tell the distinct cells of a column, without surrounding blanks, in the order of first appearance.

    Parameters
    ----------
    content : ndarray of uint8
    begins, ends : ndarray of int64
        Of `cut_records`.
    column, start, records : int
        The column, the first record and how many there are.
    index : ndarray of int32, shape (records,)
        Takes which of the distinct cells each record has.
    table : ndarray of int32, shape (t,)
        A hash table of distinct cells, -1 where it is free; t is a power of two.
    keys, firsts, sizes : ndarray, shape (d,)
        Key, first byte and length of each distinct cell; d is at most half of t. The key of a cell of at most eight
        bytes is these.
    known : int
        How many distinct cells there are.

    Returns
    -------
    known, records : int
        How many there are now, and up to which record there was room for them.
    """
    mask, room = len(table) - 1, len(firsts)
    for record in range(start, records):
        begin = begins[record] if column == 0 else ends[record, column - 1] + 1
        begin = skipped(content, begin, ends[record, column])
        size = trimmed(content, begin, ends[record, column]) - begin
        key = _key(content, begin, size)
        slot = _slot(key, size) & mask
        while True:
            cell = table[slot]
            if cell < 0:
                if known == room:
                    return known, record
                table[slot] = known
                keys[known], firsts[known], sizes[known] = key, begin, size
                index[record] = known
                known += 1
                break
            if (
                keys[cell] == key
                and sizes[cell] == size
                and (size <= _KEY_BYTES or _equal(content, firsts[cell], begin, size))
            ):
                index[record] = cell
                break
            slot = (slot + 1) & mask
    return known, records


@inner_kernel
def _key(content: Bytes, begin: int, size: int) -> np.uint64:
    key = np.uint64(0)
    for position in range(begin, begin + min(size, _KEY_BYTES)):
        key = (key << _BYTE) | np.uint64(content[position])
    for position in range(begin + _KEY_BYTES, begin + size):
        key = (key ^ np.uint64(content[position])) * _ODD
    return key


@inner_kernel
def _slot(key: np.uint64, size: int) -> int:
    mixed = (key ^ np.uint64(size)) * _ODD
    return int((mixed ^ (mixed >> _FOLD)) & _SLOTS)


@inner_kernel
def _equal(content: Bytes, one: int, other: int, size: int) -> bool:
    for position in range(size):
        if content[one + position] != content[other + position]:
            return False
    return True


@kernel
def placed_anew(table: NDArray[np.int32], keys: NDArray[np.uint64], sizes: NDArray[np.int32], known: int) -> None:
    """Put the known cells into an empty table."""
    mask = len(table) - 1
    for cell in range(known):
        slot = _slot(keys[cell], sizes[cell]) & mask
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = cell
