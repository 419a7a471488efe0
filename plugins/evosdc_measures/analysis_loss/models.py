"""Information loss of analyses: accuracy that a classifier loses, and how little intervals of regressions overlap."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_measures.records import InWholeFile
from evosdc_measures.units import standard_unit, standardised


def dummies(codes: Codes, categories: int, full: bool = False) -> Numbers:
    """Return indicators of an attribute's categories and, last, of a missing value, shape (n, .)."""
    values = [*range(0 if full else 1, categories), MISSING]
    columns: Numbers = (codes[:, None] == np.array(values, dtype=np.int32)[None, :]).astype(np.float64)
    return columns


def matrix_of(table: Table, names: Sequence[str], full: bool = False) -> Numbers:
    """Return the columns of the named attributes side by side: numbers as they are, categories as dummies."""
    parts: list[Numbers] = [np.empty((len(table), 0))]
    for name in names:
        attribute = table.schema[name]
        column = table.column(name)
        if attribute.categorical:
            parts.append(dummies(column.astype(np.int32), len(attribute.categories), full))
        else:
            parts.append(np.asarray(column, dtype=np.float64)[:, None])
    return np.hstack(parts)


def with_protected(microdata: Microdata, needed: Sequence[str]) -> Table:
    """Return the protected attributes followed by the others needed."""
    further = [name for name in needed if name not in microdata.protect]
    return microdata.table.select([*microdata.protect, *further])


def chosen_target(table: Table, name: str | None, categorical: bool, where: str) -> str:
    """Return the attribute that is explained: the named one, or the last of the scale wanted."""
    wanted = "a categorical attribute" if categorical else "a numeric attribute"
    fitting = table.schema.categorical if categorical else table.schema.numeric
    if name is None:
        if not fitting:
            raise ParameterError(Fault(where, f"a file without {wanted[2:]}s", wanted, "Name one of the whole file."))
        name = fitting[-1].name
    table.schema.require([name], where)
    if table.schema[name].categorical is not categorical:
        raise ParameterError(Fault(where, f"{name}, which is {table.schema[name].scale}", wanted))
    if len(table.schema) < 2:
        raise ParameterError(Fault(where, f"{name} alone", "further attributes to explain it by"))
    return name


Learner = Literal["decision-tree", "logistic-regression", "nearest-neighbours"]


class ClassifierLoss(InWholeFile):
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
        self._unit = standard_unit(whole.numbers)
        self._original = self._examples(whole)
        self.accuracy = self._accuracy(whole)

    def score(self, masked: Table) -> float:
        """Return the loss, 0..100; attributes that are not protected stay as they are."""
        if self.accuracy <= 0.0:
            return 0.0
        lost = (self.accuracy - self._accuracy(self._whole.with_columns(masked))) / self.accuracy
        return min(max(100.0 * lost, 0.0), 100.0)

    def _examples(self, table: Table) -> tuple[Numbers, NDArray[np.int64]]:
        standard = Table(table.schema, table.codes, standardised(table.numbers, self._unit))
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


_DEPENDENT = 1e-9  # Relative size below which what a column adds to those before it counts as rounding


_ROUNDING = 1e-12  # Relative size of a residual or of a difference that counts as rounding


