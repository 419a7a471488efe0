"""Counts estimated after PRAM: algebra, Monte Carlo, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import evosdc
from evosdc.errors import InputError, ParameterError
from evosdc.randomisation.estimation import covariances, estimated, inverted
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SIZES = (3, 2, 4)


def survey(n: int = 400, seed: int = 1, missing: bool = False) -> Table:
    rng = np.random.default_rng(seed)
    names = ("a", "b", "c")
    attributes = [
        Attribute(name, Role.OTHER, Scale.NOMINAL, tuple(f"{name}{i}" for i in range(size)))
        for name, size in zip(names, SIZES, strict=True)
    ]
    attributes.append(Attribute("w", Role.WEIGHT, Scale.NUMERIC))
    latent = rng.random(n)
    codes = np.stack([((0.6 * latent + 0.4 * rng.random(n)) * size).astype(int) for size in SIZES], axis=1)
    if missing:
        codes[rng.random(codes.shape) < 0.1] = -1
    return Table(Schema(tuple(attributes)), codes.astype(np.int32), rng.gamma(2.0, 5.0, (n, 1)) + 1)


def counts_of(table: Table, names: list[str], weights: np.ndarray | None = None) -> np.ndarray:
    columns = [table.column(name) for name in names]
    kept = np.all([column >= 0 for column in columns], axis=0)
    result = np.zeros([len(table.schema[name].categories) for name in names])
    np.add.at(result, tuple(column[kept] for column in columns), 1.0 if weights is None else weights[kept])
    return result.ravel()


def accounted(table: Table, folder: Path, **params: object) -> Path:
    """Write the matrices that a masking uses as the command does."""
    from evosdc_masking.post_randomisation.pram import Pram

    method = Pram(Pram.Params.model_validate(params))
    file = folder / "matrices.json"
    file.write_text(json.dumps([{"stratum": {}, "account": method.account(table.select(["a", "b", "c"]))}]))
    return file


stochastic = st.integers(0, 10_000).map(
    lambda seed: [0.6 * np.identity(s) + 0.4 * np.random.default_rng(seed).dirichlet(np.ones(s), s) for s in SIZES[:2]]
)


@given(stochastic, st.integers(0, 100))
def test_expected_published_counts_give_the_original_ones_exactly(matrices: list, seed: int) -> None:
    T = np.random.default_rng(seed).integers(0, 50, SIZES[:2]).astype(float)
    published = matrices[0].T @ T @ matrices[1]
    inverses = [inverted(matrix, "test") for matrix in matrices]
    found = estimated(published, published, inverses, [np.identity(3), np.identity(2)])
    np.testing.assert_allclose(found.counts, T, atol=1e-9)
    np.testing.assert_allclose(found.counts, inverses[0].T @ published @ inverses[1], atol=1e-9)
    # the variance of each count, from its definition: one multinomial draw for each record
    both, inverse = np.kron(*matrices), np.kron(*inverses)
    spread = np.diag(T.ravel() @ both) - both.T @ (T.ravel()[:, None] * both)
    np.testing.assert_allclose(found.variances.ravel(), np.diagonal(inverse.T @ spread @ inverse), atol=1e-8)


@given(stochastic)
@effort(max_examples=20)
def test_covariances_are_those_of_the_definition(matrices: list) -> None:
    P, T = matrices[0], np.array([40.0, 25.0, 5.0])
    inverse = inverted(P, "test")
    spread = np.diag(T @ P) - P.T @ (T[:, None] * P)
    found = covariances(T @ P, inverse)
    np.testing.assert_allclose(found, inverse.T @ spread @ inverse, atol=1e-9)
    np.testing.assert_allclose(found.sum(), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("params", "names", "weighted"),
    [
        ({"p": 0.6}, ["b"], False),
        ({"p": 0.6}, ["c", "a"], True),
        ({"design": "two-stage", "p": 0.6, "crossed": [["a", "b"]]}, ["b"], True),
        ({"design": "two-stage", "p": 0.6, "crossed": [["a", "b"]]}, ["b", "c", "a"], False),
    ],
)
def test_estimates_and_their_variances_are_unbiased(
    tmp_path: Path, params: dict, names: list[str], weighted: bool
) -> None:
    table = survey(missing=True)
    plain = Table(table.schema, table.codes, np.full_like(table.numbers, 3.0)) if not weighted else table
    weights = plain.numbers[:, 0]
    schema = Schema(plain.schema.attributes[:3])
    unweighted = Table(schema, plain.codes, np.empty((len(plain), 0)))  # so that matrices count records
    file = accounted(plain, tmp_path, **params)
    found = []
    for seed in range(80):
        masked = evosdc.mask(unweighted, "pram", seed=seed, protect=["a", "b", "c"], **params)
        published = Table(plain.schema, masked.codes, plain.numbers)
        found.append(evosdc.estimate_after_pram(published, file, names, weight="w"))
    estimates = np.array([frame["estimated"] for frame in found])
    truth = counts_of(plain, names, weights)
    errors = estimates.std(axis=0, ddof=1)
    assert (np.abs(estimates.mean(axis=0) - truth) <= 4.5 * errors / np.sqrt(len(found)) + 1e-9).all()
    told = np.sqrt((np.array([frame["standard_error"] for frame in found]) ** 2).mean(axis=0))
    np.testing.assert_allclose(told, errors, rtol=0.35, atol=0.02 * weights.sum() / len(weights) * np.sqrt(len(plain)))


def test_attributes_without_a_matrix_were_not_randomised_and_keep_their_counts() -> None:
    table = survey()
    matrix = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], index=["b0", "b1"], columns=["b0", "b1"])
    frame = evosdc.estimate_after_pram(table, {"b": matrix}, ["a"])
    np.testing.assert_allclose(frame["estimated"], counts_of(table, ["a"]))
    np.testing.assert_array_equal(frame["standard_error"], 0)
    both = evosdc.estimate_after_pram(table, {"b": matrix}, ["a", "b"])["estimated"].unstack()
    direct = counts_of(table, ["a", "b"]).reshape(3, 2) @ np.linalg.inv(matrix.to_numpy())
    np.testing.assert_allclose(both.to_numpy(), direct)
    np.testing.assert_allclose(
        evosdc.estimate_after_pram(table, matrix, "b")["estimated"], counts_of(table, ["b"]) @ np.linalg.inv(matrix)
    )


def test_frames_go_in_and_frames_come_out() -> None:
    frame = pd.DataFrame({"sex": pd.Categorical(["f", "m", "f", "f"]), "x": [1, 2, 3, 4]})
    matrix = pd.DataFrame([[0.8, 0.2], [0.2, 0.8]], index=["f", "m"], columns=["f", "m"])
    found = evosdc.estimate_after_pram(frame, matrix, "sex")
    assert list(found.index) == ["f", "m"]
    np.testing.assert_allclose(found["estimated"], [11 / 3, 1 / 3])
    assert found["published"].tolist() == [3.0, 1.0]


def test_strata_are_estimated_apart_and_added_up(tmp_path: Path) -> None:
    table = survey()
    matrices = {"b0": [[0.9, 0.1, 0], [0, 1, 0], [0.3, 0, 0.7]], "b1": [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]}
    document = [
        {"stratum": {"b": label}, "account": {"a": {"categories": ["a0", "a1", "a2"], "matrix": matrix}}}
        for label, matrix in matrices.items()
    ]
    file = tmp_path / "m.json"
    file.write_text(json.dumps(document))
    expected = sum(
        counts_of(table.take(np.flatnonzero(table.column("b") == at)), ["a"]) @ np.linalg.inv(np.array(matrix))
        for at, matrix in enumerate(matrices.values())
    )
    np.testing.assert_allclose(evosdc.estimate_after_pram(table, file, "a")["estimated"], expected)
    file.write_text(json.dumps(document[:1]))
    with pytest.raises(ParameterError, match="belong to none of"):
        evosdc.estimate_after_pram(table, file, "a")


@pytest.mark.parametrize(
    ("matrices", "names", "message"),
    [
        ({"b": {"categories": ["b0", "b1"], "matrix": [[0.5, 0.5], [0.5, 0.5]]}}, "b", "no inverse"),
        ({"b": {"categories": ["b0", "b1"], "matrix": [[0.5, 0.4], [0.5, 0.5]]}}, "b", "sums to 0.9"),
        ({"b": {"categories": ["b0", "zz"], "matrix": [[1, 0], [0, 1]]}}, "b", "no row for 1 published"),
        ({"b": {"categories": ["b0"], "matrix": [[1]]}}, "b", "no row for 1 published"),
        ({}, ["b", "b"], "each once"),
        ({}, "w", "a numeric attribute"),
        ({}, "q", "wanted one of a, b, c, w"),
        (5, "b", "no matrices"),
    ],
)
def test_refusals(matrices: object, names: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evosdc.estimate_after_pram(survey(), matrices, names)


def test_a_category_that_the_published_file_does_not_show_is_estimated_too() -> None:
    frame = pd.DataFrame({"b": pd.Categorical(["x"] * 10)})
    matrix = pd.DataFrame([[0.5, 0.5], [0.0, 1.0]], index=["y", "x"], columns=["y", "x"])
    found = evosdc.estimate_after_pram(frame, matrix, "b")["estimated"]
    assert dict(found) == {"x": 10.0, "y": 0.0}
