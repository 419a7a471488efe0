import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.randomisation.invariance import diluted, marginal_shift, retained, two_stage, with_retained
from evosdc.randomisation.transition import design_a, design_b

T = np.array([50, 30, 15, 5])


def reference(P, T):
    """R = P Q by its definition, category by category."""
    size = len(T)
    published = [sum(T[k] * P[k, to] for k in range(size)) for to in range(size)]
    Q = np.array([[P[k, to] * T[k] / published[to] for k in range(size)] for to in range(size)])
    return P @ Q


def test_two_stage_equals_its_definition():
    P = design_a(T, 0.5)
    np.testing.assert_allclose(two_stage(P, T), reference(P, T), rtol=0, atol=1e-14)


def test_design_a_is_not_invariant_and_its_two_stage_form_is():
    P = design_a(T, 0.5)
    np.testing.assert_allclose(T @ P, [29.28, 23.28, 23.20, 24.24], atol=0.005)
    assert marginal_shift(P, T) == pytest.approx((20.72 + 6.72) / 100, abs=1e-4)
    assert marginal_shift(two_stage(P, T), T) < 1e-15


frequencies = st.lists(st.integers(0, 400), min_size=1, max_size=50).map(lambda T: np.array(T, dtype=np.int64))


@st.composite
def cases(draw):
    counts = draw(frequencies)
    size = counts.size
    raw = draw(arrays(np.float64, (size, size), elements=st.sampled_from([0.0, 0.0, 0.01, 0.5, 1.0, 7.0])))
    raw[np.diag_indices(size)] += raw.sum(axis=1) == 0
    return raw / raw.sum(axis=1, keepdims=True), counts


@given(cases())
def test_two_stage_is_stochastic_invariant_and_reversible(case):
    P, counts = case
    R = two_stage(P, counts)
    assert ((R >= 0) & (R <= 1 + 1e-15)).all()
    np.testing.assert_allclose(R.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(counts @ R, counts, rtol=1e-12, atol=1e-12)
    flow = counts[:, None] * R
    np.testing.assert_allclose(flow, flow.T, rtol=1e-12, atol=1e-9)
    absent = counts == 0
    assert (R[np.ix_(~absent, absent)] == 0).all()
    assert (np.diagonal(R)[absent] == 1).all()


@given(cases(), st.floats(0, 1))
def test_dilution_meets_the_share_where_the_diagonal_allows(case, share):
    P, counts = case
    R = two_stage(P, counts)
    D = with_retained(R, counts, share)
    assert (D >= -1e-15).all()
    np.testing.assert_allclose(D.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    if retained(R, counts) < 1 - 1e-9:
        met = retained(D, counts) == pytest.approx(share, abs=1e-9)
        assert met or (retained(D, counts) > share and np.diagonal(D).min() < 1e-12)
    np.testing.assert_allclose(counts @ D, counts, rtol=1e-12, atol=1e-9)


def test_dilution_and_shift_of_simple_matrices():
    P = design_b(T, 1.0)
    np.testing.assert_array_equal(diluted(P, 0.0), np.identity(4))
    np.testing.assert_array_equal(diluted(P, 1.0), P)
    assert retained(np.identity(4), T) == 1.0
    assert retained(P, T) == pytest.approx(1 - 4 * 5 / 100)
    assert marginal_shift(P, T) < 1e-15
    assert marginal_shift(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([3, 1])) == 0.75
    assert retained(np.zeros((0, 0)), np.zeros(0, dtype=np.int64)) == 1.0
