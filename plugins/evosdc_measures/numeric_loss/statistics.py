"""Losses of what analysts estimate of numbers: means, spreads, correlations, regression coefficients, eigenvalues."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.model import Changes, Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.robust_covariance import robust_covariance
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.numeric_loss.moments import Moments, Standard, TrackedMoments, correlations_of, moments_of
from evosdc_measures.records import Tracked

RIDGE = 1e-3  # on the diagonal of correlation matrices, so that dependent columns have coefficients


class EstimatesLoss(Measure):
    """Mean shift of means, standard deviations, correlations and regression coefficients, times 100.

    A mean shifts in units of the original's standard deviation, a standard deviation by the logarithm of its ratio, a
    correlation by half of its difference. Coefficients are those of each attribute on all others, standardised,
    ``-P_jk / P_jj`` with P the inverse of the correlation matrix, which has a ridge of 0.001. Each shift counts 1 at
    most; a part is the mean over attributes or pairs, and the score the mean of the parts. Range 0..100, smaller is
    better; 0 if nothing is changed. Unlike `apil` it does not say whether a sample of that size could shift so
    far, and so it still has a direction where every estimate is beyond that. Attributes that are constant in the
    original are skipped, and a file of one attribute has two parts. Missing values are left out, by pairs.

    After the discrepancies of Domingo-Ferrer and Torra (2001) and of regressions, Karr et al. (2006); units, limits and
    the ridge are reconstructions.
    """

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedEstimates":
        """Take the estimates of the original."""
        self.require_support(original)
        return FittedEstimates(original.numbers)


class FittedEstimates(Tracked):
    """`EstimatesLoss` of one original, shape (n, p)."""

    def __init__(self, original: Numbers) -> None:
        self.standard = Standard(original)
        self._first, self._second = np.triu_indices(len(self.standard.judged), 1)
        self._off = ~np.eye(len(self.standard.judged), dtype=np.bool_)
        self._correlations, self._coefficients = self._associations(moments_of(self.standard(original)))

    def track(self, masked: Table) -> "EstimatesTracker":
        """Return a tracker; a child costs O(q**2) for each changed record, and an inverse."""
        return EstimatesTracker(self, masked)

    def _associations(self, moments: Moments) -> tuple[Numbers, Numbers]:
        """Return correlations, shape (..., pairs), and coefficients, shape (..., q (q - 1)), of one table or more."""
        spreads = np.diagonal(moments.covariances, axis1=-2, axis2=-1)
        whole = correlations_of(moments.covariances, spreads[..., :, None], spreads[..., None, :])
        inverse = np.linalg.inv(np.where(self._off, whole, 1.0 + RIDGE))
        coefficients = -inverse / np.diagonal(inverse, axis1=-2, axis2=-1)[..., :, None]
        return whole[..., self._first, self._second], coefficients[..., self._off]

    def scores_of(self, moments: Moments) -> Numbers:
        """Return the scores of one table or of several, shape (...,)."""
        deviations = np.sqrt(np.diagonal(moments.covariances, axis1=-2, axis2=-1))
        if not deviations.shape[-1]:
            return np.zeros(deviations.shape[:-1])
        # Values stand in units of the original's standard deviations, from its means.
        parts = [moments.means, np.log(np.maximum(deviations, 1e-12))]
        if len(self._first):
            correlations, coefficients = self._associations(moments)
            parts += [(correlations - self._correlations) / 2.0, coefficients - self._coefficients]
        shifts = [np.minimum(np.abs(part), 1.0).mean(axis=-1) for part in parts]
        scores: Numbers = 100.0 * np.sum(shifts, axis=0) / len(shifts)
        return scores


class EstimatesTracker(TrackedMoments):
    """The tracker of a `FittedEstimates`."""

    def __init__(self, fitted: FittedEstimates, masked: Table) -> None:
        super().__init__(fitted.standard, masked)
        self._fitted = fitted

    @property
    def score(self) -> float:
        """The mean of the parts."""
        return float(self._fitted.scores_of(self.moments))

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children, whose moments follow from what they change."""
        return self._fitted.scores_of(self.moments_of(changes))


Error = Literal["variation", "mse", "mae"]
Part = Literal["data", "means", "variances", "covariances", "correlations"]
AVERAGED: tuple[Part, ...] = (
    "data",
    "means",
    "variances",
    "covariances",
    "correlations",
)  # the parts of the overall figure
NOTHING = 1e-12  # A statistic that is smaller, in units of its scale, is 0 but for rounding


def differences(original: Numbers, masked: Numbers, error: Error) -> Numbers:
    """Return ``|a - b| / |a|``, ``(a - b)**2`` or ``|a - b|`` of each entry; 0 where it would be divided by 0."""
    apart = np.abs(original - masked)
    if error == "variation":
        return np.divide(apart, np.abs(original), out=np.zeros_like(apart), where=original != 0.0)
    return apart**2 if error == "mse" else apart


