"""The analyst's side of judges: the whole file by classes, its three-way tables, and its associations."""

from abc import abstractmethod
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.schema import WITHHELD, Role, Scale
from evosdc.table.table import Table
from evosdc_judges.classes import Classes, Codes, Keys, classes_of, keys_of
from evosdc_judges.intervals import in_per_cent, mean_of
from evosdc_judges.people import Draw, drawn, sampled

NOT_ANALYSED = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)  # roles of attributes that nobody tabulates


class WholeFileJudge(Judge):
    """A judge that looks at all attributes of a file, masked or not."""

    supports = frozenset(Scale)
    auxiliary_all = True

    def fit(self, original: Table) -> Estimated:
        """Do all that depends on an original alone whose attributes are all protected."""
        return self.fit_in(Microdata(original, original.schema.names))

    @abstractmethod
    def fit_in(self, microdata: Microdata) -> Estimated:
        """Do all that depends on the original alone."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """A whole file as an analyst sees it."""

    whole: Table  # the protected attributes first, then the others that are analysed
    classes: Classes
    codes: Codes  # shape (n, A); of the original
    protected: int  # how many of the attributes are protected

    def published(self, masked: Table) -> Codes:
        """Return the classes of the file with its masked attributes, shape (n, A)."""
        return self.classes.of(self.whole.with_columns(masked))

    def tables(self, ways: int) -> list[tuple[int, ...]]:
        """Return all tables of that many attributes, or of all if there are fewer, that have a masked attribute."""
        attributes = self.codes.shape[1]
        found = combinations(range(attributes), min(ways, attributes))
        return [table for table in found if table[0] < self.protected]


def analysis_of(microdata: Microdata, bins: int, widest: int = 250) -> Analysis:
    """Return a whole file by classes: `bins` of a numeric attribute, at most `widest` of any."""
    schema = microdata.table.schema
    others = [a.name for a in schema.attributes if a.name not in microdata.protect and a.role not in NOT_ANALYSED]
    whole = microdata.table.select([*microdata.protect, *others])
    classes = classes_of(whole, bins, widest)
    return Analysis(whole, classes, np.ascontiguousarray(classes.of(whole)), len(microdata.protect))


def variation(original: Codes, published: Codes, sizes: Keys) -> float:
    """Return the total variation between the tables of two files with the same attributes, 0..1."""
    n = len(original)
    keys = keys_of(np.vstack((original, published)), sizes)
    _, cells = np.unique(keys, return_inverse=True)
    cells = cells.reshape(-1)
    ours, theirs = (np.bincount(part, minlength=int(cells.max()) + 1) for part in (cells[:n], cells[n:]))
    return float(np.abs(ours - theirs).sum()) / (2.0 * n)


class ThreeWayTables(WholeFileJudge):
    """Share of records that are in another cell, mean over three-way tables that hold a masked attribute, times 100."""

    # The total variation ``1/2 sum |p - q|`` between the original's and the published file's shares of the cells, for
    # tables of any three attributes of the file, masked or not, identifiers, weights and households apart. NIST's
    # k-marginal score is the like, of three attributes drawn at random. Of more than `tables` tables a sample is drawn;
    # the interval is the normal one over those, and none where all are taken.

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


_INDEPENDENT = 1e-12  # what chi-square over n, or V, may be off by rounding


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


class Association(WholeFileJudge):
    """Mean absolute change of Cramer's V over the pairs of attributes with a masked one in them, times 100."""

    # Pairs are those of a masked attribute with any other one of the file, identifiers, weights and households apart:
    # what happened to the pay gap is seen in no table of masked attributes alone. Exchanged labels leave V as it is:
    # see ``tables-3`` and ``classifier-utility`` for these. Of more than `pairs` pairs a sample is drawn; the interval
    # is the normal one over those, and none where all are taken. After Shlomo and Young (2006); absolute changes and
    # the mean are reconstructions.

    sentence = (
        "Cramer's V of pairs of attributes, unmasked ones included, changes by {masked} hundredths in the mean; by "
        "{chance} had the masked records been shuffled."
    )

    class Params(Judge.Params):
        """Which pairs."""

        pairs: int = Field(150, ge=1, description="Pairs of attributes, at most.")
        bins: int = Field(10, ge=2, le=250, description="Classes of a numeric attribute.")

    params: Params

    def fit_in(self, microdata: Microdata) -> "FittedAssociation":
        """Choose the pairs."""
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
