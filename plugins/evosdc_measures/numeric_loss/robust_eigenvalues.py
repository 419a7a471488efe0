"""Discrepancy of the eigenvalues of robust covariance matrices."""

import numpy as np
from pydantic import Field

from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.robust_covariance import robust_covariance
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.numeric_loss.discrepancy import Error, differences, entries_of


class RobustEigenvaluesDiscrepancy(Measure):
    """As `DataDiscrepancy`, of the eigenvalues of robust covariances, in descending order (Templ and Meindl 2008).

    Covariances are minimum covariance determinants, which outliers do not draw; both matrices are divided by the
    original's robust standard deviations, so that no attribute decides by its unit alone (reconstruction). Missing
    values stand at the original's mean; attributes that are constant in the original are skipped. Unbounded, smaller is
    better; 0 if nothing is changed. Needs scikit-learn.
    """

    class Params(Parameters):
        """What is averaged."""

        error: Error = Field("variation", description="Relative, squared or absolute differences.")

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedRobustEigenvalues":
        """Take the eigenvalues of the original.

        Raises
        ------
        ParameterError
            scikit-learn is not installed.
        """
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
