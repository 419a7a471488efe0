"""What happened to the cells of contingency tables: quantiles of changes, cells that became empty, and k-marginals."""

from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Measure
from evosdc.model.parameters import Parameters
from evosdc.table.table import Table
from evosdc_measures.categorical_loss.comparison import TableComparison
from evosdc_measures.categorical_loss.contingency import subsets
from evosdc_measures.categorical_loss.tables import FittedSum, FittedTables, State

MOST_MARGINALS = 20_000


class CellQuantile(TableComparison):
    """A quantile of the changes of the cells that the original occupies, over all tables of at most K attributes.

    Changes are ``|x - y|`` in records, ``|x - y| / x`` or ``|sqrt x - sqrt y|``, as the table of information loss of
    targeted record swapping has them (Eurostat's guidelines; ``infoLoss`` of sdcMicro, which looks at cells that were
    empty before as well). Unbounded, smaller is better; 0 for a permutation of the file. Quantiles are interpolated.
    """

    class Params(TableComparison.Params):
        """Which quantile of which changes."""

        q: float = Field(0.95, ge=0.0, le=1.0, description="The quantile, 1 for the greatest change.")
        change: Literal["absolute", "relative", "roots"] = Field("absolute", description="How changes are taken.")

    def fit(self, original: Table) -> "FittedCellQuantile":
        """Count the original's tables."""
        self.require_support(original)
        return FittedCellQuantile(original, self.chosen(original), self.params.q, self.params.change)


class FittedCellQuantile(FittedTables):
    """`CellQuantile` of one original."""

    def __init__(self, original: Table, chosen: list[tuple[int, ...]], q: float, change: str) -> None:
        super().__init__(original, chosen)
        self._q, self._change = q, change

    def value(self, state: State) -> float:
        """Return the quantile."""
        changes = np.abs(state[1]).astype(np.float64)
        if self._change == "relative":
            changes /= self.counts
        elif self._change == "roots":
            changes = np.abs(np.sqrt(self.counts) - np.sqrt(self.counts + state[1]))
        return float(np.quantile(changes, self._q))


class FalseZeros(TableComparison):
    """Cells that the original occupies and the masked file does not, over all tables of at most K attributes, per cent.

    False zeros: an analyst concludes that such people do not exist. Range 0..100, smaller is better. A missing value is
    a category of its own.
    """

    def fit(self, original: Table) -> "FittedFalseZeros":
        """Count the original's tables."""
        self.require_support(original)
        return FittedFalseZeros(original, self.chosen(original))


class LostCategories(Measure):
    """Categories that some original record has and no masked one does, per cent: `FalseZeros` of single attributes.

    Range 0..100, smaller is better.
    """

    partial = True

    def fit(self, original: Table) -> "FittedFalseZeros":
        """Count the original's categories."""
        self.require_support(original)
        return FittedFalseZeros(original, subsets(original.codes.shape[1], 1))


class FittedFalseZeros(FittedTables):
    """`FalseZeros` of one original."""

    def value(self, state: State) -> float:
        """Return the percentage of emptied cells."""
        return 100.0 * float(np.count_nonzero(state[1] == -self.counts)) / len(self.counts)


class KMarginal(Measure):
    """The k-marginal score of NIST as a loss: mean total variation distance of all tables of k attributes, times 100.

    NIST's score of a release is ``1000 (1 - this / 100)`` for k = 3: the mean over marginals of the sum of absolute
    differences of densities, 0 to 2, turned round (NIST PSCR challenge 2018; SDNist). All sets of k attributes count,
    where NIST's programs draw some. With fewer attributes than k it is the table of all. Range 0..100, smaller is
    better.
    """

    partial = True

    class Params(Parameters):
        """How many attributes a table has."""

        k: int = Field(3, ge=1, description="Attributes of a table.")

    def fit(self, original: Table) -> FittedSum:
        """Count the original's tables.

        Raises
        ------
        ParameterError
            More than 20 000 tables, or tables with too many cells to be addressed.
        """
        self.require_support(original)
        attributes = original.codes.shape[1]
        k = min(self.params.k, attributes)
        if comb(attributes, k) > MOST_MARGINALS:
            given = f"{comb(attributes, k):,} tables of {k} of {attributes} attributes"
            raise ParameterError(Fault("measure k-marginal: k", given, f"at most {MOST_MARGINALS:,}", "Lower k."))
        return FittedSum(original, list(combinations(range(attributes), k)), "k-marginal")
