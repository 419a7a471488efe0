from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.randomisation.transition import cumulative, design_a, design_b
from tests.plugins.masking import references

frequencies = st.lists(st.integers(0, 50), min_size=1, max_size=12)
shares = st.integers(0, 20).map(lambda i: Fraction(i, 20))


def test_design_a_flattens_the_marginal_as_in_the_worked_example() -> None:
    T = np.array([50, 30, 15, 5])
    np.testing.assert_allclose(T @ design_a(T, 0.5), [29.28, 23.28, 23.20, 24.24], atol=0.005)


def test_design_b_of_the_worked_example() -> None:
    T = np.array([50, 30, 15, 5])
    matrix = design_b(T, 0.6)
    np.testing.assert_allclose(matrix.diagonal(), [0.94, 0.9, 0.8, 0.4])
    np.testing.assert_allclose(matrix[3], [0.2, 0.2, 0.2, 0.4])


@given(frequencies, shares)
def test_design_a_is_the_definition(T: list[int], p: Fraction) -> None:
    exact = np.array(references.matrix_a(T, p), dtype=float)
    np.testing.assert_allclose(design_a(np.array(T), float(p)), exact, atol=1e-14)


@given(frequencies, shares)
def test_design_b_is_the_definition(T: list[int], theta: Fraction) -> None:
    exact = np.array(references.matrix_b(T, theta), dtype=float)
    np.testing.assert_allclose(design_b(np.array(T), float(theta)), exact, atol=1e-14)


@given(frequencies, shares)
@pytest.mark.parametrize("design", [design_a, design_b])
def test_matrices_are_stochastic_and_shun_absent_categories(design, T: list[int], share: Fraction) -> None:
    counts = np.array(T)
    matrix = design(counts, float(share))
    assert (matrix >= 0).all()
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-12)
    absent = counts == 0
    np.testing.assert_array_equal(matrix[absent], np.identity(len(T))[absent])
    np.testing.assert_array_equal(matrix[np.ix_(~absent, absent)], 0)


@given(frequencies, shares)
def test_design_b_is_invariant(T: list[int], theta: Fraction) -> None:
    counts = np.array(T)
    np.testing.assert_allclose(counts @ design_b(counts, float(theta)), counts, rtol=0, atol=1e-12 * max(sum(T), 1))


@given(frequencies)
def test_no_perturbation_is_the_identity(T: list[int]) -> None:
    np.testing.assert_array_equal(design_a(np.array(T), 1.0), np.identity(len(T)))
    np.testing.assert_array_equal(design_b(np.array(T), 0.0), np.identity(len(T)))


@pytest.mark.parametrize(("design", "share"), [(design_a, 0.0), (design_b, 1.0)])
def test_one_occurring_category_is_always_kept(design, share: float) -> None:
    np.testing.assert_array_equal(design(np.array([0, 7, 0]), share), np.identity(3))


def test_two_categories_exchange_what_they_do_not_keep() -> None:
    np.testing.assert_allclose(design_a(np.array([3, 0, 9]), 0.25)[[0, 2]], [[0.25, 0, 0.75], [0.75, 0, 0.25]])


@given(frequencies, shares)
def test_cumulative_sums_end_at_one_on_a_category_that_can_be_drawn(T: list[int], p: Fraction) -> None:
    matrix = design_a(np.array(T), float(p))
    sums = cumulative(matrix)
    last = np.argmax(sums == 1.0, axis=1)
    assert (sums[:, -1] == 1.0).all()
    assert (matrix[np.arange(len(T)), last] > 0).all()
    assert (np.diff(sums, axis=1) >= 0).all()
