"""What analysts estimate of numbers: means, spreads, correlations, regression coefficients."""

import numpy as np

from evosdc.model import Changes, Measure
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
