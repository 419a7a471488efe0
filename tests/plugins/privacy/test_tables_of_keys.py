"""Log-linear models, risky cells, separation, IHSN's scores, and what models say of single records."""

from __future__ import annotations

from itertools import combinations
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.assess.risk import build_models, record_figures
from evosdc.errors import ParameterError
from evosdc.model import MissingMatch
from evosdc.plugins.registry import default_registry
from evosdc.testing.privacy import sample_view
from evosdc_privacy import subsets
from evosdc_privacy.population_uniqueness import LogLinearRisk, expected_inverse, independent_means, two_way_means
from evosdc_privacy.special_uniques import Suda2, ihsn_score
from evosdc_privacy.subsets import RiskyCells, Separation, SubsetAnonymity, distinct_keys
from tests.plugins.privacy.reference import msus, neighbours, release_of_codes

CODES = st.tuples(st.integers(1, 10), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int32, shape, elements=st.integers(-1, 2))
)


class TestLogLinear:
    def test_independence_by_hand(self) -> None:
        """Six records of two attributes; only (1, 1) is unique: mu = 6 (2/6) (2/6) = 2/3, and pi = 0.5 makes v = mu."""
        codes = [[0, 0]] * 3 + [[1, 0], [0, 1], [1, 1]]
        codes[3], codes[4] = [1, 0], [0, 1]
        codes += [[1, 0], [0, 1]]
        view = release_of_codes(codes)
        model = LogLinearRisk(LogLinearRisk.Params(sampling_fraction=0.5, model="independence"))
        figures = model.assess(view)
        assert model.in_words(figures).startswith(f"of {figures['unique_records']} unique records about")
        v = 8 * (3 / 8) * (3 / 8)
        assert figures["unique_records"] == 1
        assert figures["tau1"] == pytest.approx(exp(-v))
        assert figures["tau2"] == pytest.approx((1 - exp(-v)) / v)
        assert figures["tau2_percent"] == pytest.approx(100 * figures["tau2"] / 8)

    @settings(deadline=None)
    @given(arrays(np.int32, st.tuples(st.integers(2, 25), st.just(3)), elements=st.integers(0, 2)))
    def test_fitted_margins_are_those_of_the_file(self, codes) -> None:
        keys, counts = np.unique(codes, axis=0, return_counts=True)
        keys = np.column_stack([np.unique(c, return_inverse=True)[1].reshape(-1) for c in keys.T])
        widths = keys.max(axis=0) + 1
        grid = np.array(list(np.ndindex(*widths)))
        at = {tuple(key): count for key, count in zip(keys.tolist(), counts, strict=True)}
        observed = np.array([at.get(tuple(key), 0) for key in grid.tolist()], dtype=float)
        # fitted on all cells, empty ones too, so that margins can be added up
        means = two_way_means(grid, observed, widths)
        for pair in combinations(range(3), 2):
            places = np.ravel_multi_index(grid[:, pair].T, widths[list(pair)])
            size = int(np.prod(widths[list(pair)]))
            fitted = np.bincount(places, means, size)
            assert fitted == pytest.approx(np.bincount(places, observed, size), abs=1e-3 * len(codes))
        assert independent_means(grid, observed).sum() == pytest.approx(len(codes))

    def test_the_mean_of_an_inverse_of_a_shifted_poisson(self) -> None:
        from scipy.stats import poisson

        f = np.arange(0, 200)
        for v in (1e-12, 0.3, 4.0):
            assert expected_inverse(np.array([v]))[0] == pytest.approx((poisson.pmf(f, v) / (f + 1)).sum())

    def test_a_census_has_as_many_matches_as_uniques(self) -> None:
        view = release_of_codes([[0, 1], [1, 0], [1, 1], [1, 1]])
        figures = LogLinearRisk(LogLinearRisk.Params(sampling_fraction=1.0)).assess(view)
        assert (figures["tau1"], figures["tau2"]) == (2.0, 2.0)

    def test_large_tables_are_refused(self) -> None:
        codes = np.arange(40)[:, None] % np.array([[40, 39, 38, 37]])
        with pytest.raises(ParameterError, match="cells"):
            LogLinearRisk(LogLinearRisk.Params(sampling_fraction=0.1, model="two-way")).assess(release_of_codes(codes))


@given(CODES, st.sampled_from(MissingMatch), st.integers(2, 3))
def test_risky_cells_are_counted_table_by_table(codes, missing, threshold) -> None:
    view = release_of_codes(codes, missing)
    model = RiskyCells(RiskyCells.Params(dimensions=2, threshold=threshold))
    figures, by_record = model.assess(view), model.record_figures(view)
    columns, n = codes.shape[1], len(codes)
    times = np.zeros(n)
    for size in range(1, min(2, columns) + 1):
        for chosen in combinations(range(columns), size):
            near = neighbours(codes, missing, chosen)
            rare = [len(found) < threshold for found in near]
            times += rare
            names = " x ".join(f"a{v}" for v in chosen)
            if missing is MissingMatch.CATEGORY:
                cells = {tuple(codes[i, list(chosen)].tolist()) for i in range(n) if rare[i]}
                assert figures["by_table"][names] == len(cells)
    assert by_record.tolist() == times.tolist()
    assert figures["records"] == np.count_nonzero(times)


