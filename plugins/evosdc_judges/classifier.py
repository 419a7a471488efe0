"""What a classifier that learned from the published file makes of real people."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.analysis import Analysis, WholeFileJudge, analysis_of, cramer_v
from evosdc_judges.classes import Codes
from evosdc_judges.intervals import in_per_cent, mean_of_ratios
from evosdc_judges.learned import predicted, require_scikit_learn
from evosdc_judges.people import FEWEST, Draw, drawn, halves, sampled

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
