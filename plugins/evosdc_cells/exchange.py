"""Exchanges that keep how often each original value is published as each other one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc_cells.file_blocks import Draft

ATTEMPTS = 20
"""Partners that are looked at before an exchange is given up."""


class Partners:
    """Records with the same original value of an attribute.

    Two of them that swap what they publish there leave all joint counts of that attribute as they were: J(a, b), the
    records of original value a published as b. Its distances, entropies and guesses stay; two-way tables and linkages
    change.

    Parameters
    ----------
    original : ndarray of int, shape (n, V)
        Coded values of the original.
    """

    def __init__(self, original: NDArray[Any]) -> None:
        self._original = original
        self._order = [np.argsort(column, kind="stable") for column in original.T]
        self._sorted = [column[order] for column, order in zip(original.T, self._order, strict=True)]

    def exchange(self, genes: NDArray[Any] | Draft, row: int, attribute: int, rng: np.random.Generator) -> list[int]:
        """Swap, in place, what `row` and another record publish; return both, or nothing where no other one was found.

        The other one has the same original value and publishes another one.
        """
        ranked, value = self._sorted[attribute], self._original[row, attribute]
        first = int(ranked.searchsorted(value, "left"))
        count = int(ranked.searchsorted(value, "right")) - first
        if count < 2:
            return []
        order, published = self._order[attribute], genes[row, attribute]
        for _ in range(ATTEMPTS):
            other = int(order[first + int(rng.random() * count)])
            if genes[other, attribute] != published:
                genes[row, attribute], genes[other, attribute] = genes[other, attribute], published
                return [row, other]
        return []

    def ranks(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return, by attribute, all records in order, and for each record where those like it begin there and their
        number; shape (V, n) each."""
        first, count = [], []
        for ranked, column in zip(self._sorted, self._original.T, strict=True):
            begins = ranked.searchsorted(column, "left")
            first.append(begins)
            count.append(ranked.searchsorted(column, "right") - begins)
        order, begin, number = (np.array(arrays, dtype=np.int64) for arrays in (self._order, first, count))
        return order, begin, number
