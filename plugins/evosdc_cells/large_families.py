"""Children of a large file that were made together: what each of them changes need not be found out again."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc_cells.file_blocks import FileBlocks


class Sparse(NamedTuple):
    """What several children of one file change.

    Parameters
    ----------
    ends : ndarray of int64, shape (k,)
        Where each one's records end among those below.
    rows : ndarray of int64, shape (m,)
        Positions of the changed records, each once a child, ascending.
    records : ndarray of int, shape (m, V)
        These records in the children.
    """

    ends: NDArray[np.int64]
    rows: NDArray[np.int64]
    records: NDArray[Any]


class LargeFamily(NamedTuple):
    """What is remembered of children of a large file, which are known by their keys.

    Parameters
    ----------
    parent : bytes
        Its key.
    places : dict of bytes to int
        Of children.
    made : Sparse
    """

    parent: bytes
    places: dict[bytes, int]
    made: Sparse

    def told(
        self, parent: FileBlocks, children: Sequence[Any], most: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[Any]] | None:
        """Return what `evosdc_cells.comparison.differing_children` returns, and the records of the children.

        None where the family is another one.
        """
        if parent.key != self.parent or not all(isinstance(child, FileBlocks) for child in children):
            return None
        places = [self.places.get(child.key) for child in children]
        if None in places:
            return None
        at = np.array(places, dtype=np.int64)
        ends = self.made.ends[at]
        begins = np.where(at > 0, self.made.ends[at - 1], 0)
        chosen = np.flatnonzero(ends - begins <= most)
        pairs = list(zip(begins[chosen].tolist(), ends[chosen].tolist(), strict=True))
        taken = np.concatenate([np.arange(0), *(np.arange(begin, end) for begin, end in pairs)])
        own = np.cumsum(ends[chosen] - begins[chosen])
        return chosen.astype(np.int64), own, self.made.rows[taken], self.made.records[taken]


def family_of(parent: FileBlocks, made: Sparse) -> tuple[list[FileBlocks], LargeFamily]:
    """Return the children that change these records, and what is to be remembered of them."""
    children, begin, rows = [], 0, made.rows.tolist()
    for end in made.ends.tolist():
        children.append(parent.with_records(rows[begin:end], made.records[begin:end]))
        begin = end
    return children, LargeFamily(parent.key, {child.key: place for place, child in enumerate(children)}, made)
