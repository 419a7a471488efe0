"""Standardised information loss of numbers, IL1s."""

import numpy as np

from evosdc.model import FollowedInPlace, Measure
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.numeric_loss.moments import moments_of, require_numbers

State = tuple[Numbers, float]
"""Loss of each record, and the score."""


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


class FittedStandardisedLoss(FollowedInPlace[State]):
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

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n p)."""
        require_numbers(self._original, masked.numbers)
        return self._scored(self._losses(self._original, masked.numbers))

    def copied(self, state: State) -> State:
        """Return a copy of a state."""
        return state[0].copy(), state[1]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m p + n)."""
        state[0][rows] = self._losses(self._original[rows], masked.numbers[rows])
        return self._scored(state[0])

    def _losses(self, original: Numbers, masked: Numbers) -> Numbers:
        """Return the loss of each record, the sum over attributes in their order, whatever other records there are."""
        losses = np.zeros(len(original))
        for place, column in enumerate(self._judged):
            x, y = original[:, column], masked[:, column]
            cells = np.abs(x - y) / self._unit[place]
            gone = np.isnan(cells)
            if gone.any():
                cells[gone] = np.where(np.isnan(x[gone]) & np.isnan(y[gone]), 0.0, self._lost)
            losses += cells
        return losses

    def _scored(self, losses: Numbers) -> State:
        return losses, min(100.0 * float(losses.sum()) / self._cells, 100.0) if self._cells else 0.0

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's loss as a share of the score, shape (n,); they may sum to more than 100."""
        losses = self.start(masked)[0]
        return losses * (100.0 / self._cells) if self._cells else losses

    def value(self, state: State) -> float:
        """Return the loss, 0..100."""
        return state[1]
