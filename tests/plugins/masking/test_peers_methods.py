"""Methods that custodians know from other tools: what each promises, and what its parameters do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evosdc.errors import InputError, ParameterError
from evosdc.model import designs_of
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_masking.noise import OrthogonalMasking, turned
from evosdc_masking.outliers import (
    GowerMicroaggregation,
    MultivariateTopCoding,
    OutlierNoise,
    RobustMicroaggregation,
    farthest_first,
    filled,
    limit,
    robust_place,
)
from evosdc_masking.post_randomisation.pram import Pram
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.suppression.local_suppression import LocalSuppression
from evosdc_masking.suppression.risk_suppression import RiskSuppression, individual_risks
from evosdc_masking.swapping.rank_swapping import RankSwapping
from evosdc_masking.swapping.record_swapping import RecordSwapping
from evosdc_masking.swapping.shuffling import Shuffling
from tests.plugins.masking.tables import (
    FIXED,
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    categorical_tables,
    conforming,
    masked,
    mixed_tables,
    numeric,
    numeric_tables,
)

TestMultivariateTopCoding = conforming(MultivariateTopCoding, FIXED)
TestOutlierNoise = conforming(OutlierNoise)
TestGowerMicroaggregation = conforming(GowerMicroaggregation, FIXED)
TestRobustMicroaggregation = conforming(RobustMicroaggregation, FIXED)
TestOrthogonalMasking = conforming(OrthogonalMasking)
TestShuffling = conforming(Shuffling, {"keeps_links": False})
TestRecordSwapping = conforming(RecordSwapping, swap_rate=0.2, k=1)
TestRiskSuppression = conforming(RiskSuppression, FIXED, threshold=0.5)
TestRankSwappingWithTails = conforming(RankSwapping, top=5, bottom=5, r0=0.9)
TestIntervals = conforming(GlobalRecoding, FIXED | {"scales": {Scale.NUMERIC}}, intervals=4, spacing="quantile")
TestLowerBounds = conforming(GlobalRecoding, FIXED | {"scales": {Scale.NUMERIC}}, intervals=3, output="lower")


@pytest.mark.parametrize(
    "method",
    [MultivariateTopCoding, OutlierNoise, GowerMicroaggregation, RobustMicroaggregation, OrthogonalMasking, Shuffling,
     RecordSwapping, RiskSuppression],
)  # fmt: skip
def test_tuning_does_not_try_them(method) -> None:
    assert list(designs_of(method, numeric(np.arange(40.0)))) == []


class TestOutliers:
    def test_records_inside_stay_and_others_come_to_the_ellipsoid(self) -> None:
        rng = np.random.default_rng(0)
        values = np.round(rng.normal(size=(80, 2)), 6)
        values[0] = (30.0, -20.0)
        table = numeric(values)
        coded = masked(MultivariateTopCoding, table, quantile=0.95, rounding=False)
        centre, squared, rank = robust_place(values)
        outside = squared > limit(0.95, rank)
        assert outside[0]
        np.testing.assert_array_equal(coded.numbers[~outside], values[~outside])
        direction = (coded.numbers[0] - centre) / (values[0] - centre)
        assert direction[0] == pytest.approx(direction[1])
        assert direction[0] == pytest.approx(np.sqrt(limit(0.95, rank) / squared[0]))

    def test_noise_is_on_outliers_alone(self) -> None:
        rng = np.random.default_rng(1)
        values = np.round(rng.normal(size=(100, 2)), 3)
        values[7, 0] = 50.0
        noisy = masked(OutlierNoise, numeric(values), alpha=1, quantile=0.9999, rounding=False).numbers
        changed = np.flatnonzero((noisy != values).any(axis=1))
        assert changed.tolist() == [7]

    @given(table=mixed_tables(), k=st.integers(1, 4))
    def test_gowers_classes_hold_k_records(self, table: Table, k: int) -> None:
        k = min(k, len(table))
        published = masked(GowerMicroaggregation, table, k=k)
        pairs = zip(published.codes, published.numbers, strict=True)
        rows = [tuple(map(str, [*codes, *numbers])) for codes, numbers in pairs]
        assert min(rows.count(row) for row in rows) >= k

    def test_classes_are_those_of_mdav_by_the_given_distance(self) -> None:
        points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [5.0]])

        def away(part, one):
            return np.abs(part - one).sum(axis=1)

        classes = farthest_first(points, 3, away, lambda part: part.mean(axis=0))
        assert sorted(np.bincount(classes).tolist()) == [3, 4]
        assert len({classes[i] for i in (3, 4, 5)}) == 1

    def test_missing_numbers_count_as_the_median(self) -> None:
        assert filled(np.array([[1.0], [np.nan], [5.0]])).tolist() == [[1.0], [3.0], [5.0]]


class TestMoments:
    @given(st.integers(0, 2**32), st.floats(0.01, 5.0))
    def test_means_and_covariances_are_kept_exactly(self, seed: int, amount: float) -> None:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 3)) + 7
        y = turned(x, rng.standard_normal(x.shape), amount)
        assert y.mean(axis=0) == pytest.approx(x.mean(axis=0))
        assert np.cov(y, rowvar=False) == pytest.approx(np.cov(x, rowvar=False), rel=1e-8, abs=1e-8)
        assert not np.allclose(x, y)

    def test_nothing_and_little_change_little(self) -> None:
        table = numeric(np.arange(20.0))
        assert masked(OrthogonalMasking, table, amount=0).same_records(table)
        near = masked(OrthogonalMasking, table, amount=0.01, rounding=False).numbers
        assert np.abs(near - table.numbers).max() < 1.0


class TestShuffledValues:
    @given(table=numeric_tables(), seed=st.integers(0, 99), residuals=st.sampled_from(["drawn", "exact"]))
    def test_every_marginal_is_kept(self, table: Table, seed: int, residuals: str) -> None:
        published = masked(Shuffling, table, seed=seed, residuals=residuals).numbers
        for before, after in zip(table.numbers.T, published.T, strict=True):
            np.testing.assert_array_equal(np.isnan(before), np.isnan(after))
            np.testing.assert_array_equal(np.sort(before), np.sort(after))

    @pytest.mark.parametrize("residuals", ["drawn", "exact"])
    def test_relations_with_predictors_are_kept_and_persons_are_not(self, residuals: str) -> None:
        rng = np.random.default_rng(2)
        s = rng.normal(size=600)
        x = np.column_stack((s + 0.6 * rng.normal(size=600), rng.exponential(size=600)))
        table, predictors = numeric(np.round(x, 6)), numeric(s)
        predictors = Table(Schema((Attribute("s", scale=Scale.NUMERIC),)), predictors.codes, predictors.numbers)
        published = (
            build(Shuffling, residuals=residuals).mask_given(table, predictors, np.random.default_rng(3)).numbers
        )
        before, after = (spearmanr(s, v[:, 0]).statistic for v in (x, published))
        assert abs(before - after) < 0.06
        rest = [v[:, 0] - np.polyval(np.polyfit(s, v[:, 0], 1), s) for v in (x, published)]
        assert abs(np.corrcoef(rest[0], rest[1])[0, 1]) < 0.15

    def test_predictors_that_are_masked_are_refused(self) -> None:
        schema = numeric(np.zeros((3, 2))).schema
        with pytest.raises(InputError, match="not masked"):
            build(Shuffling, predictors=["x0"]).auxiliary_names(schema, ("x0", "x1"))


class TestHouseholds:
    def file(self, seed: int = 0, households: int = 60):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 4, households)
        of = np.repeat(np.arange(households), sizes)
        region, town = rng.integers(0, 3, households), rng.integers(0, 2, households)
        places = categorical(np.column_stack((region, 2 * region + town))[of], (3, 6), (NOMINAL, NOMINAL))
        schema = Schema(
            (
                Attribute("home", Role.HOUSEHOLD, categories=tuple(map(str, range(households)))),
                Attribute("job", categories=tuple("abcdef")),
                Attribute("kind", categories=("x", "y")),
            )
        )
        jobs = np.minimum(rng.geometric(0.45, len(of)) - 1, 5)
        kind = rng.integers(0, 2, households)[of]
        codes = np.column_stack((of, jobs, kind)).astype(np.int32)
        return places, Table(schema, codes, np.empty((len(of), 0))), of, kind

    @pytest.mark.parametrize("seed", range(4))
    def test_households_move_together_to_similar_ones_elsewhere(self, seed: int) -> None:
        places, rest, of, kind = self.file(seed)
        method = build(RecordSwapping, risk=["job"], similar=["kind"], swap_rate=0.3, k=2, household="home")
        published = method.mask_given(places, rest, np.random.default_rng(seed))
        first = np.unique(of, return_index=True)[1]
        assert (published.codes == published.codes[first][of]).all()
        moved = (published.codes != places.codes).any(axis=1)
        assert moved[first].sum() >= 0.3 * len(first) - 1
        sizes = np.bincount(of)
        for depth in (0, 1):
            before, after = (
                sorted(zip(t.codes[first, depth].tolist(), kind[first].tolist(), sizes.tolist(), strict=True))
                for t in (places, published)
            )
            assert before == after  # households by place, kind and size
        assert (published.codes[:, 1] // 2 == published.codes[:, 0]).all()  # a town goes with its region

    def test_people_who_stand_out_are_moved(self) -> None:
        places = categorical([[0]] * 10 + [[1]] * 10, (2,), (NOMINAL,))
        schema = Schema((Attribute("job", categories=("a", "b")),))
        jobs = Table(schema, np.array([[1], *[[0]] * 19], np.int32), np.empty((20, 0)))
        method = build(RecordSwapping, risk=["job"], swap_rate=0, k=2)
        published = method.mask_given(places, jobs, np.random.default_rng(0))
        assert published.codes[0, 0] == 1
        assert (published.codes != places.codes).sum() == 2

    def test_unknown_levels_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="hierarchy"):
            masked(RecordSwapping, categorical([[0]], (1,), (NOMINAL,)), hierarchy=["region"])


class TestRisk:
    @given(table=categorical_tables(), threshold=st.sampled_from([0.2, 0.5, 1.0]), seed=st.integers(0, 9))
    def test_values_of_records_at_risk_alone_are_suppressed(self, table: Table, threshold: float, seed: int) -> None:
        weights = np.random.default_rng(seed).integers(1, 20, len(table)).astype(float)
        method = build(RiskSuppression, threshold=threshold, missing="wildcard")
        published = method.mask_weighted(table, weights, np.random.default_rng(0))
        before = individual_risks(table.codes, weights, True)
        changed = (published.codes != table.codes).any(axis=1)
        assert (before[changed] > threshold).all()
        assert (published.codes[published.codes != table.codes] == -1).all()
        after = individual_risks(published.codes, weights, True)
        left = after > threshold + 1e-9
        assert (published.codes[left] == -1).all()

    def test_attributes_come_in_the_order_of_the_user(self) -> None:
        table = categorical([[0, 0], [0, 0], [1, 0]], (2, 1), (NOMINAL, NOMINAL))
        first = masked(RiskSuppression, table, threshold=0.5, suppress=["c1", "c0"], missing="wildcard")
        assert first.codes[2].tolist() == [-1, -1]
        second = masked(RiskSuppression, table, threshold=0.5, suppress=["c0"], missing="wildcard")
        assert second.codes[2].tolist() == [-1, 0]

    @effort(deadline=None)
    @given(table=categorical_tables(max_records=12, missing=False))
    def test_ghosts_are_suppressed_with_their_keys(self, table: Table) -> None:
        names = table.schema.names
        if len(names) < 2:
            return
        published = masked(LocalSuppression, table, k=min(2, len(table)), ghosts={names[-1]: (names[0],)})
        plain = masked(LocalSuppression, table.select(names[:-1]), k=min(2, len(table)))
        gone = (plain.codes == -1)[:, 0]
        assert ((published.codes == -1)[:, -1] == gone).all()
        np.testing.assert_array_equal(published.codes[:, :-1], plain.codes)


class TestOptions:
    @given(table=numeric_tables(max_records=30, missing=False), r0=st.sampled_from([0.5, 0.9, 0.99, 1.0]))
    def test_rank_swapping_keeps_the_correlation(self, table: Table, r0: float) -> None:
        rng = np.random.default_rng(0)
        column = rng.permutation(len(table)).astype(float)
        alone = numeric(column)
        published = masked(RankSwapping, alone, p=60, r0=r0).numbers[:, 0]
        if len(table) > 1:
            assert np.corrcoef(column, published)[0, 1] >= r0 - 1e-9

    def test_rank_swapping_moves_numbers_by_little(self) -> None:
        values = np.random.default_rng(1).exponential(size=200)
        published = masked(RankSwapping, numeric(values), p=50, k0=0.05).numbers[:, 0]
        assert 0 < np.abs(published - values).mean() <= 0.05 * values.std() + 1e-9

    def test_tails_are_their_means(self) -> None:
        published = masked(RankSwapping, numeric(np.arange(20.0)), p=0, top=10, bottom=10).numbers[:, 0]
        assert published.tolist() == [0.5, 0.5, *range(2, 18), 18.5, 18.5]

    @pytest.mark.parametrize(("method", "wanted"), [(TopCoding, [0, 1, 99, 99]), (BottomCoding, [-5, -5, 2, 3])])
    def test_replacement_values(self, method, wanted) -> None:
        own = 99 if method is TopCoding else -5
        found = masked(method, numeric([0.0, 1.0, 2.0, 3.0]), share=0.5, replacement=own)
        assert found.numbers[:, 0].tolist() == wanted
        ordinal = categorical([[0], [1], [2], [2]], (3,), (ORDINAL,))
        for own in ("000", 0, 0.0):
            assert masked(TopCoding, ordinal, q=2, replacement=own).codes[:, 0].tolist() == [0, 0, 0, 0]
        with pytest.raises(ParameterError, match="replacement"):
            masked(TopCoding, ordinal, q=2, replacement="nothing")
        with pytest.raises(ParameterError, match="output"):
            build(TopCoding, output="median", replacement=3)

    @pytest.mark.parametrize(
        ("spacing", "groups"),
        [("equal", [0, 0, 0, 0, 0, 1]), ("log", [0, 0, 0, 0, 1, 1]), ("quantile", [0, 0, 0, 1, 1, 1])],
    )
    def test_so_many_intervals(self, spacing, groups) -> None:
        values = [1.0, 2.0, 3.0, 4.0, 20.0, 100.0]
        lower = masked(GlobalRecoding, numeric(values), intervals=2, spacing=spacing, output="lower").numbers[:, 0]
        assert np.unique(lower, return_inverse=True)[1].tolist() == groups
        upper = masked(GlobalRecoding, numeric(values), intervals=2, spacing=spacing, output="upper").numbers[:, 0]
        assert (lower <= values).all()
        assert (upper >= values).all()
        middle = masked(GlobalRecoding, numeric(values), intervals=2, spacing=spacing, output="middle").numbers[:, 0]
        assert middle == pytest.approx((lower + upper) / 2)

    @pytest.mark.parametrize("spacing", ["equal", "log", "quantile"])
    def test_no_end_of_an_interval_is_a_record_s_value(self, spacing) -> None:
        values = np.exp(np.random.default_rng(1).normal(7.0, 0.7, 400)).round(2).tolist()
        published = masked(GlobalRecoding, numeric(values), intervals=5, spacing=spacing, output="label")
        labels = published.schema["x0"].categories
        ends = [float(end) for label in labels for end in label.strip("[])").split(", ")]
        assert not set(ends) & set(values)
        assert min(ends) <= min(values)
        assert max(ends) >= max(values)
        assert ends[1:-1:2] == ends[2::2], "neighbours touch"

    def test_logarithms_want_positive_numbers(self) -> None:
        with pytest.raises(ParameterError, match="positive"):
            masked(GlobalRecoding, numeric([0.0, 1.0]), intervals=2, spacing="log")

    def test_pram_keeps_categories_by_their_own_probability(self) -> None:
        table = categorical([[0]] * 50 + [[1]] * 30 + [[2]] * 20, (3,), (NOMINAL,))
        method = build(Pram, p=0.5, kept={"c0": {"000": 0.9, "002": 1.0}})
        ((_, matrix),) = method.matrices(table)
        assert np.diag(matrix) == pytest.approx([0.9, 0.5, 1.0])
        assert matrix.sum(axis=1) == pytest.approx(1.0)
        plain = build(Pram, p=0.5).matrices(table)[0][1]
        assert matrix[0, 1] / matrix[0, 2] == pytest.approx(plain[0, 1] / plain[0, 2])
        with pytest.raises(ParameterError, match="999"):
            build(Pram, kept={"c0": {"999": 0.9}}).matrices(table)
        with pytest.raises(ParameterError, match="design a"):
            build(Pram, design="b", kept={"c0": {"000": 0.9}})


def test_ghosts_that_are_no_attributes_are_refused() -> None:
    table = categorical([[0, 0]], (1, 1), (NOMINAL, NOMINAL))
    for ghosts in ({"c9": ("c0",)}, {"c1": ("c9",)}, {"c0": ("c1",), "c1": ("c0",)}):
        with pytest.raises(ParameterError, match=r"ghosts.*masked attributes and keys"):
            masked(LocalSuppression, table, k=1, ghosts=ghosts)
