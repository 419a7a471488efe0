"""Kernels that read the numbers of cells, each to the float that is nearest to what stands there."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.files.plain_cells import cell_at
from evosdc.files.plain_records import WORD, Bytes, Places, last_word, signed, word_at

NUMBER, UNREAD, WHOLE, MARKED, SCALED = 1, 2, 4, 8, 16
"""What a cell is: a number, that is left to others to read, of digits alone, with a decimal mark, with an exponent."""

_MOST_DIGITS = 19
_FRACTION = np.uint64((1 << 52) - 1)
_EXACT = np.uint64(1 << 53)
_LEAST_POWER, _GREATEST_POWER = -60, 40

_ONE, _TO_LAST = np.uint64(1), np.uint64(56)
_ONES, _LOWS, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
_NOUGHTS, _BEYOND_NINE = np.uint64(0x3030303030303030), np.uint64(0x7676767676767676)
_PAIRS, _FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)

_ZERO, _NINE, _PLUS, _MINUS, _LOWER_E, _UPPER_E = 48, 57, 43, 45, 101, 69


def _fives() -> NDArray[np.uint64]:
    """Return the first 128 bits of powers of five, in two halves, shape (powers, 2)."""
    halves = []
    for power in range(_LEAST_POWER, _GREATEST_POWER + 1):
        five = 5 ** abs(power)
        if power < 0:  # the reciprocal, rounded up
            bits = five.bit_length() - (five & (five - 1) == 0)
            five = (1 << (bits + 127 if power >= -27 else 2 * bits + 128)) // five + 1
        shift = five.bit_length() - 128
        five = five >> shift if shift >= 0 else five << -shift
        halves.append((five >> 64, five & (2**64 - 1)))
    return np.array(halves, dtype=np.uint64)


FIVES = _fives()
TENS = np.array([10.0**power for power in range(23)])
"""These powers of ten are floats without rounding."""


@njit(cache=True)
def read_numbers(
    content: Bytes,
    begins: Places,
    ends: Places,
    column: int,
    records: int,
    mark: int,
    fives: NDArray[np.uint64],
    tens: NDArray[np.float64],
    firsts: Places,
    sizes: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    values: NDArray[np.float64],
    decimals: NDArray[np.int32],
    after: NDArray[np.int32],
    most: NDArray[np.int64],
) -> int:
    """Read the number of a cell of each record, and return how many are not read so.

    Parameters
    ----------
    content : ndarray of uint8
    begins, ends : ndarray of `Places`
        Of `evosdc.files.plain_records.cut_records`.
    column, records : int
    mark : int
        The decimal mark.
    fives, tens : ndarray
        `FIVES` and `TENS`.
    firsts, sizes : ndarray, shape (r,)
        Take the first byte and the length of each cell without blanks around it.
    kinds : ndarray of uint8, shape (r,)
        Takes what holds of each of `NUMBER`, `UNREAD`, `WHOLE`, `MARKED` and `SCALED`; 0 of what is no number.
    values : ndarray of float, shape (r,)
        Takes the numbers; NaN elsewhere.
    decimals, after : ndarray of int32, shape (r,) or (0,)
        Take the digits after the mark, less the exponent, and the signs after it; nothing where they are empty.
    most : ndarray of int64, shape (2,)
        The most decimals and the most signs after the mark, which grow.
    """
    left, each = 0, len(decimals) > 0
    for record in range(records):
        begin, end = cell_at(content, begins, ends, column, record)
        kind, value, places, signs = _read(content, begin, end, mark, fives, tens)
        firsts[record], sizes[record], kinds[record], values[record] = begin, end - begin, kind, value
        if each:
            decimals[record], after[record] = places, signs
        most[0], most[1] = max(most[0], places), max(most[1], signs)
        left += kind == 0 or kind & UNREAD != 0
    return left


@njit(cache=True)
def _read(
    content: Bytes, position: int, end: int, mark: int, fives: NDArray[np.uint64], tens: NDArray[np.float64]
) -> tuple[int, float, int, int]:
    """Return kind, value, decimals and signs after the mark of what stands somewhere."""
    begin, size = position, len(content)
    negative = position < end and content[position] == _MINUS
    if position < end and (content[position] == _MINUS or content[position] == _PLUS):
        position += 1
    digits, fraction, after, marked = 0, 0, 0, False
    mantissa = np.uint64(0)
    while position < end:
        word = word_at(content, position) if position + WORD <= size else last_word(content, position)
        word ^= _NOUGHTS
        others = (((word & _LOWS) + _BEYOND_NINE) | word) & _HIGHS
        # Digits before the first other sign: all bytes below it have their last bit set in the number before it.
        run = WORD
        if others != np.uint64(0):
            run = signed(((((others & (~others + _ONE)) - _ONE) & _ONES) * _ONES) >> _TO_LAST) - 1
        run = min(run, end - position)
        if run > 0:
            mantissa = mantissa * np.uint64(tens[run]) + _eight_digits(word << np.uint64(8 * (WORD - run)))
            digits += run
            fraction += run if marked else 0
            position += run
            if run == WORD:
                continue
        if position == end or marked or content[position] != mark:
            break
        marked = True
        position += 1
        after = end - position
    if digits == 0:
        return 0, np.nan, 0, 0
    exponent, kind = 0, NUMBER
    if marked:
        kind |= MARKED
    elif position == end:
        kind |= WHOLE
    if position < end:
        kind |= SCALED
        exponent, position = _exponent(content, position, end)
        if position != end:
            return 0, np.nan, 0, 0
    decimals = max(fraction - exponent, 0)
    if digits > _MOST_DIGITS and _significant(content, begin, end, mark) > _MOST_DIGITS:
        return kind | UNREAD, np.nan, decimals, after
    value = _nearest(mantissa, exponent - fraction, fives, tens)
    if value < 0.0:
        return kind | UNREAD, np.nan, decimals, after
    return kind, -value if negative else value, decimals, after


@njit(cache=True)
def _eight_digits(word: np.uint64) -> np.uint64:
    """Return the number of eight digits, of which a byte each has the value: joined to pairs, fours, and all."""
    word = word * np.uint64(10 * 256 + 1) >> np.uint64(8)
    word = (word & _PAIRS) * np.uint64(100 * 65536 + 1) >> np.uint64(16)
    return (word & _FOURS) * np.uint64(10000 * (1 << 32) + 1) >> np.uint64(32)


@njit(cache=True)
def _significant(content: Bytes, position: int, end: int, mark: int) -> int:
    """Return how many digits a number has from the first on that is not 0."""
    found = 0
    while position < end:
        sign = content[position]
        if _ZERO <= sign <= _NINE:
            found += found > 0 or sign != _ZERO
        elif sign != mark and sign != _PLUS and sign != _MINUS:
            break
        position += 1
    return found


@njit(cache=True)
def _exponent(content: Bytes, position: int, end: int) -> tuple[int, int]:
    """Return the exponent that stands somewhere, and where it ends: at `end` where it is one."""
    if content[position] != _LOWER_E and content[position] != _UPPER_E:
        return 0, position
    position += 1
    negative = position < end and content[position] == _MINUS
    if position < end and (content[position] == _MINUS or content[position] == _PLUS):
        position += 1
    if position == end:
        return 0, end - 1
    exponent = 0
    while position < end and _ZERO <= content[position] <= _NINE:
        exponent = min(exponent * 10 + int(content[position]) - _ZERO, 100_000)
        position += 1
    return -exponent if negative else exponent, position


@njit(cache=True)
def _nearest(mantissa: np.uint64, power: int, fives: NDArray[np.uint64], tens: NDArray[np.float64]) -> float:
    """Return the float that is nearest to a whole number times a power of ten; negative where it is not found.

    Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51 (2021): the product with the
    first 64 or 128 bits of the power of five tells how to round, but in rare cases.
    """
    if mantissa == np.uint64(0):
        return 0.0
    if mantissa <= _EXACT and -22 <= power <= 22:
        exact: float = np.float64(mantissa) / tens[-power] if power < 0 else np.float64(mantissa) * tens[power]
        return exact
    if power < _LEAST_POWER or power > _GREATEST_POWER:
        return -1.0
    # The exponent of a float tells the noughts before the first bit, or one less where it was rounded to more bits.
    zeros = max(1086 - signed(np.float64(mantissa).view(np.uint64) >> np.uint64(52)), 0)
    mantissa = mantissa << np.uint64(zeros)
    if mantissa >> np.uint64(63) == np.uint64(0):
        mantissa = mantissa << np.uint64(1)
        zeros += 1
    upper, lower = _product(mantissa, fives[power - _LEAST_POWER, 0])
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = _product(mantissa, fives[power - _LEAST_POWER, 1])
        lower = lower + more
        if lower < more:
            upper = upper + np.uint64(1)
    if lower == np.uint64(0xFFFFFFFFFFFFFFFF) and (power < -27 or power > 55):
        return -1.0
    top = signed(upper >> np.uint64(63))
    shift = np.uint64(top + 9)
    bits = upper >> shift
    binary = ((217706 * power) >> 16) + 63 + top - zeros + 1023
    if lower <= np.uint64(1) and -4 <= power <= 23 and bits & np.uint64(3) == np.uint64(1) and bits << shift == upper:
        bits = bits & ~np.uint64(1)  # exactly in the middle: to even
    bits = (bits + (bits & np.uint64(1))) >> np.uint64(1)
    # Exponents are far from those of the least and the greatest floats.
    if bits >> np.uint64(53) != np.uint64(0):
        binary += 1
        bits = bits >> np.uint64(1)
    nearest: float = np.uint64((np.uint64(binary) << np.uint64(52)) | (bits & _FRACTION)).view(np.float64)
    return nearest


@njit(cache=True)
def _product(one: np.uint64, other: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and the lower 64 bits of a product."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b, c, d = one >> half, one & low, other >> half, other & low
    lowest, middle, inner = b * d, a * d, b * c
    carried = (lowest >> half) + (middle & low) + (inner & low)
    upper = a * c + (middle >> half) + (inner >> half) + (carried >> half)
    return upper, (carried << half) | (lowest & low)
