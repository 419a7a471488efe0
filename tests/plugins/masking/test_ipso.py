from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.cli import main
from evosdc.errors import InputError, ParameterError
from evosdc.files.frame import table_from_frame
from evosdc.table.schema import Role
from evosdc.table.table import Table
from evosdc_masking.synthesis import Ipso, basis, design_matrix
from tests.plugins.masking.tables import NOMINAL, build, categorical, joined, masked, numeric, numeric_tables
from tests.published import DataSets

Y = ["agi", "fedtax", "taxinc"]
X = ["pothval", "ernval", "afnlwgt"]


@pytest.fixture(scope="module")
def census(data_sets: DataSets) -> Table:
    return data_sets.table("census")


def model(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B and S as whoever fits the regression with a constant finds them."""
    x = np.column_stack([np.ones(len(x)), x])
    coefficients = np.linalg.lstsq(x, y, rcond=None)[0]
    rest = y - x @ coefficients
    return coefficients, rest.T @ rest / len(y)


def assert_equal_matrices(found: np.ndarray, wanted: np.ndarray, relative: float) -> None:
    assert np.abs(found - wanted).max() <= relative * np.abs(wanted).max()


@pytest.mark.parametrize("seed", range(4))
def test_c_keeps_coefficients_and_covariances_exactly_on_census(seed: int, census: Table) -> None:
    published = evosdc.mask(census, "ipso", protect=Y, confidential=X, seed=seed)
    x, before, after = (census.select(X).numbers, census.select(Y).numbers, published.select(Y).numbers)
    for found, wanted in zip(model(x, after), model(x, before), strict=True):
        assert_equal_matrices(found, wanted, 1e-9)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_array_equal(published.select(X).numbers, x)
    assert (after != before).all()


def test_a_draws_around_the_model_whose_coefficients_a_user_then_misses_by_chance(census: Table) -> None:
    x, before = census.select(X).numbers, census.select(Y).numbers
    coefficients, covariance = model(x, before)
    found = []
    for seed in range(60):
        after = evosdc.mask(census, "ipso", protect=Y, confidential=X, seed=seed, variant="a-drawn").select(Y).numbers
        found.append(model(x, after))
    assert np.abs(found[0][0] - coefficients).max() > 1e-3 * np.abs(coefficients).max()
    errors = np.std([one for one, _ in found], axis=0) / np.sqrt(60)
    assert (np.abs(np.mean([one for one, _ in found], axis=0) - coefficients) < 4.5 * errors).all()
    assert_equal_matrices(np.mean([own for _, own in found], axis=0), covariance, 0.05)


def test_b_keeps_coefficients_exactly_and_covariances_in_expectation(census: Table) -> None:
    x, before = census.select(X).numbers, census.select(Y).numbers
    coefficients, covariance = model(x, before)
    covariances = []
    for seed in range(60):
        after = evosdc.mask(census, "ipso", protect=Y, confidential=X, seed=seed, variant="b").select(Y).numbers
        found, S = model(x, after)
        assert_equal_matrices(found, coefficients, 1e-9)
        covariances.append(S)
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    n, rank = len(x), x.shape[1] + 1
    deviations = (np.array(covariances) - covariance * (n - rank) / n) / scale
    assert np.abs(deviations.mean(axis=0)).max() < 4.5 * np.sqrt(2 / n / 60)
    assert np.abs(deviations).max() > 1e-3


def test_a_publishes_expectations(census: Table) -> None:
    x, before = census.select(X).numbers, census.select(Y).numbers
    after = evosdc.mask(census, "ipso", protect=Y, confidential=X, variant="a").select(Y).numbers
    coefficients, _ = model(x, before)
    wanted = np.column_stack([np.ones(len(x)), x]) @ coefficients
    np.testing.assert_allclose(after, wanted, rtol=1e-9, atol=1e-6)


def test_categories_count_by_dummies(data_sets: DataSets) -> None:
    eia = data_sets.table("eia")
    y = ["resrevenue", "ressales", "totsales"]
    after = evosdc.mask(eia, "ipso", protect=y, confidential=["state", "month"]).select(y).numbers
    before = eia.select(y).numbers
    for name in ("state", "month"):
        column = eia.column(name)
        means = [np.array([v[column == c].mean(axis=0) for c in np.unique(column)]) for v in (before, after)]
        assert_equal_matrices(means[1], means[0], 1e-9)
    assert basis(design_matrix(eia.select(["state", "month"]), len(eia))).shape[1] == 62


@given(numeric_tables(max_records=30, missing=False), st.integers(0, 5), st.sampled_from(["a", "b", "c"]))
def test_means_are_kept_and_with_c_covariances_without_confidential_attributes(
    table: Table, seed: int, variant: str
) -> None:
    method = build(Ipso, variant=variant)
    if variant == "c" and len(table) < table.numbers.shape[1] + 1:
        with pytest.raises(ParameterError, match="at least"):
            method.mask(table, np.random.default_rng(seed))
        return
    published = method.mask(table, np.random.default_rng(seed)).numbers
    np.testing.assert_allclose(published.mean(axis=0), table.numbers.mean(axis=0), atol=1e-9)
    if variant == "c" and len(table) > 1:
        wanted = np.atleast_2d(np.cov(table.numbers.T, bias=True))
        np.testing.assert_allclose(np.atleast_2d(np.cov(published.T, bias=True)), wanted, atol=1e-9)


def test_missing_values_stay_and_complete_records_keep_the_promise() -> None:
    rng = np.random.default_rng(2)
    x = numeric(rng.normal(size=(80, 2)))
    y = x.numbers @ rng.normal(size=(2, 3)) + rng.normal(size=(80, 3))
    y[::9, 1] = np.nan
    table = numeric(y)
    published = build(Ipso).mask_given(table, x, rng).numbers
    np.testing.assert_array_equal(np.isnan(published), np.isnan(y))
    whole = ~np.isnan(y).any(axis=1)
    for found, wanted in zip(model(x.numbers[whole], published[whole]), model(x.numbers[whole], y[whole]), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert np.abs(published[~whole][:, [0, 2]] - y[~whole][:, [0, 2]]).max() < 8


def test_missing_confidential_values_count_as_a_category_and_as_the_mean() -> None:
    rng = np.random.default_rng(2)
    numbers, codes = rng.normal(size=60), rng.integers(-1, 2, 60)
    numbers[:5] = np.nan
    design = design_matrix(joined(categorical(codes, [2], [NOMINAL]), numeric(numbers)), 60)
    assert design.shape == (60, 1 + 3 + 2)
    np.testing.assert_array_equal(design[:, -1], np.isnan(numbers))
    np.testing.assert_allclose(design[:5, -2], design[5:, -2].mean())


def test_constant_attributes_stay() -> None:
    rng = np.random.default_rng(2)
    table = numeric(np.column_stack([np.full(30, 0.1), rng.normal(size=30)]))
    np.testing.assert_array_equal(build(Ipso).mask(table, rng).numbers[:, 0], table.numbers[:, 0])


def test_sensitive_attributes_explain_unless_others_are_named() -> None:
    frame = pd.DataFrame({"a": range(40), "b": range(40, 80), "s": ["x", "y"] * 20})
    table = table_from_frame(frame)
    schema = replace(
        table.schema,
        attributes=tuple(
            replace(a, role=Role.SENSITIVE if a.name == "s" else Role.OTHER) for a in table.schema.attributes
        ),
    )
    method = build(Ipso)
    assert method.auxiliary_names(schema, ["a", "b"]) == ("s",)
    assert method.auxiliary_names(schema, ["a", "s"]) == ()
    assert build(Ipso, confidential=["b"]).auxiliary_names(schema, ["a"]) == ("b",)
    published = evosdc.mask(Table(schema, table.codes, table.numbers), "ipso", protect=["a"])
    for code in (0, 1):
        rows = table.codes[:, 0] == code
        assert published.numbers[rows, 0].mean() == pytest.approx(table.numbers[rows, 0].mean())


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ({"confidential": ["agi", "x"]}, InputError, r"(?s)given 'x'.*agi, masked"),
        ({"confidential": ["agy"]}, InputError, "Did you mean 'agi'"),
        ({"variant": "d"}, InputError, "'a', 'a-drawn', 'b' or 'c'"),
    ],
)
def test_refusals(params: dict, error: type[Exception], text: str, census: Table) -> None:
    with pytest.raises(error, match=text):
        evosdc.mask(census, "ipso", protect=Y, **params)


def test_too_few_records_are_refused_with_the_number_needed(census: Table) -> None:
    few = census.take(np.arange(6))
    with pytest.raises(ParameterError, match=r"6 records.*at least 7 \(3 masked attributes \+ rank 4"):
        evosdc.mask(few, "ipso", protect=Y, confidential=X)
    exact = census.take(np.arange(7))
    after = evosdc.mask(exact, "ipso", protect=Y, confidential=X).select(Y).numbers
    for found, wanted in zip(
        model(exact.select(X).numbers, after), model(exact.select(X).numbers, exact.select(Y).numbers), strict=True
    ):
        assert_equal_matrices(found, wanted, 1e-7)
    with pytest.raises(ParameterError, match="without the file"):
        masked(Ipso, few.select(Y), confidential=X)


def test_from_the_command_line_and_by_strata(data_sets: DataSets, tmp_path: Path) -> None:
    before = data_sets.table("eia")
    target = tmp_path / "masked.csv"
    chosen = ["--protect", "ressales,totsales", "--set", 'confidential=["month"]', "--by", "state"]
    with pytest.raises(SystemExit) as done:
        main(["mask", "ipso", "eia", *chosen, "-o", str(target)])
    assert not done.value.code
    manifest = json.loads((tmp_path / "masked.manifest.json").read_text())
    assert manifest["parameters"]["confidential"] == ["month"]
    assert manifest["context"] == ["month"]
    after = pd.read_csv(target)
    state = before.column("state")
    for code in range(3):
        rows = np.flatnonzero(state == code)
        wanted = before.column("ressales")[rows].mean()
        assert after["ressales"].iloc[rows].mean() == pytest.approx(wanted, abs=1)
