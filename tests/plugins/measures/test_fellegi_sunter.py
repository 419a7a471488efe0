"""Estimates of the Fellegi-Sunter model against expectation maximisation written out, and where they end."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evosdc_measures.linkage.fellegi_sunter import (
    CLAMP,
    SAME_WEIGHT,
    estimate,
    rank,
    settle,
    weights_of,
)


def log_likelihood(counts, m, u, share):
    attributes = len(m)
    agrees = np.arange(len(counts))[:, None] >> np.arange(attributes) & 1 == 1
    matches, others = np.where(agrees, m, 1 - m).prod(axis=1), np.where(agrees, u, 1 - u).prod(axis=1)
    mixed = share * matches + (1 - share) * others
    occurring = counts > 0
    return float((counts[occurring] * np.log(mixed[occurring])).sum())


def plain_steps(counts, m, u, share, steps):
    """Expectation maximisation for a known share, written out."""
    attributes = len(m)
    agrees = np.arange(len(counts))[:, None] >> np.arange(attributes) & 1 == 1
    for _ in range(steps):
        matches, others = np.where(agrees, m, 1 - m).prod(axis=1), np.where(agrees, u, 1 - u).prod(axis=1)
        belongs = share * matches / (share * matches + (1 - share) * others)
        m = np.clip((counts * belongs) @ agrees / (counts @ belongs), 1e-6, 1 - 1e-6)
        u = np.clip((counts * (1 - belongs)) @ agrees / (counts @ (1 - belongs)), 1e-6, 1 - 1e-6)
    return m, u


@given(data=st.data(), attributes=st.integers(1, 8), n=st.integers(2, 400))
def test_estimates_for_a_known_share_are_where_steps_end(data, attributes, n):
    size = 1 << attributes
    counts = np.array(data.draw(st.lists(st.integers(0, 1000), min_size=size, max_size=size)), dtype=np.int64)
    assume(counts.any())
    (m, u), share = estimate(counts, n), 1 / n
    start = plain_steps(counts, np.full(attributes, 0.9), np.full(attributes, 0.1), share, 2)
    likelihood = log_likelihood(counts, m, u, share)
    assert likelihood >= log_likelihood(counts, *start, share) - 1e-6
    further = plain_steps(counts, m, u, share, 3)
    assert log_likelihood(counts, *further, share) <= likelihood + 1e-5 * max(1.0, abs(likelihood))
    assert ((m >= 1e-6) & (m <= 1 - 1e-6) & (u >= 1e-6) & (u <= 1 - 1e-6)).all()


def test_true_probabilities_are_found_from_expected_counts():
    """Pairs as the model has them on average: a million of them, of which one in 500 is a match."""
    m, u, share = np.array([0.95, 0.8, 0.9, 0.7, 0.85]), np.array([0.5, 0.1, 0.3, 0.2, 0.05]), 1 / 500
    agrees = np.arange(32)[:, None] >> np.arange(5) & 1 == 1
    matches, others = np.where(agrees, m, 1 - m).prod(axis=1), np.where(agrees, u, 1 - u).prod(axis=1)
    counts = np.rint(1e9 * (share * matches + (1 - share) * others)).astype(np.int64)
    found_m, found_u = estimate(counts, 500)
    assert found_m == pytest.approx(m, abs=1e-4)
    assert found_u == pytest.approx(u, abs=1e-6)


def test_a_known_share_finds_nearly_what_the_truth_finds():
    """Five hundred people on six attributes that go together, values redrawn."""
    rng = np.random.default_rng(7)
    sizes = (2, 4, 6, 8, 5, 10)
    latent = rng.normal(size=(500, 1)) + 0.7 * rng.normal(size=(500, 6))
    cuts = [np.linspace(-1.5, 1.5, size - 1) for size in sizes]
    original = np.column_stack([np.searchsorted(cut, x) for cut, x in zip(cuts, latent.T, strict=True)])
    drawn = np.column_stack([rng.permutation(column) for column in original.T])
    masked = np.where(rng.random(original.shape) < 0.35, drawn, original)
    patterns = sum((masked[:, None, v] == original[None, :, v]).astype(int) << v for v in range(6))
    counts = np.bincount(patterns.ravel(), minlength=64).astype(np.int64)

    def linked(m, u):
        weights = np.rint(weights_of(m, u) * 1e8)[patterns]
        best = weights == weights.max(axis=1)[:, None]
        return float((best.diagonal() / best.sum(axis=1)).mean())

    same = (masked == original).mean(axis=0)
    truth = linked(same, ((masked[:, None] == original[None]).sum((0, 1)) - 500 * same) / (500 * 499))
    m, u = estimate(counts, 500)
    assert linked(m, u) > 0.9 * truth


def test_weights_add_up():
    m, u = np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.3, 0.7])
    weights = weights_of(m, u)
    assert weights[0b000] == pytest.approx(np.log2([1 / 9, 2 / 7, 1.0]).sum())
    assert weights[0b011] == pytest.approx(np.log2([9.0, 8 / 3, 1.0]).sum())
    assert weights[0b110] == pytest.approx(np.log2([1 / 9, 8 / 3, 1.0]).sum())


@given(data=st.data(), attributes=st.integers(1, 6))
def test_patterns_are_ranked_by_weight(data, attributes):
    chances = st.sampled_from([CLAMP, 0.1, 0.3, 0.30000000000001, 0.7, 0.9, 1 - CLAMP])
    theta = np.array(data.draw(st.lists(chances, min_size=2 * attributes, max_size=2 * attributes)))
    weights = weights_of(theta[:attributes], theta[attributes:])
    order = np.array(data.draw(st.permutations(range(1 << attributes))), dtype=np.int64)
    ranks = np.empty_like(order)
    rank(theta, order, ranks)
    assert sorted(order) == list(range(1 << attributes))
    falls = -np.diff(weights[order])
    assert (falls >= 0.0).all() or falls.min() > -1e-12
    assert (np.diff(ranks[order]) == (falls > SAME_WEIGHT)).all()


def nearly_independent(seed, n, attributes):
    """Pairs of a file in which attributes hardly go together, so that matches can hardly be told."""
    rng = np.random.default_rng(seed)
    agree = rng.uniform(0.05, 0.5, attributes)
    agrees = np.arange(1 << attributes)[:, None] >> np.arange(attributes) & 1 == 1
    chances = np.where(agrees, agree, 1 - agree).prod(axis=1) * rng.uniform(0.999, 1.001, 1 << attributes)
    return rng.multinomial(n * n, chances / chances.sum()).astype(np.int64)


@pytest.mark.parametrize("attributes", [3, 5, 6])
@pytest.mark.parametrize("seed", range(4))
def test_estimates_come_to_an_end_where_steps_creep(seed, attributes):
    n = 100_000
    counts = nearly_independent(seed, n, attributes)
    (m, u), share = estimate(counts, n), 1 / n
    again = plain_steps(counts, m, u, share, 1)
    assert max(np.abs(after - before).max() for after, before in zip(again, (m, u), strict=True)) < 1e-7
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
    agreeing = np.array([*(counts[np.arange(8) >> v & 1 == 1].sum() for v in range(3)), counts.sum()])
    settle(counts, agreeing, share, theta)
    assert ((theta >= CLAMP) & (theta <= 1 - CLAMP)).all()
    before = log_likelihood(counts, np.array(start[:3]), np.array(start[3:]), share)
    after = log_likelihood(counts, theta[:3], theta[3:], share)
    assert after >= before - 1e-9 * abs(before)
