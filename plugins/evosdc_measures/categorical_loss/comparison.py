"""Losses that compare the contingency tables of at most K attributes."""

from abc import abstractmethod
from math import prod
from typing import ClassVar

import numpy as np
from pydantic import Field

from evosdc.model import JointCounts, Measure, OfCounts
from evosdc.model.parameters import Parameters
from evosdc.table.table import Table
from evosdc_measures.categorical_loss.contingency import subsets, sum_of_changes
from evosdc_measures.categorical_loss.tables import FittedTables, State
from evosdc_measures.domains import domains_of


class TableComparison(Measure):
    """A loss over all contingency tables of at most K of the categorical attributes."""

    partial: ClassVar[bool] = True
    per_cell: ClassVar[bool] = False
    """Whether a sum over cells is divided by their number."""

    class Params(Parameters):
        """Which tables are compared."""

        K: int = Field(2, ge=1, description="Greatest number of attributes of a table; more than there are means all.")

    def chosen(self, original: Table) -> list[tuple[int, ...]]:
        """Return the attributes of each table."""
        attributes = original.codes.shape[1]
        return subsets(attributes, min(self.params.K, attributes))

    @abstractmethod
    def fit(self, original: Table) -> FittedTables:
        """Count the original's tables."""


class SumOfChanges(TableComparison, OfCounts):
    """A loss that is the sum of ``|x - y|`` over all cells of all tables, times a factor."""

    def score_of_counts(self, counts: JointCounts) -> float:
        """Return the loss from the distinct records of both files."""
        attributes = len(counts.pairs)
        chosen = subsets(attributes, min(self.params.K, attributes))
        widths = domains_of(counts.schema).widths
        total = sum(sum_of_changes(counts, widths, members) for members in chosen)
        if not self.per_cell:
            return 100.0 * total / (2 * counts.records * len(chosen))
        gaps = [bool(pairs[-1].any()) for pairs in counts.pairs]
        return total / sum(prod(int(widths[v]) - 1 + gaps[v] for v in members) for members in chosen)


class MeanVariation(TableComparison):
    """Mean relative change of the cells that the original occupies, ``100 * mean of |x - y| / x``, in per cent.

    CTBIL' of the slides, "mean variation" of frequencies, over all contingency tables of at most K attributes; over
    two-way tables the same figure is known as the relative absolute average difference. Cells with x = 0 have no
    relative change and are left out: a reconstruction, the sources say nothing of them. Range 0 upwards, since a
    rare cell may grow many times over; smaller is better. A missing value is a category of its own.
    """

    def fit(self, original: Table) -> FittedTables:
        """Count the original's tables."""
        self.require_support(original)
        return FittedMeanVariation(original, self.chosen(original))


class FrequencyChange(Measure):
    """Mean relative change of the categories' frequencies, ``100 * mean of |T' - T| / T``, in per cent.

    Over all categories that the original has, a missing value being one: `MeanVariation` of single attributes. Range 0
    upwards, smaller is better. The name is a caption of the thesis, which does not print the formula: a reconstruction.
    """

    partial: ClassVar[bool] = True

    def fit(self, original: Table) -> FittedTables:
        """Count the original's categories."""
        self.require_support(original)
        return FittedMeanVariation(original, subsets(original.codes.shape[1], 1))


class FittedMeanVariation(FittedTables):
    """`MeanVariation` of one original."""

    def value(self, state: State) -> float:
        """Return the mean relative change in per cent."""
        return 100.0 * float((np.abs(state[1]) / self.counts).mean())


class HellingerLoss(TableComparison):
    """Mean Hellinger distance between the contingency tables of at most K attributes, times 100.

    ``sqrt(1/2 sum (sqrt(o) - sqrt(m))^2 / n)`` of each table's original counts o and masked counts m (Shlomo and Young,
    2006, for two-way tables; the division by ``sqrt(n)``, tables of other sizes and their mean are reconstructions).
    Range 0..100, smaller is better: 0 for equal tables, 100 where no cell is occupied in both. Permutations of the file
    have loss 0. A missing value is a category of its own.
    """

    def fit(self, original: Table) -> FittedTables:
        """Count the original's tables."""
        self.require_support(original)
        return FittedHellinger(original, self.chosen(original))


class FittedHellinger(FittedTables):
    """`HellingerLoss` of one original."""

    def value(self, state: State) -> float:
        """Return the mean distance, 0..100."""
        # 1/2 sum (sqrt(o) - sqrt(m))^2 is n - sum sqrt(o m), to which only cells occupied in both contribute.
        products = self.counts * (state[1].astype(np.float64) + self.counts)
        common = np.add.reduceat(np.sqrt(products), self.firsts[:-1]) / self.n
        return 100.0 * float(np.sqrt(np.maximum(1.0 - common, 0.0)).mean())
