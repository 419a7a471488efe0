"""The cells of one column of a plain file, taken as they are cut: distinct ones, or a number for each record."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import MOST_WORDS, Cells, cell_texts
from evosdc.files.column import FEWEST_HELD, Index
from evosdc.files.distinct_cells import DistinctCells, Told, longer
from evosdc.files.plain_numbers import FIVES, TENS, UNREAD, read_numbers
from evosdc.files.plain_records import Bytes, Places, places
from evosdc.table.number_syntax import number

FEWEST_RECORDS = 1 << 12
"""Of so many records it can be seen that nearly every one has a number of its own, and by which decimal mark."""

_NONE = np.empty(0, dtype=np.int32)


class ReadNumbers(NamedTuple):
    """The cell of each record, and the number that it writes.

    Parameters
    ----------
    cells : Cells
        Equal words begin at the same byte.
    values : ndarray of float, shape (n,)
        NaN where a word stands.
    kinds : ndarray of uint8, shape (n,)
        As of `evosdc.files.plain_numbers.read_numbers`; 0 of words.
    decimals, after : int
        The most digits after the mark, less the exponent, and the most signs after it.
    words : Cells
        The distinct words.
    mark : {".", ","}
    distinct : int
        So many cells are different, or more.
    """

    cells: Cells
    values: NDArray[np.float64]
    kinds: NDArray[np.uint8]
    decimals: int
    after: int
    words: Cells
    mark: str
    distinct: int


class RecordNumbers:
    """The numbers of a column in which nearly every record has one of its own, read without telling equal ones."""

    def __init__(self, distinct: DistinctCells, index: Index, room: int, mark: str) -> None:
        self.mark, self.distinct = mark, distinct.known
        self.words = DistinctCells(distinct.content, distinct.encoding, distinct.signs)
        self.firsts, self.sizes = places(room, distinct.content), np.empty(room, dtype=np.int32)
        self.kinds, self.values = np.empty(room, dtype=np.uint8), np.empty(room)
        self.most = np.zeros(2, dtype=np.int64)
        cells = distinct.cells
        told = cells._replace(firsts=cells.firsts[index], sizes=cells.sizes[index])
        self.read(told.firsts, told.ends, 0, 0, len(index))

    def read(self, begins: Places, ends: Places, column: int, start: int, records: int) -> bool:
        """Read the numbers of more records; False where there are so many words that these are no numbers."""
        if start + records > len(self.firsts):
            more = start + records
            self.firsts, self.sizes = longer(self.firsts, more), longer(self.sizes, more)
            self.kinds, self.values = longer(self.kinds, more), longer(self.values, more)
        left = read_numbers(
            self.words.signs, begins, ends, column, records, ord(self.mark), FIVES, TENS,
            self.firsts[start:], self.sizes[start:], self.kinds[start:], self.values[start:], _NONE, _NONE, self.most,
        )  # fmt: skip
        if left:
            self._tell_words(start, records)
        return self.words.known <= MOST_WORDS

    def _tell_words(self, start: int, records: int) -> None:
        kinds = self.kinds[start : start + records]
        for place in start + np.flatnonzero(kinds & UNREAD):
            first = int(self.firsts[place])
            text = self.words.content[first : first + int(self.sizes[place])].decode(self.words.encoding)
            value = number(text, self.mark)
            self.values[place] = np.nan if value is None else value
            self.kinds[place] = 0 if value is None else self.kinds[place]
        among = start + np.flatnonzero(kinds == 0)
        index = np.empty(len(among), dtype=np.int32)
        cells = self.words.cells._replace(firsts=self.firsts[among], sizes=self.sizes[among])
        self.words.tell(cells.firsts, cells.ends, 0, index, 0)
        self.firsts[among] = self.words.firsts[index]

    def cells(self, records: int) -> Cells:
        """Return the cell of each record."""
        return Cells(self.words.content, self.words.encoding, self.firsts[:records], self.sizes[:records])

    def numbers(self, records: int) -> ReadNumbers:
        """Return all that was read."""
        decimals, after = self.most.tolist()
        return ReadNumbers(
            self.cells(records), self.values[:records], self.kinds[:records], decimals, after, self.words.cells,
            self.mark, self.distinct,
        )  # fmt: skip


class ColumnReader:
    """What is told of a column as more of its cells are cut.

    Parameters
    ----------
    content, encoding, signs
        Of the file.
    marks : sequence of str
        Decimal marks, the first preferred.
    room : int
        How many records come, as is guessed.
    """

    def __init__(self, content: bytes, encoding: str, signs: Bytes, marks: tuple[str, ...], room: int) -> None:
        self.distinct = DistinctCells(content, encoding, signs)
        self.marks, self.room, self.undecided = marks, room, True
        self.index: Index = np.empty(room, dtype=np.int32)
        self.records: RecordNumbers | None = None

    def take(self, begins: Places, ends: Places, column: int, start: int, records: int) -> None:
        """Take the cells of more records, those from `start` on."""
        if self.records is not None:
            if not self.records.read(begins, ends, column, start, records):
                self._tell_all(start + records)
            return
        if start + records > len(self.index):
            self.index = longer(self.index, start + records)
        self.distinct.tell(begins, ends, column, self.index[start : start + records], self.room)
        if self.undecided and self.distinct.seen >= FEWEST_RECORDS:
            self.undecided = False
            mark = self._mark()
            if mark is not None:
                self.records = RecordNumbers(self.distinct, self.index[: start + records], self.room, mark)
                self.index = np.empty(0, dtype=np.int32)

    def told(self, records: int) -> Told | ReadNumbers:
        """Return what was told of all records."""
        if self.records is not None and 2 * self.records.words.known > self.records.distinct:
            self._tell_all(records)
        if self.records is not None:
            return self.records.numbers(records)
        return Told(self.distinct.cells, self.index[:records])

    def _mark(self) -> str | None:
        """Return the decimal mark where most cells are different and have one; None elsewhere."""
        known = self.distinct.known
        if 2 * known <= self.distinct.seen or known < FEWEST_HELD:
            return None
        for mark in self.marks:
            held = cell_texts(self.distinct.cells, mark)
            if held is not None:
                return mark if 2 * held.not_whole > known else None
        return None

    def _tell_all(self, records: int) -> None:
        assert self.records is not None
        cells, coming = self.records.cells(records), max(self.room, records)
        self.distinct = DistinctCells(cells.content, cells.encoding, self.distinct.signs)
        self.index = np.empty(coming, dtype=np.int32)
        self.distinct.tell(cells.firsts, cells.ends, 0, self.index[:records], coming)
        self.records = None
