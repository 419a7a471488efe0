"""Linkage by Gower's and raw distances, and intervals by robust distances."""

import numpy as np
import pytest
from hypothesis import given

from evosdc.table.robust_covariance import robust_covariance
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Table
from evosdc_measures.interval_disclosure.interval import RobustInterval
from evosdc_measures.linkage.distance import DistanceBasedLinkage
from tests.plugins.measures.numeric import reference
from tests.plugins.measures.numeric.cases import pairs


def linked(original, masked, distance, **params):
    measure = DistanceBasedLinkage(DistanceBasedLinkage.Params(distance=distance, **params))
    return measure.fit(original).score(masked)


def gower(schema, ranges, x, y):
    total = 0.0
    for name, a, b in zip(schema.names, x, y, strict=True):
        attribute = schema[name]
        lost = [bool(np.isnan(v)) for v in (a, b)]
        if any(lost):
            total += 0.0 if all(lost) or schema.na is MissingRule.WILDCARD else 1.0
        elif attribute.scale is Scale.NOMINAL:
            total += float(a != b)
        elif attribute.categorical:
            total += abs(a - b) / max(len(attribute.categories) - 1, 1)
        elif ranges[name] > 0:
            total += abs(a - b) / ranges[name]
    return total


def rows(table):
    columns = [
        np.where(table.column(a.name) < 0, np.nan, table.column(a.name)) if a.categorical else table.column(a.name)
        for a in table.schema.attributes
    ]
    return np.column_stack(columns).astype(float)


def gowers_distances(original, masked):
    """Return the distance from each masked record (row) to each original (column)."""
    ranges = {}
    for attribute in original.schema.numeric:
        column = original.column(attribute.name)
        present = column[~np.isnan(column)]
        ranges[attribute.name] = float(np.ptp(present)) if len(present) else 0.0
    before, after = rows(original), rows(masked)
    return np.round([[gower(original.schema, ranges, x, y) for x in before] for y in after], 9)


@given(tables=pairs())
def test_gowers_linkage_is_that_of_the_definition(tables):
    original, masked = tables
    nearest = [row == row.min() for row in gowers_distances(original, masked)]
    credit = sum(row[i] / row.sum() for i, row in enumerate(nearest))
    assert linked(original, masked, "gower") == pytest.approx(100 * credit / len(original))


@given(tables=pairs(most_records=5))
def test_gowers_assignment_is_that_of_the_definition(tables):
    expected = reference.assignment(gowers_distances(*tables))
    assert linked(*tables, "gower", one_to_one=True) == pytest.approx(expected)


def numeric(values):
    from evosdc.table.schema import Attribute, Schema

    values = np.asarray(values, dtype=float)
    schema = Schema(tuple(Attribute(f"x{v}", scale=Scale.NUMERIC) for v in range(values.shape[1])))
    return Table(schema, np.empty((len(values), 0), dtype=np.int32), values)


def test_raw_distances_are_ruled_by_great_numbers():
    original = numeric([[0.0, 1000.0], [1.0, 2000.0], [2.0, 3000.0]])
    masked = numeric([[0.0, 2100.0], [1.0, 2000.0], [2.0, 3000.0]])
    assert linked(original, masked, "raw") == pytest.approx(100 * 2 / 3)
    assert linked(original, original, "raw") == 100.0


class TestRobustInterval:
    def test_the_file_itself_is_unsafe_but_for_its_centre(self):
        rng = np.random.default_rng(0)
        table = numeric(rng.normal(size=(60, 3)))
        assert RobustInterval(RobustInterval.Params()).fit(table).score(table) == 100.0
        shifted = numeric(table.numbers[::-1].copy())
        assert RobustInterval(RobustInterval.Params()).fit(table).score(shifted) < 20.0

    def test_intervals_widen_for_outliers(self):
        rng = np.random.default_rng(1)
        values = rng.normal(size=(100, 2))
        values[0] = 40.0
        noisy = values + 0.02 * rng.normal(size=values.shape)
        fitted = RobustInterval(RobustInterval.Params(k=0.05)).fit(numeric(values))
        inside = fitted._widths
        assert inside[0] > 5 * np.median(inside)
        assert 0.0 < fitted.score(numeric(noisy)) < 100.0
        alone = RobustInterval(RobustInterval.Params(k=0.05, method="rmdid2", k2=3.0)).fit(numeric(values))
        assert alone.score(numeric(noisy)) <= fitted.score(numeric(noisy))

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_few_records(self, n):
        table = numeric(np.arange(2.0 * n).reshape(n, 2))
        assert 0.0 <= RobustInterval(RobustInterval.Params()).fit(table).score(table) <= 100.0


def test_outliers_do_not_draw_the_covariance():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(200, 2))
    values[:20] += 50.0
    assert np.diag(robust_covariance(values)[1]).max() < 2.0
    assert robust_covariance(np.ones((5, 2)))[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]
