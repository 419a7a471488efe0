"""What the published file is worth to an analyst: tables, associations, propensity scores, classifiers."""

from abc import abstractmethod
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.schema import WITHHELD, Role, Scale
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Classes, Codes, classes_of
from evosdc_judges.intervals import in_per_cent, mean_of, mean_of_ratios
from evosdc_judges.learned import one_thread, predicted, require_scikit_learn
from evosdc_judges.people import FEWEST, Draw, drawn, halves, sampled

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


def variation(original: Codes, published: Codes) -> float:
    """Return the total variation between the tables of two files with the same attributes, 0..1."""
    n = len(original)
    cells = equivalence_classes(np.vstack((original, published))).of
    ours, theirs = (np.bincount(part, minlength=2 * n) for part in (cells[:n], cells[n:]))
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
        params = self.params
        rng = drawn(params.seed, Draw.TABLES)
        return FittedTables(analysis_of(microdata, params.bins), params.ways, params.tables, rng)


class FittedOnTables(Estimated):
    """The mean of a figure over tables that hold a masked attribute, all or a sample of them."""

    def __init__(self, analysis: Analysis, ways: int, most: int, rng: np.random.Generator) -> None:
        self._analysis, everything = analysis, analysis.tables(ways)
        self._tables = [list(everything[position]) for position in sampled(len(everything), most, rng)]
        self._all = len(self._tables) == len(everything)

    @abstractmethod
    def figures(self, published: Codes) -> Numbers:
        """Return the figure of each table, 0..1."""

    def estimate(self, masked: Table) -> Estimate:
        """Return the mean; O(tables * n log n)."""
        figures = self.figures(self._analysis.published(masked))
        return in_per_cent(Estimate.exact(float(figures.mean())) if self._all else mean_of(figures))


class FittedTables(FittedOnTables):
    """`ThreeWayTables` of one original."""

    def figures(self, published: Codes) -> Numbers:
        """Return the share of records in another cell of each table."""
        return np.array([variation(self._analysis.codes[:, table], published[:, table]) for table in self._tables])


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


class FittedAssociation(FittedOnTables):
    """`Association` of one original."""

    def __init__(self, analysis: Analysis, params: Association.Params) -> None:
        super().__init__(analysis, 2, params.pairs, drawn(params.seed, Draw.TABLES, 1))
        self._before = self._strengths(analysis.codes)

    def _strengths(self, codes: Codes) -> Numbers:
        return np.array([cramer_v(codes[:, v], codes[:, w]) for v, w in self._tables])

    def figures(self, published: Codes) -> Numbers:
        """Return the change of Cramer's V of each pair."""
        changes = np.abs(self._strengths(published) - self._before)
        return np.where(changes < _INDEPENDENT, 0.0, changes)


_LEVELS = 5  # classes that an attribute is pooled to for interactions
_MAIN_LEVELS = 12  # classes that it is pooled to for its main effect
_WEAK = 1e4  # inverse strength of the penalty that keeps coefficients finite where classes occur in one file alone


