"""Counts and sums over records that a tracker keeps up to date."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evosdc.model import Changes, Fitted, Measure, Microdata, Tracker
from evosdc.table.schema import Schema
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned


class InWholeFile(Measure):
    """A measure that also reads attributes of the file which are not protected."""

    def fit(self, original: Table) -> Fitted:
        """Return the measure of an original whose attributes are all protected."""
        return self.fit_in(Microdata(original, original.schema.names))

    @abstractmethod
    def fit_in(self, microdata: Microdata) -> Fitted:
        """Do all that depends on the original alone."""


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
_CELLS = 1 << 21  # Of tables of children at once, so that they take some megabytes


@dataclass(frozen=True)
class JointLayout:
    """Which attributes are counted in a state, and where."""

    # A square table of a wide attribute would weigh more in each state than the attribute's column itself.

    # As in `Domains`, with width 0 for wide attributes; the first axis is the masked category, the second the original
    # one.
    widths: Integers
    offsets: Integers
    wide: tuple[int, ...]  # positions of the wide attributes

    def cells(self, original: Codes, masked: Codes) -> Integers:
        """Return where records of narrow attributes are counted, shape (m, attributes)."""
        narrow = self.widths > 0
        cells = self.offsets[:-1] + (masked + 1) * self.widths + original + 1
        return np.asarray(cells[:, narrow], dtype=np.int64)

    def counts(self, original: Codes, masked: Codes) -> Counts:
        """Return the counts of a masked file."""
        cells = self.cells(original, masked).ravel()
        return np.bincount(cells, minlength=int(self.offsets[-1])).astype(np.int32)


class FittedJointCounts(Tracked):
    """A measure of the records by original and published category, attribute by attribute."""

    def __init__(self, original: Table) -> None:
        self.original, self.joint = original, joint_layout_of(original.schema)

    @abstractmethod
    def of_counts(self, counts: Integers) -> Integers:
        """Return k figures of an attribute from its records by published and original category, shape (k, c, c)."""

    @abstractmethod
    def of_columns(self, original: Codes, masked: Codes) -> int:
        """Return the figure of an attribute of too many categories for a table of them, from its columns."""

    @abstractmethod
    def scores(self, figures: Integers | Numbers) -> Numbers:
        """Return the scores of k tables from the figures of their attributes, shapes (k,) and (k, V)."""

    def track(self, masked: Table) -> "JointTracker":
        """Return a tracker of a table."""
        require_aligned(self.original, masked)
        return JointTracker(self, masked)


class JointTracker(Tracker):
    """The joint counts of one masked table, and the figure of each attribute; O(c**2) for each that changes."""

    def __init__(self, fitted: FittedJointCounts, masked: Table) -> None:
        self._fitted, self._codes = fitted, masked.codes.copy()
        self._counts = fitted.joint.counts(fitted.original.codes, masked.codes)
        self.figures = np.empty(masked.codes.shape[1], dtype=np.int64)
        for v, width in enumerate(fitted.joint.widths.tolist()):
            if width:
                self.figures[v] = fitted.of_counts(self._table(v).astype(np.int64).reshape(1, width, width))[0]
            else:
                self.figures[v] = fitted.of_columns(fitted.original.codes[:, v], self._codes[:, v])

    def _table(self, v: int) -> Counts:
        offsets = self._fitted.joint.offsets
        return self._counts[offsets[v] : offsets[v + 1]]

    def _moves(self, change: Changes) -> tuple[Integers, Integers, Integers, Integers]:
        """Return of each changed value its place in the changes, attribute, and cells of its table before and now."""
        before, after = self._codes[change.rows], change.after.codes
        at, v = np.nonzero(before != after)
        own, width = self._fitted.original.codes[change.rows[at], v] + 1, self._fitted.joint.widths[v]
        return at, v, (before[at, v] + 1) * width + own, (after[at, v] + 1) * width + own

    @property
    def score(self) -> float:
        """The score of the table."""
        return float(self._fitted.scores(self.figures[None])[0])

    def take(self, change: Changes) -> None:
        """Update to a child."""
        figures = self._followed(change)[0]
        _, attributes, left, entered = self._moves(change)
        for v in np.flatnonzero(self._fitted.joint.widths).tolist():
            own, table = attributes == v, self._table(v)
            np.subtract.at(table, left[own], 1)
            np.add.at(table, entered[own], 1)
        self._codes[change.rows], self.figures = change.after.codes, figures

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children."""
        return self._fitted.scores(self._followed(changes))

    def _followed(self, changes: Changes) -> Integers:
        """Return the figures of children, shape (k, V)."""
        at, attributes, left, entered = self._moves(changes)
        of_child, figures = (
            np.searchsorted(changes.ends, at, side="right"),
            np.tile(self.figures, (len(changes.ends), 1)),
        )
        for v in np.unique(attributes).tolist():
            own, width = np.flatnonzero(attributes == v), int(self._fitted.joint.widths[v])
            if not width:
                for child in np.unique(of_child[own]).tolist():
                    changed, column = at[own[of_child[own] == child]], self._codes[:, v].copy()
                    column[changes.rows[changed]] = changes.after.codes[changed, v]
                    figures[child, v] = self._fitted.of_columns(self._fitted.original.codes[:, v], column)
                continue
            children, place = np.unique(of_child[own], return_inverse=True)
            size, table = width * width, self._table(v)
            step = max(_CELLS // size, 1)
            for begin in range(0, len(children), step):
                some = children[begin : begin + step]
                among = (place >= begin) & (place < begin + step)
                first, cells = (place[among] - begin) * size, len(some) * size
                counts = np.bincount(first + entered[own[among]], minlength=cells)
                counts -= np.bincount(first + left[own[among]], minlength=cells)
                counts = counts.reshape(len(some), size) + table
                figures[some, v] = self._fitted.of_counts(counts.reshape(len(some), width, width))
        return figures


def joint_layout_of(schema: Schema) -> JointLayout:
    """Return the layout for a schema's categorical attributes."""
    widths = domains_of(schema).widths
    wide = tuple(int(v) for v in np.flatnonzero(widths > WIDE))
    narrow = np.where(widths > WIDE, 0, widths)
    return JointLayout(narrow, np.concatenate(([0], np.cumsum(narrow * narrow))), wide)
