"""What several children of one file change."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc_cells.comparison import changed_codes, differing_children
from evosdc_cells.files import File, Genes


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


def changed_records(parent: File, made: Genes | Sparse, categories_alone: bool) -> Sparse:
    """Return what children change.

    Parameters
    ----------
    parent : ndarray or FileBlocks
    made : ndarray, shape (k, n, V), or Sparse
        The children of a small file, or what those of a large one change.
    categories_alone : bool
        Whether no gene is a number.
    """
    if isinstance(made, Sparse):
        return made
    file = np.asarray(parent)
    if categories_alone:
        _, ends, rows, before, after = changed_codes(file, made, len(file))
        return Sparse(ends, rows, before, after)
    chosen, ends, rows = differing_children(file, made, len(file))
    own = np.repeat(chosen, np.diff(ends, prepend=0)) if len(chosen) > 1 else chosen
    return Sparse(ends, rows, file[rows], made[own, rows])
