"""The share of values that are suppressed."""

import numpy as np
from numpy.typing import NDArray

from evosdc.model import FollowedInPlace, Measure
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Rows, Table
from evosdc_measures.domains import require_aligned

State = tuple[NDArray[np.int64], int]
"""How many values of each record are suppressed, shape (n,), and of all records."""


class Suppression(Measure):
    """Share of the original's values that the masked file has as missing, times 100.

    Values that are missing in the original count neither as suppressed nor among all. Range 0..100, smaller is better;
    0 for the original. Willenborg and de Waal (2001).
    """

    supports = frozenset(Scale)

    def fit(self, original: Table) -> "FittedSuppression":
        """Look which values there are."""
        return FittedSuppression(original)


class FittedSuppression(FollowedInPlace[State]):
    """`Suppression` of one original.

    Parameters
    ----------
    original : Table
    """

    def __init__(self, original: Table) -> None:
        self._original = original
        self._known = _known(original)
        self._values = int(self._known.sum())

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V)."""
        require_aligned(self._original, masked)
        counts = self._counts(masked)
        return counts, int(counts.sum())

    def copied(self, state: State) -> State:
        """Return a copy of a state; O(n)."""
        return state[0].copy(), state[1]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m V)."""
        counts = state[0]
        now = self._counts(masked, rows)
        changed = int(now.sum()) - int(counts[rows].sum())
        counts[rows] = now
        return counts, state[1] + changed

    def value(self, state: State) -> float:
        """Return the share in per cent; 0 where the original has no value."""
        return 100.0 * state[1] / self._values if self._values else 0.0

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return what each record adds to the score, shape (n,)."""
        return self._counts(masked).astype(np.float64) * (100.0 / max(self._values, 1))

    def _counts(self, masked: Table, rows: Rows | slice = slice(None)) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = (self._known[rows] & ~_known(masked, rows)).sum(axis=1)
        return counts


def _known(table: Table, rows: Rows | slice = slice(None)) -> NDArray[np.bool_]:
    """Return which values are there, those of categorical attributes first, shape (m, V)."""
    return np.hstack([table.codes[rows] != MISSING, ~np.isnan(table.numbers[rows])])
