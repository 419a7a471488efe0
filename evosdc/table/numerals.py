"""Numbers in files: the marks of a column, the values of its texts, their decimals, and writing them back."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from math import inf, isinf
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

NUMERAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WHOLE_TEXT = re.compile(NUMERAL)
# relative difference that printing a float32 with 15 digits leaves; a float64 comes so close once in a million
SAME = 1e-13
GREATEST = float(np.finfo(np.float32).max)
MOST_DECIMALS = 15  # a float64 holds no more; texts with more digits after the point are artefacts of printing
LONG = 8  # digits after the point from which a float32 may have been written with more digits than it holds
_NUMERAL = f"^(?:{NUMERAL})$"


def number(text: str, mark: str = ".") -> float | None:
    """Return the finite number that a text writes, or None when it writes none."""
    # With a decimal comma a point would be a thousands separator, which is not read as a number.
    plain = text if mark == "." else text.replace(".", "\0").replace(mark, ".")
    value = float(plain) if _WHOLE_TEXT.fullmatch(plain) else inf
    return None if isinf(value) else value


class NumberTexts(Sequence[str]):
    """Distinct texts, to be used as a tuple of them is, in the order in which they first occur in some cells."""

    # Arrow processes all cells, shape (n,), at once; equal ones are merged only where that is needed.

    def __init__(self, cells: Any, mark: str = ".") -> None:
        self.cells, self.mark = cells, mark

    @cached_property
    def coded(self) -> tuple[Any, NDArray[np.int32]]:
        """The distinct texts as an Arrow array, and the place of each cell's text among them, shape (n,)."""
        encoded = pc.dictionary_encode(self.cells)
        return encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False)

    @property
    def array(self) -> Any:
        """The distinct texts as an Arrow array."""
        return self.coded[0]

    @cached_property
    def occurring(self) -> NDArray[np.float64]:
        """The finite number that each cell writes, shape (n,); NaN where it writes none."""
        return values_of(self.cells, self.mark)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The finite number that each distinct text writes; NaN where it writes none."""
        return self.occurring if len(self.array) == len(self.cells) else values_of(self.array, self.mark)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts that write no number."""
        return tuple(self.of_cells(np.flatnonzero(np.isnan(self.occurring))))

    @cached_property
    def digits(self) -> int:
        """The most digits after the mark, less the exponent, of texts that write numbers."""
        most = decimals_after(self.cells, self.mark)[~np.isnan(self.occurring)].max(initial=0)
        return min(int(most), MOST_DECIMALS)

    @cached_property
    def padded(self) -> bool:
        """Whether some text is of several digits alone, the first of them 0."""
        return bool(pc.any(pc.match_substring_regex(self.cells, "^0[0-9]+$")).as_py())

    def of_cells(self, rows: NDArray[np.intp]) -> "NumberTexts":
        """Return the texts of some cells."""
        return NumberTexts(self.cells.take(pa.array(rows)), self.mark)

    def __len__(self) -> int:
        return len(self.array)

    def __bool__(self) -> bool:
        return len(self.cells) > 0

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: "slice[Any, Any, Any]") -> tuple[str, ...]: ...
    def __getitem__(self, place: "int | slice[Any, Any, Any]") -> str | tuple[str, ...]:
        if not isinstance(place, slice):
            if not -len(self) <= place < len(self):
                raise IndexError(place)
            return str(self.array[int(place) % len(self)].as_py())
        stop = place.stop
        if place.start is None and place.step is None and stop is not None and 0 <= stop < len(self.cells):
            # For the first texts few cells are looked at where these are enough.
            heads = (self.cells.slice(0, size).unique() for size in (2 * stop, 64 * stop))
            first = next((head for head in heads if len(head) >= stop), None)
            return tuple((self.array if first is None else first).slice(0, stop).to_pylist())
        return tuple(self.array.to_pylist()[place])

    def __iter__(self) -> Iterator[str]:
        return iter(self.array.to_pylist())

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and bool(self.standing((text,)).any())

    def index(self, text: str, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a text; raises ValueError where there is none."""
        place = int(pc.index(self.array, text).as_py())
        if not start <= place < (len(self) if stop is None else stop):
            raise ValueError(text)
        return place

    def standing(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which cells have one of some texts, shape (n,)."""
        found = np.zeros(len(self.cells), dtype=np.bool_)
        for text in texts:
            value = number(text, self.mark)
            if value is None and text not in self.words:
                continue
            candidates = np.flatnonzero(np.isnan(self.occurring) if value is None else self.occurring == value)
            if len(candidates):
                own = pc.equal(self.cells.take(pa.array(candidates)), text).to_numpy(zero_copy_only=False)
                found[candidates[own]] = True
        return found

    def places_of(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Return the places of those of some texts that are here, in ascending order."""
        return np.unique(np.array([self.index(text) for text in texts if text in self], dtype=np.intp))

    def numbers_to(self, decimals: int, of_cells: bool = False) -> NDArray[np.float64]:
        """Return the number of each text or cell, by its shortest text if that single has so few decimals; or NaN."""
        # ``6779.22998046875`` is 6779.23 to 2 decimals; 6779.225 stays.
        texts, values = (self.cells, self.occurring) if of_cells else (self.array, self.values)
        if self.digits <= decimals and self.digits < MOST_DECIMALS:
            return values
        near = np.flatnonzero(near_singles(values))
        some = texts.take(pa.array(near))
        noughts = pc.match_substring_regex(some, "[.,]0*$").to_numpy(zero_copy_only=False)
        near = near[(decimals_after(some, self.mark) > decimals) & ~noughts]
        shortest, found = shortest_singles(values[near])
        values = values.copy()
        values[near[found <= decimals]] = shortest[found <= decimals]
        return values


def values_of(texts: Any, mark: str = ".") -> NDArray[np.float64]:
    """Return the finite number that each text of a sequence or Arrow array writes, NaN where it writes none."""
    # texts (k,)
    plain = texts if isinstance(texts, pa.Array | pa.ChunkedArray) else pa.array(list(texts), pa.string())
    plain = _with_point(plain, mark)
    try:
        values = np.array(pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
        if np.isfinite(values).all():  # words such as nan would be numbers here
            return values
    except pa.ArrowInvalid:
        pass
    plain = pc.if_else(pc.match_substring_regex(plain, _NUMERAL), plain, pa.scalar(None, plain.type))
    plain = pc.replace_substring_regex(plain, r"^\+", "")
    values = np.array(pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    values[np.isinf(values)] = np.nan
    return values


def decimals_after(texts: Any, mark: str = ".") -> NDArray[np.int64]:
    """Return how many digits each number of an Arrow array has after the mark, less its exponent; of words anything."""
    plain = _with_point(texts, mark)
    found = pc.find_substring(plain, ".").to_numpy(zero_copy_only=False)
    sizes = pc.binary_length(plain).to_numpy(zero_copy_only=False)
    after: NDArray[np.int64] = np.where(found >= 0, sizes - found - 1, 0).astype(np.int64)
    for place in np.flatnonzero(pc.match_substring(plain, "e", ignore_case=True).to_numpy(zero_copy_only=False)):
        text = plain[int(place)].as_py()
        if _WHOLE_TEXT.fullmatch(text):
            after[place] = min(max(-int(Decimal(text).as_tuple().exponent), 0), 1000)
    return after


def _with_point(texts: Any, mark: str) -> Any:
    return texts if mark == "." else pc.replace_substring(pc.replace_substring(texts, ".", "\0"), mark, ".")


def shortest_singles(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers that the shortest texts of numbers in single precision write, and their decimals."""
    texts = pc.cast(pa.array(values.astype(np.float32)), pa.string())
    found = decimals_after(texts)
    whole = pc.match_substring_regex(texts, r"\.0$").to_numpy(zero_copy_only=False)
    return values_of(texts), np.where(whole, 0, found)


def near_singles(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers are in single precision, to the last digits that are written of one."""
    values = np.where(np.abs(values) <= GREATEST, values, np.nan)
    near: NDArray[np.bool_] = np.abs(values.astype(np.float32) - values) <= SAME * np.abs(values)
    return near


def texts_of_numbers(values: NDArray[Any]) -> NumberTexts:
    """Return the texts of distinct numbers: without a fraction where all are whole, else the shortest of each."""
    whole = values.dtype.kind == "f" and bool((values == np.rint(values)).all())
    if whole and float(np.abs(values).max(initial=0)) < 2.0**63:
        values = values.astype(np.int64)
    texts = pc.cast(pa.array(values), pa.string())
    large = pc.match_substring(texts, "e").to_numpy(zero_copy_only=False)
    if large.any():
        texts = pc.replace_with_mask(
            texts, pa.array(large), pa.array(list(map(repr, values[large].tolist())), pa.string())
        )
    return NumberTexts(texts)


# units of its last decimal up to which a number, and others near it, can be counted in a double
COUNTABLE = 2.0**51 / 3.0
_FEW_GROUPED = 5  # fewer texts such as 1.234 are thousands only where the rest of the file says so
_MOSTLY = 0.9
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}([.,' \u00a0\u2009\u202f\u2019])[0-9]{3}(?:\1[0-9]{3})*(?:([.,])[0-9]+)?")
_MARKED = re.compile(r"[+-]?[0-9]*([.,])[0-9]*(?:[eE][+-]?[0-9]+)?")
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
    """The evidence of a column's texts for its marks: one example for each, and their number."""

    decisive: dict[str, str] = field(default_factory=dict)  # by decimal mark, a text that has it for sure
    grouped: dict[str, str] = field(default_factory=dict)  # by sign, a text in which it can only group digits
    # by sign, texts such as 1.234, in which it may group digits or be the decimal mark
    doubtful: dict[str, list[str]] = field(default_factory=dict)
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
    found = _Evidence()
    for text in texts:
        digits = text.lstrip("+-")
        if digits.isdecimal() and text.isascii():
            found.unmarked += 1
            found.longest = max(found.longest, len(digits))
        elif grouped := _GROUPED.fullmatch(text):
            sign, decimal = grouped[1], grouped[2]
            # A second sign, or a sign that stands twice, shows what groups digits and what the other one is.
            if decimal not in (None, sign) or sign not in ".," or text.count(sign) > 1:
                found.grouped.setdefault(sign, text)
                mark = decimal if decimal not in (None, sign) else {".": ",", ",": "."}.get(sign, "")
                if mark:
                    found.decisive.setdefault(mark, text)
            elif _ZERO.match(text):
                found.decisive.setdefault(sign, text)
            else:
                found.doubtful.setdefault(sign, []).append(text)
        elif (marked := _MARKED.fullmatch(text)) and any(map(str.isdigit, text)):
            found.decisive.setdefault(marked[1], text)
        else:
            continue
        found.numerals += 1
    return found


def number_formats(columns: Sequence[Sequence[str]], separator: str = ",") -> list[NumberFormat]:
    """Return how each column of a file writes numbers, as far as its texts tell; plainly where they do not."""
    # ``1,5`` and ``1.234.567`` say it, ``1.234`` may be either: the column's other texts decide, then the file's other
    # columns. With comma-separated cells ``"1,234"`` was quoted for its thousands.
    evidence = [_evidence(texts) for texts in columns]
    usable = [
        e if 2 * e.numerals > len(texts) and not e.contradicting else _Evidence()
        for e, texts in zip(evidence, columns, strict=True)
    ]
    marks = {mark for one in usable for mark in one.decisive}
    shared = next(iter(marks)) if len(marks) == 1 else ""
    formats = []
    for one in usable:
        decimal, doubtful = next(iter(one.decisive), ""), next(iter(one.doubtful), "")
        thousands = set(one.grouped)
        if decimal:
            thousands |= one.doubtful.keys() - {decimal}
        elif doubtful and _groups(doubtful, one, shared, separator):
            thousands.add(doubtful)
            decimal = "," if doubtful == "." else "."
        formats.append(NumberFormat(decimal or doubtful or shared or ".", "".join(sorted(thousands))))
    return formats


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


def _held(texts: Iterable[str], mark: str) -> NumberTexts:
    if isinstance(texts, NumberTexts) and texts.mark == mark:
        return texts
    return NumberTexts(pa.array(list(texts), pa.string()), mark)


def numbers(texts: Iterable[str], mark: str = ".") -> NDArray[np.float64] | None:
    """Return the numbers that all texts write, or None when one of them writes none; not to be changed."""
    held = _held(texts, mark)
    if np.isnan(held.occurring).any():
        return None
    # Whole numbers of cells are made distinct; a fraction may stand there several times.
    whole = held is texts and (held.occurring == np.rint(held.occurring)).all()
    return held.values if whole else held.occurring


def decimals_of(texts: Iterable[str], mark: str = ".") -> int:
    """Return the most digits after the decimal mark among texts that are numbers, at most `MOST_DECIMALS`."""
    # Digits that single precision cannot hold do not count (``3.58999991416931`` is 3.59), nor those of numbers too
    # great for a double to count them.
    held = _held(texts, mark)
    single = single_precision_decimals(held, mark)
    decimals = held.digits if single is None else single
    if decimals >= LONG:
        greatest = float(np.nanmax(np.abs(held.occurring), initial=0.0))
        while decimals > 0 and greatest * 10.0**decimals > COUNTABLE:
            decimals -= 1
    return decimals


def single_precision_decimals(texts: Iterable[str], mark: str = ".") -> int | None:
    """Return the decimals of numbers that were single precision before they were written at length; else None."""
    held = _held(texts, mark)
    values = held.occurring[~np.isnan(held.occurring)]
    if held.digits < LONG or not near_singles(values).all():
        return None
    shortest = int(shortest_singles(values)[1].max(initial=0))
    return shortest if shortest < held.digits else None


def numeral(value: float, decimals: int, mark: str = ".") -> str:
    """Return the text of a finite number, rounded to `decimals` digits after the decimal mark; never ``-0``."""
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
        texts = texts.of_cells(np.flatnonzero(np.isin(texts.occurring, sorted(values))))
    return tuple(text for text in texts if text not in wanted and not is_padded(text) and number(text, mark) in values)


def natural_order(labels: Iterable[str], mark: str = ".") -> tuple[str, ...]:
    """Return distinct labels by number if all are numbers, else sorted as text."""
    held = _held(labels, mark)
    if held.words:
        return tuple(sorted(held))
    return tuple(text for _, text in sorted(zip(held.values.tolist(), held, strict=True)))
