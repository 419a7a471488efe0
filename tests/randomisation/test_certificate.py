"""What matrices prove, beside attackers who do their best."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.randomisation.certificate import capacity, certificate, shuffled_epsilon


def kept(share: float, size: int = 5) -> np.ndarray:
    """Keep a value with some probability, else take any other one."""
    matrix = np.full((size, size), (1.0 - share) / (size - 1))
    np.fill_diagonal(matrix, share)
    return matrix


def test_the_example_of_four_attributes() -> None:
    found = certificate([kept(0.81)] * 4, 3000, independent=True)
    assert found["capacity"] == pytest.approx(269.0, abs=0.1)
    assert found["linked_at_most"] == pytest.approx(0.09, abs=0.001)
    assert "at most 9.0% of the people" in found["sentences"][0]


@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_no_guess_gets_better_than_by_the_capacity(values: int, published: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, prior = rng.dirichlet(np.ones(published) * 0.5, values), rng.dirichlet(np.ones(values))
    without = prior.max()
    informed = (prior[:, None] * matrix).max(axis=0).sum()
    assert informed <= capacity([matrix]) * without + 1e-12
    assert capacity([matrix, matrix]) == pytest.approx(capacity([matrix]) ** 2)


def test_linking_finds_no_more_than_the_capacity_over_the_records() -> None:
    rng = np.random.default_rng(1)
    records, matrix = rng.integers(0, 5, (40, 2)), kept(0.6)
    hits = 0
    for _ in range(400):
        made = np.array([[rng.choice(5, p=matrix[value]) for value in record] for record in records])
        person = int(rng.integers(40))
        likelihood = matrix[records[:, 0], made[person, 0]] * matrix[records[:, 1], made[person, 1]]
        hits += int(rng.choice(np.flatnonzero(likelihood == likelihood.max())) == person)
    assert hits / 400 <= capacity([matrix] * 2) / 40 + 3 * 0.025


def test_identity_and_missing_values_prove_nothing() -> None:
    assert certificate([np.identity(4)] * 8, 1000, independent=True)["linked_at_most"] == 1.0
    found = certificate([kept(0.5)], 1000, independent=True, missing=1)
    assert found["local_epsilon"] is None
    assert found["capacity"] == pytest.approx(2.0 * capacity([kept(0.5)]))


def test_matrices_made_of_the_data_are_said_to_prove_nothing() -> None:
    found = certificate([kept(0.5)], 1000, independent=False)
    assert found["certified"] is False
    assert found["sentences"][0].startswith("No proof")
    assert found["shuffled_epsilon"] is None


def test_shuffling_amplifies_as_the_paper_says() -> None:
    found = shuffled_epsilon(3.0, 10_000, 1e-6)
    assert found == pytest.approx(0.82, abs=0.01)
    assert shuffled_epsilon(9.0, 10_000, 1e-6) is None
    assert shuffled_epsilon(float("inf"), 10_000, 1e-6) is None
    for local in (0.01, 0.5, 2.0):
        assert shuffled_epsilon(local, 100_000, 1e-6) <= local
    assert shuffled_epsilon(log(2), 10**6, 1e-6) < exp(log(2))
