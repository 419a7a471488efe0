"""Distinct records, found once and worked on together, and how often categories occur."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import distinct_values
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.table import Codes

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Distinct:
    """The distinct records of a matrix of codes, in the order of their first occurrence."""

    rows: Positions  # shape (n,); positions of all records, distinct record by distinct record, ascending within each
    starts: Positions  # shape (m + 1,); ``rows[starts[i]:starts[i + 1]]`` are the records equal to distinct record i

    @property
    def first(self) -> Positions:
        """Position of the first record of each distinct one, shape (m,), ascending."""
        return self.rows[self.starts[:-1]]


def distinct(codes: Codes) -> Distinct:
    """Return the distinct rows of `codes`, shape (n, C) with n >= 1."""
    classes = equivalence_classes(codes)
    return Distinct(classes.members, classes.starts)


def separate(n: int) -> Distinct:
    """Return n records each taken as distinct."""
    return Distinct(np.arange(n), np.arange(n + 1))


def frequencies(column: Codes, size: int) -> NDArray[np.int64]:
    """Return how often each of `size` categories occurs, shape (size,); missing values are not counted."""
    return np.bincount(column[column >= 0], minlength=size)


def occurring(column: Codes) -> int:
    """Return how many categories occur at least once; a missing value is none of them."""
    present = distinct_values(column)
    return int((present >= 0).sum())
