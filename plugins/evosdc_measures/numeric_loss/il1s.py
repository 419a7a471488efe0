"""Standardised information loss of numbers, IL1s."""

from typing import NamedTuple

import numpy as np

from evosdc.kernel import kernel
from evosdc.model import Incremental, Measure
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.numeric_loss.moments import moments_of, require_numbers
from evosdc_measures.record_figures import Overlay, laid_over, room_of, sums_of, total_over


class State(NamedTuple):
    """The losses of the records.

    Parameters
    ----------
    losses, sums : ndarray of float64
        Of the records of a base, shape (n,), and of its parts (`evosdc_measures.record_figures.sums_of`).
    over : Overlay
        Losses of records that are others.
    total : float
        The sum of all.
    """

    losses: Numbers
    sums: Numbers
    over: Overlay
    total: float


NOTHING = Overlay(np.zeros(0, dtype=np.intp), np.zeros(0))


class StandardisedLoss(Measure):
    """Mean of ``|x - x'| / (sqrt(2) S_j)`` over records and attributes, times 100, at most 100.

    ``S_j`` is the sample standard deviation of the original attribute (divided by n - 1), so the figure does not depend
    on units and does not blow up near zero, as relative differences do (Yancey, Winkler and Creecy, 2002). Values
    drawn anew from a normal attribute give 80. The figure itself has no upper bound; that a file which loses more than
    100 is said to lose 100 is a reconstruction that keeps it on the common scale. Smaller is better; 0 if nothing is
    changed.

    Attributes that are constant in the original have no ``S_j`` and are skipped; where all are, the score is 0.

    Missing values: where one of the two files has none the cell costs 1, a little more than a value drawn anew; where
    both have none, 0. Under the rule ``wildcard`` such cells cost nothing. The cost is a reconstruction.
    """

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedStandardisedLoss":
        """Take the standard deviations."""
        self.require_support(original)
        return FittedStandardisedLoss(original)


class FittedStandardisedLoss(Incremental[State]):
    """`StandardisedLoss` of one original; a state holds one figure for each record, summed in one order."""

    def __init__(self, original: Table) -> None:
        n = len(original)
        moments = moments_of(original.numbers)
        present = np.diag(moments.counts)
        deviations = np.sqrt(moments.variances * present / np.maximum(present - 1.0, 1.0))
        self._original = original.numbers
        self._judged = np.flatnonzero(moments.varying)
        self._unit = np.sqrt(2.0) * deviations[self._judged]
        self._lost = 0.0 if original.schema.na is MissingRule.WILDCARD else 1.0
        self._cells = n * len(self._judged)
        self._room = room_of(n)

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n p)."""
        require_numbers(self._original, masked.numbers)
        return _of(self._losses(masked.numbers, np.arange(len(masked))))

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m p + log n), and O(n) now and then."""
        losses, sums, over, _ = state
        lost = self._losses(masked.numbers, rows)
        over = Overlay(*laid_over(losses, *over, rows, lost))
        if len(over.rows) > self._room:
            losses = losses.copy()
            losses[over.rows] = over.figures
            return _of(losses)
        return State(losses, sums, over, float(total_over(losses, sums, *over, False)))

    def _losses(self, masked: Numbers, rows: Rows) -> Numbers:
        """Return the losses of some records."""
        return _losses(self._original, masked, rows, self._judged, self._unit, self._lost)

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's loss as a share of the score, shape (n,); they may sum to more than 100."""
        losses = self.start(masked).losses
        return losses * (100.0 / self._cells) if self._cells else losses

    def value(self, state: State) -> float:
        """Return the loss, 0..100."""
        return min(100.0 * state.total / self._cells, 100.0) if self._cells else 0.0


def _of(losses: Numbers) -> State:
    """Return the state of these losses, which are a base."""
    sums = sums_of(losses)
    return State(losses, sums, NOTHING, float(sums[0]))


@kernel
def _losses(original: Numbers, masked: Numbers, rows: Rows, judged: Rows, unit: Numbers, lost: float) -> Numbers:
    """Return the loss of each record, the sum over attributes in their order, whatever other records there are."""
    losses = np.zeros(len(rows))
    for number in range(len(rows)):
        for place in range(len(judged)):
            x, y = original[rows[number], judged[place]], masked[rows[number], judged[place]]
            if np.isnan(x) or np.isnan(y):
                losses[number] += 0.0 if np.isnan(x) and np.isnan(y) else lost
            else:
                losses[number] += np.abs(x - y) / unit[place]
    return losses
