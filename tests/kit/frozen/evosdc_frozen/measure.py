"""The measure `frozen-measure`."""

import numpy as np

from evosdc.model import Changes, Fitted, Measure, Rows, Scale, Table, Tracker


class Differing(Fitted):
    """What is known of the original."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def cells(self, masked: Table, rows: Rows) -> np.ndarray:
        """Return how many cells differ of each of some records, which stand at these positions in the file."""
        a, b = self._original.numbers[rows], masked.numbers
        numbers = (a != b) & ~(np.isnan(a) & np.isnan(b))
        return (self._original.codes[rows] != masked.codes).sum(axis=1) + numbers.sum(axis=1)

    def score(self, masked: Table) -> float:
        """Return the percentage of cells that differ."""
        return self.track(masked).score

    def track(self, masked: Table) -> "DifferingTracker":
        """Return a tracker."""
        return DifferingTracker(self, masked)


class DifferingTracker(Tracker):
    """What is known of a masked file, which a search changes by a few records at a time."""

    def __init__(self, fitted: Differing, masked: Table) -> None:
        self._fitted = fitted
        self._weight = 100.0 / (len(masked) * len(masked.schema))
        self._cells = fitted.cells(masked, np.arange(len(masked)))

    @property
    def score(self) -> float:
        """The percentage of cells that differ."""
        return int(self._cells.sum()) * self._weight

    def take(self, change: Changes) -> None:
        """Go on to a child: only its changed records are looked at."""
        self._cells[change.rows] = self._fitted.cells(change.after, change.rows)

    def contributions(self) -> np.ndarray:
        """Return what each record adds to the score."""
        return self._cells * self._weight


class FrozenMeasure(Measure):
    """Percentage of cells that differ from the original."""

    supports = frozenset(Scale)

    def fit(self, original: Table) -> Differing:
        """Do once what depends on the original alone."""
        return Differing(original)
