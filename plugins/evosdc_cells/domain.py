"""Which values a cell may take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.data.schema import Scale
from evosdc.data.table import MISSING, Table


@dataclass(frozen=True)
class CellDomain:
    """The valid codes of each attribute.

    A missing value is valid where the original has some: it then is a category like any other, and the last in order.

    Parameters
    ----------
    sizes : ndarray of int64, shape (V,)
        How many values are valid.
    categories : ndarray of int64, shape (V,)
        How many of them are categories.
    ordinal : ndarray of bool, shape (V,)
    free : ndarray of int64
        Attributes with at least two valid values: those that can be mutated.
    """

    sizes: NDArray[np.int64]
    categories: NDArray[np.int64]
    ordinal: NDArray[np.bool_]
    free: NDArray[np.int64]

    def other(self, attribute: int, code: int, rng: np.random.Generator) -> int:
        """Return a valid code different from `code`, each with the same probability."""
        size, missing = int(self.sizes[attribute]), int(self.categories[attribute])
        present = missing if code == MISSING else code
        drawn = int(rng.integers(size - 1))
        drawn += drawn >= present
        return MISSING if drawn == missing else drawn

    def neighbour(self, attribute: int, code: int, rng: np.random.Generator) -> int:
        """Return the next category up or down of an ordinal attribute; any other valid code for nominal ones."""
        categories = int(self.categories[attribute])
        if not self.ordinal[attribute] or code == MISSING or categories < 2:
            return self.other(attribute, code, rng)
        if code == 0:
            return 1
        if code == categories - 1:
            return code - 1
        return code + (1 if rng.random() < 0.5 else -1)


def domain_of(original: Table) -> CellDomain:
    """Return the domain of the cells of a file."""
    categories = np.array([len(a.categories) for a in original.schema.attributes], dtype=np.int64)
    missing = (original.codes == MISSING).any(axis=0)
    sizes = categories + missing
    ordinal = np.array([a.scale is Scale.ORDINAL for a in original.schema.attributes])
    return CellDomain(sizes, categories, ordinal, np.flatnonzero(sizes >= 2))