class PropensityRatio(WholeFileJudge):
    """Propensity score mean squared error of the published file, as a ratio to what it is by chance."""

    # Both files are put together, and a logistic model predicts which file a record is from (Snoke, Raab, Nowok, Dibben
    # and Slavkovic, 2018): pMSE is the mean of ``(p - 1/2)**2``. For a file drawn from the right model its expectation
    # is ``(k - 1) / 16 n`` with k coefficients and n records in each file, and the score is pMSE over that: 0 for the
    # original, 1 for a perfect synthesis, unbounded; a masked file keeps many records, so an honest one is below 1.
    # The model has the main effect of every attribute, unmasked ones included, and interactions of pairs with a masked
    # one, first those that go together most, up to `coefficients` altogether, of pooled classes. A very weak penalty
    # keeps coefficients finite. Pooling and choice are reconstructions.

    sentence = (
        "A model tells masked from original records {masked} times as well as it would tell a perfect synthesis; "
        "{chance} times had the masked records been shuffled."
    )

    class Params(Judge.Params):
        """Size of the model."""

        coefficients: int = Field(150, ge=2, le=2000, description="Coefficients of the model, at most.")
        records: int = Field(4000, ge=8, description="Records of each file, at most.")
        bins: int = Field(12, ge=2, le=250, description="Classes of a numeric attribute, before pooling.")

    params: Params
    name = "pmse"

    def fit_in(self, microdata: Microdata) -> "FittedPropensityRatio":
        """Choose the model."""
        where = f"measure {self.name}"
        self.require_support(microdata.original)
        if len(microdata.table) < 8:
            raise ParameterError(Fault(where, f"{len(microdata.table)} records", "at least 8"))
        require_scikit_learn(where)
        kind = FittedPropensityDistance if self.name == "specks" else FittedPropensityRatio
        return kind(analysis_of(microdata, self.params.bins), self.params)


class PropensityDistance(PropensityRatio):
    """How far apart the propensity scores of published and original records are, times 100: SPECKS."""

    # The Kolmogorov-Smirnov distance between the scores of records of both files (Bowen, Liu and Su 2021), by the model
    # of `PropensityRatio`: 0 for the original itself, 100 where the model tells all records apart. Smaller is better.

    name = "specks"
    sentence = (
        "Propensity scores tell {masked} per cent of masked from original records; {chance} had the masked records "
        "been shuffled."
    )


def pooled(codes: Codes, ordered: bool, levels: int) -> Codes:
    """Return for each class of a column the level that it is pooled to, shape (greatest class + 1,)."""
    # Ordered classes go together in ranges of about equal frequency; of others the most frequent stay and the rest go
    # together.
    counts = np.bincount(codes)
    level = np.empty(len(counts), dtype=np.int32)
    if len(counts) <= levels:
        level[:] = np.arange(len(counts))
    elif ordered:
        middle = (np.cumsum(counts) - counts / 2.0) / counts.sum()
        level[:] = np.minimum((middle * levels).astype(np.int32), levels - 1)
    else:
        level[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), levels - 1)
    return level


