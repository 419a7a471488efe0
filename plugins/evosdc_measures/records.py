"""Counts and sums over records that a tracker keeps up to date."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evosdc.model import Changes, Fitted, Tracker
from evosdc.table.schema import Schema
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned


class Tracked(Fitted):
    """A fitted measure whose trackers score a table as fast from scratch as anything else would."""

    def score(self, masked: Table) -> float:
        """Return the score of a table."""
        return self.track(masked).score


class FittedRecordCounts(Tracked):
    """A share of something that each record has some of, whatever the others hold; in per cent."""

    def __init__(self, original: Table, whole: int) -> None:
        self.original, self.whole = original, max(whole, 1)

    @abstractmethod
    def counts(self, masked: Table, rows: Rows) -> Integers:
        """Return the count of each of some masked records, shape (m,)."""

    def track(self, masked: Table) -> "RecordSums":
        """Return a tracker of a table; a child is counted as its records are."""
        require_aligned(self.original, masked)
        return RecordSums(lambda part, rows: self.counts(part, rows).astype(np.float64), masked, self.whole)


_CONDITION = 1e-4  # A sum below this share of the greatest one that it came from has lost too many digits


class RecordSums(Tracker):
    """The sum of one figure of each record, in per cent of a whole where it is not in per cent; cut off at 100."""

    # Each change leaves an error of rounding in the sum. The figures are summed again once as many of them have changed
    # as there are, and where little is left of much.

    def __init__(self, figures_of: Callable[[Table, Rows], Numbers], masked: Table, whole: float | None = None) -> None:
        self._figures_of, self._whole = figures_of, whole
        self._figures = figures_of(masked, np.arange(len(masked)))
        self._renew()

    def _renew(self) -> None:
        self._total = self._greatest = float(self._figures.sum())
        self._changed = 0

    @property
    def score(self) -> float:
        """The sum, at most 100."""
        return min(self._total if self._whole is None else 100.0 * self._total / self._whole, 100.0)

    def take(self, change: Changes) -> None:
        """Update to a child."""
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
        return np.asarray(np.minimum(totals if self._whole is None else 100.0 * totals / self._whole, 100.0))

    def contributions(self) -> Numbers:
        """Return the figures, which may sum to more than 100."""
        return self._figures.copy() if self._whole is None else self._figures * (100.0 / self._whole)


WIDE = 256  # Attributes with more categories, missing included, are recomputed instead of followed by counts


@dataclass(frozen=True)
class JointLayout:
    """Which attributes are counted in a state, and where."""

    # A square table of a wide attribute would weigh more in each state than the attribute's column itself.

    # As in `Domains`, with width 0 for wide attributes; the first axis is the masked category, the second the original
    # one.
    widths: Integers
    offsets: Integers
    wide: tuple[int, ...]  # positions of the wide attributes

    def zeros(self) -> Counts:
        """Return the counts of no record."""
        return np.zeros(int(self.offsets[-1]), dtype=np.int32)

    def of_itself(self, original: Codes) -> Counts:
        """Return the counts of a file that is its own masked version."""
        counts = self.zeros()
        for v, width in enumerate(self.widths.tolist()):
            if width:
                diagonal = slice(int(self.offsets[v]), int(self.offsets[v + 1]), width + 1)
                counts[diagonal] = np.bincount(original[:, v] + 1, minlength=width)
        return counts


def joint_layout_of(schema: Schema) -> JointLayout:
    """Return the layout for a schema's categorical attributes."""
    widths = domains_of(schema).widths
    wide = tuple(int(v) for v in np.flatnonzero(widths > WIDE))
    narrow = np.where(widths > WIDE, 0, widths)
    return JointLayout(narrow, np.concatenate(([0], np.cumsum(narrow * narrow))), wide)
