"""Versions of one file that were made together: what each of them changes is known, and few are ever looked at."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Siblings
from evosdc_cells.comparison import changed_codes, differing_children
from evosdc_cells.files import File, Genes, locked, with_records


class Sparse(NamedTuple):
    """What several children of one file change.

    Parameters
    ----------
    ends : ndarray of int64, shape (k,)
        Where each one's records end among those below.
    rows : ndarray of int64, shape (m,)
        Positions of the changed records, each once a child, ascending.
    before, records : ndarray of int, shape (m, V)
        These records in the file itself, and in the children.
    """

    ends: NDArray[np.int64]
    rows: NDArray[np.int64]
    before: Genes
    records: Genes

    def of_at_most(self, most: int) -> tuple[NDArray[np.int64], "Sparse"]:
        """Return the children that change so many records at most, and what these change."""
        counts = self.ends.copy()
        counts[1:] -= self.ends[:-1]
        if counts.max(initial=0) <= most:
            return np.arange(len(counts)), self
        chosen = np.flatnonzero(counts <= most)
        kept = np.repeat(counts <= most, counts)
        ends = np.cumsum(counts[chosen])
        return chosen, Sparse(ends, self.rows[kept], self.before[kept], self.records[kept])


def changed_records(
    parent: File, made: Genes | Sparse, most: int, categories_alone: bool
) -> tuple[NDArray[np.int64], Sparse]:
    """Return the children that change so many records at most, and what these change.

    Parameters
    ----------
    parent : ndarray or FileBlocks
    made : ndarray, shape (k, n, V), or Sparse
        As of `FileSiblings`.
    most : int
    categories_alone : bool
        Whether no gene is a number.
    """
    if isinstance(made, Sparse):
        return made.of_at_most(most)
    file = np.asarray(parent)
    if categories_alone:
        chosen, ends, rows, before, after = changed_codes(file, made, most)
        return chosen, Sparse(ends, rows, before, after)
    chosen, ends, rows = differing_children(file, made, most)
    own = np.repeat(chosen, np.diff(ends, prepend=0)) if len(chosen) > 1 else chosen
    return chosen, Sparse(ends, rows, file[rows], made[own, rows])


class FileSiblings(Siblings[File]):
    """Children of one file.

    Parameters
    ----------
    parent : ndarray or FileBlocks
    made : ndarray, shape (k, n, V), or Sparse
        The children of a small file, or what those of a large one change.
    told : callable
        Makes `evosdc.model.Changes` of the file, of these and of the most records.
    """

    def __init__(
        self, parent: File, made: Genes | Sparse, told: Callable[[File, Genes | Sparse, int], Changes]
    ) -> None:
        super().__init__(len(made.ends) if isinstance(made, Sparse) else len(made))
        self._parent, self._made, self._told = parent, made, told

    def make(self, place: int) -> File:
        """Return a child."""
        return self.later(place)()

    def later(self, place: int) -> Callable[[], File]:
        """Return what makes a child some time, of a copy of its own: it must not keep all others in memory."""
        made, place = self._made, place % len(self)
        if not isinstance(made, Sparse):
            child = locked(made[place].copy())
            return lambda: child
        begin, end = int(made.ends[place - 1]) if place else 0, int(made.ends[place])
        return partial(with_records, self._parent, made.rows[begin:end].copy(), made.records[begin:end].copy())

    def combined(self, sets: Sequence[Sequence[int]]) -> "FileSiblings":
        """Return files with what several of them change; of several versions of a record the first."""
        parts = [self._together(np.array(places, dtype=np.int64)) for places in sets]
        rows, before, records = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        ends = np.cumsum([len(own) for own, _, _ in parts], dtype=np.int64)
        return FileSiblings(self._parent, Sparse(ends, rows, before, records), self._told)

    def _together(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], Genes, Genes]:
        """Return the records that some of them change, each once, ascending; in the file itself, and the first's."""
        made = self._made
        if isinstance(made, Sparse):
            begins = np.where(places > 0, made.ends[places - 1], 0)
            every = np.concatenate(list(map(np.arange, begins.tolist(), made.ends[places].tolist())))
            every_row, before, records = made.rows[every], made.before[every], made.records[every]
        else:
            file = np.asarray(self._parent)
            _, (_, every_row, before, records) = changed_records(file, made[places], len(file), False)
        rows, first = np.unique(every_row, return_index=True)
        return rows, before[first], records[first]

    def changes(self, most: int) -> Changes:
        """Return what each child changes."""
        return self._told(self._parent, self._made, most)
