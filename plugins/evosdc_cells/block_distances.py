"""Distances of large files, of which only those blocks are counted anew that are others than last time."""

import numpy as np
from numpy.typing import NDArray

from evosdc_cells.file_blocks import FileBlocks

REMEMBERED = 64
"""Pairs of files of which it is known in how many cells each block differs."""

_Pair = tuple[FileBlocks, FileBlocks, NDArray[np.int64]]


class BlockDistances:
    """In how many cells files differ; the last few pairs are remembered.

    A search asks for the distance of a member to the same others again and again, after one of them has changed a
    little.
    """

    def __init__(self) -> None:
        self._known: list[_Pair] = []

    def between(self, a: FileBlocks, b: FileBlocks) -> float:
        """Return in how many cells two files differ."""
        counts, stale = self._nearest(a, b)
        for place in stale:
            counts[place] = np.count_nonzero(a.blocks[place] != b.blocks[place])
        self._known.append((a, b, counts))
        del self._known[:-REMEMBERED]
        return float(counts.sum())

    def _nearest(self, a: FileBlocks, b: FileBlocks) -> tuple[NDArray[np.int64], list[int]]:
        """Return counts by block of a similar pair, and the blocks of which they are not to be trusted."""
        for position in range(len(self._known) - 1, -1, -1):
            c, d, counts = self._known[position]
            if (a is c or b is d) and len(stale := {*a.differing(c), *b.differing(d)}) < len(a.blocks) // 2:
                del self._known[position]
                return counts, sorted(stale)
        return np.zeros(len(a.blocks), dtype=np.int64), a.differing(b)
