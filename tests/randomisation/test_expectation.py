from itertools import product

import numpy as np
import pytest

from evosdc.randomisation.expectation import expected_difference, published_counts, with_missing
from evosdc.randomisation.transition import design_a, design_b


def distribution(counts, chances):
    """Return the exact distribution of the number of records that arrive in a cell, by convolution."""
    mass = np.ones(1)
    for count, chance in zip(counts, chances, strict=True):
        for _ in range(int(count)):
            mass = np.convolve(mass, [1 - chance, chance])
    return mass


def exact(table, matrices):
    total = 0.0
    cells = list(product(*(range(size) for size in table.shape)))
    for target in cells:
        chances = [np.prod([m[k, to] for m, k, to in zip(matrices, source, target, strict=True)]) for source in cells]
        mass = distribution(table.ravel(), chances)
        total += float(mass @ np.abs(np.arange(mass.size) - table[target]))
    return total


def matrices(counts):
    yield from (design_a(counts, p) for p in (0.0, 0.3, 0.9))
    yield from (design_b(counts, theta) for theta in (0.1, 1.0))
    yield np.roll(np.identity(len(counts)), 1, axis=1)


def test_first_order_differences_are_those_of_the_exact_distribution():
    counts = np.array([50, 30, 15, 5])
    for matrix in matrices(counts):
        found, wanted = expected_difference(counts.astype(float), [matrix]), exact(counts, [matrix])
        assert found == pytest.approx(wanted, rel=1e-3, abs=1e-9)


def test_second_order_differences_are_nearly_those_of_the_exact_distribution():
    rng = np.random.default_rng(3)
    table = rng.multinomial(60, rng.dirichlet(np.full(12, 0.4))).reshape(3, 4).astype(float)
    rows, columns = table.sum(axis=1).astype(int), table.sum(axis=0).astype(int)
    for first, second in zip(matrices(rows), matrices(columns), strict=True):
        found, wanted = expected_difference(table, [first, second]), exact(table, [first, second])
        assert found == pytest.approx(wanted, rel=5e-3, abs=1e-9)


def test_large_counts_agree_with_the_exact_distribution():
    counts = np.array([900, 700, 400])
    matrix = design_a(counts, 0.6)
    assert expected_difference(counts.astype(float), [matrix]) == pytest.approx(exact(counts, [matrix]), rel=2e-4)


def test_identity_moves_nothing_and_axes_keep_their_order():
    table = np.arange(24.0).reshape(2, 3, 4)
    same = [np.identity(size) for size in table.shape]
    np.testing.assert_array_equal(published_counts(table, same), table)
    assert expected_difference(table, same) == 0.0
    swapped = published_counts(table, [np.identity(2)[::-1], np.identity(3), np.identity(4)])
    np.testing.assert_array_equal(swapped, table[::-1])


def test_missing_values_stay_missing():
    extended = with_missing(np.array([[0.4, 0.6], [1.0, 0.0]]))
    np.testing.assert_array_equal(extended, [[0.4, 0.6, 0], [1, 0, 0], [0, 0, 1]])
