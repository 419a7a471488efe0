"""Distinct cells of a plain file, told apart in the order in which they first stand there."""

from typing import Any, NamedTuple

import numpy as np

from evosdc.files.cell_texts import Cells
from evosdc.files.column import Index
from evosdc.files.plain_cells import placed_anew, tell_cells
from evosdc.files.plain_records import Bytes, Places, places

_ROOM = 1 << 10


class Told(NamedTuple):
    """Distinct cells, and which of them each record has."""

    cells: Cells
    of_records: Index


class DistinctCells:
    """Distinct cells in a hash table that grows."""

    def __init__(self, content: bytes, encoding: str, signs: Bytes) -> None:
        self.content, self.encoding, self.signs = content, encoding, signs
        self.table = np.zeros(2 * _ROOM, dtype=np.int64)
        self.keys = np.empty(_ROOM, dtype=np.uint64)
        self.firsts, self.sizes = places(_ROOM, content), np.empty(_ROOM, dtype=np.int32)
        self.known, self.seen = 0, 0

    def tell(self, begins: Places, ends: Places, column: int, index: Index, coming: int) -> None:
        """Tell which cell each of some more records has; so many come in all."""
        done, records = 0, len(index)
        while True:
            self.known, done = tell_cells(
                self.signs, begins, ends, column, done, records, index,
                self.table, self.keys, self.firsts, self.sizes, self.known,
            )  # fmt: skip
            if done == records:
                self.seen += records
                return
            self._grow(self.seen + done, coming)

    def _grow(self, seen: int, coming: int) -> None:
        """Make room for as many cells again, or for all to come where most that were seen are distinct."""
        room = 2 * self.known
        if 2 * self.known > seen:
            room = max(room, coming)
        more = room - self.known
        self.keys, self.firsts, self.sizes = (longer(one, more) for one in (self.keys, self.firsts, self.sizes))
        self.table = np.zeros(1 << (2 * room - 1).bit_length(), dtype=np.int64)
        placed_anew(self.table, self.keys, self.sizes, self.known)

    @property
    def cells(self) -> Cells:
        """The distinct cells."""
        return Cells(self.content, self.encoding, self.firsts[: self.known].copy(), self.sizes[: self.known].copy())


def told_of(cells: Cells) -> Told:
    """Return the distinct ones of some cells, and which each is."""
    distinct = DistinctCells(cells.content, cells.encoding, np.frombuffer(cells.content, dtype=np.uint8))
    index = np.empty(len(cells.firsts), dtype=np.int32)
    distinct.tell(cells.firsts, cells.ends, 0, index, len(index))
    return Told(distinct.cells, index)


def longer(array: Any, more: int) -> Any:
    """Return an array with room for more behind what it holds."""
    return np.concatenate([array, np.empty(more, dtype=array.dtype)])
