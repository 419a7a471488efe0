"""The invariant designs of PRAM: two-stage and preference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import evosdc
from evosdc.errors import ParameterError
from evosdc.model.parameters import parse_parameters
from evosdc.randomisation.invariance import retained, two_stage
from evosdc.randomisation.transition import even
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_masking.post_randomisation.pram import Pram
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, categorical_tables, masked

invariant = st.one_of(
    st.fixed_dictionaries({"design": st.just("b"), "theta": st.floats(0, 1)}),
    st.fixed_dictionaries(
        {
            "design": st.just("two-stage"),
            "p": st.floats(0, 1),
            "alpha": st.floats(0, 1),
            "first": st.sampled_from(["even", "a"]),
        }
    ),
    st.fixed_dictionaries({"design": st.just("preference"), "least": st.floats(0, 1), "by_record": st.booleans()}),
)


def matrices(table: Table, weights: np.ndarray | None = None, **params: object) -> list[tuple[np.ndarray, np.ndarray]]:
    """Frequencies and matrix of each block."""
    method = build(Pram, **params)
    return [(block.counts(weights), matrix) for block, matrix in method.matrices(table, weights)]


@given(categorical_tables(), invariant, st.booleans())
def test_invariant_designs_keep_frequencies_to_rounding(table: Table, params: dict, crossed: bool) -> None:
    if crossed and len(table.schema) > 1:
        params = params | {"crossed": [list(table.schema.names[:2])]}
    for T, matrix in matrices(table, **params):
        np.testing.assert_allclose(T @ matrix, T, rtol=0, atol=1e-12 * max(T.sum(), 1))
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (matrix >= 0).all()
        assert (matrix[np.ix_(T > 0, T == 0)] == 0).all()


@given(categorical_tables(), invariant, st.integers(0, 5))
def test_invariant_designs_keep_sums_of_weights_to_rounding(table: Table, params: dict, seed: int) -> None:
    weights = np.random.default_rng(seed).gamma(1.0, 100.0, len(table)) + 0.1
    for T, matrix in matrices(table, weights, **params):
        np.testing.assert_allclose(T @ matrix, T, rtol=0, atol=1e-12 * max(T.sum(), 1))
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (matrix >= 0).all()


@pytest.mark.parametrize(
    "params",
    [
        {"design": "two-stage", "alpha": 0},
        {"design": "two-stage", "p": 1},
        {"design": "two-stage", "unchanged": 1},
        {"design": "preference", "least": 1},
    ],
)
@given(table=categorical_tables())
@effort(max_examples=15)
def test_the_limits_are_the_identity(table: Table, params: dict) -> None:
    assert masked(Pram, table, **params).same_records(table)


def test_the_share_of_unchanged_values_is_the_one_asked_for(flare: Table) -> None:
    for share in (0.5, 0.7, 0.95):
        for T, matrix in matrices(flare, design="two-stage", p=0.1, unchanged=share):
            assert retained(matrix, T) == pytest.approx(share, abs=1e-12)
        kept = masked(Pram, flare, design="two-stage", p=0.1, unchanged=share).codes == flare.codes
        assert abs(kept.mean() - share) < 5 * np.sqrt(0.25 / kept.size)


def test_a_share_that_cannot_be_reached_is_refused_for_every_attribute_at_once() -> None:
    codes = np.column_stack([np.repeat([0, 1], [99, 1]), np.repeat([0, 1], [98, 2])])
    with pytest.raises(ParameterError) as caught:
        masked(Pram, categorical(codes, (2, 2), (NOMINAL, NOMINAL)), design="two-stage", unchanged=0.3)
    assert [fault.where for fault in caught.value.faults] == ["unchanged (c0)", "unchanged (c1)"]
    assert "at least 0.98" in str(caught.value)


def test_two_stage_is_the_definition_for_few_and_for_many_categories() -> None:
    for size in (5, 300):
        rng = np.random.default_rng(size)
        T = rng.integers(0, 50, size)
        P = even(T, 0.6)
        through = T @ P
        expected = np.zeros((size, size))
        for i in np.flatnonzero(T):
            terms = P[i] * P * T[:, None]
            expected[i] = np.divide(terms, through, out=np.zeros_like(terms), where=through > 0).sum(axis=1)
        found = two_stage(P, T)
        np.testing.assert_allclose(found[T > 0], expected[T > 0], atol=1e-12)
        np.testing.assert_allclose(T @ found, T, rtol=0, atol=1e-12 * T.sum())


def test_preferences_by_distance_are_the_worked_example() -> None:
    table = categorical(np.repeat(np.arange(4), [50, 30, 15, 5]), (4,), (ORDINAL,))
    ((_, matrix),) = matrices(table, design="preference", least=0)
    expected = [[0.6, 0.4, 0, 0], [2 / 3, 0, 1 / 3, 0], [0, 2 / 3, 0, 1 / 3], [0, 0, 1, 0]]
    np.testing.assert_allclose(matrix, expected, atol=1e-12)


def test_bounds_of_the_diagonal_hold() -> None:
    table = categorical(np.repeat(np.arange(4), [50, 30, 15, 5]), (4,), (NOMINAL,))
    ((_, matrix),) = matrices(table, design="preference", least=0.6, most=0.8)
    assert (matrix.diagonal() >= 0.6 - 1e-12).all()
    assert (matrix.diagonal() <= 0.8 + 1e-12).all()


def preferences(folder: Path, weights: list[list[float]]) -> Path:
    path = folder / "preferences.json"
    path.write_text(json.dumps({"c0": {"categories": ["000", "001", "002"], "matrix": weights}}))
    return path


def test_ones_own_preferences_lead_the_changes(tmp_path: Path) -> None:
    table = categorical(np.repeat(np.arange(3), [40, 40, 40]), (3,), (NOMINAL,))
    file = preferences(tmp_path, [[3, 1, 9], [1, 3, 9], [9, 9, 3]])
    ((_, matrix),) = matrices(table, design="preference", preferences=file, least=0.25)
    np.testing.assert_allclose(matrix, [[0.25, 0.75, 0], [0.75, 0.25, 0], [0, 0, 1]], atol=1e-12)


def test_preferences_for_keeping_all_are_refused_and_a_bound_mends_them(tmp_path: Path) -> None:
    table = categorical(np.repeat(np.arange(3), [40, 40, 40]), (3,), (NOMINAL,))
    file = preferences(tmp_path, [[1, 2, 3], [2, 1, 2], [3, 2, 1]])
    with pytest.raises(ParameterError, match="keeping every value is best"):
        masked(Pram, table, design="preference", preferences=file)
    ((_, matrix),) = matrices(table, design="preference", preferences=file, most=0.75)
    assert matrix.diagonal().max() == pytest.approx(0.75)


def test_bounds_that_no_matrix_has_are_refused_by_attribute() -> None:
    codes = np.column_stack([np.repeat([0, 1], [9, 1]), np.repeat([0, 1], [5, 5])])
    with pytest.raises(ParameterError, match=r"preference matrix \(c0\)") as caught:
        masked(Pram, categorical(codes, (2, 2), (NOMINAL, NOMINAL)), design="preference", least=0, most=0.5)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize("design", ["two-stage", "preference"])
def test_real_files_keep_their_frequencies_to_rounding(adult: Table, german: Table, flare: Table, design: str) -> None:
    for table in (adult, german, flare):
        for T, matrix in matrices(table, design=design):
            np.testing.assert_allclose(T @ matrix, T, rtol=0, atol=1e-12 * T.sum())
            assert (matrix != np.identity(len(T))).any()


@pytest.mark.parametrize(
    ("params", "texts"),
    [
        ({"design": "two-stage", "theta": 0.5}, ["theta: given 0.5", "design two-stage has no theta"]),
        ({"design": "two-stage", "alpha": 0.5, "unchanged": 0.9}, ["alpha: given 0.5", "unchanged is given"]),
        ({"design": "two-stage", "alpha": 1.5}, ["alpha: given 1.5"]),
        ({"alpha": 0.5}, ["design a has no alpha"]),
        ({"design": "preference", "least": 0.9, "most": 0.2}, ["least at most as large as most"]),
        ({"design": "matrix"}, ["matrix: given None", "a file, which design matrix needs"]),
        ({"design": "b", "matrix": "x.csv"}, ["design b has no matrix"]),
        ({"crossed": [["a"]]}, ["blocks of two attributes or more"]),
        ({"crossed": [["a", "b"], ["b", "c"]]}, ["each attribute once"]),
    ],
)
def test_refusals(params: dict, texts: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        build(Pram, **params)
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("given", "usual"),
    [
        ({"design": "two-stage"}, {"design": "two-stage", "p": 0.8, "first": "even", "alpha": 0.5}),
        (
            {"design": "two-stage", "unchanged": 0.9},
            {"design": "two-stage", "p": 0.8, "first": "even", "unchanged": 0.9},
        ),
        (
            {"design": "preference"},
            {"design": "preference", "preferences": "distance", "least": 0.5, "most": 1.0, "by_record": False},
        ),
        ({"matrix": "m.csv"}, {"design": "matrix", "matrix": Path("m.csv")}),
    ],
)
def test_defaults(given: dict, usual: dict) -> None:
    params = parse_parameters(Pram.Params, given, "method pram").model_dump(exclude_none=True)
    assert params == usual | {"crossed": []}


def weighted_survey() -> Table:
    attributes = (
        Attribute("grade", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("x", "y", "z")),
        Attribute("weight", Role.WEIGHT, Scale.NUMERIC),
    )
    codes = np.repeat([0, 1, 2], [60, 30, 10]).astype(np.int32)[:, None]
    return Table(Schema(attributes), codes, np.where(codes == 2, 50.5, 1.25).astype(np.float64))


@pytest.mark.parametrize("design", ["b", "two-stage", "preference"])
def test_sampling_weights_of_a_file_make_the_frequencies(design: str) -> None:
    table = weighted_survey()
    method, part = build(Pram, design=design), table.select(["grade"])
    assert method.weighted
    weights = table.column("weight")
    published = evosdc.mask(table, "pram", design=design, seed=3)
    drawn = method.mask_weighted(part, weights, stream(3, Purpose.MASK))
    assert published.select(["grade"]).same_records(drawn)
    account = np.array(method.account(part, weights)["grade"]["matrix"])
    T = np.bincount(part.codes[:, 0], weights)
    np.testing.assert_allclose(T @ account, T, rtol=1e-12)
    assert np.abs(account - np.array(method.account(part)["grade"]["matrix"])).max() > 0.01


def test_ones_own_matrix_takes_no_notice_of_weights(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text("grade,x,y,z\nx,0,1,0\ny,0,0,1\nz,1,0,0\n")
    assert not build(Pram, matrix=file).weighted
    assert build(Pram).weighted
    published = evosdc.mask(weighted_survey(), "pram", matrix=file)
    np.testing.assert_array_equal(published.codes, (weighted_survey().codes + 1) % 3)
