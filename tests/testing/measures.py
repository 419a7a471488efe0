"""A measure of each sort: one that is incremental, one that is not, one of risk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Fitted, Incremental, Measure
from evosdc.table.schema import Scale
from evosdc.table.table import Rows, Table


class Counts(Incremental[NDArray[np.int64]]):
    """State: for each attribute, how many records differ."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def _different(self, masked: Table, rows: Rows) -> NDArray[np.bool_]:
        return self._original.codes[rows] != masked.codes[rows]

    def start(self, masked: Table):
        different = self._original.codes != masked.codes
        return different.copy()

    def update(self, state, masked: Table, rows: Rows):
        followed = state.copy()
        followed[rows] = self._different(masked, rows)
        return followed

    def value(self, state) -> float:
        return 100.0 * int(state.sum()) / max(state.size, 1)


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