class FittedPropensityRatio(Estimated):
    """`PropensityRatio` of one original."""

    range = (0.0, float("inf"))

    def __init__(self, analysis: Analysis, params: PropensityRatio.Params) -> None:
        self._analysis = analysis
        rng = drawn(params.seed, Draw.SAMPLE, 2)
        self._rows = sampled(np.arange(len(analysis.codes), dtype=np.intp), params.records, rng)
        self._main, self._coarse = self._pools(_MAIN_LEVELS), self._pools(_LEVELS)
        self._pairs = self._chosen(params.coefficients)
        self._before = self._design(analysis.codes[self._rows])

    def _pools(self, levels: int) -> list[Codes]:
        classes = self._analysis.classes
        pools = []
        for v, attribute in enumerate(self._analysis.whole.schema.attributes):
            # Every class has a level, those too that no original has; the missing value is a class of its own.
            size = int(classes.sizes[v]) - 1
            column: Codes = np.concatenate((self._analysis.codes[:, v], np.arange(size, dtype=np.int32)))
            present = column[column < size]
            level = pooled(present, attribute.scale is not Scale.NOMINAL, levels) if size else np.zeros(0, np.int32)
            pools.append(np.append(level, levels).astype(np.int32))
        return pools

    def _chosen(self, coefficients: int) -> list[tuple[int, int]]:
        """Return the interactions that fit into the model, first those of the attributes that go together most."""
        codes = np.column_stack([pool[self._analysis.codes[:, v]] for v, pool in enumerate(self._coarse)])
        levels = [len(np.unique(pool)) for pool in self._coarse]
        room = coefficients - 1 - sum(len(np.unique(pool)) - 1 for pool in self._main)
        pairs = [(table[0], table[1]) for table in self._analysis.tables(2) if len(table) == 2]
        chosen = []
        for v, w in sorted(pairs, key=lambda pair: -cramer_v(codes[:, pair[0]], codes[:, pair[1]])):
            size = (levels[v] - 1) * (levels[w] - 1)
            if size <= room:
                chosen.append((v, w))
                room -= size
        return chosen

    def _design(self, codes: Codes) -> Numbers:
        """Return the model's columns for records, the intercept apart, shape (m, .)."""
        main = [_indicators(pool[codes[:, v]], pool) for v, pool in enumerate(self._main)]
        coarse = {v: _indicators(self._coarse[v][codes[:, v]], self._coarse[v]) for pair in self._pairs for v in pair}
        both = [(coarse[v][:, :, None] * coarse[w][:, None, :]).reshape(len(codes), -1) for v, w in self._pairs]
        return np.hstack([*main, *both])

    def estimate(self, masked: Table) -> Estimate:
        """Return the ratio; one logistic regression of both files."""
        found = self.propensities(masked)
        if found is None:
            return Estimate.exact(0.0)
        scores, rank = found
        n = len(scores) // 2
        error = float(((scores - 0.5) ** 2).mean())
        return Estimate.exact(error * 16.0 * n / max(rank, 1))

    def propensities(self, masked: Table) -> tuple[Numbers, int] | None:
        """Return the scores of original, then of masked records, and the rank of the design; None for equal files."""
        from sklearn.linear_model import LogisticRegression

        after = self._design(self._analysis.published(masked)[self._rows])
        if np.array_equal(after, self._before):
            return None
        n = len(after)
        design = np.vstack((self._before, after))
        origin = np.repeat([0, 1], n)
        varied = design[:, design.max(axis=0) > design.min(axis=0)]
        with one_thread():
            model = LogisticRegression(C=_WEAK, solver="newton-cholesky", max_iter=200)
            scores = model.fit(varied, origin).predict_proba(varied)[:, 1]
            rank = int(np.linalg.matrix_rank(varied - varied.mean(axis=0)))
        return np.asarray(scores, dtype=np.float64), rank


class FittedPropensityDistance(FittedPropensityRatio):
    """`PropensityDistance` of one original."""

    range = (0.0, 100.0)

    def estimate(self, masked: Table) -> Estimate:
        """Return the Kolmogorov-Smirnov distance, times 100."""
        found = self.propensities(masked)
        if found is None:
            return Estimate.exact(0.0)
        from scipy.stats import ks_2samp

        before, after = np.split(np.round(found[0], 12), 2)
        return Estimate.exact(100.0 * float(ks_2samp(before, after, method="asymp").statistic))


def _indicators(levels: Codes, pool: Codes) -> Numbers:
    """Return a column for each level that a pool has, but the first, shape (m, .)."""
    columns: Numbers = (levels[:, None] == np.unique(pool)[None, 1:]).astype(np.float64)
    return columns


_WHERE = "measure classifier-utility"


