"""Robust covariances are scikit-learn's, to the last bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.robust_covariance import _minimum_covariance_determinant


@given(seed=st.integers(0, 10**6), n=st.integers(6, 80), columns=st.integers(1, 4), outliers=st.integers(0, 3))
def test_they_are_those_of_scikit_learn(seed, n, columns, outliers):
    covariance = pytest.importorskip("sklearn.covariance", reason="scikit-learn is not installed")
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, columns)).round(1)
    numbers[:outliers] += 50.0
    found = []
    for kind in (covariance.MinCovDet, _minimum_covariance_determinant()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fitted = kind(random_state=0).fit(numbers)
            except ValueError as error:
                found.append(str(error))
            else:
                found.append((fitted.location_.tobytes(), fitted.covariance_.tobytes()))
    assert found[0] == found[1]
