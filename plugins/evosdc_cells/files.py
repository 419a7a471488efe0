"""Files as genomes: small ones in one array, large ones in blocks of records that relatives share.

A child of a large file has its parent's blocks but for those in which it differs. So memory, hash and comparison cost
what it changes.
"""

from collections.abc import Sequence
from hashlib import blake2b
from math import isqrt
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Rows

WHOLE = 16_384  # cells up to which a file is copied at once
LEAST_RECORDS = 256
Genes = NDArray[Any]

# Files that are read, seeded or crossed share what they have in common, as relatives do.
_known: WeakValueDictionary[bytes, Genes] = WeakValueDictionary()


class FileBlocks(NamedTuple):
    """A file, shape (n, V), in blocks of records; never changed."""

    blocks: tuple[Genes, ...]  # read-only, each with as many records as the first but for the last one
    hashes: NDArray[np.uint64]  # (k, 2): BLAKE2b hash of each block and its place

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
    def marks(self) -> NDArray[np.uint64]:
        """Numbers that identify the blocks, shape (k,)."""
        return self.hashes[:, 0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Genes:
        """Return the whole file, shape (n, V), read-only unless a copy is requested."""
        whole = np.concatenate(self.blocks)
        whole.flags.writeable = bool(copy)
        return whole if dtype is None else whole.astype(dtype)

    def differing(self, other: "FileBlocks") -> NDArray[np.intp]:
        """Return the places of the blocks that are not those of another version of the file."""
        places: NDArray[np.intp] = (self.marks != other.marks).nonzero()[0]
        return places

    def records(self, rows: Rows) -> Genes:
        """Return some records, shape (m, V)."""
        size, blocks = len(self.blocks[0]), self.blocks
        if len(rows) < 2 * len(blocks):
            listed = [blocks[row // size][row % size] for row in rows.tolist()]
            return np.array(listed, self.dtype).reshape(-1, self.shape[1])
        return np.asarray(self)[rows]

    def with_records(self, rows: Rows, records: Genes) -> "FileBlocks":
        """Return a version with other records at some positions, each once, shape (m, V)."""
        size, blocks, hashes = len(self.blocks[0]), list(self.blocks), self.hashes.copy()
        places = rows // size
        for place in dict.fromkeys(places.tolist()):
            block, own = blocks[place].copy(), places == place
            block[rows[own] % size] = records[own]
            blocks[place], hashes[place] = locked(block), np.frombuffer(_hash(block, place), np.uint64)
        return FileBlocks(tuple(blocks), locked(hashes))


File = Genes | FileBlocks


def file_of(genes: Genes) -> File:
    """Return a file, shape (n, V), as a genome: read-only, in blocks where it has more than `WHOLE` cells."""
    locked(genes)
    if genes.size <= WHOLE:
        return genes
    size = max(LEAST_RECORDS, isqrt(len(genes)))
    begins = range(0, len(genes), size)
    blocks, hashes = list[Genes](), list[bytes]()
    for place, begin in enumerate(begins):
        block = np.ascontiguousarray(genes[begin : begin + size])
        hashes.append(_hash(block, place))
        known = _known.get(hashes[-1])
        if known is None or known.shape != block.shape or known.dtype != block.dtype:
            # A copy of its own: a view would keep the whole array alive for one block.
            known = _known[hashes[-1]] = locked(block.copy())
        blocks.append(known)
    return FileBlocks(tuple(blocks), np.frombuffer(b"".join(hashes), np.uint64).reshape(-1, 2))


def changed_rows(a: File, b: File) -> Rows:
    """Return the positions of the records in which two files differ, in order."""
    if not (isinstance(a, FileBlocks) and isinstance(b, FileBlocks)):
        return _differing_rows(np.asarray(a), np.asarray(b))
    places, size = a.differing(b), len(a.blocks[0])
    if not len(places):
        return places
    stretches = (np.concatenate([file.blocks[place] for place in places.tolist()]) for file in (a, b))
    rows = _differing_rows(*stretches)
    # All blocks but the last are of one size, and the last comes last.
    return places[rows // size] * size + rows % size


def changed_records(parents: Sequence[File], children: Sequence[File]) -> tuple[NDArray[np.int64], Rows, Genes, Genes]:
    """Return what each of some files changes in its parent.

    That is where its records end, shape (k,), their positions, shape (m,), and both files' records, shape (m, V).
    """
    pairs = list(zip(parents, children, strict=True))
    if any(isinstance(file, FileBlocks) for file in parents):
        rows = [changed_rows(*pair) for pair in pairs]
        before, after = (
            np.concatenate([records_of(file, own) for file, own in zip(files, rows, strict=True)])
            for files in (parents, children)
        )
        return np.cumsum(list(map(len, rows)), dtype=np.int64), np.concatenate(rows), before, after
    n, one, other = len(np.asarray(parents[0])), np.concatenate(parents), np.concatenate(children)
    found = _differing_rows(one, other)
    ends = found.searchsorted(n * np.arange(1, len(pairs) + 1))
    return ends, found % n, one.take(found, axis=0), other.take(found, axis=0)


def differing_cells(a: File, b: File) -> int:
    """Return in how many cells two files differ."""
    if not (isinstance(a, FileBlocks) and isinstance(b, FileBlocks)):
        return int(np.count_nonzero(np.asarray(a) != np.asarray(b)))
    return sum(int(np.count_nonzero(a.blocks[place] != b.blocks[place])) for place in a.differing(b).tolist())


def key_of(file: File) -> bytes:
    """Return a BLAKE2b hash of the cells, of large files that of the hashes of their blocks."""
    return blake2b(file.hashes.data if isinstance(file, FileBlocks) else file.data, digest_size=16).digest()


def records_of(file: File, rows: Rows) -> Genes:
    """Return the records at the given positions, shape (m, V)."""
    return file.records(rows) if isinstance(file, FileBlocks) else file.take(rows, axis=0)


def with_records(file: File, rows: Rows, records: Genes) -> File:
    """Return a version with other records at some positions, each once, shape (m, V)."""
    if isinstance(file, FileBlocks):
        return file.with_records(rows, records)
    changed = file.copy()
    changed[rows] = records
    return locked(changed)


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, read-only from now on."""
    array.setflags(write=False)
    return array


def _differing_rows(a: Genes, b: Genes) -> Rows:
    rows: Rows = (a != b).reshape(-1).nonzero()[0] // a.shape[1]
    if len(rows) < 2:
        return rows
    first = np.empty(len(rows), dtype=np.bool_)  # a record was found once for each of its cells
    first[0] = True
    np.not_equal(rows[1:], rows[:-1], out=first[1:])
    return rows[first]


def _hash(block: Genes, place: int) -> bytes:
    return blake2b(block.data, digest_size=16, salt=place.to_bytes(8, "little")).digest()
