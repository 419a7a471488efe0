"""Records with the same categories, found once and worked on together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Codes

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Distinct:
    """The distinct records of a matrix of codes, in the order of their first occurrence.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Positions of all records, distinct record by distinct record, ascending within each.
    starts : ndarray of int64, shape (m + 1,)
        ``rows[starts[i]:starts[i + 1]]`` are the records equal to distinct record i.
    """

    rows: Positions
    starts: Positions

    @property
    def first(self) -> Positions:
        """Position of the first record of each distinct one, shape (m,), ascending."""
        return self.rows[self.starts[:-1]]


def distinct(codes: Codes) -> Distinct:
    """Return the distinct rows of `codes`, shape (n, C) with n >= 1."""
    group = np.zeros(len(codes), dtype=np.int64)
    for j in range(codes.shape[1]):
        # numbered anew after each attribute, so keys stay below n * (c + 1) whatever the number of attributes
        keys = group * (int(codes[:, j].max(initial=0)) + 2) + codes[:, j] + 1
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        group = np.argsort(np.argsort(first))[group]
    rows = np.argsort(group, kind="stable")
    return Distinct(rows, np.concatenate(([0], np.cumsum(np.bincount(group)))).astype(np.int64))


def separate(n: int) -> Distinct:
    """Return n records each taken as distinct."""
    return Distinct(np.arange(n), np.arange(n + 1))