def test_thresholds_may_differ_by_dimension() -> None:
    view = release_of_codes([[0, 0], [0, 1], [1, 1], [1, 0]])
    figures = RiskyCells(RiskyCells.Params(dimensions=2, threshold=(3, 1))).assess(view)
    assert figures["by_dimension"] == {"1": 4, "2": 0}
    with pytest.raises(ParameterError, match="one for each"):
        RiskyCells(RiskyCells.Params(dimensions=2, threshold=(3, 1, 1))).assess(view)


@given(CODES)
def test_separation_is_of_pairs(codes) -> None:
    figures = Separation(Separation.Params()).assess(release_of_codes(codes))
    n = len(codes)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    apart = [bool((codes[i] != codes[j]).any()) for i, j in pairs]
    assert figures["separation"] == pytest.approx(np.mean(apart) if pairs else 1.0)
    assert figures["distinction"] == len({tuple(row) for row in codes.tolist()}) / n
    first = [bool(codes[i, 0] != codes[j, 0]) for i, j in pairs]
    assert figures["sets"]["a0"]["separation"] == pytest.approx(np.mean(first) if pairs else 1.0)


@given(CODES)
def test_ihsn_scores_are_sums_over_minimal_uniques(codes) -> None:
    view, columns = release_of_codes(codes), codes.shape[1]
    figures = Suda2(Suda2.Params(scoring="ihsn")).assess(view)
    sets = msus(codes, MissingMatch.CATEGORY, columns)
    wanted = [sum((2 ** (columns - len(s)) - 1) / comb(columns, len(s)) for s in found) for found in sets]
    assert figures["largest_score"] == pytest.approx(max(wanted))
    assert ihsn_score(1, 3) == pytest.approx(3 / 3)


def test_dis_suda_that_is_cut_does_not_average_to_dis() -> None:
    """One record is unique on every attribute, two others on few: their share exceeds 1 and is cut."""
    codes = [[2, 2, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0]]
    figures = Suda2(Suda2.Params(sampling_fraction=0.9)).assess(release_of_codes(codes))
    assert figures["records_cut"] == 1
    assert figures["mean_of_uniques"] < figures["dis"]


@pytest.mark.parametrize("missing", MissingMatch)
def test_records_are_told_in_the_order_of_the_file(missing) -> None:
    view = sample_view("ordinary", missing)
    registry = default_registry()
    models = {name: {} for name in registry.names("privacy-model")}
    figures, built = record_figures(view, models, registry), build_models(models, registry)
    assert {"k-anonymity", "individual-risk", "suda2", "risky-cells", "k-map", "delta-presence"} <= set(figures)
    for name, column in figures.items():
        assert column.shape == (len(view.table),), name
        assert not np.isnan(column).any(), name
    k = [len(near) for near in neighbours(view.codes, MissingMatch.CATEGORY)] if view.tree is None else None
    if k is not None:
        assert figures["k-anonymity"].tolist() == k
        assert figures["l-diversity"].min() == built["l-diversity"].assess(view)["l"]
        assert figures["t-closeness"].max() == built["t-closeness"].assess(view)["t"]
    assert figures["individual-risk"].max() == built["individual-risk"].assess(view)["largest"]
    assert figures["suda2"].max() == built["suda2"].assess(view)["largest_dis_suda"]


@settings(deadline=None)
@given(CODES, st.sampled_from(list(MissingMatch)))
def test_sets_of_attributes_are_looked_at_by_distinct_keys_with_the_same_figures(codes, missing) -> None:
    cells, pairs = RiskyCells(RiskyCells.Params(threshold=3)), SubsetAnonymity(SubsetAnonymity.Params(size=2))
    models, view = (cells, pairs, Separation(Separation.Params())), release_of_codes(codes, missing)
    own = [model.assess(view) for model in models], [model.record_figures(view) for model in (cells, pairs)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(subsets, "distinct_keys", lambda view: (view, np.arange(len(view.table))))
        anew = release_of_codes(codes, missing)
        assert [model.assess(anew) for model in models] == own[0]
        for model, found in zip((cells, pairs), own[1], strict=True):
            np.testing.assert_array_equal(model.record_figures(anew), found)


def test_a_set_of_attributes_is_not_sought_among_all_records() -> None:
    view = release_of_codes([[0, 1, 0], [1, 1, 0]] * 50)
    assert len(distinct_keys(view)[0].table) == 2
