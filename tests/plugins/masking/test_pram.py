from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.randomisation.transition import cumulative, design_a
from evosdc.table.table import Table
from evosdc_masking.frequencies import frequencies
from evosdc_masking.post_randomisation.pram import Pram, drawn
from tests.plugins.masking import references
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, categorical_tables, masked, numeric

settings = st.one_of(
    st.fixed_dictionaries({"design": st.just("a"), "p": st.floats(0, 1)}),
    st.fixed_dictionaries({"design": st.just("b"), "theta": st.floats(0, 1)}),
)


@given(categorical_tables(), settings)
def test_keeps_missing_values_and_publishes_only_what_occurs(table: Table, params: dict) -> None:
    published = masked(Pram, table, **params)
    np.testing.assert_array_equal(published.codes == -1, table.codes == -1)
    for j in range(table.codes.shape[1]):
        assert set(published.codes[:, j]) <= set(table.codes[:, j])


@given(categorical_tables())
def test_no_perturbation_is_the_identity(table: Table) -> None:
    assert masked(Pram, table, design="a", p=1).same_records(table)
    assert masked(Pram, table, design="b", theta=0).same_records(table)


@given(categorical_tables(missing=False))
def test_keeping_nothing_changes_every_value_that_can_change(table: Table) -> None:
    published = masked(Pram, table, design="a", p=0)
    for j in range(table.codes.shape[1]):
        same = published.codes[:, j] == table.codes[:, j]
        assert same.all() if len(set(table.codes[:, j])) == 1 else not same.any()


@given(categorical_tables(), st.floats(0, 1), st.integers(0, 5))
def test_draws_are_those_of_the_plain_reference(table: Table, p: float, seed: int) -> None:
    uniforms = np.random.default_rng(seed).random(table.codes.shape)
    expected = table.codes.copy()
    for j, attribute in enumerate(table.schema.categorical):
        matrix = design_a(frequencies(table.codes[:, j], len(attribute.categories)), p)
        for r in range(len(table)):
            if table.codes[r, j] >= 0:
                expected[r, j] = references.draw(matrix[table.codes[r, j]], uniforms[r, j])
    np.testing.assert_array_equal(masked(Pram, table, seed, p=p).codes, expected)


def test_a_uniform_just_below_one_falls_on_a_possible_category() -> None:
    matrix = np.array([[0.1, 0.2, 0.7, 0.0], [0.0, 1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3, 0.0], [0.0, 0.0, 0.0, 1.0]])
    column = np.array([0, 1, 2, 3], dtype=np.int32)
    np.testing.assert_array_equal(drawn(column, cumulative(matrix), np.full(4, np.nextafter(1, 0))), [2, 1, 2, 3])
    np.testing.assert_array_equal(drawn(column, cumulative(matrix), np.zeros(4)), [0, 1, 0, 3])


def test_published_shares_follow_the_matrix() -> None:
    T = np.array([50, 30, 15, 5]) * 2000
    table = categorical(np.repeat(np.arange(4), T), [4], [NOMINAL])
    expected = T @ design_a(T, 0.5)
    counts = np.bincount(masked(Pram, table, p=0.5).codes[:, 0], minlength=4)
    # 5 standard deviations, each at most sqrt(N / 4)
    assert (np.abs(counts - expected) < 5 * np.sqrt(T.sum() / 4)).all()


def test_attributes_are_perturbed_independently() -> None:
    column = np.arange(4).repeat(5000)
    table = categorical(np.column_stack([column, column]), [4, 4], [ORDINAL, NOMINAL])
    kept = masked(Pram, table, p=0.5).codes == table.codes
    both = kept.all(axis=1).mean()
    assert abs(both - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 20000)


def test_capital_letters_are_accepted_for_designs() -> None:
    assert build(Pram, design="B", theta=0.5).params.design == "b"


@pytest.mark.parametrize(
    ("params", "texts"),
    [
        ({"design": "b", "theta": 0.2, "p": 0.5}, ["p: given 0.5", "design b has no p"]),
        ({"design": "a", "p": 0.2, "theta": 0.5}, ["theta: given 0.5", "design a has no theta"]),
        ({"design": "b", "p": 0.5}, ["p: given 0.5"]),
        ({"p": 1.5}, ["p: given 1.5", "less than or equal to 1"]),
        ({"design": "b", "theta": -0.1}, ["theta: given -0.1", "greater than or equal to 0"]),
        ({"design": "c", "p": 0.5}, ["design: given 'c'", "'a', 'b', 'two-stage', 'preference' or 'matrix'"]),
        ({"p": 0.5, "thet": 1}, ["thet: given an unknown key", "Did you mean 'theta'?"]),
    ],
)
def test_refusals(params: dict, texts: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        build(Pram, **params)
    for text in texts:
        assert text in str(caught.value)


def test_numeric_attributes_are_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="given x0, which is numeric"):
        masked(Pram, numeric([[1.0]]), p=0.5)


def test_real_files_keep_their_marginals_in_expectation_under_design_b(flare: Table) -> None:
    runs = np.array(
        [np.bincount(masked(Pram, flare, s, design="b", theta=1).codes[:, 0], minlength=7) for s in range(200)]
    )
    T = np.bincount(flare.codes[:, 0], minlength=7)
    assert (np.abs(runs.mean(axis=0) - T) <= 5 * runs.std(axis=0) / np.sqrt(len(runs))).all()
    assert (runs != T).any()
