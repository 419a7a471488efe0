"""Contingency-table-based information loss, and its average over cells."""

from typing import ClassVar

from evosdc.table.table import Table
from evosdc_measures.categorical_loss.comparison import SumOfChanges
from evosdc_measures.categorical_loss.tables import FittedSum


class ContingencyTableLoss(SumOfChanges):
    """Share of records moved to another cell, over all contingency tables of at most K attributes, times 100.

    ``CTBIL = sum over tables of sum over cells of |x - y|`` (Domingo-Ferrer and Torra, 2001). Each table contributes at
    most 2n, so the score is ``100 * CTBIL / (2 n T)`` with T tables: range 0..100, smaller is better. That
    normalisation is a reconstruction; the source divides by the number of cells (`actbil`), which is not comparable
    with other losses.

    The measure does not see which record changed: a permutation of the file has loss 0. A missing value is a category
    of its own under the rules ``category`` and ``wildcard`` alike, since a count has no wildcards.
    """

    def fit(self, original: Table) -> FittedSum:
        """Count the original's tables.

        Raises
        ------
        ParameterError
            A table has too many cells to be addressed.
        """
        self.require_support(original)
        return FittedSum(original, self.chosen(original), "ctbil")


class AverageContingencyTableLoss(SumOfChanges):
    """Mean of ``|x - y|`` over all cells of all contingency tables of at most K attributes.

    ACTBIL of the handbook: CTBIL divided by the number of cells, empty ones included, of all tables considered. Range
    0 upwards, smaller is better: a mean number of records, not a percentage, so it is not combined with other losses. A
    missing value is a category of its own.
    """

    per_cell: ClassVar[bool] = True

    def fit(self, original: Table) -> FittedSum:
        """Count the original's tables."""
        self.require_support(original)
        return FittedSum(original, self.chosen(original), "actbil", per_cell=True)
