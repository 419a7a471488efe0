"""A kernel that reads the numbers of cells, each to the float that is nearest to what stands there."""

import numpy as np
from numpy.typing import NDArray

from evosdc.files.plain_cells import Bytes, Offsets
from evosdc.kernel import inner_kernel, kernel

NUMBER, UNREAD, WHOLE, MARKED, SCALED = 1, 2, 4, 8, 16
"""What a cell is: a number, that is left to others to read, of digits alone, with a decimal mark, with an exponent."""

_MOST_DIGITS = 19
_EXACT = np.uint64(1 << 53)
_LEAST_POWER, _GREATEST_POWER = -60, 40

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


@kernel
def read_cells(
    content: Bytes,
    firsts: Offsets,
    sizes: NDArray[np.int32],
    mark: int,
    fives: NDArray[np.uint64],
    tens: NDArray[np.float64],
    kinds: NDArray[np.uint8],
    values: NDArray[np.float64],
    decimals: NDArray[np.int32],
    after: NDArray[np.int32],
) -> None:
    """Read the number of each cell.

    Parameters
    ----------
    content : ndarray of uint8
    firsts, sizes : ndarray, shape (d,)
        First byte and length of each cell.
    mark : int
        The decimal mark.
    fives, tens : ndarray
        `FIVES` and `TENS`.
    kinds : ndarray of uint8, shape (d,)
        Takes what holds of each of `NUMBER`, `UNREAD`, `WHOLE`, `MARKED` and `SCALED`; 0 of what is no number.
    values : ndarray of float, shape (d,)
        Takes the numbers; NaN elsewhere.
    decimals, after : ndarray of int32, shape (d,)
        Take the digits after the mark, less the exponent, and the signs after it.
    """
    for cell in range(len(firsts)):
        position, end = firsts[cell], firsts[cell] + sizes[cell]
        kinds[cell], values[cell], decimals[cell], after[cell] = 0, np.nan, 0, 0
        negative = position < end and content[position] == _MINUS
        if position < end and (content[position] == _MINUS or content[position] == _PLUS):
            position += 1
        digits, significant, fraction, marked = 0, 0, 0, False
        mantissa = np.uint64(0)
        while position < end:
            sign = content[position]
            if _ZERO <= sign <= _NINE:
                digits += 1
                significant += significant > 0 or sign != _ZERO
                mantissa = mantissa * np.uint64(10) + np.uint64(sign - _ZERO)
                fraction += marked
            elif sign == mark and not marked:
                marked = True
                after[cell] = end - position - 1
            else:
                break
            position += 1
        if digits == 0:
            after[cell] = 0
            continue
        exponent, kind = 0, NUMBER
        if marked:
            kind |= MARKED
        elif position == end:
            kind |= WHOLE
        if position < end:
            kind |= SCALED
            exponent, position = _exponent(content, position, end)
            if position != end:
                after[cell] = 0
                continue
        decimals[cell] = max(fraction - exponent, 0)
        power = exponent - fraction
        value = _nearest(mantissa, power, fives, tens) if significant <= _MOST_DIGITS else -1.0
        if value >= 0.0:
            values[cell] = -value if negative else value
        else:
            kind |= UNREAD
        kinds[cell] = kind


@inner_kernel
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


@inner_kernel
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
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if mantissa >> np.uint64(64 - step) == np.uint64(0):
            mantissa = mantissa << np.uint64(step)
            zeros += step
    upper, lower = _product(mantissa, fives[power - _LEAST_POWER, 0])
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = _product(mantissa, fives[power - _LEAST_POWER, 1])
        lower = lower + more
        if lower < more:
            upper = upper + np.uint64(1)
    if lower == np.uint64(0xFFFFFFFFFFFFFFFF) and (power < -27 or power > 55):
        return -1.0
    top = np.int64(upper >> np.uint64(63))
    shift = np.uint64(top + 9)
    bits = upper >> shift
    binary = ((217706 * power) >> 16) + 63 + top - zeros + 1023
    if lower <= np.uint64(1) and -4 <= power <= 23 and bits & np.uint64(3) == np.uint64(1) and bits << shift == upper:
        bits = bits & ~np.uint64(1)  # exactly in the middle: to even
    bits = (bits + (bits & np.uint64(1))) >> np.uint64(1)
    # Exponents are far from those of the least and the greatest floats.
    nearest: float = np.ldexp(np.float64(bits), binary - 1075)
    return nearest


@inner_kernel
def _product(one: np.uint64, other: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and the lower 64 bits of a product."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b, c, d = one >> half, one & low, other >> half, other & low
    lowest, middle, inner = b * d, a * d, b * c
    carried = (lowest >> half) + (middle & low) + (inner & low)
    upper = a * c + (middle >> half) + (inner >> half) + (carried >> half)
    return upper, (carried << half) | (lowest & low)
