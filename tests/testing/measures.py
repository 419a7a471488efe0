"""A measure of each sort: one with a tracker of its own, and one without, which is of risk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.schema import Scale
from evosdc.table.table import Rows, Table


class Counts(Fitted):
    """Percentage of cells that differ from the original."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def different(self, masked: Table, rows: Rows) -> NDArray[np.bool_]:
        return self._original.codes[rows] != masked.codes

    def track(self, masked: Table) -> Tracker:
        return CountsTracker(self, masked)

    def score(self, masked: Table) -> float:
        return CountsTracker(self, masked).score


class CountsTracker(Tracker):
    """For each record, which attributes differ."""

    def __init__(self, fitted: Counts, masked: Table) -> None:
        self.fitted = fitted
        self.different = fitted.different(masked, np.arange(len(masked)))

    @property
    def score(self) -> float:
        return 100.0 * int(self.different.sum()) / max(self.different.size, 1)

    def take(self, change: Changes) -> None:
        self.different[change.rows] = self.fitted.different(change.after, change.rows)

    def contributions(self) -> NDArray[np.float64]:
        return self.different.sum(axis=1) * 100.0 / max(self.different.size, 1)


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
