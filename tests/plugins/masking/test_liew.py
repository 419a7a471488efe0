from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evosdc.errors import ParameterError
from evosdc.model.parameters import parse_parameters
from evosdc.table.table import Table
from evosdc_masking.synthesis import (
    FAMILIES,
    Liew,
    best_density,
    by_rank,
    drawn_categories,
    fitted_densities,
    frequency_imposed,
)
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, masked, mixed_tables, numeric
from tests.published import DataSets


def assert_order_kept(before: np.ndarray, after: np.ndarray) -> None:
    order = np.argsort(before, kind="stable")
    values, drawn = before[order], after[order]
    starts = np.flatnonzero(np.diff(values)) + 1
    tops = np.maximum.accumulate(drawn)[starts - 1]
    least = np.minimum.accumulate(drawn[::-1])[::-1][starts]
    assert (tops <= least).all()


@given(mixed_tables(), st.integers(0, 9), st.booleans())
def test_ranks_are_kept_and_missing_values_stay(table: Table, seed: int, rounding: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        published = masked(Liew, table, seed, rounding=rounding)
    np.testing.assert_array_equal(np.isnan(published.numbers), np.isnan(table.numbers))
    np.testing.assert_array_equal(published.codes == -1, table.codes == -1)
    for attribute in table.schema.attributes:
        before, after = table.column(attribute.name), published.column(attribute.name)
        known = before != -1 if attribute.categorical else ~np.isnan(before)
        if attribute.scale is not NOMINAL and known.any():
            assert_order_kept(before[known], after[known])
        if attribute.categorical and known.any():
            assert set(after[known]) <= set(before[known])


@pytest.mark.endurance
@pytest.mark.parametrize("name", ["tarragona", "census", "eia"])
def test_real_distributions_are_met_and_ranks_kept(name: str, data_sets: DataSets) -> None:
    table = data_sets.table(name)
    table = table.select([a.name for a in table.schema.numeric])
    published = masked(Liew, table, rounding=False)
    for before, after in zip(table.numbers.T, published.numbers.T, strict=True):
        assert_order_kept(before, after)
        density = best_density(before, 0.05)
        if density is None:
            share = np.histogram(before, int(np.clip(round(np.sqrt(len(before))), 8, 20)))[0].max() / len(before)
            allowed = share + 1e-9
        else:
            # the fitted density is as near as accepted, and a sample of n as near to it as Kolmogorov allows
            allowed = density.statistic + stats.kstwo.isf(1e-6, len(before))
        assert stats.ks_2samp(before, after, method="asymp").statistic <= allowed


@pytest.mark.parametrize(
    ("family", "sample"),
    [
        ("normal", stats.norm(5, 2)),
        ("uniform", stats.uniform(-3, 9)),
        ("exponential", stats.expon(0, 4)),
        ("gamma", stats.gamma(6, scale=2)),
        ("laplace", stats.laplace(1, 3)),
        ("lognormal", stats.lognorm(1.2, scale=5)),
        ("weibull", stats.weibull_min(6, scale=2)),
        ("logistic", stats.logistic(0, 2)),
        ("gumbel", stats.gumbel_r(0, 2)),
    ],
)
def test_the_family_of_a_sample_is_fitted_and_accepted(family: str, sample: object) -> None:
    values = sample.rvs(2000, random_state=np.random.default_rng(5))  # type: ignore[attr-defined]
    by_family = {density.family: density for density in fitted_densities(values)}
    assert set(by_family) <= set(FAMILIES)
    assert by_family[family].p_value > 0.05
    assert by_family[family].statistic < 0.03
    best = best_density(values, 0.05)
    assert best is not None
    assert best.statistic == min(d.statistic for d in by_family.values() if d.p_value >= 0.05)
    quantiles = np.linspace(0.05, 0.95, 10)
    assert np.abs(best.distribution.cdf(sample.ppf(quantiles)) - quantiles).max() < 0.05  # type: ignore[attr-defined]


def test_two_humps_are_no_known_density_and_are_imposed_by_frequency() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(0, 1, 500), rng.normal(40, 1, 700)])
    assert best_density(values, 0.05) is None
    published = masked(Liew, numeric(values), rounding=False, intervals=10).numbers[:, 0]
    edges = np.linspace(values.min(), values.max(), 11)
    np.testing.assert_array_equal(np.histogram(published, edges)[0], np.histogram(values, edges)[0])
    assert (published != values).mean() > 0.99


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=60), st.integers(8, 20), st.integers(0, 3))
def test_frequencies_of_intervals_are_imposed(given_values: list[int], intervals: int, seed: int) -> None:
    values = np.array([*given_values, 60.5])
    draws = frequency_imposed(values, intervals, np.random.default_rng(seed))
    edges = np.linspace(values.min(), values.max(), intervals + 1)
    inside = [np.clip(np.searchsorted(edges, v, side="right") - 1, 0, intervals - 1) for v in (values, draws)]
    np.testing.assert_array_equal(*[np.bincount(i, minlength=intervals) for i in inside])


def test_equal_values_get_draws_in_random_order() -> None:
    values = np.zeros(200)
    first = np.mean([by_rank(values, np.arange(200.0), np.random.default_rng(s))[0] for s in range(200)])
    assert 70 < first < 130


def test_categories_are_drawn_from_their_frequencies() -> None:
    column = np.repeat([0, 2, 3], [100, 300, 600]).astype(np.int32)
    drawn = np.bincount(drawn_categories(np.tile(column, 20), 5, np.random.default_rng(1)), minlength=5) / 20_000
    np.testing.assert_allclose(drawn, [0.1, 0, 0.3, 0.6, 0], atol=0.02)


def test_nominal_attributes_lose_their_relations_and_ordinal_ones_keep_them() -> None:
    codes = np.random.default_rng(1).integers(0, 6, 3000)
    nominal, ordinal = (masked(Liew, categorical(codes, [6], [scale])).codes[:, 0] for scale in (NOMINAL, ORDINAL))
    assert abs((nominal == codes).mean() - 1 / 6) < 0.05
    assert (ordinal == codes).mean() > 0.8
    assert np.abs(ordinal - codes).max() <= 1


def test_a_constant_or_small_attribute() -> None:
    assert masked(Liew, numeric([3.0] * 30)).same_records(numeric([3.0] * 30))
    few = masked(Liew, numeric([1.0, 5.0, 2.0]), rounding=False).numbers[:, 0]
    assert few.argsort().tolist() == [0, 2, 1]
    assert ((few >= 1) & (few <= 5)).all()


def test_significance_decides_what_is_accepted() -> None:
    values = np.random.default_rng(1).lognormal(0, 1, 400)
    assert best_density(values, 0.0) is not None
    assert best_density(values, 1.0) is None


@pytest.mark.parametrize(
    ("params", "text"),
    [({"significance": 1.5}, "less than or equal to 1"), ({"intervals": 7}, "to 8"), ({"intervals": 21}, "to 20")],
)
def test_refusals(params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(Liew, **params)


def test_defaults() -> None:
    usual = {"rounding": True, "significance": 0.05, "intervals": None}
    assert parse_parameters(Liew.Params, {}, "method").model_dump() == usual
