"""Robust covariances, which outliers do not draw: the minimum covariance determinant."""

import warnings

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.table.table import Numbers


def robust_covariance(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return centre (Q,) and covariance (Q, Q) by the minimum covariance determinant (Rousseeuw 1984)."""
    # FastMCD (Rousseeuw and Van Driessen 1999); the usual covariance where too few records differ for it.
    n, columns = numbers.shape
    varying = np.ptp(numbers, axis=0) > 0.0 if n else np.zeros(columns, dtype=np.bool_)
    centre, covariance = numbers.mean(axis=0), np.zeros((columns, columns))
    if n < 2 or not varying.any():
        return centre, covariance
    # in an order of their own, so that random starts fall on the same records whatever the order of the file
    part = numbers[np.lexsort(numbers.T[::-1])][:, varying]
    scale = part.std(axis=0)
    usual = np.atleast_2d(np.cov(part, rowvar=False))
    found_centre, found = part.mean(axis=0), usual
    if n > 2 * part.shape[1] + 1 and np.linalg.matrix_rank(usual / np.outer(scale, scale)) == part.shape[1]:
        try:
            from sklearn import config_context
            from sklearn.covariance import MinCovDet
        except ModuleNotFoundError:
            advice = "Install it: pip install scikit-learn threadpoolctl."
            fault = Fault("robust covariance", "an environment without scikit-learn", "scikit-learn", advice)
            raise ParameterError(fault) from None
        determinant = MinCovDet(random_state=0)
        try:
            # Hundreds of covariances are taken, of numbers that are known to be finite.
            with warnings.catch_warnings(), config_context(assume_finite=True, skip_parameter_validation=True):
                warnings.simplefilter("ignore")  # of nearly singular halves, for which the usual covariance is taken
                determinant.fit(part / scale)
        except ValueError:
            determinant = None
        if determinant is not None and np.linalg.matrix_rank(determinant.covariance_) == part.shape[1]:
            found_centre, found = determinant.location_ * scale, determinant.covariance_ * np.outer(scale, scale)
    centre[varying] = found_centre
    covariance[np.ix_(varying, varying)] = found
    return centre, covariance