def entries_of(original: Numbers, error: Error) -> int:
    """Return the number of entries that are averaged over: of relative differences, those that are not 0."""
    return int(np.count_nonzero(original)) if error == "variation" else original.size


class DataDiscrepancy(Measure):
    """How far the masked values are from the original ones, averaged over records and attributes; unbounded, >= 0.

    ``error = "variation"``, the default: relative differences ``|a - b| / |a|``; entries that are 0 in the original, of
    statistics but for rounding, are skipped, and the figure blows up for entries near 0. ``"mse"``: mean squared,
    ``"mae"``: mean absolute error, in the units of the entries. Published as IL1 to IL5 under two numberings that
    contradict each other, so here they are named by content (Domingo-Ferrer and Torra, 2001; handbook chapter). Smaller
    is better; 0 if nothing is changed. For bounded figures that are combined with others see ``mean-variation``,
    ``il1s`` and ``apil``.

    Means, variances and covariances are divided by the number of values. Attributes that are constant in the original
    are skipped. Missing values are left out of statistics, by pairs for covariances and correlations, and a statistic
    without any value is 0; as a value of its own a missing one is at the attribute's original mean.
    """

    class Params(Parameters):
        """What is averaged."""

        error: Error = Field("variation", description="Relative, squared or absolute differences.")

    supports = frozenset({Scale.NUMERIC})
    partial = True
    content: ClassVar[str] = "data"  # Whose discrepancy it is: ``data`` or one of `statistic_of`

    def fit(self, original: Table) -> "FittedDiscrepancy":
        """Take the statistic of the original."""
        self.require_support(original)
        return FittedDiscrepancy(original, (self.content,), self.params.error)


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
        """The parts and their limit."""

        bounded: bool = Field(True, description="Whether each part counts at most 1; if not, there is no upper bound.")
        parts: tuple[Part, ...] = Field(AVERAGED, min_length=1, description="What is averaged.")

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedDiscrepancy":
        """Take the five statistics of the original."""
        self.require_support(original)
        return FittedDiscrepancy(
            original, self.params.parts, "variation", 1.0 if self.params.bounded else np.inf, 100.0
        )


class FittedDiscrepancy(Fitted):
    """Mean discrepancy of some contents of one original."""

    def __init__(
        self, original: Table, contents: tuple[str, ...], error: Error, most: float = np.inf, factor: float = 1.0
    ) -> None:
        self.contents, self.standard = contents, Standard(original.numbers)
        self._error, self._most, self._factor = error, most, factor
        moments = moments_of(self.standard(original.numbers))
        self._wanted = {name: self._wanted_of(name, moments) for name in contents if name != "data"}
        self._values = self._filled(original)

    def score(self, masked: Table) -> float:
        """Return the mean of the discrepancies, >= 0."""
        return float(np.mean(list(self.breakdown(masked).values())))

    def breakdown(self, masked: Table) -> dict[str, float]:
        """Return the discrepancies by content, each limited and scaled as the score is."""
        moments, parts = moments_of(self.standard.of_table(masked)), {}
        for name in self.contents:
            wanted, found = self._values, self._filled(masked)
            if name != "data":
                wanted, found = self._wanted[name], self.statistic_of(name, moments)
            apart = differences(wanted, found, self._error).sum() / max(entries_of(wanted, self._error), 1)
            parts[name] = self._factor * min(float(apart), self._most)
        return parts

    def _filled(self, table: Table) -> Numbers:
        """Return the judged attributes, missing values at the original's mean."""
        numbers = table.numbers[:, self.standard.judged]
        return np.where(np.isnan(numbers), self.standard.means, numbers)

    def statistic_of(self, name: str, moments: Moments) -> Numbers:
        """Return the entries of a statistic of a table, shape (entries,)."""
        counts, means, covariances = moments
        deviations = self.standard.deviations
        variances = np.diag(covariances)
        if name == "means":
            return np.where(np.diag(counts) > 0, self.standard.means + deviations * means, 0.0)
        if name == "variances":
            return np.asarray(variances * deviations**2)
        if name == "eigenvalues":
            found = np.linalg.eigvalsh(covariances)[::-1]
            # Attributes that depend on each other leave eigenvalues that are zero but for rounding.
            return np.where(found > 1e-9 * found.max(initial=0.0), found, 0.0)
        first, second = np.triu_indices(len(deviations), 1 if name == "correlations" else 0)
        entries = covariances[first, second]
        if name == "correlations":
            return correlations_of(entries, variances[first], variances[second])
        return np.asarray(entries * (deviations[first] * deviations[second]))

    def _wanted_of(self, name: str, moments: Moments) -> Numbers:
        """Return the entries of the original, exactly 0 where they are that but for rounding."""
        deviations, wanted = self.standard.deviations, self.statistic_of(name, moments)
        first, second = np.triu_indices(len(deviations))
        scales = {"means": deviations, "covariances": deviations[first] * deviations[second]}
        if name == "correlations":
            scales[name] = np.ones(len(wanted))
        return np.where(np.abs(wanted) > NOTHING * scales.get(name, np.zeros(len(wanted))), wanted, 0.0)


