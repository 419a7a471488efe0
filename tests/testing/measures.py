"""A measure of each sort: one with a tracker, one without, one of risk."""

from __future__ import annotations

import numpy as np

from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.schema import Scale
from evosdc.table.table import Table


class Counts(Fitted):
    """Percentage of values that differ from the original's."""

    def __init__(self, original: Table) -> None:
        self.original = original

    def score(self, masked: Table) -> float:
        different = self.original.codes != masked.codes
        return 100.0 * int(different.sum()) / max(different.size, 1)

    def track(self, masked: Table) -> Tracker:
        return CountsTracker(self, masked)


class CountsTracker(Tracker):
    def __init__(self, fitted: Counts, masked: Table) -> None:
        self.fitted = fitted
        self.different = fitted.original.codes != masked.codes

    @property
    def score(self) -> float:
        return 100.0 * int(self.different.sum()) / max(self.different.size, 1)

    def take(self, change: Changes) -> None:
        self.different[change.rows] = self.fitted.original.codes[change.rows] != change.after.codes


class ShareChanged(Measure):
    fitted: type[Counts] = Counts

    def fit(self, original: Table) -> Fitted:
        self.require_support(original)
        return self.fitted(original)


class StillThere(Fitted):
    """Percentage of records that are found unchanged somewhere in the masked file."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def score(self, masked: Table) -> float:
        published = {row.tobytes() for row in np.hstack([masked.codes, masked.numbers])}
        found = sum(row.tobytes() in published for row in np.hstack([self._original.codes, self._original.numbers]))
        return 100.0 * found / len(masked)


class Found(Measure):
    supports = frozenset(Scale)

    def fit(self, original: Table) -> Fitted:
        return StillThere(original)
