"""Linkage in both directions: the greater of two, and the figure that a verdict goes by."""

import numpy as np
import pytest
from hypothesis import given

from evosdc.assess.intruder import bound_of, found_by_intruder
from evosdc.plugins.registry import default_registry
from evosdc.testing.measure import MeasureConformance
from evosdc_measures.linkage.informed import InformedLinkage, RankedLinkage, TwoWayLinkage
from tests.plugins.measures import reference
from tests.plugins.measures.cases import noisy, pairs
from tests.plugins.measures.following import assert_tracker_follows


class TestTwoWayLinkage(MeasureConformance):
    kind = "dr"

    def measure(self):
        return TwoWayLinkage(TwoWayLinkage.Params())


class TestTwoWayLinkageOfAFewRecords(MeasureConformance):
    kind = "dr"
    order_matters = True

    def measure(self):
        return TwoWayLinkage(TwoWayLinkage.Params(bins=2, records=3))


del MeasureConformance


def fitted(original, **params):
    return TwoWayLinkage(TwoWayLinkage.Params(**params)).fit(original)


@given(tables=pairs(most_records=12))
def test_every_table_by_definition(tables):
    original, masked = tables
    either = [reference.ranked(original, masked), reference.ranked(masked, original)]
    measure = fitted(original)
    assert measure.score(masked) == pytest.approx(max(either), abs=1e-9)
    assert measure.track(masked).contributions().sum() == pytest.approx(max(either), abs=1e-9)


@pytest.mark.parametrize("records", [40, 2000])
def test_a_search_follows_it(german, records):
    original, rng = german.take(np.arange(150)), np.random.default_rng(3)
    assert_tracker_follows(fitted(original, records=records), noisy(original, 0.3, rng), rng, (1, 1, 3, 20, 60, 1, 2))


def test_it_is_what_a_verdict_says(german):
    registry, names = default_registry(), german.schema.names
    alone, higher = RankedLinkage(RankedLinkage.Params()).fit(german), set()
    for seed in range(6):
        masked = noisy(german, 0.3 + 0.1 * seed, np.random.default_rng(seed))
        found = found_by_intruder(german, masked, names, registry)
        assert fitted(german).score(masked) == pytest.approx(found.percent, abs=1e-9)
        higher.add(found.percent > alone.score(masked) + 1e-9)
    assert True in higher, "one direction alone would say less"


def test_where_a_sample_is_placed_no_less_is_told_than_a_verdict_says(german):
    masked = noisy(german, 0.4, np.random.default_rng(4))
    informed = InformedLinkage(InformedLinkage.Params())
    both = [informed.fit(german).score(masked), informed.fit(masked).score(german)]
    few = fitted(german, records=10)
    assert few.score(masked) >= max(both)
    assert few.track(masked).contributions().sum() == pytest.approx(few.score(masked), abs=1e-9)
    for seed in range(4):
        other = noisy(german, 0.2 + 0.2 * seed, np.random.default_rng(seed))
        sampled = {"ranked-linkage": {"records": 50}}
        found = found_by_intruder(german, other, german.schema.names, default_registry(), sampled)
        if found.measure in ("informed-linkage", "ranked-linkage"):
            assert fitted(german, records=50).score(other) >= found.percent - 1e-9


def test_a_requirement_on_it_is_the_bound_of_the_verdict():
    assert bound_of(["two-way-linkage <= 5"], "ranked-linkage", default_registry()) == (5.0, "two-way-linkage <= 5")
