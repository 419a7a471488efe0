"""Estimates of the Fellegi-Sunter model against expectation maximisation written out as loops."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evosdc_measures.linkage import estimate_memory
from evosdc_measures.linkage.estimate_memory import estimate_memory_of, remembered_weights
from evosdc_measures.linkage.fellegi_sunter import ITERATIONS, estimate, share_of, weights_of
from evosdc_measures.linkage.known_share import converged
from evosdc_measures.linkage.known_share_of_three import converged_of_three
from evosdc_measures.linkage.pattern_order import estimated_weights, weights_together
from tests.plugins.measures.reference import expectation_maximisation, stable


def by_pattern(counts, attributes):
    """Return counts by tuples of agreements."""
    patterns = {tuple(bool(bits >> v & 1) for v in range(attributes)): count for bits, count in enumerate(counts)}
    return {pattern: count for pattern, count in patterns.items() if count}


def assert_as_reference(counts, attributes, n):
    found = estimate(np.array(counts, dtype=np.int64), attributes, n, False)
    wanted = expectation_maximisation(by_pattern(counts, attributes), attributes, n)
    for part, reference in zip(found, wanted, strict=True):
        assert part == pytest.approx(reference, abs=1e-9)
    return found


@given(data=st.data(), attributes=st.integers(1, 4), n=st.integers(1, 60))
def test_estimates(data, attributes, n):
    size = 1 << attributes
    counts = data.draw(st.lists(st.integers(0, 1000), min_size=size, max_size=size))
    assume(any(counts) and stable(by_pattern(counts, attributes), attributes, n))
    assert_as_reference(counts, attributes, n)


def test_slow_convergence_is_cut_off():
    # Nearly independent agreements: the estimates creep and the number of steps decides where they stand.
    counts = [5000, 1200, 900, 310, 700, 200, 150, 71]
    found = assert_as_reference(counts, 3, 92)
    further = expectation_maximisation(by_pattern(counts, 3), 3, 92, 4 * ITERATIONS)
    assert np.abs(found[0] - further[0]).max() > 1e-5


@pytest.mark.parametrize(
    ("counts", "n"),
    [
        ({4: 10, 14: 100000, 17: 1, 21: 100000, 29: 100}, 41),
        ({1: 10000, 2: 100, 8: 1000, 21: 10}, 17),
        ({4: 10000, 9: 100, 11: 1, 18: 10000}, 12),
    ],
)
def test_classes_that_changed_roles_are_exchanged(counts, n):
    m, u, _ = assert_as_reference([counts.get(pattern, 0) for pattern in range(32)], 5, n)
    assert (m > u).sum() > 2


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
    m, u, share = estimate(counts, attributes, n)
    assert share == 1 / n
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
    found_m, found_u, _ = estimate(counts, 5, 500)
    assert found_m == pytest.approx(m, abs=1e-4)
    assert found_u == pytest.approx(u, abs=1e-6)


def test_a_known_share_finds_nearly_what_the_truth_finds():
    """Five hundred people on six attributes that go together, values redrawn; an estimated share goes astray."""
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
    m, u, share = estimate(counts, 6, 500)
    assert linked(m, u) > 0.9 * truth
    assert share == 1 / 500
    assert estimate(counts, 6, 500, False)[2] > 0.1


def test_weights_add_up():
    m, u = np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.3, 0.7])
    weights = weights_of(m, u)
    assert weights[0b000] == pytest.approx(np.log2([1 / 9, 2 / 7, 1.0]).sum())
    assert weights[0b011] == pytest.approx(np.log2([9.0, 8 / 3, 1.0]).sum())
    assert weights[0b110] == pytest.approx(np.log2([1 / 9, 8 / 3, 1.0]).sum())


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("tables", [0, 1, 2, 8, 9, 10])
def test_weights_of_several_tables_are_those_of_each(tables, known):
    rng = np.random.default_rng(tables)
    counts = rng.integers(1, 1000, (tables, 8))
    weights = weights_together(counts, 3, 50, known)
    for table in range(tables):
        assert (weights[table] == estimated_weights(counts[table], 3, 50, known)).all()


def test_estimates_are_remembered_and_forgotten(monkeypatch):
    monkeypatch.setattr(estimate_memory, "PLACES", 4)
    rng, memory = np.random.default_rng(0), estimate_memory_of(3)
    assert len(memory.pairs) == 4
    tables = rng.integers(1, 1000, (7, 8))
    for _ in range(30):
        asked = tables[rng.integers(len(tables), size=int(rng.integers(0, 9)))]
        found = remembered_weights(asked, 3, 50, True, *memory)
        assert (found == weights_together(asked, 3, 50, True)).all()
        kept = memory.pairs[memory.pairs[:, 0] >= 0]
        assert len(np.unique(kept, axis=0)) == len(kept), "nothing is kept twice"


@given(data=st.data(), n=st.integers(2, 5000))
def test_three_attributes_are_estimated_as_any_number_is(data, n):
    numbers = st.sampled_from([0, 0, 1, 2, 5, 30, 1000, 10**6, 10**11]) | st.integers(0, 10**7)
    counts = np.array(data.draw(st.lists(numbers, min_size=8, max_size=8).filter(any)), dtype=np.int64)
    for found, wanted in zip(converged_of_three(counts, share_of(n)), converged(counts, 3, share_of(n)), strict=True):
        assert (found == wanted).all()
