"""Losses of single values: how far each masked value is from its original."""

import numpy as np

from evosdc.model import Measure
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import MISSING, Numbers, Rows, Table
from evosdc_measures.numeric_loss.moments import Standard, require_shape
from evosdc_measures.records import RecordSums, Tracked


class StandardisedLoss(Measure):
    """Mean of ``|x - x'| / (sqrt(2) S_j)`` over records and attributes, times 100, at most 100.

    ``S_j`` is the sample standard deviation of the original attribute (divided by n - 1), so the figure does not depend
    on units and does not blow up near zero, as relative differences do (Yancey, Winkler and Creecy, 2002). Values
    redrawn from a normal attribute give 80. The figure itself has no upper bound; that a file which loses more than
    100 is said to lose 100 is a reconstruction that keeps it on the common scale. Smaller is better; 0 if nothing is
    changed.

    Attributes that are constant in the original have no ``S_j`` and are skipped; where all are, the score is 0.

    Missing values: where one of the two files has none the cell costs 1, a little more than a redrawn value; where
    both have none, 0. Under the rule ``wildcard`` such cells cost nothing. The cost is a reconstruction.
    """

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedStandardisedLoss":
        """Take the standard deviations."""
        self.require_support(original)
        return FittedStandardisedLoss(original)


class FittedStandardisedLoss(Tracked):
    """`StandardisedLoss` of one original."""

    def __init__(self, original: Table) -> None:
        standard = Standard(original.numbers)
        self._shape, self._judged = original.numbers.shape, standard.judged
        self._original = original.numbers[:, self._judged]
        self._lost = 0.0 if original.schema.na is MissingRule.WILDCARD else 1.0
        known = np.count_nonzero(~np.isnan(self._original), axis=0)
        self._units = standard.deviations * np.sqrt(2.0 * known / (known - 1.0))
        self._factor = 100.0 / max(self._original.size, 1)

    def figures(self, masked: Table, rows: Rows) -> Numbers:
        """Return what some records add to the score, shape (m,)."""
        before, after = self._original[rows], masked.numbers[:, self._judged]
        apart, none = np.abs(before - after) / self._units, np.isnan(before) & np.isnan(after)
        figures = np.where(none, 0.0, np.where(np.isnan(apart), self._lost, apart)).sum(axis=1)
        return np.asarray(figures * self._factor)

    def track(self, masked: Table) -> RecordSums:
        """Return a tracker; a child costs O(V) for each changed record."""
        require_shape(self._shape, masked.numbers)
        return RecordSums(self.figures, masked)


class VariablesLoss(Measure):
    """Mean distance between original and masked values by scale, times 100 (Mlodak 2020).

    0 or 1 for nominal values, the share of steps for ordinal ones, and ``(2 / pi) arctan |x - y|`` for numbers, in
    their own units: a number that moves by one unit counts 0.5, whatever its spread. A missing value is at 1 from any
    other, also of numbers (a reconstruction; under ``wildcard`` at 0). Range 0..100, smaller is better.
    """

    supports = frozenset(Scale)

    def fit(self, original: Table) -> "FittedVariablesLoss":
        """Keep the original."""
        self.require_support(original)
        return FittedVariablesLoss(original)


class FittedVariablesLoss(Tracked):
    """`VariablesLoss` of one original."""

    def __init__(self, original: Table) -> None:
        self._original = original
        self._lost = 0.0 if original.schema.na is MissingRule.WILDCARD else 1.0

    def figures(self, masked: Table, rows: Rows) -> Numbers:
        """Return what some records add to the score, shape (m,)."""
        figures = np.zeros(len(rows))
        for attribute in self._original.schema.attributes:
            before, after = self._original.column(attribute.name)[rows], masked.column(attribute.name)
            if attribute.categorical:
                gone, both = (before == MISSING) | (after == MISSING), (before == MISSING) & (after == MISSING)
                apart = np.abs(before.astype(np.float64) - after) / max(len(attribute.categories) - 1, 1)
                if attribute.scale is Scale.NOMINAL:
                    apart = (before != after).astype(np.float64)
            else:
                gone, both = np.isnan(before) | np.isnan(after), np.isnan(before) & np.isnan(after)
                apart = np.arctan(np.abs(before - after)) * (2.0 / np.pi)
            figures += np.where(both, 0.0, np.where(gone, self._lost, apart))
        return figures * (100.0 / (len(self._original) * len(self._original.schema.attributes)))

    def track(self, masked: Table) -> RecordSums:
        """Return a tracker; a child costs O(V) for each changed record."""
        return RecordSums(self.figures, masked)
