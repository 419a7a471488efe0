"""Files as genomes, small ones in one array and large ones in blocks: what is asked of both."""

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Rows
from evosdc_cells.comparison import differing_rows
from evosdc_cells.file_blocks import Draft, FileBlocks

Genes = NDArray[Any]
File = Genes | FileBlocks


def changed_rows(a: File, b: File) -> Rows:
    """Return the positions of the records in which two files differ, in order."""
    if isinstance(a, FileBlocks) and isinstance(b, FileBlocks):
        return a.changed_rows(b)
    return differing_rows(np.asarray(a), np.asarray(b))


def key_of(file: File) -> bytes:
    """Return a BLAKE2b hash of the cells, of large files the sum of those of their blocks."""
    return file.key if isinstance(file, FileBlocks) else blake2b(file.data, digest_size=16).digest()


def records_of(file: File, rows: Rows) -> Genes:
    """Return the records at the given positions, shape (m, V)."""
    return file.records(rows) if isinstance(file, FileBlocks) else file[rows]


def with_records(file: File, rows: Rows, records: Genes) -> File:
    """Return a version with other records at some positions, shape (m, V), ascending."""
    if isinstance(file, FileBlocks):
        return file.with_records(rows.tolist(), records)
    changed = file.copy()
    changed[rows] = records
    return locked(changed)


def finished(changed: Genes | Draft) -> File:
    """Return a copy whose cells have been set as a genome, which is not changed any more."""
    return changed.done() if isinstance(changed, Draft) else locked(changed)


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, read-only from now on."""
    array.setflags(write=False)
    return array
