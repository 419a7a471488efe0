"""Large files as genomes: blocks of records that relatives share, so that a child costs what it changes.

A file of up to `WHOLE` cells is one array. A larger one is a `FileBlocks`: a child has its parent's blocks but for
those in which it differs, and so has a hash that is its parent's with these blocks' parts exchanged.
"""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import groupby
from math import isqrt
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Rows
from evosdc_cells.comparison import differing_rows

WHOLE = 16_384
"""Cells up to which a file is copied at once, which takes no longer than finding out what need not be copied."""

LEAST_RECORDS = 256
_HASH = 2**128
_HALVES = np.dtype("<u8")

Genes = NDArray[Any]

# Files that are read, seeded or crossed share what they have in common, as relatives do.
_known: WeakValueDictionary[bytes, Genes] = WeakValueDictionary()


class FileBlocks(NamedTuple):
    """A file, shape (n, V), in blocks of records; never changed.

    Parameters
    ----------
    blocks : tuple of ndarray
        Read-only, each with as many records as the first but for the last one.
    parts : ndarray of uint64, shape (k, 2)
        What each block adds to the hash, the lower half first, by which blocks are told apart.
    total : int
        Sum of the parts modulo 2**128.
    """

    blocks: tuple[Genes, ...]
    parts: NDArray[np.uint64]
    total: int

    @property
    def shape(self) -> tuple[int, int]:
        """Records and attributes."""
        (size, width), last = self.blocks[0].shape, self.blocks[-1]
        return (len(self.blocks) - 1) * size + len(last), width

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the genes."""
        return self.blocks[0].dtype

    @property
    def key(self) -> bytes:
        """Hash of the cells: the sum, modulo 2**128, of the BLAKE2b hashes of all blocks, each with its place."""
        return self.total.to_bytes(16, "little")

    @property
    def marks(self) -> NDArray[np.uint64]:
        """By which the blocks are told apart, shape (k,)."""
        return self.parts[:, 0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Genes:
        """Return the whole file, shape (n, V), read-only but where a copy is asked for."""
        whole = np.concatenate(self.blocks)
        whole.flags.writeable = bool(copy)
        return whole if dtype is None else whole.astype(dtype)

    def copy(self) -> "Draft":
        """Return a copy whose cells can be set; what is not set is shared."""
        return Draft(self)

    def records(self, rows: Rows) -> Genes:
        """Return some records, shape (m, V)."""
        size, blocks = len(self.blocks[0]), self.blocks
        if len(rows) < 2 * len(blocks):
            return np.array([blocks[row // size][row % size] for row in rows.tolist()], self.dtype).reshape(
                -1, self.shape[1]
            )
        return np.asarray(self)[rows]

    def with_records(self, rows: Sequence[int], records: Genes) -> "FileBlocks":
        """Return a version with other records at some positions, shape (m, V), ascending."""
        draft, at = Draft(self), 0
        size = len(self.blocks[0])
        for place, own in groupby(rows, lambda row: row // size):
            block = draft.own(place)
            within = [row - place * size for row in own]
            block[within] = records[at : at + len(within)]
            at += len(within)
        return draft.done()

    def differing(self, other: "FileBlocks") -> list[int]:
        """Return the places of the blocks that are not shared with another version of the file."""
        places: list[int] = (self.marks != other.marks).nonzero()[0].tolist()
        return places

    def changed_rows(self, other: "FileBlocks") -> Rows:
        """Return the positions of the records in which two versions differ, in order."""
        places = self.differing(other)
        if not places:
            return np.zeros(0, dtype=np.intp)
        size = len(self.blocks[0])
        rows = differing_rows(*(np.concatenate([file.blocks[place] for place in places]) for file in (self, other)))
        # All blocks but the last are of one size, and the last comes last.
        found: Rows = np.asarray(places, dtype=np.intp)[rows // size] * size + rows % size
        return found


class Draft:
    """A file whose cells are being set, record by record, as those of an array.

    Understood are ``draft[row]``, ``draft[row, column]`` and ``draft[rows]``, ``draft[rows, column]`` with lists or
    arrays of rows, both to read and to set.
    """

    __slots__ = ("_file", "_size", "_touched")

    def __init__(self, file: FileBlocks) -> None:
        self._file, self._size = file, len(file.blocks[0])
        self._touched: dict[int, Genes] = {}

    def __len__(self) -> int:
        return self._file.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Genes:
        """Return the whole file as it is now, shape (n, V)."""
        blocks = list(self._file.blocks)
        for place, block in self._touched.items():
            blocks[place] = block
        return np.concatenate(blocks).astype(dtype or self._file.dtype, copy=False)

    def __getitem__(self, where: Any) -> Any:
        rows, column = where if isinstance(where, tuple) else (where, slice(None))
        if isinstance(rows, list | np.ndarray):
            return np.array([self._block(row)[row % self._size, column] for row in _listed(rows)], self._file.dtype)
        return self._block(rows)[rows % self._size, column]

    def __setitem__(self, where: Any, values: Any) -> None:
        rows, column = where if isinstance(where, tuple) else (where, slice(None))
        if isinstance(rows, list | np.ndarray):
            listed = _listed(rows)
            each = list(values) if np.ndim(values) > 0 else [values] * len(listed)
            for row, value in zip(listed, each, strict=True):
                self.own(row // self._size)[row % self._size, column] = value
        else:
            self.own(rows // self._size)[rows % self._size, column] = values

    def _block(self, row: int) -> Genes:
        place = row // self._size
        return self._touched.get(place, self._file.blocks[place])

    def own(self, place: int) -> Genes:
        """Return a block that can be set."""
        block = self._touched.get(place)
        if block is None:
            block = self._touched[place] = self._file.blocks[place].copy()
        return block

    def done(self) -> FileBlocks:
        """Return the file with what was set; the draft must not be used any more."""
        file, touched = self._file, self._touched
        if not touched:
            return file
        blocks, parts, total = list(file.blocks), file.parts.copy(), file.total
        for place, block in touched.items():
            part = _part(block, place)
            total += _number(part) - _number(parts[place].tobytes())
            block.flags.writeable = False
            blocks[place], parts[place] = block, np.frombuffer(part, _HALVES)
        return _file_of(blocks, parts, total % _HASH)


def in_blocks(genes: Genes) -> Genes | FileBlocks:
    """Return a file, shape (n, V), as a genome: read-only, in blocks where it has more than `WHOLE` cells."""
    genes.flags.writeable = False
    if genes.size <= WHOLE:
        return genes
    size = max(LEAST_RECORDS, isqrt(len(genes)))
    begins = range(0, len(genes), size)
    blocks, parts, total = list[Genes](), np.empty((len(begins), 2), dtype=np.uint64), 0
    for place, begin in enumerate(begins):
        block = np.ascontiguousarray(genes[begin : begin + size])
        part = _part(block, place)
        known = _known.get(part)
        if known is None or known.shape != block.shape or known.dtype != block.dtype:
            # A copy of its own: a view would keep the whole array alive for one block.
            known = _known[part] = block.copy()
            known.flags.writeable = False
        blocks.append(known)
        parts[place] = np.frombuffer(part, _HALVES)
        total += _number(part)
    return _file_of(blocks, parts, total % _HASH)


def _file_of(blocks: list[Genes], parts: NDArray[np.uint64], total: int) -> FileBlocks:
    parts.flags.writeable = False
    return FileBlocks(tuple(blocks), parts, total)


def _number(part: bytes) -> int:
    return int.from_bytes(part, "little")


def _part(block: Genes, place: int) -> bytes:
    salt = place.to_bytes(8, "little")
    return blake2b(block.data, digest_size=16, salt=salt).digest()


def _listed(rows: list[int] | NDArray[Any]) -> list[int]:
    return rows if isinstance(rows, list) else rows.tolist()
