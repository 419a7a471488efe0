"""Numbers as files write them: the marks of a column, what its texts say, their decimals, and writing them back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from evosdc.table.number_texts import GREATEST, SAME, NumberTexts, is_numeral, parsed, with_point
from evosdc.table.number_texts import MOST_DECIMALS as MOST_DECIMALS
from evosdc.table.number_texts import number as number

# units of its last decimal up to which a number, and others near it, can be counted in a double
COUNTABLE = 2.0**51 / 3.0

_LONG = 8  # digits after the point from which a float32 may have been written with more digits than it holds

_FEW_GROUPED = 5  # fewer texts such as 1.234 are thousands only where the rest of the file says so

_MANY = 5000
_MOSTLY = 0.9
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}([.,' \u00a0\u2009\u202f\u2019])[0-9]{3}(?:\1[0-9]{3})*(?:([.,])[0-9]+)?")
_MARKED = re.compile(r"[+-]?[0-9]*([.,])[0-9]*(?:[eE][+-]?[0-9]+)?")
_OTHER_SIGN = re.compile(r"[,' \u00a0\u2009\u202f\u2019]|\..*\.")
_ZERO = re.compile(r"[+-]?0[.,]")
_PADDED = re.compile(r"[+-]?0[0-9]")


@dataclass(frozen=True)
class NumberFormat:
    """How a column writes numbers."""

    decimal: str = "."
    thousands: str = ""  # all signs that group digits by three; empty where none does

    def plain(self, text: str) -> str:
        """Return a text without thousands marks where it writes a number with them; any other text as it is."""
        found = _GROUPED.fullmatch(text) if self.thousands else None
        if found is None or found[1] not in self.thousands or found[2] not in (None, self.decimal):
            return text
        return text.replace(found[1], "")


@dataclass
class _Evidence:
    """What the texts of a column say of its marks: one example for each, and how many there are."""

    decisive: dict[str, str]  # by decimal mark, a text that has it for sure
    grouped: dict[str, str]  # by sign, a text in which it can only group digits
    doubtful: dict[str, list[str]]  # by sign, texts such as 1.234, in which it may group digits or be the decimal mark
    numerals: int = 0
    longest: int = 0  # most digits of texts without a mark
    unmarked: int = 0

    @property
    def contradicting(self) -> tuple[str, ...]:
        """Two texts that no one way of writing numbers has; none where there is one."""
        if len(self.decisive) > 1:
            return self.decisive["."], self.decisive[","]
        if not self.decisive and {".", ","} <= self.doubtful.keys():
            return self.doubtful["."][0], self.doubtful[","][0]
        mark = next(iter(self.decisive), "")
        return (self.decisive[mark], self.grouped[mark]) if mark in self.grouped else ()


def _evidence(texts: Sequence[str]) -> _Evidence:
    """Return what a column's texts say; of very many the first ones, where the others have no sign but a point."""
    if len(texts) > _MANY:
        first = _evidence_of(texts[:_MANY])
        settled = set(first.decisive) == {"."} and not first.grouped.keys() | first.doubtful.keys() - {"."}
        if settled and not any(map(_OTHER_SIGN.search, texts)):
            first.numerals = first.numerals * len(texts) // _MANY
            return first
    return _evidence_of(texts)


def _evidence_of(texts: Sequence[str]) -> _Evidence:
    found = _Evidence({}, {}, {})
    for text in texts:
        if text.lstrip("+-").isdecimal() and text.isascii():
            found.numerals += 1
            found.unmarked += 1
            found.longest = max(found.longest, len(text.lstrip("+-")))
        elif grouped := _GROUPED.fullmatch(text):
            found.numerals += 1
            sign, decimal = grouped[1], grouped[2]
            if decimal is not None and decimal != sign:
                found.decisive.setdefault(decimal, text)
                found.grouped.setdefault(sign, text)
            elif sign not in (".", ",") or text.count(sign) > 1:
                found.grouped.setdefault(sign, text)
                if sign in (".", ","):
                    found.decisive.setdefault("," if sign == "." else ".", text)
            elif _ZERO.match(text):
                found.decisive.setdefault(sign, text)
            else:
                found.doubtful.setdefault(sign, []).append(text)
        elif (marked := _MARKED.fullmatch(text)) and any(map(str.isdigit, text)):
            found.numerals += 1
            found.decisive.setdefault(marked[1], text)
    return found


def number_formats(columns: Sequence[Sequence[str]], separator: str = ",") -> list[NumberFormat]:
    """Return how each column of a file writes numbers, as far as its texts tell; plainly where they do not."""
    # ``1,5`` and ``1.234.567`` say it, ``1.234`` may be either: the column's other texts decide, then the file's other
    # columns. With comma-separated cells ``"1,234"`` was quoted for its thousands.
    evidence = [_evidence(texts) for texts in columns]
    usable = [
        e if 2 * e.numerals > len(texts) and not e.contradicting else _Evidence({}, {}, {})
        for e, texts in zip(evidence, columns, strict=True)
    ]
    marks = {mark for one in usable for mark in one.decisive}
    shared = next(iter(marks)) if len(marks) == 1 else ""
    return [_format(one, shared, separator) for one in usable]


