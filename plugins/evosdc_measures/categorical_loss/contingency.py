"""Contingency tables over subsets of attributes, reduced to the cells that the original occupies.

The sum of ``|x - y|`` over all cells needs the masked counts y of the original's occupied cells only: the other cells
have x = 0, and their sum is the number of masked records that fall outside the occupied ones. So sparse tables of any
size cost what the original's distinct combinations cost.
"""

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import JointCounts
from evosdc.table.distinct_values import counted_values
from evosdc.table.equivalence import tallied
from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers

DENSE_CELLS = 1 << 16
"""A table of at most so many cells is looked up directly, a greater one by bisection over its occupied cells."""


class ContingencyTables(NamedTuple):
    """Occupied cells of many tables, numbered one after the other.

    Parameters
    ----------
    members, strides : ndarray of int64
        Attributes of all tables, and the factor of each one's digit in the cell's key.
    ends : ndarray of int64, shape (T,)
        Where each table's members end.
    lookups : ndarray of int64, shape (T,)
        Where each table's direct look-up begins in `cells`; -1: bisect.
    cells : ndarray of int32
        Number of the occupied cell by key; -1 where the original has no record.
    firsts : ndarray of int64, shape (T + 1,)
        Number of each table's first occupied cell.
    keys : ndarray of int64
        Key of each occupied cell, ascending within a table.
    counts : ndarray of int32
        Records of the original in each occupied cell.
    """

    members: Integers
    strides: Integers
    ends: Integers
    lookups: Integers
    cells: Counts
    firsts: Integers
    keys: Integers
    counts: Counts

    @property
    def number(self) -> int:
        """How many tables there are."""
        return len(self.ends)


def subsets(attributes: int, most: int) -> list[tuple[int, ...]]:
    """Return all non-empty subsets of at most `most` of the attributes, small ones first."""
    return [chosen for size in range(1, most + 1) for chosen in combinations(range(attributes), size)]


def require_addressable(sizes: Sequence[int], most: int) -> None:
    """Refuse tables of at most so many attributes that have too many cells to be numbered."""
    if max(sizes) >= 1 << 62:
        raise ParameterError(Fault("K", f"{most}, a table of {max(sizes):.0e} cells", "less than 2**62", "Lower K."))


def tables_of(codes: Codes, widths: Integers, chosen: Sequence[tuple[int, ...]]) -> ContingencyTables:
    """Count a file in the tables over the chosen subsets of attributes.

    Raises
    ------
    ParameterError
        A table has 2**62 cells or more.
    """
    sizes = [prod(int(widths[v]) for v in subset) for subset in chosen]
    require_addressable(sizes, max(map(len, chosen)))
    members: list[int] = []
    strides: list[int] = []
    ends: list[int] = []
    lookups: list[int] = []
    cells: list[Counts] = []
    firsts: list[int] = [0]
    keys: list[Integers] = []
    counts: list[NDArray[np.intp]] = []
    beginning = 0
    for subset, size in zip(chosen, sizes, strict=True):
        factors = [prod(int(widths[w]) for w in subset[position + 1 :]) for position in range(len(subset))]
        members.extend(subset)
        strides.extend(factors)
        ends.append(len(members))
        key = (codes[:, list(subset)].astype(np.int64) + 1) @ np.array(factors, dtype=np.int64)
        occupied, count = counted_values(key)
        if size <= DENSE_CELLS:
            lookup = np.full(size, -1, dtype=np.int32)
            lookup[occupied] = np.arange(firsts[-1], firsts[-1] + len(occupied))
            lookups.append(beginning)
            cells.append(lookup)
            beginning += size
        else:
            lookups.append(-1)
        firsts.append(firsts[-1] + len(occupied))
        keys.append(occupied)
        counts.append(count)
    return ContingencyTables(
        members=np.array(members, dtype=np.int64),
        strides=np.array(strides, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        lookups=np.array(lookups, dtype=np.int64),
        cells=np.concatenate([np.empty(0, dtype=np.int32), *cells]),
        firsts=np.array(firsts, dtype=np.int64),
        keys=np.concatenate(keys),
        counts=np.concatenate(counts).astype(np.int32),
    )


def sum_of_changes(counts: JointCounts, widths: Integers, members: tuple[int, ...]) -> int:
    """Return the sum of ``|x - y|`` over all cells of the table of some attributes.

    Raises
    ------
    ParameterError
        The table has 2**62 cells or more.
    """
    chosen = list(members)
    shape = tuple(int(widths[v]) for v in chosen)
    require_addressable([prod(shape)], len(chosen))
    keys = [np.ravel_multi_index(tuple(codes[:, chosen].T + 1), shape) for codes in (counts.original, counts.masked)]
    changes = np.concatenate((counts.original_counts, -counts.masked_counts))
    return int(np.abs(tallied(np.concatenate(keys), changes)[2]).sum())


@njit(cache=True)
def cell_of(key: int, table: int, lookups: Integers, cells: Counts, firsts: Integers, keys: Integers) -> int:
    """Return the number of the occupied cell with a key, or -1."""
    if lookups[table] >= 0:
        return int(cells[lookups[table] + key])
    low, high = firsts[table], firsts[table + 1]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return int(low) if low < firsts[table + 1] and keys[low] == key else -1
