"""Many texts most of which write numbers, held as these numbers: a text is made only where it is asked for."""
# ruff: noqa: D102 -- methods are described where they are declared

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.table.held_numbers import HeldNumbers, pieces
from evosdc.table.number_syntax import number
from evosdc.table.shortest_decimals import most_decimals, shortest_singles

SAME = 1e-13
"""Relative difference that printing a float32 with 15 digits leaves; a float64 comes so close once in a million."""

_APART = 1e12
"""Whole numbers below differ by more than `SAME`."""

_EXACT_POWER = 22
"""Greater powers of ten are rounded as floats."""

GREATEST = float(np.finfo(np.float32).max)


class NumberTexts(Sequence[str], ABC):
    """Distinct texts, to be used as a tuple of them is.

    What is asked of all texts at once is answered from the numbers, as one after the other would answer it; the
    functions of `evosdc.table.numerals` do so.

    Parameters
    ----------
    values : ndarray of float64, shape (k,)
        The finite number that each text writes; NaN where it writes none.
    mark : {".", ","}
        The decimal mark.
    """

    def __init__(self, values: NDArray[np.float64], mark: str = ".") -> None:
        self._values = values
        self.mark = mark

    @property
    def values(self) -> NDArray[np.float64]:
        """The finite number that each text writes; NaN where it writes none."""
        return self._values

    @abstractmethod
    def text(self, place: int) -> str:
        """Return one text."""

    @abstractmethod
    def take(self, places: NDArray[np.intp]) -> Self:
        """Return the texts at some places."""

    @property
    @abstractmethod
    def digits(self) -> int:
        """The most digits after the mark, less the exponent, among texts that write numbers; 15 where there are more.

        None are counted of digits alone.
        """

    @abstractmethod
    def signs_after_mark(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many signs follow the mark, exponents included; 0 where all are zeros."""

    @property
    @abstractmethod
    def padded(self) -> bool:
        """Whether some text is of several digits alone, the first of them 0."""

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: "slice[Any, Any, Any]") -> tuple[str, ...]: ...
    def __getitem__(self, place: "int | slice[Any, Any, Any]") -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(self.text(position) for position in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self.text(int(place) % len(self))

    def __iter__(self) -> Iterator[str]:
        return map(self.text, range(len(self)))

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.place_of(text) is not None

    def index(self, text: str, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a text; raises ValueError where there is none."""
        place = self.place_of(text)
        if place is None or not start <= place < (len(self) if stop is None else stop):
            raise ValueError(text)
        return place

    def place_of(self, text: str) -> int | None:
        """Return the place of a text, None where there is none."""
        value = number(text, self.mark)
        candidates = self._words if value is None else np.flatnonzero(self.values == value)
        return next((int(place) for place in candidates if self.text(int(place)) == text), None)

    def places_of(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Return the places of those of some texts that are here, in ascending order."""
        found = [self.place_of(text) for text in texts]
        return np.unique(np.array([place for place in found if place is not None], dtype=np.intp))

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """Whether each text writes a number."""
        return ~np.isnan(self.values)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts that write no number."""
        return tuple(self.text(int(place)) for place in self._words)

    @cached_property
    def _words(self) -> NDArray[np.intp]:
        return np.flatnonzero(~self.is_number)

    @cached_property
    def numbers(self) -> Sequence[float] | None:
        """The numbers that all texts write, None where one of them writes none; not to be changed.

        Where they are as many as records, and not whole, a number may stand there several times.
        """
        return HeldNumbers(self.values) if self.all_numbers else None

    @property
    def occurring(self) -> NDArray[np.float64]:
        """What `values` holds, in any order and each of them any number of times; NaN counts for nothing."""
        return self.values

    @cached_property
    def fractional(self) -> bool:
        """Whether some number is not whole."""
        return any(((piece != np.rint(piece)) & (piece == piece)).any() for piece in pieces(self.occurring))

    def beginning(self, count: int) -> list[str]:
        """Return the first so many texts that write numbers."""
        return list(self.take(np.flatnonzero(self.is_number)[:count]))

    def more_than(self, count: int) -> bool:
        """Whether there are more than so many texts."""
        return len(self) > count

    def beyond(self, least: float, most: float) -> list[str]:
        """Return the texts that write numbers, but nought, of other sizes than from `least` to `most`."""
        return list(self.take(np.flatnonzero(other_sizes(self.values, least, most))))

    @property
    def all_numbers(self) -> bool:
        """Whether every text writes a number."""
        return bool(self.is_number.all())

    def numbers_to(self, decimals: int) -> NDArray[np.float64]:
        """Return what `evosdc.table.numerals.number_to` reads of each text, NaN where it writes no number."""
        values = self.values
        near = np.flatnonzero(self._near_singles & ~rounded(values, decimals))
        shortest, found = shortest_singles(values[near].astype(np.float32), decimals)
        other = (found <= decimals) & (shortest != values[near])
        if not other.any():
            return values
        near, shortest = near[other], shortest[other]
        longer = self.signs_after_mark(near) > decimals
        values = values.copy()
        values[near[longer]] = shortest[longer]
        return values

    def single_decimals(self) -> int | None:
        """Return what `evosdc.table.numerals.single_precision_decimals` says where some text has many digits."""
        values = self.values[self.is_number]
        if not self._near_singles[self.is_number].all():
            return None
        _, found = shortest_singles(values.astype(np.float32), self.digits)
        shortest = int(found.max(initial=0))
        return shortest if shortest < self.digits else None

    @cached_property
    def _near_singles(self) -> NDArray[np.bool_]:
        return near_singles(self.values)

    def in_natural_order(self) -> tuple[str, ...]:
        """Return the texts by number if all are numbers, those of one number by text; else sorted."""
        if not self.all_numbers:
            return tuple(sorted(self))
        order = np.argsort(self.values, kind="stable")
        texts, values = list(self.take(order)), self.values[order]
        equal = np.flatnonzero(values[1:] == values[:-1])
        # Neighbours of one number are put in order where they stand.
        for group in np.split(equal, np.flatnonzero(np.diff(equal) > 1) + 1) if len(equal) else []:
            first, last = int(group[0]), int(group[-1]) + 2
            texts[first:last] = sorted(texts[first:last])
        return tuple(texts)


def other_sizes(values: NDArray[np.float64], least: float, most: float) -> NDArray[np.bool_]:
    """Return which numbers, but nought, are of other sizes than from `least` to `most`; none that is NaN."""
    sizes = np.abs(values)
    found: NDArray[np.bool_] = (sizes > most) | ((sizes < least) & (sizes != 0.0))
    return found


def more_than(texts: Sequence[str], count: int) -> bool:
    """Whether there are more than so many texts, which need not be counted."""
    return texts.more_than(count) if isinstance(texts, NumberTexts) else len(texts) > count


def near_singles(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers are in single precision, to the last digits that are written of one."""
    values = np.where(np.abs(values) <= GREATEST, values, np.nan)
    near: NDArray[np.bool_] = np.abs(values.astype(np.float32) - values) <= SAME * np.abs(values)
    return near


def rounded(values: NDArray[np.float64], decimals: int) -> NDArray[np.bool_]:
    """Return which numbers have at most so many decimals, and so few digits that no other such one is nearly equal."""
    if decimals > _EXACT_POWER:
        return np.zeros(len(values), dtype=np.bool_)
    with np.errstate(over="ignore"):
        scaled = values * 10.0**decimals
    few: NDArray[np.bool_] = (np.abs(scaled) < _APART) & (np.rint(scaled) / 10.0**decimals == values)
    return few


class RealTexts(NumberTexts):
    """The texts that `repr` makes of distinct floats; infinite ones write no numbers."""

    def __init__(self, floats: NDArray[np.float64]) -> None:
        super().__init__(np.where(np.isinf(floats), np.nan, floats))
        self._floats = floats

    def text(self, place: int) -> str:
        return repr(float(self._floats[place]))

    def __iter__(self) -> Iterator[str]:
        return map(repr, self._floats.tolist())

    def take(self, places: NDArray[np.intp]) -> "RealTexts":
        return RealTexts(self._floats[places])

    @cached_property
    def digits(self) -> int:
        return most_decimals(self.values[self.is_number])

    def signs_after_mark(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        after = (self.text(place).partition(".")[2] for place in places)
        return np.array([len(signs) if signs.strip("0") else 0 for signs in after], dtype=np.int64)

    @property
    def padded(self) -> bool:
        return False


class WholeTexts(NumberTexts):
    """The texts of distinct whole numbers, held as integers or as floats."""

    def __init__(self, whole: NDArray[Any]) -> None:
        super().__init__(whole.astype(np.float64))
        self._whole = whole

    def text(self, place: int) -> str:
        return str(int(self._whole[place]))

    def __iter__(self) -> Iterator[str]:
        return map(str, map(int, self._whole.tolist()))

    def take(self, places: NDArray[np.intp]) -> "WholeTexts":
        return WholeTexts(self._whole[places])

    @property
    def digits(self) -> int:
        return 0

    def signs_after_mark(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.zeros(len(places), dtype=np.int64)

    @property
    def padded(self) -> bool:
        return False
