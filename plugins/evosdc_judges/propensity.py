"""Whether a model can tell the published file from the original: the propensity score mean squared error."""

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_judges.analysis import Analysis, WholeFileJudge, analysis_of, cramer_v
from evosdc_judges.classes import Codes
from evosdc_judges.learned import one_thread, require_scikit_learn
from evosdc_judges.people import Draw, drawn, sampled

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
