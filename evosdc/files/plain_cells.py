# ruff: noqa: SIM109, SIM110 -- kernels are of loops and comparisons
"""Kernels that tell equal cells of plain text, by length and by eight bytes at a time."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.files.plain_records import WORD, Bytes, Places, signed, word_at

Offsets = NDArray[np.int64]

_TAB, _VERTICAL_TAB, _FORM_FEED, _BLANK = 9, 11, 12, 32
_ODD, _HALF, _SLOTS = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(0x7FFFFFFF)
_CELL = np.int64(0xFFFFFFFF)
"""The half of an entry of a hash table that says which cell, from 1; the other half is of its hash."""


@njit(cache=True)
def cell_at(content: Bytes, begins: Places, ends: Places, column: int, record: int) -> tuple[int, int]:
    """Return where a cell begins and ends without the blanks around it."""
    begin = signed(begins[record]) if column == 0 else signed(ends[record, column - 1]) + 1
    begin = skipped(content, begin, signed(ends[record, column]))
    return begin, trimmed(content, begin, signed(ends[record, column]))


@njit(cache=True)
def skipped(content: Bytes, begin: int, end: int) -> int:
    """Return where a cell begins without the blanks before it."""
    while begin < end and _blank(content[begin]):
        begin += 1
    return begin


@njit(cache=True)
def trimmed(content: Bytes, begin: int, end: int) -> int:
    """Return where a cell ends without the blanks after it."""
    while end > begin and _blank(content[end - 1]):
        end -= 1
    return end


@njit(cache=True)
def _blank(sign: int) -> bool:
    return sign == _BLANK or sign == _TAB or sign == _VERTICAL_TAB or sign == _FORM_FEED


@njit(cache=True)
def tell_cells(
    content: Bytes,
    begins: Places,
    ends: Places,
    column: int,
    start: int,
    records: int,
    index: NDArray[np.int32],
    table: NDArray[np.int64],
    keys: NDArray[np.uint64],
    firsts: Places,
    sizes: NDArray[np.int32],
    known: int,
) -> tuple[int, int]:
    """Tell the distinct cells of a column, without surrounding blanks, in the order of first appearance.

    Parameters
    ----------
    content : ndarray of uint8
    begins, ends : ndarray of `Places`
        Of `evosdc.files.plain_records.cut_records`.
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
        begin, end = cell_at(content, begins, ends, column, record)
        size = end - begin
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
                and (size <= WORD or _equal(content, firsts[cell], begin, size))
            ):
                index[record] = cell
                break
            slot = (slot + 1) & mask
    return known, records


@njit(cache=True)
def _key(content: Bytes, begin: int, size: int) -> np.uint64:
    """Return what tells a cell of at most eight bytes from others of its length, and most longer ones."""
    end = begin + size
    if size > WORD:
        key = word_at(content, end - WORD)
        for position in range(begin, end - WORD, WORD):
            key = (key ^ word_at(content, position)) * _ODD
            key = key ^ (key >> _HALF)
        return key
    if size == 0:
        return np.uint64(0)
    if begin + WORD <= len(content):
        others = np.uint64(8 * (WORD - size))
        return (word_at(content, begin) << others) >> others
    key = np.uint64(0)
    for position in range(end - 1, begin - 1, -1):
        key = (key << np.uint64(8)) | np.uint64(content[position])
    return key


@njit(cache=True)
def _mixed(key: np.uint64, size: int) -> np.uint64:
    mixed = (key ^ np.uint64(size)) * _ODD
    return mixed ^ (mixed >> _HALF)


@njit(cache=True)
def _slot(mixed: np.uint64) -> int:
    return int(mixed & _SLOTS)


@njit(cache=True)
def _tag(mixed: np.uint64) -> np.int64:
    return np.int64((mixed >> _HALF) << _HALF)


@njit(cache=True)
def _equal(content: Bytes, one: int, other: int, size: int) -> bool:
    for position in range(size):
        if content[one + position] != content[other + position]:
            return False
    return True


@njit(cache=True)
def placed_anew(table: NDArray[np.int64], keys: NDArray[np.uint64], sizes: NDArray[np.int32], known: int) -> None:
    """Put the known cells into an empty table."""
    mask = len(table) - 1
    for cell in range(known):
        mixed = _mixed(keys[cell], sizes[cell])
        slot = _slot(mixed) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = _tag(mixed) | (cell + 1)
