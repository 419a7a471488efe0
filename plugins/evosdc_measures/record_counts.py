"""Figures that are counted record by record: a count of each record, and their sum as a share of a whole."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Tracker
from evosdc.table.table import Rows, Table
from evosdc_measures.domains import Integers, require_aligned


class FittedRecordCounts(Fitted):
    """A share of something that each record has some of, whatever the others hold; in per cent.

    Parameters
    ----------
    original : Table
    whole : int
        What all counts can sum to; where it is 0, so is the score.
    """

    def __init__(self, original: Table, whole: int) -> None:
        self.original, self.whole = original, max(whole, 1)

    @abstractmethod
    def counts(self, masked: Table, rows: Rows) -> Integers:
        """Return the count of each of some masked records, shape (m,).

        Parameters
        ----------
        masked : Table
            These records alone, m in all.
        rows : ndarray of intp, shape (m,)
            Their positions.
        """

    def score(self, masked: Table) -> float:
        """Return the share in per cent."""
        return self.track(masked).score

    def track(self, masked: Table) -> "RecordCountTracker":
        """Return a tracker of a table."""
        require_aligned(self.original, masked)
        return RecordCountTracker(self, self.counts(masked, np.arange(len(masked), dtype=np.intp)))


class RecordCountTracker(Tracker):
    """The counts of one masked file, and their sum."""

    def __init__(self, fitted: FittedRecordCounts, counts: Integers) -> None:
        self._fitted, self._counts, self._total = fitted, counts, int(counts.sum())

    @property
    def score(self) -> float:
        """The share in per cent."""
        return 100.0 * self._total / self._fitted.whole

    def take(self, change: Changes) -> None:
        """Go on to a child; as much as its records cost."""
        now = self._fitted.counts(change.after, change.rows)
        self._total += int(now.sum()) - int(self._counts[change.rows].sum())
        self._counts[change.rows] = now

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the shares of children, whose records are all counted in one go."""
        more = self._fitted.counts(changes.after, changes.rows) - self._counts[changes.rows]
        through = np.concatenate(([0], np.cumsum(more)))
        begins = np.concatenate((np.zeros(1, dtype=np.int64), changes.ends))[:-1]
        totals = self._total + through[changes.ends] - through[begins]
        shares: NDArray[np.float64] = 100.0 * totals / self._fitted.whole
        return shares

    def contributions(self) -> NDArray[np.float64]:
        """Return what each record adds to the score, shape (n,)."""
        return self._counts.astype(np.float64) * (100.0 / self._fitted.whole)
