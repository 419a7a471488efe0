"""Discrepancies between the original's and the masked file's numbers and statistics."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.data.schema import Scale
from evosdc.data.table import Numbers, Table
from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc_measures.numeric_loss.moments import moments_of, require_numbers
from evosdc_measures.numeric_loss.statistics import CONTENTS, reference_of

Error = Literal["variation", "mse", "mae"]

AVERAGED = ("data", "means", "variances", "covariances", "correlations")
"""Contents whose variations make the overall figure."""


def discrepancy(original: Numbers, masked: Numbers, error: Error) -> float:
    """Return the mean over entries of ``|a - b| / |a|`` where a is not 0, ``(a - b)**2`` or ``|a - b|``; 0 of none."""
    if error == "variation":
        kept = original != 0.0
        original, masked = original[kept], masked[kept]
    if not original.size:
        return 0.0
    apart = np.abs(original - masked)
    if error == "variation":
        return float((apart / np.abs(original)).mean())
    return float((apart**2 if error == "mse" else apart).mean())


class DataDiscrepancy(Measure):
    """How far the masked values are from the original ones, averaged over records and attributes; unbounded, >= 0.

    ``error = "variation"``, the default: relative differences ``|a - b| / |a|``; entries that are 0 in the original are
    skipped, and the figure blows up for entries near 0. ``"mse"``: mean squared, ``"mae"``: mean absolute error, in the
    units of the entries. Published as IL1 to IL5 under two numberings that contradict each other, so here they are
    named by content (Domingo-Ferrer and Torra, 2001; handbook chapter). Smaller is better; 0 if nothing is changed. For
    bounded figures that are combined with others see ``mean-variation``, ``il1s`` and ``apil``.

    Means, variances and covariances are divided by the number of values. Attributes that are constant in the original
    are skipped. Missing values are left out of statistics, by pairs for covariances and correlations, and a statistic
    without any value is 0; as a value of its own a missing one stands at the attribute's original mean.
    """

    class Params(Parameters):
        """What is averaged."""

        error: Error = Field("variation", description="Relative, squared or absolute differences.")

    supports = frozenset({Scale.NUMERIC})
    partial = True
    content: ClassVar[str] = "data"
    """Whose discrepancy it is: a key of `CONTENTS`."""

    def fit(self, original: Table) -> FittedDiscrepancy:
        """Take the statistic of the original."""
        self.require_support(original)
        return FittedDiscrepancy(original, (self.content,), self.params.error)


class MeansDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the means, over attributes."""

    content = "means"


class VariancesDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the variances, over attributes."""

    content = "variances"


class CovariancesDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the covariance matrix, over its q (q + 1) / 2 entries on and above the diagonal."""

    content = "covariances"


class CorrelationsDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of Pearson's correlations, over pairs; those of a masked constant attribute are 0."""

    content = "correlations"


class EigenvaluesDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the eigenvalues of the covariance matrix, in descending order.

    Both matrices are divided by the original's standard deviations, so that no attribute decides by its unit alone;
    that scaling is a reconstruction. Eigenvalues below 1e-9 of the greatest count as 0.
    """

    content = "eigenvalues"


class MeanVariationLoss(Measure):
    """Mean variation of data, means, variances, covariances and correlations, averaged, times 100.

    That is 100 times the mean of five discrepancies with ``error = "variation"`` (Domingo-Ferrer and Torra, 2001). Each
    is unbounded where entries are near 0; that each counts at most 1, which makes the range 0..100, is a reconstruction
    and can be switched off for comparison with published figures, outside of a search. Smaller is better; 0 if nothing
    is changed. Constant attributes and missing values as in `DataDiscrepancy`; entries that do not exist, such as
    correlations of one attribute, count 0.
    """

    class Params(Parameters):
        """The limit of the parts."""

        bounded: bool = Field(True, description="Whether each part counts at most 1; if not, there is no upper bound.")

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> FittedDiscrepancy:
        """Take the five statistics of the original."""
        self.require_support(original)
        return FittedDiscrepancy(original, AVERAGED, "variation", 1.0 if self.params.bounded else np.inf, 100.0)


class FittedDiscrepancy(Fitted):
    """Mean discrepancy of some contents of one original."""

    def __init__(
        self, original: Table, contents: tuple[str, ...], error: Error, most: float = np.inf, factor: float = 1.0
    ) -> None:
        self._original = original.numbers
        self._reference, moments = reference_of(original.numbers)
        self._wanted = {name: CONTENTS[name](original.numbers, moments, self._reference) for name in contents}
        self._error: Error = error
        self._most = most
        self._factor = factor

    def breakdown(self, masked: Table) -> dict[str, float]:
        """Return the discrepancies by content, each limited and scaled as the score is."""
        require_numbers(self._original, masked.numbers)
        moments = moments_of(masked.numbers)
        apart = {
            name: discrepancy(wanted, CONTENTS[name](masked.numbers, moments, self._reference), self._error)
            for name, wanted in self._wanted.items()
        }
        return {name: self._factor * min(value, self._most) for name, value in apart.items()}

    def score(self, masked: Table) -> float:
        """Return the mean of the discrepancies, >= 0."""
        parts = self.breakdown(masked)
        return sum(parts.values()) / len(parts)