class RobustEigenvaluesDiscrepancy(Measure):
    """As `DataDiscrepancy`, of the eigenvalues of robust covariances, in descending order (Templ and Meindl 2008).

    Covariances are minimum covariance determinants, which outliers do not draw; both matrices are divided by the
    original's robust standard deviations, so that no attribute decides by its unit alone (reconstruction). Missing
    values are at the original's mean; attributes that are constant in the original are skipped. Unbounded, smaller is
    better; 0 if nothing is changed. Needs scikit-learn.
    """

    class Params(Parameters):
        """What is averaged."""

        error: Error = Field("variation", description="Relative, squared or absolute differences.")

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedRobustEigenvalues":
        """Take the eigenvalues of the original."""
        self.require_support(original)
        return FittedRobustEigenvalues(original, self.params.error)


class FittedRobustEigenvalues(Fitted):
    """`RobustEigenvaluesDiscrepancy` of one original."""

    def __init__(self, original: Table, error: Error) -> None:
        numbers, self._error = original.numbers, error
        present = ~np.isnan(numbers)
        self._means = np.where(present, numbers, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
        filled = self._filled(numbers)
        self._judged = np.ptp(filled, axis=0) > 0.0
        covariance = robust_covariance(filled[:, self._judged])[1]
        spread = np.diag(covariance)
        usual = filled[:, self._judged].var(axis=0)
        self._scale = np.sqrt(np.where(spread > 0.0, spread, usual))
        self._wanted = self._eigenvalues(covariance)

    def _filled(self, numbers: Numbers) -> Numbers:
        return np.where(np.isnan(numbers), self._means, numbers)

    def _eigenvalues(self, covariance: Numbers) -> Numbers:
        if not len(covariance):
            return np.zeros(0)
        found = np.linalg.eigvalsh(covariance / np.outer(self._scale, self._scale))[::-1]
        return np.asarray(np.where(found > 1e-9 * max(found.max(), 1e-300), found, 0.0))

    def score(self, masked: Table) -> float:
        """Return the mean discrepancy of the eigenvalues, >= 0."""
        entries = entries_of(self._wanted, self._error)
        if not entries:
            return 0.0
        found = self._eigenvalues(robust_covariance(self._filled(masked.numbers)[:, self._judged])[1])
        return float(differences(self._wanted, found, self._error).sum()) / entries


class CorrelationLoss(Measure):
    """Distance between the diagonals of the inverse correlation matrices, times 100 (Mlodak 2020).

    Entry j of a diagonal is ``1 / (1 - R_j**2)``, R_j the multiple correlation of attribute j with all others. Both
    diagonals are divided by their lengths, and the score is ``100 / sqrt(2)`` times the distance between them: range
    0..100, smaller is better, 0 if nothing is changed. Records with a missing value are left out, and attributes that
    are constant in the original. Where a matrix has no inverse its Moore-Penrose inverse is taken, and an attribute
    that is constant in the masked file is uncorrelated: reconstructions.
    """

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedCorrelationLoss":
        """Take the diagonal of the original."""
        self.require_support(original)
        return FittedCorrelationLoss(original)


class FittedCorrelationLoss(Fitted):
    """`CorrelationLoss` of one original."""

    def __init__(self, original: Table) -> None:
        numbers = original.numbers
        low = np.where(np.isnan(numbers), np.inf, numbers).min(axis=0)
        self._judged = np.where(np.isnan(numbers), -np.inf, numbers).max(axis=0) > low
        self._diagonal = _direction(numbers[:, self._judged])

    def score(self, masked: Table) -> float:
        """Return the distance, 0..100."""
        apart = self._diagonal - _direction(masked.numbers[:, self._judged])
        return min(100.0 * float(np.sqrt((apart**2).sum() / 2.0)), 100.0)


def _direction(numbers: Numbers) -> Numbers:
    """Return the diagonal of the inverse correlation matrix as a vector of length 1; zeros without attributes."""
    complete = numbers[~np.isnan(numbers).any(axis=1)]
    columns = numbers.shape[1]
    if columns == 0:
        return np.zeros(0)
    matrix = np.eye(columns)
    if len(complete) > 1:
        # deviations of standardised values, added up in an order of their own
        centred = complete - np.sort(complete, axis=0).mean(axis=0)
        scale = np.sqrt(np.sort(centred**2, axis=0).sum(axis=0))
        varying = np.ptp(complete, axis=0) > 0.0
        unit = np.divide(centred, scale, out=np.zeros_like(centred), where=varying & (scale > 0.0))
        order = np.lexsort(complete.T[::-1])
        matrix = unit[order].T @ unit[order]
        np.fill_diagonal(matrix, 1.0)
    diagonal = np.diag(np.linalg.pinv(matrix, rcond=1e-9, hermitian=True))
    direction: Numbers = diagonal / np.linalg.norm(diagonal)
    return direction
