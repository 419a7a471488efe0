"""The numbers that texts write, one by one, or for many texts held by Arrow.

Of many a Python text is made only where it is asked for.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import isinf
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

_NUMERAL = f"^(?:{NUMERAL})$"
_SCALED = r"^[+-]?[0-9]*\.?(?P<after>[0-9]*)[eE](?P<power>[+-]?[0-9]+)$"


def with_point(text: str, mark: str) -> str:
    """Return a text with a point for its decimal mark."""
    # With a decimal comma a point would be a thousands separator, which is not read as a number.
    return text if mark == "." else text.replace(".", "\0").replace(mark, ".")


def is_numeral(plain: str) -> bool:
    """Whether a text writes a number with a point, if only one that is too large."""
    return _WHOLE_TEXT.fullmatch(plain) is not None


def number(text: str, mark: str = ".") -> float | None:
    """Return the finite number that a text writes, or None when it writes none."""
    plain = with_point(text, mark)
    if not is_numeral(plain):
        return None
    value = float(plain)
    return None if isinf(value) else value


class NumberTexts(Sequence[str]):
    """Distinct texts, to be used as a tuple of them is, in the order in which they first stand in some cells."""

    # Arrow answers what is asked of all texts at once; equal cells are told apart only where that is needed.
    # cells (n,)

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
        return parsed(self.cells, self.mark)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The finite number that each distinct text writes; NaN where it writes none."""
        same = "coded" in self.__dict__ and len(self.array) == len(self.cells)
        return self.occurring if same else parsed(self.array, self.mark)

    def take(self, places: NDArray[np.intp]) -> "NumberTexts":
        """Return the texts at some places."""
        return NumberTexts(self.array.take(pa.array(places)), self.mark)

    def of_cells(self, rows: NDArray[np.intp]) -> "NumberTexts":
        """Return the texts of some cells."""
        return NumberTexts(self.cells.take(pa.array(rows)), self.mark)

    def without(self, absent: NDArray[np.bool_]) -> "NumberTexts":
        """Return the texts of the other cells."""
        return NumberTexts(self.cells.filter(pa.array(~absent)), self.mark)

    def __len__(self) -> int:
        return len(self.array)

    def __bool__(self) -> bool:
        return len(self.cells) > 0

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: "slice[Any, Any, Any]") -> tuple[str, ...]: ...
    def __getitem__(self, place: "int | slice[Any, Any, Any]") -> str | tuple[str, ...]:
        if isinstance(place, slice):
            if (
                place.start is None
                and place.step is None
                and place.stop is not None
                and 0 <= place.stop < len(self.cells)
            ):
                return tuple(self._first_texts(self.cells, place.stop))
            return tuple(self.array.take(pa.array(range(*place.indices(len(self))), pa.int64())).to_pylist())
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return str(self.array[int(place) % len(self)].as_py())

    def __iter__(self) -> Iterator[str]:
        return iter(self.array.to_pylist())

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._first(text) is not None

    def index(self, text: str, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a text; raises ValueError where there is none."""
        place = int(pc.index(self.array, text).as_py())
        if not start <= place < (len(self) if stop is None else stop):
            raise ValueError(text)
        return place

    def _first(self, text: str) -> int | None:
        """Return the first cell with a text, None where there is none."""
        found = self.standing((text,))
        return int(found.argmax()) if found.any() else None

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
        here = [text for text in texts if text in self]
        return np.unique(np.array([self.index(text) for text in here], dtype=np.intp))

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """Whether each distinct text writes a number."""
        return ~np.isnan(self.values)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts that write no number."""
        if not np.isnan(self.occurring).any():
            return ()
        return tuple(pc.unique(self.cells.filter(pa.array(np.isnan(self.occurring)))).to_pylist())

    @property
    def all_numbers(self) -> bool:
        """Whether every text writes a number."""
        return not self.words

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The numbers that all texts write, None where one of them writes none; not to be changed."""
        # Of fractions those of the cells, so that a number may stand there several times.
        if not self.all_numbers:
            return None
        return self.occurring if self.fractional else self.values

    @cached_property
    def fractional(self) -> bool:
        """Whether some number is not whole."""
        return bool(((self.occurring != np.rint(self.occurring)) & ~np.isnan(self.occurring)).any())

    def beginning(self, count: int) -> list[str]:
        """Return the first so many texts that write numbers."""
        words = np.isnan(self.occurring)
        return self._first_texts(self.cells.filter(pa.array(~words)) if words.any() else self.cells, count)

    def _first_texts(self, cells: Any, count: int) -> list[str]:
        """Return the first so many distinct texts of cells, of which few are looked at where these are enough."""
        some: list[str] = pc.unique(cells.slice(0, 64 * count)).to_pylist()
        return some[:count] if len(some) >= count else pc.unique(cells).to_pylist()[:count]

    def more_than(self, count: int) -> bool:
        """Whether there are more than so many texts."""
        return len(pc.unique(self.cells.slice(0, 64 * (count + 1)))) > count or len(self) > count

    def beyond(self, least: float, most: float) -> list[str]:
        """Return the texts that write numbers, but nought, of other sizes than from `least` to `most`."""
        sizes = np.abs(self.occurring)
        found = (sizes > most) | ((sizes < least) & (sizes != 0.0))
        return list(pc.unique(self.cells.filter(pa.array(found))).to_pylist()) if found.any() else []

    @cached_property
    def digits(self) -> int:
        """The most digits after the mark, less the exponent, of texts that write numbers."""
        most = decimals_after(self.cells, self.mark)[~np.isnan(self.occurring)].max(initial=0)
        return min(int(most), MOST_DECIMALS)

    @cached_property
    def padded(self) -> bool:
        """Whether some text is of several digits alone, the first of them 0."""
        return bool(pc.any(pc.match_substring_regex(self.cells, "^0[0-9]+$")).as_py())

    def cell_numbers(self, decimals: int) -> NDArray[np.float64]:
        """Return what `evosdc.table.numerals.number_to` reads of each cell, NaN where it writes no number."""
        return _to_decimals(self.cells, self.occurring, self.digits, decimals, self.mark)

    def numbers_to(self, decimals: int) -> NDArray[np.float64]:
        """Return what `evosdc.table.numerals.number_to` reads of each text, NaN where it writes no number."""
        return _to_decimals(self.array, self.values, self.digits, decimals, self.mark)

    def single_decimals(self) -> int | None:
        """Return what `evosdc.table.numerals.single_precision_decimals` says where some text has many digits."""
        values = self.occurring[~np.isnan(self.occurring)]
        if not near_singles(values).all():
            return None
        shortest = int(shortest_singles(values)[1].max(initial=0))
        return shortest if shortest < self.digits else None

    def in_natural_order(self) -> tuple[str, ...]:
        """Return the texts by number if all are numbers, those of one number by text; else sorted."""
        if not self.all_numbers:
            return tuple(sorted(self))
        return tuple(text for _, text in sorted(zip(self.values.tolist(), self, strict=True)))


def parsed(texts: Any, mark: str = ".") -> NDArray[np.float64]:
    """Return the finite number that each text of an Arrow array writes, NaN where it writes none."""
    plain = _with_point(texts, mark)
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
    scaled = np.flatnonzero(pc.match_substring(plain, "e", ignore_case=True).to_numpy(zero_copy_only=False))
    if len(scaled):
        parts = pc.extract_regex(plain.take(pa.array(scaled)), _SCALED)
        digits = pc.utf8_length(pc.struct_field(parts, "after")).fill_null(0).to_numpy(zero_copy_only=False)
        powers = pc.replace_substring_regex(pc.struct_field(parts, "power"), r"^\+", "")
        power = pc.cast(pc.cast(powers, pa.float64()).fill_null(0.0), pa.float64()).to_numpy(zero_copy_only=False)
        after[scaled] = np.clip(digits - power, 0, 1000).astype(np.int64)
    return after


def _with_point(texts: Any, mark: str) -> Any:
    # With a decimal comma a point would be a thousands separator, which is not read as a number.
    return texts if mark == "." else pc.replace_substring(pc.replace_substring(texts, ".", "\0"), mark, ".")


def _to_decimals(texts: Any, values: NDArray[np.float64], digits: int, decimals: int, mark: str) -> NDArray[np.float64]:
    """Return numbers, those that were single precision before they were written at length by their shortest text."""
    if digits <= decimals and digits < MOST_DECIMALS:
        return values
    near = np.flatnonzero(near_singles(values))
    if len(near):
        some = texts.take(pa.array(near))
        noughts = pc.match_substring_regex(some, "[.,]0*$").to_numpy(zero_copy_only=False)
        near = near[(decimals_after(some, mark) > decimals) & ~noughts]
    if not len(near):
        return values
    shortest, found = shortest_singles(values[near])
    other = (found <= decimals) & (shortest != values[near])
    if not other.any():
        return values
    values = values.copy()
    values[near[other]] = shortest[other]
    return values


def shortest_singles(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers that the shortest texts of numbers in single precision write, and their decimals."""
    texts = pc.cast(pa.array(values.astype(np.float32)), pa.string())
    found = decimals_after(texts)
    whole = pc.match_substring_regex(texts, r"\.0$").to_numpy(zero_copy_only=False)
    return parsed(texts), np.where(whole, 0, found)


def near_singles(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers are in single precision, to the last digits that are written of one."""
    values = np.where(np.abs(values) <= GREATEST, values, np.nan)
    near: NDArray[np.bool_] = np.abs(values.astype(np.float32) - values) <= SAME * np.abs(values)
    return near


def more_than(texts: Sequence[str], count: int) -> bool:
    """Whether there are more than so many texts, which need not be counted."""
    return texts.more_than(count) if isinstance(texts, NumberTexts) else len(texts) > count


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