class ClassifierUtility(WholeFileJudge):
    """Share of what can be learned about an unmasked attribute that the masked file does not teach, times 100."""

    # A classifier (gradient boosting) learns an attribute that was not masked from the masked ones, on half of the
    # records, and predicts it for the other half from their *original* values. With a' its share of right answers, a
    # that of one that learned from the original, and b that of the commonest class: ``100 (a - a') / (a - b)``, the
    # sums taken over the attributes predicted; above 100 the file teaches the opposite, 0 where there is nothing to
    # learn. The interval is the normal one over the records predicted. The `targets` unmasked attributes of at most 20
    # classes that go together most with a masked one (Cramer's V) are taken: a reconstruction.

    sentence = (
        "Of what the masked attributes teach about unmasked ones, a classifier that learned from the masked file "
        "misses {masked} %; {chance} % had the masked records been shuffled."
    )

    class Params(Judge.Params):
        """Predicted attributes, and sizes of training."""

        target: str | None = Field(None, description="Unmasked attribute to predict; default: those best predicted.")
        targets: int = Field(3, ge=1, description="How many are predicted, where none is named.")
        bins: int = Field(10, ge=2, le=250, description="Classes of a numeric attribute.")
        records: int = Field(4000, ge=8, description="Records that teach, and records predicted, at most.")
        rounds: int = Field(20, ge=1, le=1000, description="Rounds of gradient boosting.")

    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the target, where it is named."""
        return (self.params.target,) if self.params.target is not None else ()

    def fit_in(self, microdata: Microdata) -> "FittedClassifierUtility":
        """Choose the predicted attributes, and train on the original."""
        self.require_support(microdata.original)
        microdata.table.schema.require(self.auxiliary_names(), f"{_WHERE}: target")
        if self.params.target in microdata.protect:
            wanted = "an attribute that is not masked"
            raise ParameterError(Fault(f"{_WHERE}: target", f"{self.params.target}, which is masked", wanted))
        if len(microdata.table) < FEWEST:
            raise ParameterError(Fault(_WHERE, f"{len(microdata.table)} records", f"at least {FEWEST}"))
        require_scikit_learn(_WHERE)
        analysis = analysis_of(microdata, self.params.bins)
        if self.params.target is not None:
            targets = [analysis.whole.schema.names.index(self.params.target)]
        else:
            strength = {
                u: max(cramer_v(analysis.codes[:, v], analysis.codes[:, u]) for v in range(analysis.protected))
                for u in range(analysis.protected, analysis.codes.shape[1])
                if 2 <= len(np.unique(analysis.codes[:, u])) <= 20
            }
            targets = sorted(strength, key=lambda u: -strength[u])[: self.params.targets]
        if not targets:
            wanted = "an unmasked attribute of 2 to 20 classes"
            raise ParameterError(Fault(_WHERE, "a file that has none to predict", wanted, "Protect fewer attributes."))
        return FittedClassifierUtility(analysis, targets, self.params)


class FittedClassifierUtility(Estimated):
    """`ClassifierUtility` of one original."""

    def __init__(self, analysis: Analysis, targets: list[int], params: ClassifierUtility.Params) -> None:
        self._analysis = analysis
        self._targets = targets
        self._params = params
        sides = halves(len(analysis.codes), params.seed)
        self._taught, self._queries = (
            sampled(side, params.records, drawn(params.seed, Draw.SAMPLE, turn)) for turn, side in enumerate(sides)
        )
        self._before = [self._right(target, analysis.codes) for target in targets]

    def _right(self, target: int, lessons: Codes) -> NDArray[np.bool_]:
        """Return which test records a learner trained on these attributes predicts correctly."""
        analysis, features = self._analysis, slice(0, self._analysis.protected)
        answers, truth = analysis.codes[self._taught, target], analysis.codes[self._queries, target]
        queries = analysis.codes[self._queries, features]
        seed, rounds = self._params.seed, self._params.rounds
        right: NDArray[np.bool_] = predicted(lessons[self._taught, features], answers, queries, seed, rounds) == truth
        return right

    def estimate(self, masked: Table) -> Estimate:
        """Return the share that is lost with its interval; one classifier for each attribute predicted."""
        published = self._analysis.published(masked)
        lost, possible = np.zeros(len(self._queries)), np.zeros(len(self._queries))
        for target, before in zip(self._targets, self._before, strict=True):
            check_time()
            column = self._analysis.codes[:, target]
            by_chance = column[self._queries] == np.bincount(column[self._taught]).argmax()
            taught = before.astype(np.float64) - by_chance
            if taught.sum() > 0.0:
                lost += before.astype(np.float64) - self._right(target, published)
                possible += taught
        return in_per_cent(mean_of_ratios([(lost, possible)]))