class RegressionOverlap(InWholeFile):
    """Mean lack of overlap of the coefficients' confidence intervals, original and masked, times 100.

    For a coefficient with intervals (l, u) and (l', u') the overlap is ``(m - k) / 2 (1 / (u - l) + 1 / (u' - l'))``
    with ``k = max(l, l')`` and ``m = min(u, u')`` (Karr et al., 2006). The score is ``100 (1 - J)`` with J the mean
    overlap of all coefficients, intercept included: range 0..100, smaller is better. That intervals that do not touch
    have overlap 0, not less, and that a coefficient that the masked file cannot estimate has 0, are reconstructions.

    The regression is by ordinary least squares; categorical predictors enter by dummies, a missing value being a
    category, and columns that depend on those before them are left out. Records without a number are left out.
    """

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)

    class Params(Parameters):
        """The regression."""

        response: str | None = Field(
            None, description="numeric attribute, protected or not; default: the last numeric one that is protected"
        )
        predictors: tuple[str, ...] = Field((), description="attributes; default: all other protected ones")
        confidence: float = Field(0.95, gt=0.0, lt=1.0, description="level of the intervals")

    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the response and the predictors that are named."""
        named = (self.params.response,) if self.params.response is not None else ()
        return tuple(dict.fromkeys((*named, *self.params.predictors)))

    def fit_in(self, microdata: Microdata) -> "FittedRegressionOverlap":
        """Regress the original."""
        where = "measure regression-overlap"
        microdata.table.schema.require(self.auxiliary_names(), where)
        whole = with_protected(microdata, self.auxiliary_names())
        response = chosen_target(whole, self.params.response, False, f"{where}: response")
        others = tuple(name for name in microdata.protect if name != response)
        predictors = self.params.predictors or others
        if response in predictors or not predictors:
            given = f"{response} to explain itself" if predictors else "no predictor"
            raise ParameterError(Fault(f"{where}: predictors", given, "other attributes than the response"))
        fitted = FittedRegressionOverlap(whole, response, predictors, self.params.confidence)
        if not fitted.intervals.estimated.any():
            raise ParameterError(
                Fault(where, "too few records for the coefficients", "more complete records", "Name fewer predictors.")
            )
        return fitted


class Intervals:
    """Confidence intervals of a least-squares fit."""

    # Shapes: design (n, p): with the intercept; columns are taken in their order while they are independent; response
    # (n,).

    def __init__(self, design: Numbers, response: Numbers, confidence: float) -> None:
        from scipy.special import stdtrit

        complete = np.isfinite(design).all(axis=1) & np.isfinite(response)
        # In an order of their own, so that sums of them are the same to the last bit whatever the file's order.
        order = np.lexsort([response[complete], *design[complete].T])
        design, response = design[complete][order], response[complete][order]
        n, p = design.shape
        self.low, self.high = np.zeros(p), np.zeros(p)
        self.estimated: NDArray[np.bool_] = _independent(design)
        freedom = n - int(self.estimated.sum())
        if freedom < 1:
            self.estimated[:] = False
            return
        q, r = np.linalg.qr(design[:, self.estimated])
        inverse = np.linalg.inv(r)
        coefficients = inverse @ (q.T @ response)
        residuals = response - design[:, self.estimated] @ coefficients
        variance = float(residuals @ residuals) / freedom
        if variance <= _ROUNDING**2 * float(response @ response):
            variance = 0.0
        half = stdtrit(freedom, 0.5 + confidence / 2.0) * np.sqrt(variance * (inverse**2).sum(axis=1))
        self.low[self.estimated], self.high[self.estimated] = coefficients - half, coefficients + half

    def overlap(self, other: "Intervals") -> Numbers:
        """Return the overlap with another fit's intervals of each coefficient that this one has, each 0..1."""
        low, high = self.low[self.estimated], self.high[self.estimated]
        low_other, high_other = other.low[self.estimated], other.high[self.estimated]
        common = np.minimum(high, high_other) - np.maximum(low, low_other)
        parts = [
            # An interval of no width, of an exact fit, is covered by any interval that holds it.
            np.where(width > 0.0, common / np.where(width > 0.0, width, 1.0), common >= -_ROUNDING * np.abs(low))
            for width in (high - low, high_other - low_other)
        ]
        overlap: Numbers = np.clip((parts[0] + parts[1]) / 2.0, 0.0, 1.0) * other.estimated[self.estimated]
        return overlap


def _independent(design: Numbers) -> NDArray[np.bool_]:
    """Return which columns do not depend on those before them, by Gram-Schmidt with a second pass."""
    kept = np.zeros(design.shape[1], dtype=bool)
    basis, held = np.zeros((min(design.shape), design.shape[0])), 0
    for column, vector in enumerate(design.T):
        size = float(np.linalg.norm(vector))
        for _ in range(2):
            vector = vector - (basis[:held] @ vector) @ basis[:held]
        rest = float(np.linalg.norm(vector))
        if rest > _DEPENDENT * size and held < len(basis):
            kept[column] = True
            basis[held] = vector / rest
            held += 1
    return kept


class FittedRegressionOverlap(Fitted):
    """`RegressionOverlap` of one original."""

    def __init__(self, whole: Table, response: str, predictors: tuple[str, ...], confidence: float) -> None:
        self._whole = whole
        self._response = response
        self._predictors = predictors
        self._confidence = confidence
        self.intervals = self._of(whole)

    def _of(self, table: Table) -> Intervals:
        design = np.column_stack([np.ones(len(table)), matrix_of(table, self._predictors)])
        return Intervals(design, np.asarray(table.column(self._response), dtype=np.float64), self._confidence)

    def score(self, masked: Table) -> float:
        """Return the loss, 0..100; attributes that are not protected stay as they are."""
        overlap = self.intervals.overlap(self._of(self._whole.with_columns(masked)))
        return min(max(100.0 * (1.0 - float(overlap.mean())), 0.0), 100.0)
