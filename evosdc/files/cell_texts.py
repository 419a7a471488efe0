# ruff: noqa: D102 -- methods are described where they are declared
"""Texts of many numbers that stay where they stand in a file."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.files.plain_numbers import FIVES, MARKED, NUMBER, SCALED, TENS, UNREAD, WHOLE, read_numbers
from evosdc.files.plain_records import Places
from evosdc.table.number_syntax import number
from evosdc.table.number_texts import NumberTexts
from evosdc.table.shortest_decimals import MOST_DECIMALS

MOST_WORDS = 1000
"""A column with more texts that are no numbers is one of words."""


class Cells(NamedTuple):
    """Cells of a text file without surrounding blanks.

    Parameters
    ----------
    content : bytes
        Of the file.
    encoding : str
    firsts, sizes : ndarray of `Places` and of int32, shape (k,)
        First byte and length of each cell.
    """

    content: bytes
    encoding: str
    firsts: Places
    sizes: NDArray[np.int32]

    @property
    def ends(self) -> Places:
        """Where they end, shape (k, 1), as a file's own records have it."""
        ends = self.firsts.copy()
        ends += self.sizes.astype(ends.dtype)
        return ends.reshape(-1, 1)

    def text(self, place: int) -> str:
        """Return one of them."""
        first = int(self.firsts[place])
        return self.content[first : first + int(self.sizes[place])].decode(self.encoding)

    def texts(self) -> tuple[str, ...]:
        """Return all of them."""
        content, encoding = self.content, self.encoding
        pairs = zip(self.firsts.tolist(), self.sizes.tolist(), strict=True)
        return tuple([content[first : first + size].decode(encoding) for first, size in pairs])


class CellTexts(NumberTexts):
    """Distinct cells of a text file most of which write numbers.

    Parameters
    ----------
    cells : Cells
    values : ndarray of float, shape (k,)
    kinds, decimals, after : ndarray of int, shape (k,)
        As of `evosdc.files.plain_numbers.read_numbers`.
    mark : {".", ","}
    """

    def __init__(
        self,
        cells: Cells,
        values: NDArray[np.float64],
        kinds: NDArray[np.uint8],
        decimals: NDArray[np.int32],
        after: NDArray[np.int32],
        mark: str,
    ) -> None:
        super().__init__(values, mark)
        self.cells, self._kinds, self._decimals, self._after = cells, kinds, decimals, after

    def text(self, place: int) -> str:
        return self.cells.text(place)

    def take(self, places: NDArray[np.intp]) -> "CellTexts":
        cells = self.cells._replace(firsts=self.cells.firsts[places], sizes=self.cells.sizes[places])
        values, kinds, decimals = self.values[places], self._kinds[places], self._decimals[places]
        return CellTexts(cells, values, kinds, decimals, self._after[places], self.mark)

    @cached_property
    def digits(self) -> int:
        return min(int(self._decimals.max(initial=0)), MOST_DECIMALS)

    def signs_after_mark(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        return self._after[places].astype(np.int64)

    @cached_property
    def padded(self) -> bool:
        content = np.frombuffer(self.cells.content, dtype=np.uint8)
        several = np.flatnonzero((self.cells.sizes > 1) & (self._kinds & WHOLE > 0))
        return bool((content[self.cells.firsts[several]] == ord("0")).any())

    @property
    def with_comma(self) -> int:
        """How many are decimal numbers with a comma, by their signs."""
        found = (self._signs & MARKED > 0) & (self._signs & SCALED == 0) & (self._decimals > 0)
        return int(found.sum()) if self.mark == "," else 0

    @property
    def not_whole(self) -> int:
        """How many numbers are not of digits alone."""
        return int(((self._signs & NUMBER > 0) & (self._signs & WHOLE == 0)).sum())

    @property
    def with_point(self) -> bool:
        """Whether some number has a decimal point."""
        return self.mark == "." and bool((self._signs & MARKED > 0).any())

    @cached_property
    def _signs(self) -> NDArray[np.uint8]:
        # What is too large for a number is a word, though it is written as a number.
        return np.where(self.is_number, self._kinds, 0).astype(np.uint8)


def cell_texts(cells: Cells, mark: str) -> CellTexts | None:
    """Return cells as texts of numbers; None where many of them are words."""
    count = len(cells.firsts)
    kinds, values = np.empty(count, dtype=np.uint8), np.empty(count)
    decimals, after = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    content, most = np.frombuffer(cells.content, dtype=np.uint8), np.zeros(2, dtype=np.int64)
    read_numbers(
        content, cells.firsts, cells.ends, 0, count, ord(mark), FIVES, TENS,
        cells.firsts.copy(), cells.sizes.copy(), kinds, values, decimals, after, most,
    )  # fmt: skip
    words = count - int(np.count_nonzero(kinds))
    if words > MOST_WORDS or 2 * words > count:
        return None
    for place in np.flatnonzero(kinds & UNREAD):
        value = number(cells.text(int(place)), mark)
        values[place] = np.nan if value is None else value
    return CellTexts(cells, values, kinds, decimals, after, mark)
