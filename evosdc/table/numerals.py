"""Numbers as files write them: parsing, decimals, and writing back."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np

from evosdc.table.number_syntax import is_numeral, with_point
from evosdc.table.number_syntax import number as number
from evosdc.table.number_texts import GREATEST, SAME, NumberTexts
from evosdc.table.shortest_decimals import MOST_DECIMALS as MOST_DECIMALS

_LONG = 8
"""Digits after the point from which a float32 may have been written with more digits than it holds."""

COUNTABLE = 2.0**51 / 3.0
"""Units of its last decimal up to which a number, and others near it, can be counted in a double."""

_PADDED = re.compile(r"[+-]?0[0-9]")


def number_to(text: str, decimals: int, mark: str = ".") -> float | None:
    """Return the number that a text writes, by its shortest text where it is single precision with so many decimals.

    ``6779.22998046875`` is 6779.23 to 2 decimals, so that who knows that one is seen to find it; 6779.225 stays.
    """
    value = number(text, mark)
    after = text.partition(mark)[2]
    if value is None or len(after) <= decimals or not after.strip("0") or abs(value) > GREATEST:
        return value
    single = np.float32(value)
    shortest = str(single)
    same = abs(float(single) - value) <= SAME * abs(value)
    return float(shortest) if same and _most_digits([shortest], ".") <= decimals else value


def held_in_single_precision(value: float) -> bool:
    """Return whether single precision holds a number so that its shortest text there is the number's own."""
    return abs(value) <= GREATEST and float(str(np.float32(value))) == value


def numbers(texts: Iterable[str], mark: str = ".") -> Sequence[float] | None:
    """Return the numbers that all texts write, or None when one of them writes none."""
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        return texts.numbers
    found = []
    for text in texts:
        value = number(text, mark)
        if value is None:
            return None
        found.append(value)
    return found


def decimals_of(texts: Iterable[str], mark: str = ".") -> int:
    """Return the most digits after the decimal mark among texts that are numbers, at most `MOST_DECIMALS`.

    Of numbers in single precision, as Stata stores them, digits that it cannot hold do not count: ``3.58999991416931``
    is 3.59. Nor do the last digits of numbers so great that a double cannot count them: an income of 35160.113491451244
    has ten.
    """
    if not isinstance(texts, NumberTexts):
        texts = tuple(texts)
    most = _most_digits(texts, mark)
    single = single_precision_decimals(texts, mark) if most >= _LONG else None
    decimals = min(most if single is None else single, MOST_DECIMALS)
    if decimals >= _LONG:
        greatest = _greatest(texts, mark)
        while decimals > 0 and greatest * 10.0**decimals > COUNTABLE:
            decimals -= 1
    return decimals


def _greatest(texts: Iterable[str], mark: str) -> float:
    """Return the greatest absolute number that texts write; 0 where none is one."""
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        values = np.abs(texts.occurring)  # of a column of a million texts these are not told apart for it
    else:
        values = np.array([abs(value) for text in texts if (value := number(text, mark)) is not None])
    return float(np.max(values, initial=0.0, where=np.isfinite(values)))


def single_precision_decimals(texts: Iterable[str], mark: str = ".") -> int | None:
    """Return the decimals of numbers that were single precision before they were written with more digits; else None.

    Each of them is then a float32 to the last digits of its text, and the shortest text of some float32 is shorter.
    """
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        return texts.single_decimals() if texts.digits >= _LONG else None
    texts = tuple(texts)
    found = [value for value in (number(text, mark) for text in texts) if value is not None]
    most = _most_digits(texts, mark)
    if most < _LONG or max(map(abs, found), default=0.0) > GREATEST:
        return None
    values = np.array(found, dtype=np.float64)
    single = values.astype(np.float32)
    if not np.all(np.abs(single - values) <= SAME * np.abs(values)):
        return None
    shortest = _most_digits([str(value) for value in single], ".")
    return shortest if shortest < min(most, MOST_DECIMALS) else None


def _most_digits(texts: Iterable[str], mark: str) -> int:
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        return texts.digits
    most = 0
    for text in texts:
        plain = with_point(text, mark)
        if is_numeral(plain) and not plain.isdigit():
            exponent = Decimal(plain).as_tuple().exponent
            most = max(most, -exponent if isinstance(exponent, int) else 0)
    return most


def numeral(value: float, decimals: int, mark: str = ".") -> str:
    """Return the text of a finite number, rounded to so many digits after the decimal mark; never ``-0``."""
    text = f"{value:.{decimals}f}"
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text if mark == "." else text.replace(".", mark)


def same_number(texts: Iterable[str], codes: Iterable[str], mark: str = ".") -> tuple[str, ...]:
    """Return the texts that write the number of one of some codes in another way, as ``99.0`` does for ``99``.

    Numbers with leading zeros are codes of their own: ``099`` is not ``99``.
    """
    wanted = set(codes)
    values = {value for code in wanted if not _PADDED.match(code) and (value := number(code, mark)) is not None}
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        texts = [texts[int(place)] for place in np.flatnonzero(np.isin(texts.values, sorted(values)))]
    return tuple(
        text for text in texts if text not in wanted and not _PADDED.match(text) and number(text, mark) in values
    )


def natural_order(labels: Sequence[str], mark: str = ".") -> tuple[str, ...]:
    """Return labels by number if all are numbers, else sorted as text."""
    if isinstance(labels, NumberTexts) and labels.mark == mark:
        return labels.in_natural_order()
    values = numbers(labels, mark)
    if values is None:
        return tuple(sorted(labels))
    return tuple(label for _, label in sorted(zip(values, labels, strict=True)))
