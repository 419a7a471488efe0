"""Disclosure of numbers by intervals that widen with a record's robust distance from the centre."""

from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.robust_covariance import robust_squared_distances
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table


class RobustInterval(Measure):
    """Records of which a masked number lies near the original one, by robust Mahalanobis distances, times 100.

    RMDID1 and RMDID2 of Templ and Meindl (2008), as sdcMicro's ``dRiskRMD`` carries them out. Both files are
    standardised, each by its own means and deviations. A record's interval in every attribute is its original value
    plus and minus ``k`` times its robust Mahalanobis distance (centre: the means; covariance: minimum covariance
    determinant) times 0.05, the scale that program uses: outliers, who are found more easily, get wider ones. A record
    is unsafe where any of its masked values lies inside (``all_attributes``: where all do). For ``method = "rmdid2"``
    an unsafe record counts only where no other masked record lies within Euclidean distance ``k2`` of its masked one.
    Range 0..100, smaller is better.
    """

    supports = frozenset({Scale.NUMERIC})

    class Params(Parameters):
        """Widths, and which records count."""

        k: float = Field(0.01, gt=0.0, description="Factor of the intervals' widths.")
        k2: float = Field(0.05, ge=0.0, description="Distance within which another masked record protects (rmdid2).")
        method: Literal["rmdid1", "rmdid2"] = Field("rmdid1", description="All unsafe records, or lone ones.")
        all_attributes: bool = Field(False, description="Whether all values have to lie in their intervals.")

    def fit(self, original: Table) -> Fitted:
        """Estimate robust distances of the original.

        Raises
        ------
        ParameterError
            scikit-learn is not installed.
        """
        self.require_support(original)
        return FittedRobustInterval(original, self.params)


class FittedRobustInterval(Fitted):
    """`RobustInterval` of one original."""

    def __init__(self, original: Table, params: RobustInterval.Params) -> None:
        self._params = params
        self._before = _standardised(original.numbers)
        distances = np.sqrt(robust_squared_distances(self._before, self._before.mean(axis=0)))
        self._widths = params.k * 0.05 * distances

    def score(self, masked: Table) -> float:
        """Return the percentage of unsafe records, 0..100."""
        after = _standardised(masked.numbers)
        inside = np.abs(after - self._before) < self._widths[:, None]
        unsafe = inside.all(axis=1) if self._params.all_attributes else inside.any(axis=1)
        if self._params.method == "rmdid2" and unsafe.any():
            unsafe &= _nearest(after) > self._params.k2
        return 100.0 * float(unsafe.mean())


def _standardised(numbers: Numbers) -> Numbers:
    """Return numbers in sample standard deviations from their means; missing ones and constants at the mean."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, numbers, 0.0).sum(axis=0) / counts
    centred = np.where(present, numbers - means, 0.0)
    deviations = np.sqrt((centred**2).sum(axis=0) / np.maximum(counts - 1, 1))
    standardised: Numbers = np.divide(centred, deviations, out=np.zeros_like(centred), where=deviations > 1e-300)
    return standardised


def _nearest(points: Numbers) -> Numbers:
    """Return each point's Euclidean distance to its nearest other, infinite for a single one."""
    if len(points) < 2:
        return np.full(len(points), np.inf)
    from scipy.spatial import cKDTree

    distances: Numbers = cKDTree(points).query(points, k=2)[0][:, 1]
    return distances
