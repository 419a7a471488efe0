"""How masking changes the association of attributes, unmasked ones included."""

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_judges.analysis import Analysis, analysis_of
from evosdc_judges.classes import Codes
from evosdc_judges.draws import Draw, drawn, sampled
from evosdc_judges.intervals import in_per_cent, mean_of

_INDEPENDENT = 1e-12
"""What chi-square over n, or V, may be off by rounding."""


def cramer_v(first: Codes, second: Codes) -> float:
    """Return Cramer's V of two columns of classes, 0..1; 0 where one of them is constant."""
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    rows, columns = np.bincount(a.reshape(-1)), np.bincount(b.reshape(-1))
    degrees = min(len(rows), len(columns)) - 1
    if degrees < 1:
        return 0.0
    cells, counts = np.unique(a.reshape(-1).astype(np.int64) * len(columns) + b.reshape(-1), return_counts=True)
    expected = rows[cells // len(columns)].astype(np.float64) * columns[cells % len(columns)]
    chi_square = float((counts.astype(np.float64) ** 2 / expected).sum()) - 1.0
    return 0.0 if chi_square < _INDEPENDENT else min(float(np.sqrt(chi_square / degrees)), 1.0)


class Association(Judge):
    """Mean absolute change of Cramer's V over the pairs of attributes with a masked one in them, times 100.

    Pairs are those of a masked attribute with any other one of the file, identifiers, weights and households apart:
    what happened to the pay gap is seen in no table of masked attributes alone. Range 0..100, smaller is better.
    Exchanged labels leave V as it is: see ``tables-3`` and ``classifier-utility`` for these. Of more than `pairs` pairs
    so many are drawn; the interval is the normal one over those, and none where all are taken. A missing value is a
    class of its own; numbers are taken by `bins` classes. Shlomo and Young (2006) compare Cramer's V; absolute changes
    and the mean are reconstructions.
    """

    supports = frozenset(Scale)
    auxiliary_all = True
    sentence = (
        "Cramer's V of pairs of attributes, unmasked ones included, changes by {masked} hundredths in the mean; by "
        "{chance} had the masked records been shuffled."
    )

    class Params(Judge.Params):
        """Which pairs."""

        pairs: int = Field(150, ge=1, description="Pairs of attributes, at most.")
        bins: int = Field(10, ge=2, le=250, description="Classes of a numeric attribute.")

    params: Params

    def fit(self, original: Table) -> "FittedAssociation":
        """Choose pairs of the original, whose attributes are all protected."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> "FittedAssociation":
        """Choose the pairs.

        Raises
        ------
        ParameterError
            The file has one attribute only.
        """
        self.require_support(microdata.original)
        analysis = analysis_of(microdata, self.params.bins)
        if analysis.codes.shape[1] < 2:
            raise ParameterError(Fault("measure association", "one attribute", "at least two to go together"))
        return FittedAssociation(analysis, self.params)


class FittedAssociation(Estimated):
    """`Association` of one original."""

    def __init__(self, analysis: Analysis, params: Association.Params) -> None:
        self._analysis = analysis
        everything = analysis.tables(2)
        rng = drawn(params.seed, Draw.TABLES, 1)
        chosen = sampled(np.arange(len(everything), dtype=np.intp), params.pairs, rng)
        self._pairs = [everything[position] for position in chosen]
        self._all = len(self._pairs) == len(everything)
        self._before = np.array([cramer_v(analysis.codes[:, v], analysis.codes[:, w]) for v, w in self._pairs])

    def estimate(self, masked: Table) -> Estimate:
        """Return the mean change; O(pairs * n log n)."""
        published = self._analysis.published(masked)
        after = np.array([cramer_v(published[:, v], published[:, w]) for v, w in self._pairs])
        changes = np.abs(after - self._before)
        changes[changes < _INDEPENDENT] = 0.0
        return in_per_cent(Estimate.exact(float(changes.mean())) if self._all else mean_of(changes))
