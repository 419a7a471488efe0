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
_WORD = 8
_ODD, _HALF, _SLOTS = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(0x7FFFFFFF)
_CELL = np.int64(0xFFFFFFFF)
"""The half of an entry of a hash table that says which cell, from 1; the other half is of its hash."""


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
    table: NDArray[np.int64],
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
    table : ndarray of int64, shape (t,)
        A hash table of distinct cells, 0 where it is free; t is a power of two.
    keys, firsts, sizes : ndarray, shape (d,)
        Key, first byte and length of each distinct cell; d is at most half of t. The key of a cell of at most eight
        bytes tells these.
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
        mixed = _mixed(key, size)
        slot, tag = _slot(mixed) & mask, _tag(mixed)
        while True:
            entry = table[slot]
            if entry == 0:
                if known == room:
                    return known, record
                table[slot] = tag | (known + 1)
                keys[known], firsts[known], sizes[known] = key, begin, size
                index[record] = known
                known += 1
                break
            cell = (entry & _CELL) - 1
            if (
                entry & ~_CELL == tag
                and keys[cell] == key
                and sizes[cell] == size
                and (size <= _WORD or _equal(content, firsts[cell], begin, size))
            ):
                index[record] = cell
                break
            slot = (slot + 1) & mask
    return known, records


@inner_kernel
def _key(content: Bytes, begin: int, size: int) -> np.uint64:
    """Return what tells a cell of at most eight bytes from others of its length, and most longer ones."""
    end = begin + size
    if size > _WORD:
        key = _word(content, end - _WORD)
        for position in range(begin, end - _WORD, _WORD):
            key = (key ^ _word(content, position)) * _ODD
            key = key ^ (key >> _HALF)
        return key
    if size == 0:
        return np.uint64(0)
    if begin + _WORD <= len(content):
        others = np.uint64(8 * (_WORD - size))
        return (_word(content, begin) << others) >> others
    key = np.uint64(0)
    for position in range(end - 1, begin - 1, -1):
        key = (key << np.uint64(8)) | np.uint64(content[position])
    return key


@inner_kernel
def _word(content: Bytes, position: int) -> np.uint64:
    """Return eight bytes as one number; compilers make one instruction of it where no index may be negative."""
    at = np.uint64(position)
    word = np.uint64(content[at])
    word |= np.uint64(content[at + np.uint64(1)]) << np.uint64(8)
    word |= np.uint64(content[at + np.uint64(2)]) << np.uint64(16)
    word |= np.uint64(content[at + np.uint64(3)]) << np.uint64(24)
    word |= np.uint64(content[at + np.uint64(4)]) << np.uint64(32)
    word |= np.uint64(content[at + np.uint64(5)]) << np.uint64(40)
    word |= np.uint64(content[at + np.uint64(6)]) << np.uint64(48)
    return word | (np.uint64(content[at + np.uint64(7)]) << np.uint64(56))


@inner_kernel
def _mixed(key: np.uint64, size: int) -> np.uint64:
    mixed = (key ^ np.uint64(size)) * _ODD
    return mixed ^ (mixed >> _HALF)


@inner_kernel
def _slot(mixed: np.uint64) -> int:
    return int(mixed & _SLOTS)


@inner_kernel
def _tag(mixed: np.uint64) -> np.int64:
    return np.int64((mixed >> _HALF) << _HALF)


@inner_kernel
def _equal(content: Bytes, one: int, other: int, size: int) -> bool:
    for position in range(size):
        if content[one + position] != content[other + position]:
            return False
    return True


@kernel
def placed_anew(table: NDArray[np.int64], keys: NDArray[np.uint64], sizes: NDArray[np.int32], known: int) -> None:
    """Put the known cells into an empty table."""
    mask = len(table) - 1
    for cell in range(known):
        mixed = _mixed(keys[cell], sizes[cell])
        slot = _slot(mixed) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = _tag(mixed) | (cell + 1)
