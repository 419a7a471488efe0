"""Options of record linkage: intruders who know parts, and one-to-one assignment."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from evosdc.errors import ParameterError, SchemaError
from tests.plugins.measures.cases import noisy
from tests.plugins.measures.cases import pairs as categorical_pairs
from tests.plugins.measures.numeric import reference
from tests.plugins.measures.numeric.cases import fitted, numeric, pairs, schema, table


@pytest.mark.parametrize("name", ["dbrl", "prl"])
@given(tables=pairs())
def test_scenarios_are_averaged_or_the_worst_is_taken(name, tables):
    original, masked = tables
    names = original.schema.names
    scenarios = [names[:1], names[-1:], names]
    alone = [fitted(name, original.select(s)).score(masked.select(s)) for s in scenarios]
    assert fitted(name, original, scenarios=scenarios).score(masked) == pytest.approx(np.mean(alone))
    assert fitted(name, original, scenarios=scenarios, combine="max").score(masked) == pytest.approx(max(alone))


def test_scenarios_of_a_published_file(german):
    masked = noisy(german, 0.2, np.random.default_rng(1))
    scenarios = [["existacc", "savings"], ["presemploy"]]
    for name in ("dbrl", "prl"):
        alone = [fitted(name, german.select(s)).score(masked.select(s)) for s in scenarios]
        assert fitted(name, german, scenarios=scenarios).score(masked) == pytest.approx(np.mean(alone))


def test_scenarios_that_do_not_fit_are_refused():
    original = numeric([1.0, 2.0])
    with pytest.raises(SchemaError) as refused:
        fitted("dbrl", original, scenarios=[["a0", "b"], ["c"]])
    assert len(refused.value.faults) == 2
    for scenarios in ([[]], [["a0", "a0"]]):
        with pytest.raises(ValueError, match="at least one attribute"):
            fitted("prl", original, scenarios=scenarios)


@given(tables=pairs(most_records=5))
def test_assignment_by_distance(tables):
    # Beside a value like 1e6 all other distances are equal but for what the bonus of a correct link outweighs.
    assume(all(np.nanmax(t.numbers, initial=0.0) < 1e5 for t in tables))
    distances = np.sqrt(reference.squared_distances(*tables))
    assert fitted("dbrl", tables[0], one_to_one=True).score(tables[1]) == pytest.approx(reference.assignment(distances))


@given(tables=categorical_pairs(most_records=5))
def test_assignment_by_distance_of_categories(tables):
    from tests.plugins.measures.reference import apart, records

    original, masked = tables
    costs = [[float(apart(original.schema, x, y)) for x in records(original)] for y in records(masked)]
    assert fitted("dbrl", original, one_to_one=True).score(masked) == pytest.approx(reference.assignment(costs))


@pytest.mark.endurance
@given(tables=categorical_pairs(most_records=5))
def test_assignment_by_weight(tables):
    from evosdc_measures.linkage.fellegi_sunter import estimate, weights_of
    from tests.plugins.measures.reference import patterns_of

    original, masked = tables
    attributes = len(original.schema)
    patterns = [[sum(a << v for v, a in enumerate(pair)) for pair in row] for row in patterns_of(original, masked)]
    counts = np.bincount(np.ravel(patterns), minlength=1 << attributes).astype(np.int64)
    m, u = estimate(counts, len(original))
    costs = -weights_of(m, u)[np.array(patterns)]
    found = fitted("prl", original, one_to_one=True).score(masked)
    assert found == pytest.approx(reference.assignment(costs))


def test_assignment_finds_what_single_links_miss():
    # Everybody's nearest original is the first one; only together they are told apart.
    original, masked = numeric([0.0, 1.0, 2.0]), numeric([-3.0, -2.0, -1.0])
    assert fitted("dbrl", original).score(masked) == pytest.approx(100 / 3)
    assert fitted("dbrl", original, one_to_one=True).score(masked) == 100.0


def test_equal_records_are_interchangeable():
    # Three equal masked records are told apart by nobody: each is linked correctly with a chance of one in three.
    original, masked = numeric([0.0, 1.0, 2.0, 9.0]), numeric([1.0, 1.0, 1.0, 9.0])
    assert fitted("dbrl", original, one_to_one=True).score(masked) == pytest.approx(100 * 2 / 4)
    of_schema = schema(["ordinal"])
    original, masked = table(of_schema, [(0,), (1,), (3,)]), table(of_schema, [(0,), (0,), (3,)])
    assert fitted("prl", original, one_to_one=True).score(original) == pytest.approx(100.0)
    assert fitted("dbrl", original, one_to_one=True).score(masked) == pytest.approx(100 * 2 / 3)


def test_assignment_by_other_distances(numeric_file):
    part = numeric_file.take(np.arange(60))
    for distance in ("standardised", "mahalanobis", "kernel"):
        assert fitted("dbrl", part, one_to_one=True, distance=distance).score(part) == 100.0
    few = part.select(part.schema.names[:6])
    assert fitted("prl", few, one_to_one=True).score(few) > 95.0, "but for records in the same classes"


@given(tables=categorical_pairs())
def test_originals_are_looked_up_by_weight(tables):
    from evosdc_measures.linkage.fellegi_sunter import estimate, weights_of
    from tests.plugins.measures.reference import patterns_of

    original, masked = tables
    attributes = len(original.schema)
    patterns = [[sum(a << v for v, a in enumerate(pair)) for pair in row] for row in patterns_of(original, masked)]
    counts = np.bincount(np.ravel(patterns), minlength=1 << attributes).astype(np.int64)
    m, u = estimate(counts, len(original))
    weights = np.round(weights_of(m, u) * 1e8)[np.array(patterns)].T
    wanted = np.mean([(row[i] == row.max()) / (row == row.max()).sum() for i, row in enumerate(weights)])
    found = fitted("prl", original, direction="original-to-masked").score(masked)
    assert found == pytest.approx(100 * wanted)


@pytest.mark.parametrize("name", ["dbrl", "prl"])
def test_large_assignments_are_refused(name):
    original = table(schema(["ordinal"]), [(i % 4,) for i in range(3001)])
    with pytest.raises(ParameterError, match="3001 records; wanted at most 3000"):
        fitted(name, original, one_to_one=True)


@pytest.mark.parametrize("name", ["apil", "mean-variation"])
def test_parts_by_themselves_have_the_mean_that_the_measure_is(name, numeric_file):
    factors = np.random.default_rng(1).normal(1.0, 0.05, numeric_file.numbers.shape)
    masked = replace(numeric_file, numbers=numeric_file.numbers * factors)
    parts = fitted(name, numeric_file).breakdown(masked)
    alone = {part: fitted(name, numeric_file, parts=[part]) for part in parts}
    for part, measure in alone.items():
        assert measure.score(masked) == pytest.approx(parts[part])
        assert measure.track(masked).score == pytest.approx(parts[part])
    assert np.mean(list(parts.values())) == pytest.approx(fitted(name, numeric_file).score(masked))
