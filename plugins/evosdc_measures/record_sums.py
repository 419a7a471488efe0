"""The tracker of measures that sum one figure of each record."""

from collections.abc import Callable

import numpy as np

from evosdc.model import Changes, Tracker
from evosdc.table.table import Numbers, Rows, Table

_CONDITION = 1e-4
"""A sum below this share of the greatest one that it came from has lost too many digits."""


class RecordSums(Tracker):
    """A score that is the sum of one figure of each record, cut off at a limit.

    Each change leaves an error of rounding in the sum. The figures are summed again once as many of them have changed
    as there are, and where little is left of much.

    Parameters
    ----------
    figures_of : callable
        Returns the figures of some records, shape (m,), not negative: of a table of these records alone, and their
        positions in the original.
    masked : Table
    most : float
    """

    def __init__(self, figures_of: Callable[[Table, Rows], Numbers], masked: Table, most: float = 100.0) -> None:
        self._figures_of, self._most = figures_of, most
        self._figures = figures_of(masked, np.arange(len(masked)))
        self._renew()

    def _renew(self) -> None:
        self._total = self._greatest = float(self._figures.sum())
        self._changed = 0

    @property
    def score(self) -> float:
        """The sum, at most the limit."""
        return min(self._total, self._most)

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        latest = self._figures_of(change.after, change.rows)
        self._total += float((latest - self._figures[change.rows]).sum())
        self._figures[change.rows] = latest
        self._changed += len(change.rows)
        self._greatest = max(self._greatest, self._total)
        if self._changed >= len(self._figures) or self._total < _CONDITION * self._greatest:
            self._renew()

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children."""
        latest = self._figures_of(changes.after, changes.rows)
        children = np.repeat(np.arange(len(changes.ends)), np.diff(changes.ends, prepend=0))
        more = np.bincount(children, latest - self._figures[changes.rows], len(changes.ends))
        totals = self._total + more
        for child in np.flatnonzero(totals < _CONDITION * self._greatest).tolist():
            figures, own = self._figures.copy(), children == child
            figures[changes.rows[own]] = latest[own]
            totals[child] = figures.sum()
        return np.asarray(np.minimum(totals, self._most))

    def contributions(self) -> Numbers:
        """Return the figures, which may sum to more than the limit."""
        return self._figures.copy()
