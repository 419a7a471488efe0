from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.table import Table
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.microaggregation.projected import ProjectedMicroaggregation, projected, projected_classes
from evosdc_masking.microaggregation.univariate import IndividualRanking, UnivariateMicroaggregation, least_squares
from tests.plugins.masking import references
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    categorical_tables,
    joined,
    masked,
    numeric,
    numeric_tables,
)
from tests.published import DataSets

UNIVARIATE = (UnivariateMicroaggregation, IndividualRanking)
ordered_table = st.one_of(categorical_tables([ORDINAL]), numeric_tables())


def repetitions(column: np.ndarray) -> np.ndarray:
    """How often each value occurs, missing ones being equal."""
    return np.unique(np.nan_to_num(column.astype(float), nan=1e308), return_counts=True)[1]


def record_repetitions(table: Table) -> np.ndarray:
    records = np.hstack([table.codes, np.nan_to_num(table.numbers, nan=1e308)])
    return np.unique(records, axis=0, return_counts=True)[1]


@pytest.mark.parametrize("method", UNIVARIATE)
@given(table=ordered_table, data=st.data())
def test_every_published_value_occurs_k_times(method: type, table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    published = masked(method, table, k=k)
    for attribute in table.schema.attributes:
        column = published.column(attribute.name)
        if table.schema.na == "category":
            assert repetitions(column).min() >= k
        else:
            original = table.column(attribute.name)
            missing = original == -1 if attribute.categorical else np.isnan(original)
            np.testing.assert_array_equal(missing, column == -1 if attribute.categorical else np.isnan(column))
            present = repetitions(column[~missing])
            assert present.size == 0 or present.min() >= min(k, int((~missing).sum()))


@pytest.mark.parametrize("method", UNIVARIATE)
@given(table=ordered_table)
def test_k_of_1_is_the_identity_of_one_attribute_at_a_time(method: type, table: Table) -> None:
    assert masked(method, table, k=1).same_records(table)


@pytest.mark.parametrize("method", UNIVARIATE)
@given(table=ordered_table)
def test_k_of_n_publishes_one_value_where_missing_ones_are_categories(method: type, table: Table) -> None:
    published = masked(method, table, k=len(table))
    if table.schema.na == "category":
        expected = references.average_of(table, range(len(table)))
        assert references.records_of(published)[0] == pytest.approx(expected, nan_ok=True)
        assert record_repetitions(published).max() == len(table)


def test_optimal_by_hand_in_any_order_of_records() -> None:
    values = np.array([31.0, 1, 13, 2, 12, 3, 11, 30, 10])
    published = masked(UnivariateMicroaggregation, numeric(values), k=2).numbers[:, 0]
    np.testing.assert_allclose(published, [30.5, 2, 12.5, 2, 12.5, 2, 10.5, 30.5, 10.5])
    np.testing.assert_allclose(((published - values) ** 2).sum(), 3.5)
    ranked = masked(IndividualRanking, numeric(values), k=2).numbers[:, 0]
    np.testing.assert_allclose(ranked, [74 / 3, 1.5, 74 / 3, 1.5, 11.5, 6.5, 11.5, 74 / 3, 6.5])


def test_ordinal_classes_have_the_least_distance_to_their_medians() -> None:
    codes = [5, 0, 0, 5, 1, 6, 6, 0]
    table = categorical(codes, [7], [ORDINAL])
    assert masked(UnivariateMicroaggregation, table, k=2).codes[:, 0].tolist() == [5, 0, 0, 5, 0, 6, 6, 0]
    assert masked(UnivariateMicroaggregation, table, k=3).codes[:, 0].tolist() == [5, 0, 0, 5, 0, 5, 5, 0]


@given(numeric_tables(missing=False), st.data())
def test_the_optimal_partition_loses_no_more_than_individual_ranking(table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    optimal, ranked = (((masked(m, table, k=k).numbers - table.numbers) ** 2).sum(axis=0) for m in UNIVARIATE)
    assert (optimal <= ranked + 1e-9).all()


@pytest.mark.parametrize("projection", ["principal-component", "z-scores"])
@given(table=numeric_tables(), data=st.data())
def test_projected_microaggregation_is_k_anonymous(projection: str, table: Table, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(table)))
    published = masked(ProjectedMicroaggregation, table, k=k, projection=projection)
    assert record_repetitions(published).min() >= k
    if k == 1:
        assert published.same_records(table)
    if k == len(table):
        assert record_repetitions(published).max() == k


def test_projections_by_hand() -> None:
    points = np.array([[-1.0, -2], [0, 0.5], [1, 1.5]])
    np.testing.assert_allclose(projected(points, "z-scores"), [-3, 0.5, 2.5])
    _, _, rows = np.linalg.svd(points)
    np.testing.assert_allclose(projected(points, "principal-component"), points @ np.abs(rows[0]))


def test_projection_of_one_attribute_is_the_optimal_univariate_partition() -> None:
    table = numeric(np.random.default_rng(2).normal(size=80))
    for projection in ("principal-component", "z-scores"):
        published = masked(ProjectedMicroaggregation, table, k=4, projection=projection)
        expected = masked(UnivariateMicroaggregation, table, k=4)
        np.testing.assert_array_equal(published.numbers, expected.numbers)


def test_records_stand_in_the_order_of_the_projection() -> None:
    numbers = np.random.default_rng(3).normal(size=(60, 3)) * [1, 50, 0.1]
    points = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    order = np.argsort(points.sum(axis=1))
    expected = np.empty(60, dtype=int)
    expected[order] = least_squares(np.ascontiguousarray(points[order]), 5)
    np.testing.assert_array_equal(projected_classes(numbers, 5, "z-scores"), expected)


@pytest.mark.parametrize("method", [Mdav, ProjectedMicroaggregation])
def test_groups_are_masked_independently(method: type) -> None:
    table = numeric(np.random.default_rng(4).normal(size=(50, 5)))
    published = masked(method, table, k=4, groups=[["x3", "x0"], ["x1", "x2", "x4"]])
    for group in (["x0", "x3"], ["x1", "x2", "x4"]):
        np.testing.assert_allclose(published.select(group).numbers, masked(method, table.select(group), k=4).numbers)
        assert record_repetitions(published.select(group)).min() >= 4
    by_size = masked(method, table, k=4, group_size=3)
    by_name = masked(method, table, k=4, groups=[["x0", "x1", "x2"], ["x3", "x4"]])
    assert by_size.same_records(by_name)


def test_a_mixed_file_is_masked_by_groups_of_any_scale() -> None:
    rng = np.random.default_rng(5)
    left = categorical(rng.integers(-1, 4, (60, 2)), [4, 4], [ORDINAL, NOMINAL])
    table = joined(left, numeric(rng.normal(size=(60, 2))))
    published = masked(Mdav, table, k=5, groups=[["c0", "x1"], ["c1"], ["x0"]])
    for group in (["c0", "x1"], ["c1"], ["x0"]):
        assert record_repetitions(published.select(group)).min() >= 5


@pytest.mark.parametrize(
    ("groups", "texts"),
    [
        ([["x0"], ["x1"]], ["x2 in no group"]),
        ([["x0", "x1"], ["x1", "x2"]], ["x1 more than once"]),
        ([["x0", "y1"], ["x1"]], ["'y1'", "x2 in no group"]),
    ],
)
def test_groups_that_do_not_fit_are_refused_with_all_faults(groups: list[list[str]], texts: list[str]) -> None:
    with pytest.raises(ParameterError) as refusal:
        masked(Mdav, numeric(np.zeros((9, 3))), groups=groups, k=10)
    for text in ["given 10; wanted 1..9", *texts]:
        assert text in str(refusal.value)


@pytest.mark.parametrize(
    ("method", "params", "text"),
    [
        (Mdav, {"groups": [["x0"]], "group_size": 2}, "only one of groups"),
        (Mdav, {"groups": [[]]}, "at least one entry"),
        (Mdav, {"group_size": 0}, "greater than or equal to 1"),
        (UnivariateMicroaggregation, {"k": 0}, "greater than or equal to 1"),
        (IndividualRanking, {"average": "middle"}, "'median'"),
        (ProjectedMicroaggregation, {"projection": "first"}, "'z-scores'"),
    ],
)
def test_refusals(method: type, params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(method, **params)


@pytest.mark.parametrize("method", [*UNIVARIATE, ProjectedMicroaggregation])
def test_more_than_n_and_no_record_are_refused(method: type) -> None:
    with pytest.raises(ParameterError, match=r"k: given 4; wanted 1\.\.3"):
        masked(method, numeric(np.zeros((3, 1))), k=4)
    with pytest.raises(ParameterError, match="given no record"):
        masked(method, numeric(np.zeros((0, 1))), k=1)


def test_attributes_without_order_are_refused_by_name() -> None:
    table = categorical(np.zeros((5, 2)), [2, 2], [ORDINAL, NOMINAL])
    for method in UNIVARIATE:
        with pytest.raises(ParameterError, match=f"method {method.name}: given c1, which is nominal"):
            masked(method, table)


def test_huge_numbers_stay_finite() -> None:
    values = np.array([1e300, 2e300, 1e300, 9e300, 8.5e300, 9e300, -1e300])
    for method in UNIVARIATE:
        assert np.isfinite(masked(method, numeric(values), k=3).numbers).all()
    assert masked(UnivariateMicroaggregation, numeric(values), k=3).numbers[3, 0] == pytest.approx(26.5e300 / 3)


@pytest.mark.parametrize("method", [*UNIVARIATE, ProjectedMicroaggregation])
def test_real_numeric_files(method: type, data_sets: DataSets, tarragona: Table) -> None:
    census = numeric(pd.read_csv(data_sets.path("casc_census/CASCrefmicrodata.csv")).to_numpy(float))
    eia = numeric(pd.read_csv(data_sets.path("casc_eia/EIA.csv")).iloc[:, 5:].to_numpy(float))
    for table in (tarragona, census, eia):
        published = masked(method, table, k=5)
        for j in range(published.numbers.shape[1]):
            assert repetitions(published.numbers[:, j]).min() >= 5
        np.testing.assert_allclose(published.numbers.mean(axis=0), table.numbers.mean(axis=0))
        assert (published.numbers.std(axis=0) <= table.numbers.std(axis=0) * (1 + 1e-12)).all()


@pytest.mark.parametrize("method", [*UNIVARIATE, ProjectedMicroaggregation, Mdav])
def test_weights_count_in_averages_and_not_in_classes(method: type) -> None:
    rng = np.random.default_rng(6)
    table, weights = numeric(rng.normal(size=(40, 2))), rng.uniform(1, 9, 40)
    built = build(method, k=4, **({"destandardise": False} if method is Mdav else {}))
    assert built.weighted
    plain, weighted = built.mask(table, rng), built.mask_weighted(table, weights, rng)
    for j in range(2):
        for value in np.unique(plain.numbers[:, j]):
            members = plain.numbers[:, j] == value
            average = np.average(table.numbers[members, j], weights=weights[members])
            np.testing.assert_allclose(weighted.numbers[members, j], average)


def test_destandardising_restores_weighted_moments() -> None:
    rng = np.random.default_rng(7)
    table, weights = numeric(rng.normal(size=(60, 2))), rng.uniform(1, 9, 60)
    published = build(Mdav, k=5, destandardise=True).mask_weighted(table, weights, rng).numbers
    for power in (1, 2):
        moments = [np.average(numbers**power, axis=0, weights=weights) for numbers in (published, table.numbers)]
        np.testing.assert_allclose(*moments)


@pytest.mark.parametrize("average", ["median", "convex-median", "mode", "mean"])
@given(table=st.one_of(categorical_tables(), numeric_tables()), data=st.data())
def test_any_average_is_k_anonymous_and_the_identity_for_k_of_1(
    average: str, table: Table, data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(table)))
    published = masked(Mdav, table, k=k, average=average)
    assert record_repetitions(published).min() >= k
    assert masked(Mdav, table, k=1, average=average).same_records(table)
