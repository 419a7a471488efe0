"""Information loss of linear regression: how little the confidence intervals of its coefficients overlap."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure, Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.analysis_loss.design import chosen_target, matrix_of, with_protected

_DEPENDENT = 1e-9  # Relative size below which what a column adds to those before it counts as rounding


_ROUNDING = 1e-12  # Relative size of a residual or of a difference that counts as rounding


class RegressionOverlap(Measure):
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

    def fit(self, original: Table) -> "FittedRegressionOverlap":
        """Regress the original, whose attributes are all protected."""
        return self.fit_in(Microdata(original, original.schema.names))

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