def _format(evidence: _Evidence, shared: str, separator: str) -> NumberFormat:
    decimal = next(iter(evidence.decisive), "")
    doubtful = next(iter(evidence.doubtful), "")
    thousands = set(evidence.grouped)
    if decimal:
        thousands |= evidence.doubtful.keys() - {decimal}
    elif doubtful and _groups(doubtful, evidence, shared, separator):
        thousands.add(doubtful)
        decimal = "," if doubtful == "." else "."
    elif doubtful:
        decimal = doubtful
    return NumberFormat(decimal or shared or ".", "".join(sorted(thousands)))


def _groups(sign: str, evidence: _Evidence, shared: str, separator: str) -> bool:
    """Whether the sign in texts such as 1.234 groups digits."""
    if shared:
        return sign != shared
    if evidence.longest > 3:
        return False
    if sign == "," and separator == ",":
        return True
    # Decimals that end in noughts are cut off or kept; whole numbers beside three decimals each time are none.
    return evidence.unmarked > 0 and len(evidence.doubtful[sign]) >= _FEW_GROUPED


def contradiction_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return two texts of a column of numbers that no one way of writing numbers has; none where there is one."""
    if isinstance(texts, NumberTexts):
        return ()
    evidence = _evidence(texts)
    return evidence.contradicting if evidence.numerals >= _MOSTLY * max(len(texts), 1) else ()


def values_of(texts: Sequence[str], mark: str = ".") -> NDArray[np.float64]:
    """Return the finite number that each text writes, NaN where it writes none: `number` of a whole column."""
    # texts (k,)
    import pyarrow as pa

    return parsed(texts if isinstance(texts, pa.Array | pa.ChunkedArray) else pa.array(list(texts), pa.string()), mark)


def numbers(texts: Iterable[str], mark: str = ".") -> NDArray[np.float64] | None:
    """Return the numbers that all texts write, or None when one of them writes none; not to be changed."""
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        return texts.numbers
    found = []
    for text in texts:
        value = number(text, mark)
        if value is None:
            return None
        found.append(value)
    return np.array(found, dtype=np.float64)


def number_to(text: str, decimals: int, mark: str = ".") -> float | None:
    """Return the number that a text writes, by its shortest text where it is single precision with so many decimals."""
    # ``6779.22998046875`` is 6779.23 to 2 decimals; 6779.225 stays.
    value = number(text, mark)
    after = text.partition(mark)[2]
    if value is None or not after.strip("0") or abs(value) > GREATEST or _most_digits((text,), mark) <= decimals:
        return value
    single = np.float32(value)
    shortest = str(single)
    same = abs(float(single) - value) <= SAME * abs(value)
    return float(shortest) if same and _most_digits([shortest], ".") <= decimals else value


def decimals_of(texts: Iterable[str], mark: str = ".") -> int:
    """Return the most digits after the decimal mark among texts that are numbers, at most `MOST_DECIMALS`."""
    # Digits that single precision cannot hold do not count (``3.58999991416931`` is 3.59), nor those of numbers too
    # great for a double to count them.
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
        values = np.abs(values_of(tuple(texts), mark))
    return float(np.max(values, initial=0.0, where=np.isfinite(values)))


def single_precision_decimals(texts: Iterable[str], mark: str = ".") -> int | None:
    """Return the decimals of numbers that were single precision before they were written at length; else None."""
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        return texts.single_decimals() if texts.digits >= _LONG else None
    texts = tuple(texts)
    most = _most_digits(texts, mark)
    if most < _LONG:
        return None
    values = values_of(texts, mark)
    values = values[~np.isnan(values)]
    if np.abs(values).max(initial=0.0) > GREATEST:
        return None
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
        if not plain.isdigit() and is_numeral(plain):
            exponent = Decimal(plain).as_tuple().exponent
            most = max(most, -exponent if isinstance(exponent, int) else 0)
    return most


def numeral(value: float, decimals: int, mark: str = ".") -> str:
    """Return the text of a finite number, rounded to so many digits after the decimal mark; never ``-0``."""
    text = f"{value:.{decimals}f}"
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text if mark == "." else text.replace(".", mark)


def is_padded(text: str) -> bool:
    """Whether a text begins with a nought before other digits, as codes such as 0801 do and numbers do not."""
    return _PADDED.match(text) is not None


def same_number(texts: Iterable[str], codes: Iterable[str], mark: str = ".") -> tuple[str, ...]:
    """Return the texts that write the number of one of some codes in another way, as ``99.0`` does for ``99``."""
    # Numbers with leading zeros are codes of their own: ``099`` is not ``99``.
    wanted = set(codes)
    values = {value for code in wanted if not is_padded(code) and (value := number(code, mark)) is not None}
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        texts = [texts[int(place)] for place in np.flatnonzero(np.isin(texts.values, sorted(values)))]
    return tuple(text for text in texts if text not in wanted and not is_padded(text) and number(text, mark) in values)


def natural_order(labels: Sequence[str], mark: str = ".") -> tuple[str, ...]:
    """Return labels by number if all are numbers, else sorted as text."""
    if isinstance(labels, NumberTexts) and labels.mark == mark:
        return labels.in_natural_order()
    values = numbers(labels, mark)
    if values is None:
        return tuple(sorted(labels))
    return tuple(label for _, label in sorted(zip(values, labels, strict=True)))
