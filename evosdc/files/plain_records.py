# ruff: noqa: SIM109 -- kernels are of loops and comparisons
"""A kernel that cuts plain delimited text into records and cells, eight bytes at a time.

Text is plain where no cell is quoted: a line is a record, and each separator ends a cell.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[Any]
"""Positions in a file: uint32, which suffice for files below 4 GiB, else int64."""

RAGGED, BINARY = -1, -2

WORD = 8
_TAB, _LINE_FEED, _CARRIAGE_RETURN, _BLANK = 9, 10, 13, 32
_VERTICAL_TAB, _FORM_FEED, _END_OF_FILE, _ESCAPE = 11, 12, 26, 27
_ONES, _LOWS = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)
_BYTE = np.uint64(0xFF)
_UPPER, _BLANKS = np.uint64(0xE0E0E0E0E0E0E0E0), np.uint64(0x2020202020202020)


def places(count: int, content: bytes) -> Places:
    """Return room for so many positions in a file."""
    return np.empty(count, dtype=np.uint32 if len(content) < 1 << 32 else np.int64)


@njit(cache=True)
def cut_records(content: Bytes, at: int, separator: int, begins: Places, ends: Places) -> tuple[int, int]:
    """Cut records from a position on, as many as there is room for.

    Parameters
    ----------
    content : ndarray of uint8
    at : int
        The first byte of a line.
    separator : int
    begins : ndarray of `Places`, shape (r,)
        Takes the first byte of each record.
    ends : ndarray of `Places`, shape (r, columns)
        Takes where each cell ends.

    Returns
    -------
    records : int
        How many; `RAGGED` where one has more or fewer cells than there are columns, `BINARY` where there is a sign that
        no text has.
    at : int
        Where the next line begins.
    """
    room, columns = ends.shape
    size, found, cell, begin, position = len(content), 0, 0, at, at
    pattern = np.uint64(separator) * _ONES
    while position < size:
        word = word_at(content, position) if position + WORD <= size else last_word(content, position)
        ended = noughts(word ^ pattern)
        signs = ended | noughts(word & _UPPER)
        while signs != np.uint64(0):
            lowest = signs & (~signs + np.uint64(1))
            signs ^= lowest
            place = position + first_of(lowest)
            if ended & lowest != np.uint64(0):
                if cell == columns - 1:
                    return RAGGED, begin
                ends[found, cell] = place
                cell += 1
                continue
            sign = content[place]
            if sign == _LINE_FEED or sign == _CARRIAGE_RETURN:
                if place < begin:
                    continue  # the second one of two that end a line
                if cell > 0 or not _is_blank(content, begin, place, separator):
                    if cell != columns - 1:
                        return RAGGED, begin
                    ends[found, cell] = place
                    begins[found] = begin
                    found += 1
                cell, begin = 0, place + 1
                if sign == _CARRIAGE_RETURN and begin < size and content[begin] == _LINE_FEED:
                    begin += 1
                if found == room:
                    return found, begin
            elif not _of_text(sign):
                return BINARY, begin
        position += WORD
    if begin < size and (cell > 0 or not _is_blank(content, begin, size, separator)):
        if cell != columns - 1:
            return RAGGED, begin
        ends[found, cell] = size
        begins[found] = begin
        found += 1
    return found, size


@njit(cache=True)
def signed(number: Any) -> int:
    """Return a number of any type as a signed one, from which others can be taken away."""
    return np.int64(number)  # type: ignore[return-value]


@njit(cache=True)
def word_at(content: Bytes, position: int) -> np.uint64:
    """Return eight bytes as one number; compilers make one instruction of it where no index may be negative."""
    word = np.uint64(0)
    for place in range(WORD):
        word |= np.uint64(content[np.uint64(position + place)]) << np.uint64(8 * place)
    return word


@njit(cache=True)
def last_word(content: Bytes, position: int) -> np.uint64:
    """Return the bytes to the end of a file, and blanks behind them."""
    word = _BLANKS
    for place in range(len(content) - 1, position - 1, -1):
        word = (word << np.uint64(8)) | np.uint64(content[place])
    return word


@njit(cache=True)
def noughts(word: np.uint64) -> np.uint64:
    """Return a number whose bytes have their first bit set where those of another one are 0, and no other bits."""
    return ~(((word & _LOWS) + _LOWS) | word | _LOWS)


@njit(cache=True)
def first_of(bits: np.uint64) -> int:
    """Return which byte is the lowest of those of `noughts`."""
    lowest = bits & (~bits + np.uint64(1))
    # A byte below that one has its last bit set in the number before it, and that byte has, too.
    return signed((((lowest - np.uint64(1)) & _ONES) * _ONES) >> np.uint64(56)) - 1


@njit(cache=True)
def put_word(out: Bytes, position: int, word: np.uint64) -> None:
    """Write eight bytes that were read as one number."""
    at = np.uint64(position)
    out[at] = word & _BYTE
    out[at + np.uint64(1)] = (word >> np.uint64(8)) & _BYTE
    out[at + np.uint64(2)] = (word >> np.uint64(16)) & _BYTE
    out[at + np.uint64(3)] = (word >> np.uint64(24)) & _BYTE
    out[at + np.uint64(4)] = (word >> np.uint64(32)) & _BYTE
    out[at + np.uint64(5)] = (word >> np.uint64(40)) & _BYTE
    out[at + np.uint64(6)] = (word >> np.uint64(48)) & _BYTE
    out[at + np.uint64(7)] = word >> np.uint64(56)


@njit(cache=True)
def _of_text(sign: int) -> bool:
    blank = sign == _TAB or sign == _VERTICAL_TAB or sign == _FORM_FEED
    return blank or sign == _END_OF_FILE or sign == _ESCAPE


@njit(cache=True)
def _is_blank(content: Bytes, begin: int, end: int, separator: int) -> bool:
    for position in range(begin, end):
        sign = content[position]
        if sign != _BLANK and sign != _END_OF_FILE and (sign != _TAB or separator == _TAB):
            return False
    return True
