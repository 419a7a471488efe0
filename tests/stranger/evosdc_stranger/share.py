"""The measure `share-changed`."""

import numpy as np

from evosdc.model import Changes, Fitted, Measure, Rows, Scale, Table, Tracker


class Differing(Fitted):
    """What is known of the original."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def counts(self, masked: Table, rows: Rows) -> np.ndarray:
        """Return how many cells of some records differ."""
        a, b = self._original.numbers[rows], masked.numbers
        numbers = (a != b) & ~(np.isnan(a) & np.isnan(b))
        return (self._original.codes[rows] != masked.codes).sum(axis=1) + numbers.sum(axis=1)

    def score(self, masked: Table) -> float:
        """Return the percentage."""
        return self.track(masked).score

    def track(self, masked: Table) -> "CountsTracker":
        """Count all records."""
        return CountsTracker(self, masked)


class CountsTracker(Tracker):
    """How many cells of each record differ, shape (n,)."""

    def __init__(self, fitted: Differing, masked: Table) -> None:
        self._fitted = fitted
        self._cells = len(masked) * len(masked.schema)
        self._counts = fitted.counts(masked, np.arange(len(masked)))

    @property
    def score(self) -> float:
        """The percentage."""
        return 100.0 * int(self._counts.sum()) / self._cells

    def take(self, change: Changes) -> None:
        """Count the changed records again."""
        self._counts[change.rows] = self._fitted.counts(change.after, change.rows)


class ShareChanged(Measure):
    """Percentage of cells that differ from the original."""

    supports = frozenset(Scale)

    def fit(self, original: Table) -> Differing:
        """Keep the original."""
        return Differing(original)
