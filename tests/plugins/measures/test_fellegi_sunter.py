"""Estimates of the Fellegi-Sunter model against expectation maximisation written out as loops."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evosdc_measures.linkage.fellegi_sunter import ITERATIONS, estimate, weights_of
from tests.plugins.measures.reference import expectation_maximisation, stable


def by_pattern(counts, attributes):
    """Return counts by tuples of agreements."""
    patterns = {tuple(bool(bits >> v & 1) for v in range(attributes)): count for bits, count in enumerate(counts)}
    return {pattern: count for pattern, count in patterns.items() if count}


def assert_as_reference(counts, attributes, n):
    found = estimate(np.array(counts, dtype=np.int64), attributes, n)
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


def test_weights_add_up():
    m, u = np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.3, 0.7])
    weights = weights_of(m, u)
    assert weights[0b000] == pytest.approx(np.log2([1 / 9, 2 / 7, 1.0]).sum())
    assert weights[0b011] == pytest.approx(np.log2([9.0, 8 / 3, 1.0]).sum())
    assert weights[0b110] == pytest.approx(np.log2([1 / 9, 8 / 3, 1.0]).sum())
