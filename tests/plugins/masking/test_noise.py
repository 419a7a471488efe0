from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod
from evosdc.model.parameters import parse_parameters
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc_masking.noise import CorrelatedNoise, LinearTransformNoise, MultiplicativeNoise, UncorrelatedNoise, moments
from tests.plugins.masking.tables import NUMERIC, build, masked, numeric, numeric_tables
from tests.published import DataSets

ADDITIVE = [UncorrelatedNoise, CorrelatedNoise, LinearTransformNoise]
TWO = {"variant": "two-component"}
DRAWS = 400


@pytest.fixture(scope="module")
def census(data_sets: DataSets) -> Table:
    return data_sets.table("census").select(["agi", "fedtax", "ptotval", "taxinc", "intval"])


def moments_of_masked(method: MaskingMethod, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means (draws, Q) and covariances (draws, Q, Q) of standardised numbers that were masked."""
    rng = np.random.default_rng(0)
    table = numeric(numbers)
    files = [method.mask(table, rng).numbers for _ in range(DRAWS)]
    means = np.array([file.mean(axis=0) for file in files])
    covariances = np.array([np.cov(file.T, bias=True) for file in files])
    return means, covariances


def assert_expected(samples: np.ndarray, wanted: np.ndarray) -> None:
    """The mean of samples is within 4.5 of its standard errors of what is wanted, entry by entry."""
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    assert np.all(np.abs(samples.mean(axis=0) - wanted) <= 4.5 * error + 1e-12)


@pytest.mark.parametrize("alpha", [0.1, 1.0])
@pytest.mark.parametrize("method", ADDITIVE)
def test_means_and_covariances_are_as_promised_on_census(method: type, alpha: float, census: Table) -> None:
    values = (census.numbers - census.numbers.mean(axis=0)) / census.numbers.std(axis=0) + 2.0
    n, before = len(values), np.cov(values.T, bias=True)
    noise = alpha * (np.eye(len(before)) if method is UncorrelatedNoise else before)
    shrink = 1 / (1 + alpha) if method is LinearTransformNoise else 1.0
    means, covariances = moments_of_masked(build(method, alpha=alpha, rounding=False), values)
    assert_expected(means, values.mean(axis=0))
    # a sample of n draws has its covariance times (n - 1) / n in expectation
    assert_expected(covariances, shrink * (before + noise * (n - 1) / n))


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_correlations_are_as_promised_on_census(alpha: float, census: Table) -> None:
    before = np.corrcoef(census.numbers.T)
    shrunk = before / (1 + alpha) + np.eye(len(before)) * alpha / (1 + alpha)
    for method, wanted in [(UncorrelatedNoise, shrunk), (CorrelatedNoise, before), (LinearTransformNoise, before)]:
        found = [np.corrcoef(masked(method, census, seed, alpha=alpha).numbers.T) for seed in range(60)]
        assert np.abs(np.mean(found, axis=0) - wanted).max() < 0.01


def test_the_basic_factors_keep_means_and_covariances_on_census(census: Table) -> None:
    values = census.numbers / census.numbers.std(axis=0)
    sigma, before = 0.3, np.cov(values.T, bias=True)
    wanted = before.copy()
    n = len(values)
    np.fill_diagonal(wanted, np.diag(before) + sigma**2 * (values**2).mean(axis=0) * (n - 1) / n)
    means, covariances = moments_of_masked(build(MultiplicativeNoise, sigma=sigma, rounding=False), values)
    assert_expected(means, values.mean(axis=0))
    assert_expected(covariances, wanted)


@pytest.mark.parametrize("seed", range(5))
def test_two_components_keep_means_and_variances_exactly(seed: int, census: Table) -> None:
    published = masked(MultiplicativeNoise, census, seed, **TWO, f=0.2, rounding=False).numbers
    np.testing.assert_allclose(published.mean(axis=0), census.numbers.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(published.std(axis=0), census.numbers.std(axis=0), rtol=1e-9)
    assert not np.isclose(published, census.numbers).all()


def test_two_components_move_a_record_one_way(census: Table) -> None:
    values = census.take(np.flatnonzero((census.numbers > 1000).all(axis=1)))
    unscaled = masked(MultiplicativeNoise, values, **TWO, f=0.2, s=0, rounding=False).numbers
    # undo the linear step of each attribute: without s it maps 1 - f and 1 + f of all attributes of a record alike
    product = np.array([np.polyfit(values.numbers[:, j], unscaled[:, j], 1) for j in range(values.numbers.shape[1])])
    grown = (unscaled - product[:, 1]) / product[:, 0] > values.numbers
    agreement = (grown == grown[:, :1]).mean()
    assert agreement > 0.95
    assert 0.35 < grown[:, 0].mean() < 0.65


def test_factors_are_near_their_two_components() -> None:
    from evosdc_masking.noise import lognormal_factors, two_component_factors

    rng = np.random.default_rng(1)
    factors = two_component_factors((20_000, 2), 0.2, 0.02, rng)
    up = factors > 1
    assert (up[:, 0] == up[:, 1]).all()
    assert abs(up[:, 0].mean() - 0.5) < 4.5 * 0.5 / np.sqrt(20_000)
    assert abs(factors[up].mean() - 1.2) < 0.001
    assert abs(factors[~up].std() - 0.02) < 0.001
    lognormal = lognormal_factors((200_000,), 0.5, rng)
    assert lognormal.min() > 0
    assert abs(lognormal.mean() - 1) < 4.5 * 0.5 / np.sqrt(200_000)
    assert abs(lognormal.std() - 0.5) < 0.01


@given(numeric_tables(), st.integers(0, 5))
def test_no_noise_is_the_identity(table: Table, seed: int) -> None:
    for method in ADDITIVE:
        assert masked(method, table, seed, alpha=0).same_records(table)
    assert masked(MultiplicativeNoise, table, seed, sigma=0).same_records(table)
    assert masked(MultiplicativeNoise, table, seed, **TWO, f=0).same_records(table)


@given(numeric_tables(), st.integers(0, 5))
def test_missing_values_stay_and_constant_attributes_too(table: Table, seed: int) -> None:
    constant = np.array([np.ptp(c[~np.isnan(c)]) == 0 if (~np.isnan(c)).any() else True for c in table.numbers.T])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files = [masked(method, table, seed, rounding=False) for method in ADDITIVE]
        files.append(masked(MultiplicativeNoise, table, seed, **TWO, rounding=False))
        basic = masked(MultiplicativeNoise, table, seed, rounding=False)
    for published in (*files, basic):
        np.testing.assert_array_equal(np.isnan(published.numbers), np.isnan(table.numbers))
    for published in files:
        np.testing.assert_array_equal(published.numbers[:, constant], table.numbers[:, constant])


@given(numeric_tables(missing=True))
def test_the_root_of_correlations_has_ones_on_the_diagonal(table: Table) -> None:
    found = moments(table.numbers)
    root = found.correlation_root()
    product = root @ root.T
    np.testing.assert_allclose(np.diag(product)[found.deviation > 0], 1.0, atol=1e-9)
    assert np.isfinite(root).all()
    assert not np.diag(product)[found.deviation == 0].any()


def test_a_singular_covariance_gives_noise_in_its_space() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 2)) * [1, 1e6]
    table = numeric(np.column_stack([x, x[:, 0] * 2 - 1e-6 * x[:, 1], x[:, 0]]))
    published = masked(CorrelatedNoise, table, alpha=0.5, rounding=False).numbers
    np.testing.assert_allclose(published[:, 3], published[:, 0], atol=1e-6)
    np.testing.assert_allclose(published[:, 2], published[:, 0] * 2 - 1e-6 * published[:, 1], atol=1e-6)


def test_moments_are_those_of_numpy() -> None:
    rng = np.random.default_rng(4)
    values = rng.lognormal(2, 2, size=(300, 4)) @ rng.normal(size=(4, 4))
    found = moments(values)
    np.testing.assert_allclose(found.mean, values.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.deviation, values.std(axis=0), rtol=1e-12)
    root = found.correlation_root()
    np.testing.assert_allclose(root @ root.T, np.corrcoef(values.T), atol=1e-12)


def test_large_numbers_do_not_overflow() -> None:
    table = numeric(np.array([[1e300, 1.0], [3e300, 2.0], [-2e300, 4.0]]))
    for method in ADDITIVE:
        assert np.isfinite(masked(method, table).numbers).all()


def test_published_numbers_have_the_decimals_of_their_attributes(census: Table) -> None:
    schema = Schema((Attribute("x", scale=NUMERIC, decimals=2), Attribute("y", scale=NUMERIC)))
    table = Table(schema, np.empty((50, 0), dtype=np.int32), np.random.default_rng(1).normal(0, 9, (50, 2)))
    for method in (*ADDITIVE, MultiplicativeNoise):
        published = masked(method, table).numbers
        np.testing.assert_array_equal(
            published, np.column_stack([np.round(published[:, 0], 2), np.rint(published[:, 1])])
        )
        assert not np.signbit(published[published == 0]).any()
        assert (masked(method, table, rounding=False).numbers % 0.01 > 1e-9).any()


@pytest.mark.parametrize(
    ("method", "params", "text"),
    [
        (UncorrelatedNoise, {"alpha": -0.1}, "greater than or equal to 0"),
        (MultiplicativeNoise, {"sigma": -1}, "greater than or equal to 0"),
        (MultiplicativeNoise, {"f": 0.1}, "the variant basic has no f"),
        (MultiplicativeNoise, {**TWO, "sigma": 1}, "the variant two-component has no sigma"),
        (MultiplicativeNoise, {**TWO, "f": 0.2, "s": 0.1}, "below f / 2 = 0.1"),
        (MultiplicativeNoise, {**TWO, "f": 1}, "less than 1"),
        (MultiplicativeNoise, {"variant": "three"}, "'basic' or 'two-component'"),
    ],
)
def test_refusals(method: type, params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(method, **params)


@pytest.mark.parametrize(
    ("method", "given_params", "usual"),
    [
        (UncorrelatedNoise, {}, {"alpha": 0.1, "rounding": True}),
        (MultiplicativeNoise, {}, {"variant": "basic", "sigma": 0.1, "f": None, "s": None, "rounding": True}),
        (MultiplicativeNoise, TWO, {"variant": "two-component", "sigma": None, "f": 0.1, "s": 0.025, "rounding": True}),
    ],
)
def test_defaults(method: type[MaskingMethod], given_params: dict, usual: dict) -> None:
    assert parse_parameters(method.Params, given_params, "method").model_dump() == usual
