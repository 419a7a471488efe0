"""Standardised information loss of numbers, IL1s."""

import numpy as np
from numba import njit

from evosdc.model import Batched, Changes, Measure
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.numeric_loss.moments import require_numbers
from evosdc_measures.record_figures import FollowedSum, followed_sum, sum_after, totals_after

State = FollowedSum
"""Of the losses of the records."""


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


class FittedStandardisedLoss(Batched[State]):
    """`StandardisedLoss` of one original; a state holds one figure for each record, summed in one order."""

    def __init__(self, original: Table) -> None:
        n = len(original)
        spreads = [_spread(np.ascontiguousarray(column)) for column in original.numbers.T]
        present, variances, varying = (np.array(each) for each in zip(*spreads, strict=True))
        deviations = np.sqrt(variances * present / np.maximum(present - 1.0, 1.0))
        self._original = original.numbers
        self._judged = np.flatnonzero(varying)
        self._unit = np.sqrt(2.0) * deviations[self._judged]
        self._lost = 0.0 if original.schema.na is MissingRule.WILDCARD else 1.0
        self._cells = n * len(self._judged)

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n p)."""
        require_numbers(self._original, masked.numbers)
        return followed_sum(self._losses(masked.numbers, np.arange(len(masked))))

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m p + log n), and O(n) now and then."""
        return sum_after(state, rows, self._losses(masked.numbers, rows))

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the losses of several children; O(m p + log n) for each."""
        original, every = self._original[changes.rows], np.arange(len(changes.rows))
        lost = _losses(original, changes.after.numbers, every, self._judged, self._unit, self._lost)
        totals = totals_after(state, changes.rows, changes.ends, lost)
        return np.minimum(100.0 * totals / self._cells, 100.0) if self._cells else np.zeros(len(totals))

    def _losses(self, masked: Numbers, rows: Rows) -> Numbers:
        """Return the losses of some records."""
        return _losses(self._original, masked, rows, self._judged, self._unit, self._lost)

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's loss as a share of the score, shape (n,); they may sum to more than 100."""
        losses = self.start(masked).base
        return losses * (100.0 / self._cells) if self._cells else losses

    def value(self, state: State) -> float:
        """Return the loss, 0..100."""
        return min(100.0 * state.total / self._cells, 100.0) if self._cells else 0.0


@njit(cache=True)
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


@njit(cache=True)
def _spread(column: Numbers) -> tuple[float, float, bool]:
    """Return how many values a column has, their variance (divided by that number), and whether two of them differ."""
    count, total, low, high = 0.0, 0.0, np.inf, -np.inf
    for x in column:
        if not np.isnan(x):
            count += 1.0
            total += x
            low, high = min(low, x), max(high, x)
    mean, first, squares = total / max(count, 1.0), 0.0, 0.0
    for x in column:
        if not np.isnan(x):
            first += x - mean
            squares += (x - mean) * (x - mean)
    variance = (squares - first * first / max(count, 1.0)) / max(count, 1.0)
    return count, variance if high > low else 0.0, high > low
