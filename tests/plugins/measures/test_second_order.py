"""Estimates that accelerated steps creep to: second derivatives against differences, and where they end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_measures.linkage import second_order
from evosdc_measures.linkage.fellegi_sunter import estimate
from evosdc_measures.linkage.known_share import CLAMP, CONVERGED
from evosdc_measures.linkage.second_order import settle
from tests.plugins.measures.test_fellegi_sunter import log_likelihood, plain_steps


def nearly_independent(seed, n, attributes):
    """Pairs of a file in which attributes hardly go together, so that matches can hardly be told."""
    rng = np.random.default_rng(seed)
    agree = rng.uniform(0.05, 0.5, attributes)
    agrees = np.arange(1 << attributes)[:, None] >> np.arange(attributes) & 1 == 1
    chances = np.where(agrees, agree, 1 - agree).prod(axis=1) * rng.uniform(0.999, 1.001, 1 << attributes)
    return rng.multinomial(n * n, chances / chances.sum()).astype(np.int64)


def moved(counts, m, u, share):
    return max(
        np.abs(after - before).max() for after, before in zip(plain_steps(counts, m, u, share, 1), (m, u), strict=True)
    )


@given(seed=st.integers(0, 2**32 - 1), attributes=st.integers(1, 4))
def test_derivatives_are_those_of_the_likelihood(seed, attributes):
    rng = np.random.default_rng(seed)
    size, numbers = 2 * attributes, rng.integers(0, 50, 1 << attributes) + 0.0
    theta, share = rng.uniform(0.2, 0.8, size), rng.uniform(0.1, 0.9)
    numbers[0] += 1.0
    gradient, metric, curvature = np.empty(size), np.empty(size), np.empty((size, size))
    chances = np.empty((2, len(numbers)))
    second_order._chances(theta, share, *chances)
    second_order._derive(numbers, *chances, theta, CLAMP, gradient, metric, curvature)

    def likelihood(at):
        return log_likelihood(numbers, at[:attributes], at[attributes:], share)

    root, step = np.sqrt(metric), 1e-4 * np.eye(size)
    for i in range(size):
        slope = (likelihood(theta + step[i]) - likelihood(theta - step[i])) / 2e-4
        assert gradient[i] * root[i] == pytest.approx(slope, abs=1e-4 * numbers.sum())
        for j in range(i + 1):
            corners = [likelihood(theta + a * step[i] + b * step[j]) * a * b for a in (-1, 1) for b in (-1, 1)]
            bend = -sum(corners) / 4e-8
            assert curvature[i, j] * root[i] * root[j] == pytest.approx(bend, abs=1e-3 * numbers.sum())


@pytest.mark.parametrize("attributes", [3, 5, 6])
@pytest.mark.parametrize("seed", range(4))
def test_estimates_come_to_an_end_where_steps_creep(seed, attributes):
    n = 100_000
    counts = nearly_independent(seed, n, attributes)
    m, u, share = estimate(counts, attributes, n)
    assert moved(counts, m, u, share) < 1e-7
    start = np.full(attributes, 0.9), np.full(attributes, 0.1)
    crept = plain_steps(counts, *start, share, 400)
    assert log_likelihood(counts, m, u, share) >= log_likelihood(counts, *crept, share) - 1e-2


@given(
    numbers=st.lists(st.sampled_from([0, 0, 1, 3, 1000, 10**6, 10**12]), min_size=8, max_size=8).filter(any),
    share=st.sampled_from([1e-6, 1e-3, 0.5, 1 - 1e-6]),
    start=st.lists(st.sampled_from([CLAMP, 1e-3, 0.1, 0.5, 0.9, 1 - CLAMP]), min_size=6, max_size=6),
)
def test_the_likelihood_never_falls(numbers, share, start):
    counts, theta = np.array(numbers, dtype=np.float64), np.array(start)
    settle(counts, share, CLAMP, CONVERGED, theta)
    assert ((theta >= CLAMP) & (theta <= 1 - CLAMP)).all()
    before = log_likelihood(counts, np.array(start[:3]), np.array(start[3:]), share)
    after = log_likelihood(counts, theta[:3], theta[3:], share)
    assert after >= before - 1e-9 * abs(before)
