"""Three-way tables of a file, over masked and unmasked attributes."""

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_judges.analysis import Analysis, analysis_of, variation
from evosdc_judges.draws import Draw, drawn, sampled
from evosdc_judges.intervals import in_per_cent, mean_of


class ThreeWayTables(Judge):
    """Share of records that are in another cell, mean over three-way tables that hold a masked attribute, times 100.

    The total variation ``1/2 sum |p - q|`` between the original's and the published file's shares of the cells. Tables
    are of any three attributes of the file, masked or not, identifiers, weights and households apart, with at least one
    that is masked; a file of fewer attributes has one table of all. NIST's k-marginal score is the like, of three
    attributes drawn at random. Range 0..100, smaller is better. A search that saw two-way tables of the masked
    attributes alone has seen none of these.

    Of more than `tables` tables so many are drawn; the interval is the normal one over those, and none where all are
    taken. A missing value is a class of its own; numbers are taken by `bins` classes.
    """

    supports = frozenset(Scale)
    auxiliary_all = True
    sentence = (
        "In three-way tables with masked and unmasked attributes {masked} % of the records are in another cell; "
        "{chance} % had the masked records been shuffled."
    )

    class Params(Judge.Params):
        """Which tables."""

        ways: int = Field(3, ge=1, le=6, description="Attributes of a table.")
        tables: int = Field(60, ge=1, description="Tables, at most.")
        bins: int = Field(10, ge=2, le=250, description="Classes of a numeric attribute.")

    params: Params

    def fit(self, original: Table) -> "FittedTables":
        """Choose tables of the original, whose attributes are all protected."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> "FittedTables":
        """Choose the tables."""
        self.require_support(microdata.original)
        return FittedTables(analysis_of(microdata, self.params.bins), self.params)


class FittedTables(Estimated):
    """`ThreeWayTables` of one original."""

    def __init__(self, analysis: Analysis, params: ThreeWayTables.Params) -> None:
        self._analysis = analysis
        everything = analysis.tables(params.ways)
        rng = drawn(params.seed, Draw.TABLES)
        chosen = sampled(np.arange(len(everything), dtype=np.intp), params.tables, rng)
        self._tables = [list(everything[position]) for position in chosen]
        self._all = len(self._tables) == len(everything)

    def estimate(self, masked: Table) -> Estimate:
        """Return the mean share; O(tables * n log n)."""
        analysis, published = self._analysis, self._analysis.published(masked)
        shares = np.array(
            [
                variation(analysis.codes[:, table], published[:, table], analysis.classes.sizes[table])
                for table in self._tables
            ]
        )
        return in_per_cent(Estimate.exact(float(shares.mean())) if self._all else mean_of(shares))
