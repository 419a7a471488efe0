# ruff: noqa: D102 -- methods are described where they are declared
"""Texts of numbers, nearly every record with one of its own: equal ones are told only where that is asked for."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import CellTexts, cell_texts
from evosdc.files.column import Index
from evosdc.files.column_reading import ReadNumbers
from evosdc.files.distinct_cells import told_of
from evosdc.files.plain_numbers import MARKED, SCALED, WHOLE
from evosdc.table.held_numbers import HeldNumbers, pieces
from evosdc.table.number_syntax import number
from evosdc.table.number_texts import NumberTexts, near_singles, other_sizes, rounded
from evosdc.table.numerals import number_to
from evosdc.table.shortest_decimals import MOST_DECIMALS

FEW = 1000
"""Texts of so many records are soon made."""


class NumbersOfRecords:
    """The numbers that the records of a file have, and the texts that write them.

    Parameters
    ----------
    read : ReadNumbers
    """

    def __init__(self, read: ReadNumbers) -> None:
        self.read, self.values, self.mark = read, read.values, read.mark

    @cached_property
    def told(self) -> tuple[CellTexts, Index]:
        """The distinct texts, and which of them each record has."""
        cells, index = told_of(self.read.cells)
        texts = cell_texts(cells, self.mark)
        assert texts is not None, "there are few words"
        return texts, index

    @property
    def _signs(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.read.cells.content, dtype=np.uint8)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The distinct texts that write no number."""
        return self.read.words.texts()

    def having(self, text: str) -> NDArray[np.intp]:
        """Return the records that have a text."""
        value = number(text, self.mark)
        cells = self.read.cells
        if value is None:
            if text not in self.words:
                return np.empty(0, dtype=np.intp)
            alike: NDArray[np.bool_] = cells.firsts == self.read.words.firsts[self.words.index(text)]
            return np.flatnonzero(alike)
        found: NDArray[np.intp] = np.flatnonzero(self.values == value)
        found = found[cells.sizes[found] == len(text)]
        for place, sign in enumerate(text.encode("ascii")):
            alike = self._signs[cells.firsts[found] + np.int64(place)] == sign
            found = found[alike]
        return found

    def to_decimals(self, decimals: int | None) -> NDArray[np.float64]:
        """Return the number of each record, NaN of a word, as of `evosdc.table.numerals.number_to`; not to be changed.

        Parameters
        ----------
        decimals : int, optional
            Where there are none numbers are read as they stand.
        """
        if decimals is None or self.read.after <= decimals:
            return self.values
        near = np.flatnonzero(
            np.concatenate([near_singles(piece) & ~rounded(piece, decimals) for piece in pieces(self.values)])
        )
        if len(near) > FEW:
            texts, index = self.told
            numbers: NDArray[np.float64] = texts.numbers_to(decimals)[index]
            return numbers
        values = self.values.copy() if len(near) else self.values
        for place in near.tolist():
            read = number_to(self.read.cells.text(place), decimals, self.mark)
            values[place] = np.nan if read is None else read
        return values


class RecordTexts(NumberTexts):
    """The distinct texts of a column, all but some words; they are told where more is asked than the numbers tell.

    Parameters
    ----------
    records : NumbersOfRecords
    hidden : sequence of str
        Words that are left out.
    """

    def __init__(self, records: NumbersOfRecords, hidden: Sequence[str] = ()) -> None:
        self.records, self.hidden, self.mark = records, frozenset(hidden), records.mark

    @cached_property
    def told(self) -> CellTexts:
        """The texts, told apart."""
        texts, _ = self.records.told
        if not self.hidden:
            return texts
        kept = np.ones(len(texts), dtype=np.bool_)
        kept[texts.places_of(tuple(self.hidden))] = False
        return texts.take(np.flatnonzero(kept))

    @property
    def values(self) -> NDArray[np.float64]:
        return self.told.values

    @property
    def occurring(self) -> NDArray[np.float64]:
        """The number of each record, NaN of a word."""
        return self.records.values

    def text(self, place: int) -> str:
        return self.told.text(place)

    def take(self, places: NDArray[np.intp]) -> CellTexts:  # type: ignore[override]  # they are told by then
        return self.told.take(places)

    def __bool__(self) -> bool:
        return self.more_than(0)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and text not in self.hidden and len(self.records.having(text)) > 0

    def beginning(self, count: int) -> list[str]:
        found: list[str] = []
        for place in map(int, np.flatnonzero(self.occurring == self.occurring)):
            text = self.records.read.cells.text(place)
            found += [text] if text not in found else []
            if len(found) == count:
                break
        return found

    def more_than(self, count: int) -> bool:
        return self.records.read.distinct - len(self.hidden) > count or len(self) > count

    def beyond(self, least: float, most: float) -> list[str]:
        if not any(other_sizes(piece, least, most).any() for piece in pieces(self.occurring)):
            return []
        return self.told.beyond(least, most)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word in self.records.words if word not in self.hidden)

    @property
    def all_numbers(self) -> bool:
        return not self.words

    @cached_property
    def numbers(self) -> Sequence[float] | None:
        if self.words:
            return None
        if not self.fractional:
            return self.told.numbers
        values = self.occurring
        return HeldNumbers(values[~np.isnan(values)] if self.hidden else values)

    @cached_property
    def digits(self) -> int:
        return min(self.records.read.decimals, MOST_DECIMALS)

    def single_decimals(self) -> int | None:
        for piece in pieces(self.occurring):
            if not (near_singles(piece) | np.isnan(piece)).all():
                return None
        return self.told.single_decimals()

    def signs_after_mark(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        return self.told.signs_after_mark(places)

    @property
    def padded(self) -> bool:
        return self.told.padded

    @property
    def with_comma(self) -> int:
        """How many are decimal numbers with a comma, by their signs; of records, where that says as much."""
        return self._signs[0]

    @property
    def not_whole(self) -> int:
        """How many numbers are not of digits alone; of records, where that says as much."""
        return self._signs[1]

    @cached_property
    def _signs(self) -> tuple[int, int]:
        kinds = self.records.read.kinds
        written = int(np.count_nonzero((kinds > 0) & (kinds & WHOLE == 0)))
        decimal = int(np.count_nonzero((kinds & MARKED > 0) & (kinds & SCALED == 0))) if self.mark == "," else 0
        if decimal in (0, written) and not self.words:
            return decimal, written
        return self.told.with_comma, self.told.not_whole

    @property
    def with_point(self) -> bool:
        """Whether some number has a decimal point."""
        return self.mark == "." and bool((self.records.read.kinds & MARKED > 0).any())
