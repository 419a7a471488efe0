"""Mlodak's losses: of single values, and of what attributes explain of each other."""

import numpy as np

from evosdc.model import Fitted, Measure
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import MISSING, Numbers, Rows, Table
from evosdc_measures.records import RecordSums, Tracked


class CorrelationLoss(Measure):
    """Distance between the diagonals of the inverse correlation matrices, times 100 (Mlodak 2020).

    Entry j of a diagonal is ``1 / (1 - R_j**2)``, R_j the multiple correlation of attribute j with all others. Both
    diagonals are divided by their lengths, and the score is ``100 / sqrt(2)`` times the distance between them: range
    0..100, smaller is better, 0 if nothing is changed. Records with a missing value are left out, and attributes that
    are constant in the original. Where a matrix has no inverse its Moore-Penrose inverse is taken, and an attribute
    that is constant in the masked file is uncorrelated: reconstructions.
    """

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedCorrelationLoss":
        """Take the diagonal of the original."""
        self.require_support(original)
        return FittedCorrelationLoss(original)


class FittedCorrelationLoss(Fitted):
    """`CorrelationLoss` of one original."""

    def __init__(self, original: Table) -> None:
        numbers = original.numbers
        low = np.where(np.isnan(numbers), np.inf, numbers).min(axis=0)
        self._judged = np.where(np.isnan(numbers), -np.inf, numbers).max(axis=0) > low
        self._diagonal = _direction(numbers[:, self._judged])

    def score(self, masked: Table) -> float:
        """Return the distance, 0..100."""
        apart = self._diagonal - _direction(masked.numbers[:, self._judged])
        return min(100.0 * float(np.sqrt((apart**2).sum() / 2.0)), 100.0)


def _direction(numbers: Numbers) -> Numbers:
    """Return the diagonal of the inverse correlation matrix as a vector of length 1; zeros without attributes."""
    complete = numbers[~np.isnan(numbers).any(axis=1)]
    columns = numbers.shape[1]
    if columns == 0:
        return np.zeros(0)
    matrix = np.eye(columns)
    if len(complete) > 1:
        # deviations of standardised values, added up in an order of their own
        centred = complete - np.sort(complete, axis=0).mean(axis=0)
        scale = np.sqrt(np.sort(centred**2, axis=0).sum(axis=0))
        varying = np.ptp(complete, axis=0) > 0.0
        unit = np.divide(centred, scale, out=np.zeros_like(centred), where=varying & (scale > 0.0))
        order = np.lexsort(complete.T[::-1])
        matrix = unit[order].T @ unit[order]
        np.fill_diagonal(matrix, 1.0)
    diagonal = np.diag(np.linalg.pinv(matrix, rcond=1e-9, hermitian=True))
    direction: Numbers = diagonal / np.linalg.norm(diagonal)
    return direction


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
