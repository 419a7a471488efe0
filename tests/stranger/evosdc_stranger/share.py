"""The measure `share-changed`."""

import numpy as np

from evosdc.model import Incremental, Measure, Rows, Scale, Table


class Changes(Incremental[np.ndarray]):
    """State: how many cells of each record differ, shape (n,)."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def start(self, masked: Table) -> np.ndarray:
        """Count all records."""
        return self._counts(masked, np.arange(len(masked)))

    def update(self, state: np.ndarray, masked: Table, rows: Rows) -> np.ndarray:
        """Count the changed records again."""
        counts = state.copy()
        counts[rows] = self._counts(masked, rows)
        return counts

    def value(self, state: np.ndarray) -> float:
        """Return the percentage."""
        return 100.0 * int(state.sum()) / (len(state) * len(self._original.schema))

    def _counts(self, masked: Table, rows: Rows) -> np.ndarray:
        a, b = self._original.numbers[rows], masked.numbers[rows]
        numbers = (a != b) & ~(np.isnan(a) & np.isnan(b))
        return (self._original.codes[rows] != masked.codes[rows]).sum(axis=1) + numbers.sum(axis=1)


class ShareChanged(Measure):
    """Percentage of cells that differ from the original."""

    supports = frozenset(Scale)

    def fit(self, original: Table) -> Changes:
        """Keep the original."""
        return Changes(original)
