"""Information loss of classification: accuracy that a classifier loses when it learns from the masked file."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure, Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.analysis_loss.clustering import Standardisation
from evosdc_measures.analysis_loss.design import chosen_target, matrix_of, with_protected

Learner = Literal["decision-tree", "logistic-regression", "nearest-neighbours"]


class ClassifierLoss(Measure):
    """Share of a classifier's accuracy that is lost when it learns from the masked file, times 100.

    ``100 (a - a') / a``, cut to 0..100: a is the share of original records that a classifier predicts rightly when it
    learned from other records of the original. For a' it learned from the same other records of the masked file.
    Smaller is better; 0 for the original itself, and for a masked file that teaches better. Accuracies are means over
    the folds of a cross-validation; always the original records are predicted. A usual figure of specific information
    loss; its exact form is a reconstruction.

    Categories enter by indicators, a missing value being one; numbers are standardised by the original, missing ones
    stand at the mean. Records whose class is missing in the original are left out of the test, not of the learning,
    where a missing class is a class. Needs scikit-learn.
    """

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)

    class Params(Parameters):
        """The classification."""

        target: str | None = Field(
            None, description="categorical attribute, protected or not; default: the last categorical one protected"
        )
        classifier: Learner = Field("decision-tree", description="kind of classifier, with scikit-learn's settings")
        folds: int = Field(5, ge=2, le=100, description="parts of the cross-validation")
        seed: int = Field(1, ge=0, lt=2**32, description="of the classifier")

    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the target, where it is named."""
        return (self.params.target,) if self.params.target is not None else ()

    def fit(self, original: Table) -> "FittedClassifierLoss":
        """Learn from the original, whose attributes are all protected."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> "FittedClassifierLoss":
        """Learn from the original."""
        where = "measure classifier-accuracy"
        microdata.table.schema.require(self.auxiliary_names(), f"{where}: target")
        whole = with_protected(microdata, self.auxiliary_names())
        target = chosen_target(whole, self.params.target, True, f"{where}: target")
        if len(whole) < self.params.folds:
            raise ParameterError(Fault(f"{where}: folds", str(self.params.folds), f"at most the {len(whole)} records"))
        return FittedClassifierLoss(whole, target, self.params, _learner(self.params))


def _learner(params: ClassifierLoss.Params) -> Callable[[], Any]:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.tree import DecisionTreeClassifier
    except ModuleNotFoundError:
        advice = "Install it: pip install scikit-learn threadpoolctl."
        raise ParameterError(
            Fault("measure classifier-accuracy", "an environment without scikit-learn", "scikit-learn", advice)
        ) from None
    makers: dict[str, Callable[[], Any]] = {
        "decision-tree": lambda: DecisionTreeClassifier(min_samples_leaf=5, random_state=params.seed),
        "logistic-regression": lambda: LogisticRegression(max_iter=1000, random_state=params.seed),
        "nearest-neighbours": lambda: KNeighborsClassifier(),
    }
    return makers[params.classifier]


class FittedClassifierLoss(Fitted):
    """`ClassifierLoss` of one original."""

    def __init__(self, whole: Table, target: str, params: ClassifierLoss.Params, make: Callable[[], Any]) -> None:
        self._whole = whole
        self._target = target
        self._features = tuple(name for name in whole.schema.names if name != target)
        self._folds = params.folds
        self._make = make
        self._standardisation = Standardisation.of(whole)
        self._original = self._examples(whole)
        self.accuracy = self._accuracy(whole)

    def score(self, masked: Table) -> float:
        """Return the loss, 0..100; attributes that are not protected stay as they are."""
        if self.accuracy <= 0.0:
            return 0.0
        lost = (self.accuracy - self._accuracy(self._whole.with_columns(masked))) / self.accuracy
        return min(max(100.0 * lost, 0.0), 100.0)

    def _examples(self, table: Table) -> tuple[Numbers, NDArray[np.int64]]:
        standard = Table(table.schema, table.codes, self._standardisation.points(table))
        return matrix_of(standard, self._features, full=True), table.column(self._target).astype(np.int64)

    def _accuracy(self, taught: Table) -> float:
        """Return the share of original records that are predicted rightly by what the others in `taught` teach."""
        features, classes = self._original
        lessons, answers = self._examples(taught)
        # Folds and lessons follow the records' values, class first, so that the order of records is of no account.
        keys = [*lessons.T[::-1], answers, *features.T[::-1], classes]
        order = np.lexsort(keys)
        features, classes, lessons, answers = features[order], classes[order], lessons[order], answers[order]
        fold = np.arange(len(classes)) % self._folds
        right = tested = 0
        for part in range(self._folds):
            held_out = (fold == part) & (classes >= 0)
            learned = fold != part
            predicted = self._predicted(lessons[learned], answers[learned], features[held_out])
            right += int((predicted == classes[held_out]).sum())
            tested += int(held_out.sum())
        return right / tested if tested else 0.0

    def _predicted(self, lessons: Numbers, answers: NDArray[np.int64], held_out: Numbers) -> NDArray[np.int64]:
        if not len(held_out):
            return np.empty(0, dtype=np.int64)
        if len(np.unique(answers)) == 1:
            return np.full(len(held_out), answers[0])
        learner = self._make()
        if hasattr(learner, "n_neighbors"):
            learner.set_params(n_neighbors=min(learner.n_neighbors, len(lessons)))
        predicted: NDArray[np.int64] = np.asarray(learner.fit(lessons, answers).predict(held_out), dtype=np.int64)
        return predicted
