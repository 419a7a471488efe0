"""Information loss of numbers: fixtures, agreement with slow references, limits and missing values."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from evosdc.table.schema import MissingRule
from evosdc.table.table import Table
from evosdc_measures.numeric_loss.apil import OriginalStatistics
from tests.plugins.measures.numeric import reference
from tests.plugins.measures.numeric.cases import SPECS, fitted, microaggregated, noisy, numeric, pairs

LOSSES = [name for name, spec in SPECS.items() if spec.family in ("numeric", "discrepancy")]
ALL_SCALES = "il-variables"
"""The one that is of categories, and of constant attributes, too."""


def test_the_family_is_complete():
    of_peers = {ALL_SCALES, "il-correl", "robust-eigenvalues-discrepancy"}
    found = {"il1s", "apil", "estimates", "mean-variation", "data-discrepancy", "eigenvalues-discrepancy"} | of_peers
    assert found == set(LOSSES)


def test_il1s_by_hand():
    original, masked = numeric([0.0, 2.0], [5.0, 5.0]), numeric([0.0, 1.0], [5.0, 9.0])
    # S = sqrt(2), so one unit costs 1/2 in one of two cells; the constant attribute is skipped.
    assert fitted("il1s", original).score(masked) == pytest.approx(25.0)


def test_discrepancies_by_hand():
    original = numeric([1.0, 2.0, 3.0, 0.0], [2.0, 4.0, 6.0, 4.0])
    masked = numeric([2.0, 2.0, 3.0, 1.0], [2.0, 4.0, 6.0, 4.0])
    errors = ("variation", "mse", "mae")
    score = {error: fitted("data-discrepancy", original, error=error).score(masked) for error in errors}
    # One relative difference of 1; the entry that is 0 is skipped, so seven are left.
    assert score["variation"] == pytest.approx(1 / 7)
    assert score["mse"] == score["mae"] == pytest.approx(2 / 8)
    parts = fitted("mean-variation", original).breakdown(masked)
    assert parts["means"] == pytest.approx(100 * (0.5 / 1.5) / 2)
    # Variances 1.25 and 0.5 of the first attribute.
    assert parts["variances"] == pytest.approx(100 * 0.6 / 2)


def test_matrix_discrepancies_are_over_a_triangle():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(2, 30, 3)) + 5
    original, masked = numeric(*X.T), numeric(*Y.T)
    upper = np.triu_indices(3)
    covariances = [np.cov(values, rowvar=False, bias=True)[upper] for values in (X, Y)]
    correlations = [np.corrcoef(values, rowvar=False)[np.triu_indices(3, 1)] for values in (X, Y)]
    parts = fitted("mean-variation", original, bounded=False).breakdown(masked)
    for name, (a, b) in (("covariances", covariances), ("correlations", correlations)):
        assert parts[name] == pytest.approx(100 * (abs(a - b) / abs(a)).mean())
    scale = np.outer(X.std(axis=0), X.std(axis=0))
    values = [np.sort(np.linalg.eigvalsh(np.cov(v, rowvar=False, bias=True) / scale))[::-1] for v in (X, Y)]
    found = fitted("eigenvalues-discrepancy", original).score(masked)
    assert found == pytest.approx((abs(values[0] - values[1]) / values[0]).mean())


def test_the_mean_variation_is_the_mean_of_five_parts():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(2, 40, 3)) + 9
    original, masked = numeric(*X.T), numeric(*Y.T)
    contents = ("data", "means", "variances", "covariances", "correlations")
    unbounded, bounded = (fitted("mean-variation", original, bounded=bounded) for bounded in (False, True))
    parts = unbounded.breakdown(masked)
    assert list(parts) == list(contents)
    assert unbounded.score(masked) == pytest.approx(np.mean([*parts.values()]))
    assert bounded.score(masked) == pytest.approx(np.minimum([*parts.values()], 100).mean())
    assert parts["data"] == pytest.approx(100 * fitted("data-discrepancy", original).score(masked))


@given(tables=pairs())
def test_il1s_on_small_tables(tables):
    assert fitted("il1s", tables[0]).score(tables[1]) == pytest.approx(reference.il1s(*tables))


@given(tables=pairs())
def test_losses_are_finite_and_nothing_is_lost_by_the_original(tables):
    original, masked = tables
    for name in LOSSES:
        measure = fitted(name, original)
        assert measure.score(original) == pytest.approx(0.0, abs=1e-9)
        assert 0.0 <= measure.score(masked) <= SPECS[name].range[1]
        assert np.isfinite(measure.score(masked))


@pytest.mark.parametrize("seed", range(25))
def test_apil_on_random_tables(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 40)), int(rng.integers(1, 4))
    X = np.round(rng.gamma(2.0, 3.0, size=(n, p)) @ rng.normal(size=(p, p)), 2)
    Y = np.round(X + rng.normal(scale=rng.choice([0.01, 0.3]), size=(n, p)), 2)
    original, masked = numeric(*X.T), numeric(*Y.T)
    wanted = reference.apil(original, masked)
    assert fitted("apil", original).breakdown(masked) == pytest.approx(wanted)
    assert fitted("apil", original).score(masked) == pytest.approx(np.mean(list(wanted.values())))


@pytest.mark.parametrize("seed", range(15))
def test_apil_with_missing_values(seed):
    rng = np.random.default_rng(100 + seed)
    X = np.round(rng.gamma(2.0, 3.0, size=(30, 3)), 1)
    Y = np.round(X + rng.normal(size=X.shape), 1)
    for numbers in (X, Y):
        numbers[rng.random(X.shape) < 0.2] = np.nan
    original, masked = numeric(*X.T), numeric(*Y.T)
    original, masked = (Table(t.schema, t.codes, n) for t, n in ((original, X), (masked, Y)))
    assert fitted("apil", original).breakdown(masked) == pytest.approx(reference.apil(original, masked))


def test_losses_of_published_files(numeric_file):
    rng = np.random.default_rng(3)
    part = numeric_file.take(np.arange(80))
    for masked in (noisy(part, 0.2, rng), microaggregated(part)):
        assert fitted("il1s", part).score(masked) == pytest.approx(reference.il1s(part, masked))
        if (part.numbers.max(axis=0) > part.numbers.min(axis=0)).all():
            assert fitted("apil", part).breakdown(masked) == pytest.approx(reference.apil(part, masked), rel=1e-6)


@pytest.mark.endurance
@pytest.mark.parametrize("name", LOSSES)
def test_more_noise_loses_more(name, numeric_file):
    measure = fitted(name, numeric_file)
    scores = [measure.score(noisy(numeric_file, share, np.random.default_rng(4))) for share in (0.0, 0.02, 1.0)]
    assert scores[0] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < scores[1] < scores[2]


def test_sampling_variances_agree_with_simulation():
    rng = np.random.default_rng(5)
    x = rng.gamma(2.0, size=40_000)
    X = np.column_stack([x, x + rng.gamma(1.5, size=x.size)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    population = OriginalStatistics(X, "kernel")
    n = 400
    samples = X[rng.integers(0, len(X), size=(4000, n))]
    centred = samples - samples.mean(axis=1, keepdims=True)
    variances = (centred**2).mean(axis=1)
    covariances = (centred[..., 0] * centred[..., 1]).mean(axis=1)
    correlations = covariances / np.sqrt(variances.prod(axis=1))
    simulated = [*samples.mean(axis=1).var(axis=0), *variances.var(axis=0), covariances.var(), correlations.var()]
    assert n * np.array(simulated) == pytest.approx(population.variances, rel=0.1)
    medians = np.median(samples[..., 0], axis=1)
    assert n * medians.var() == pytest.approx(0.25 / population.densities[0, 9] ** 2, rel=0.15)


def test_values_without_records_or_variation():
    original = numeric([1.0, 1.0, 1.0])
    for name in {*LOSSES} - {ALL_SCALES}:
        assert fitted(name, original).score(numeric([2.0, 3.0, None])) == 0.0, "a constant attribute is skipped"
        assert fitted(name, numeric([4.0])).score(numeric([7.0])) == 0.0, "one record has no variation"
        assert fitted(name, numeric([None, None])).score(numeric([1.0, 2.0])) == 0.0
        assert fitted(name, numeric([1.0, 2.0])).score(numeric([1.0, 2.0])) == 0.0


def test_everything_suppressed():
    original = numeric([1.0, 2.0, 5.0, 3.0], [2.0, 2.5, 1.0, 7.0])
    masked = numeric([None] * 4, [None] * 4)
    assert fitted("il1s", original).score(masked) == 100.0
    assert fitted("apil", original).score(masked) == 100.0
    parts = fitted("mean-variation", original).breakdown(masked)
    assert [parts[name] for name in ("means", "variances", "covariances", "correlations")] == pytest.approx([100.0] * 4)
    assert fitted("eigenvalues-discrepancy", original).score(masked) == pytest.approx(1.0)
    wild = numeric([1.0, 2.0, 5.0, 3.0], na=MissingRule.WILDCARD)
    assert fitted("il1s", wild).score(Table(wild.schema, wild.codes, np.full((4, 1), np.nan))) == 0.0


def test_units_are_of_no_account(numeric_file):
    masked = noisy(numeric_file, 0.1, np.random.default_rng(6))
    factors = np.geomspace(1e-3, 1e3, numeric_file.numbers.shape[1])
    scaled = [Table(t.schema, t.codes, t.numbers * factors) for t in (numeric_file, masked)]
    for name in ("il1s", "apil", "mean-variation", "eigenvalues-discrepancy"):
        wanted = fitted(name, numeric_file).score(masked)
        assert fitted(name, scaled[0]).score(scaled[1]) == pytest.approx(wanted, rel=1e-6)


def test_a_quantile_density_can_be_that_of_the_normal():
    rng = np.random.default_rng(7)
    original = numeric(rng.normal(size=2000))
    masked = Table(original.schema, original.codes, original.numbers + 0.02)
    of_densities = (fitted("apil", original, density=density) for density in ("kernel", "normal"))
    by_kernel, by_normal = (measure.breakdown(masked)["quantiles"] for measure in of_densities)
    assert by_kernel == pytest.approx(by_normal, rel=0.1)
    assert by_kernel != by_normal


def test_categories_of_a_mixed_file_are_left_out():
    from tests.plugins.measures.numeric.cases import schema, table

    of_schema = schema(["ordinal", "numeric"])
    original = table(of_schema, [(0, 1.0), (1, 2.0), (2, 4.0)])
    masked = table(of_schema, [(2, 1.0), (2, 3.0), (2, 4.0)])
    alone = replace(of_schema, attributes=of_schema.attributes[1:])
    for name in {*LOSSES} - {ALL_SCALES}:
        wanted = fitted(name, original.select(alone.names)).score(masked.select(alone.names))
        assert fitted(name, original).score(masked) == wanted
