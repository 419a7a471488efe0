import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from evosdc.errors import ParameterError
from evosdc.randomisation.transition import neighbour_weights, preference_matrix

T = np.array([50, 30, 15, 5])


def test_neighbours_are_preferred_to_staying():
    np.testing.assert_array_equal(neighbour_weights(4), [[2, 1, 3, 4], [2, 2, 1, 3], [3, 2, 2, 1], [4, 3, 1, 2]])
    np.testing.assert_array_equal(neighbour_weights(1), [[1]])


def test_matrix_of_preferred_neighbours():
    wanted = [[0.6, 0.4, 0, 0], [2 / 3, 0, 1 / 3, 0], [0, 2 / 3, 0, 1 / 3], [0, 0, 1, 0]]
    np.testing.assert_allclose(preference_matrix(T, neighbour_weights(4)), wanted, atol=1e-15)


def test_least_weight_on_the_diagonal_protects_nothing_unless_it_is_bounded():
    codes = np.arange(4)
    weights = np.abs(codes[:, None] - codes[None, :]) + 1.0
    np.testing.assert_array_equal(preference_matrix(T, weights), np.identity(4))
    bounded = preference_matrix(T, weights, most=0.8)
    assert (np.diagonal(bounded) <= 0.8).all()
    np.testing.assert_allclose(T @ bounded, T, rtol=0, atol=1e-12)


@given(
    st.lists(st.integers(0, 200), min_size=1, max_size=20),
    st.floats(0, 0.5),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_matrices_are_invariant_and_within_bounds(counts, least, by_record, seed):
    frequencies = np.array(counts)
    weights = np.random.default_rng(seed).integers(1, 9, (len(counts), len(counts))).astype(float)
    matrix = preference_matrix(frequencies, weights, least=least, by_record=by_record)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(frequencies @ matrix, frequencies, rtol=1e-13, atol=1e-12)
    assert (np.diagonal(matrix) >= least - 1e-9).all()


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.floats(0, 0.9), st.booleans(), st.integers(0, 2**32))
def test_no_matrix_within_the_bounds_has_less_weight(counts, least, by_record, seed):
    T, n = np.array(counts), len(counts)
    weights = np.random.default_rng(seed).integers(1, 9, (n, n)).astype(float)
    costs = weights * T[:, None] if by_record else weights
    rows = np.kron(np.eye(n), np.ones(n))
    kept = np.kron(T, np.eye(n))
    bounds = [(least if i == j else 0.0, 1.0) for i in range(n) for j in range(n)]
    slow = linprog(costs.ravel(), A_eq=np.vstack([rows, kept]), b_eq=[*np.ones(n), *T], bounds=bounds)
    found = preference_matrix(T, weights, least=least, by_record=by_record)
    assert (costs * found).sum() == pytest.approx(slow.fun, rel=1e-6)


def test_a_bound_between_whole_records_is_reached():
    found = preference_matrix(np.array([3, 3]), neighbour_weights(2), least=0.4, most=0.5)
    np.testing.assert_allclose(found, [[0.4, 0.6], [0.6, 0.4]], atol=1e-12)


def test_bounds_that_no_matrix_meets_are_refused():
    with pytest.raises(ParameterError, match=r"diagonal between 0\.0 and 0\.1"):
        preference_matrix(np.array([90, 5, 5]), neighbour_weights(3), most=0.1)
