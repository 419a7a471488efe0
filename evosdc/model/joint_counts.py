"""The contract of measures that joint counts tell, as large files are judged."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Schema
from evosdc.table.table import Codes


@dataclass(frozen=True, eq=False)
class JointCounts:
    """An original and its masked version as counts, without their records.

    Parameters
    ----------
    schema : Schema
        Of categorical attributes, V in all.
    pairs : tuple of ndarray of int64, each of shape (c + 1, c + 1)
        By attribute, the records of each original category (row) and masked category (column); the last row and column
        are those of a missing value, which its code -1 addresses.
    original, masked : ndarray of int32, shape (m, V)
        The distinct records of both files, in ascending order; their numbers differ.
    original_counts, masked_counts : ndarray of int64, shape (m,)
    """

    schema: Schema
    pairs: tuple[NDArray[np.int64], ...]
    original: Codes
    original_counts: NDArray[np.int64]
    masked: Codes
    masked_counts: NDArray[np.int64]

    @property
    def records(self) -> int:
        """How many records either file has."""
        return int(self.original_counts.sum())


class OfCounts(ABC):
    """A measure whose score follows from joint counts, whatever the number of records."""

    @abstractmethod
    def score_of_counts(self, counts: JointCounts) -> float:
        """Return the score that the fitted measure gives the masked file, up to rounding."""
