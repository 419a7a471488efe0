"""What must hold of every measure: limits, invariances, and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.distance import common_scale
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Table
from tests.plugins.measures.cases import CLASSES, fitted, noisy, pairs, schema, table


@given(tables=pairs())
def test_the_original_itself(tables):
    original, _ = tables
    for name in ("dbil", "ctbil", "ebil"):
        assert fitted(name, original).score(original) == 0.0
    assert fitted("id", original).score(original) == 100.0
    assert fitted("id", original, nominal="frequency", percents=(0,)).score(original) == 100.0


@given(tables=pairs(rules=(MissingRule.CATEGORY,)))
def test_the_original_itself_is_linked_but_for_its_doubles(tables):
    original, _ = tables
    distinct = len({tuple(record) for record in original.codes.tolist()})
    wanted = pytest.approx(100 * distinct / len(original))
    for direction in ("masked-to-original", "original-to-masked"):
        assert fitted("dbrl", original, direction=direction).score(original) == wanted


def test_total_distortion():
    original = table(schema((2, 2), ("nominal", "nominal")), [[0, 0]] * 6)
    masked = table(original.schema, [[1, 1]] * 6)
    assert fitted("dbil", original).score(masked) == 100.0
    assert fitted("ctbil", original).score(masked) == 100.0
    assert fitted("id", original).score(masked) == 0.0
    assert fitted("ebil", original).score(masked) == 0.0  # one category alone stands behind the masked one


def test_everything_suppressed():
    original = table(schema((4, 4), ("ordinal", "nominal")), [[i // 4, i % 4] for i in range(16)])
    masked = table(original.schema, [[-1, -1]] * 16)
    assert fitted("dbil", original).score(masked) == 100.0
    assert fitted("ctbil", original).score(masked) == 100.0
    assert fitted("ebil", original).score(masked) == pytest.approx(100.0, abs=1e-12)
    assert fitted("id", original).score(masked) == 0.0
    assert fitted("dbrl", original).score(masked) == pytest.approx(100 / 16)
    assert fitted("prl", original).score(masked) == pytest.approx(100 / 16)


def test_wildcards_cost_nothing_and_reveal_nothing():
    wild = schema((3, 3), ("ordinal", "nominal"), MissingRule.WILDCARD)
    original = table(wild, [[i // 3, i % 3] for i in range(9)])
    masked = table(wild, [[-1, -1]] * 9)
    assert fitted("dbil", original).score(masked) == 0.0
    assert fitted("id", original).score(masked) == 0.0
    assert fitted("dbrl", original).score(masked) == pytest.approx(100 / 9)
    assert fitted("prl", original).score(masked) == pytest.approx(100 / 9)


def test_a_rare_record_is_found_by_both_linkages():
    codes = [[i % 2, i // 2 % 2, i // 4 % 2] for i in range(40)] + [[2, 2, 2]]
    original = table(schema((3, 3, 3), ("nominal",) * 3), codes)
    for name in ("dbrl", "prl"):
        assert fitted(name, original).score(original) == pytest.approx(100 * 9 / 41)


@given(tables=pairs(), data=st.data())
def test_names_of_nominal_categories_are_of_no_account(tables, data):
    relabelled = [t.codes.copy() for t in tables]
    for v, attribute in enumerate(tables[0].schema.categorical):
        if attribute.scale is Scale.NOMINAL:
            names = np.array([*data.draw(st.permutations(range(len(attribute.categories)))), -1])
            for codes in relabelled:
                codes[:, v] = names[codes[:, v]]
    original, masked = (Table(t.schema, codes, t.numbers) for t, codes in zip(tables, relabelled, strict=True))
    for name in CLASSES:
        wanted = fitted(name, tables[0]).score(tables[1])
        assert fitted(name, original).score(masked) == pytest.approx(wanted, abs=1e-9)


def test_published_files(published):
    scores = {}
    for share in (0.0, 0.2, 1.0):
        masked = noisy(published, share, np.random.default_rng(1))
        scores[share] = {name: fitted(name, published).score(masked) for name in CLASSES}
        assert all(0.0 <= score <= 100.0 for score in scores[share].values())
    for name in ("dbil", "ctbil", "ebil"):
        assert scores[0.0][name] == 0.0 < scores[0.2][name] < scores[1.0][name]
    for name in ("id", "dbrl", "prl"):
        assert scores[0.0][name] > scores[0.2][name] > scores[1.0][name]


def test_published_files_against_the_definitions(published):
    from tests.plugins.measures import reference

    original = published.take(np.arange(0, len(published), 9))
    masked = noisy(original, 0.3, np.random.default_rng(2))
    wanted = {
        "dbil": reference.dbil(original, masked),
        "ctbil": reference.ctbil(original, masked),
        "ebil": reference.ebil(original, masked),
        "id": reference.interval(original, masked),
        "dbrl": reference.dbrl(original, masked),
        "prl": reference.prl(original, masked),
    }
    assert {name: fitted(name, original).score(masked) for name in CLASSES} == pytest.approx(wanted, abs=1e-6)


def test_too_many_attributes_for_agreement_patterns():
    wide = table(schema((2,) * 17, ("nominal",) * 17), [[0] * 17, [1] * 17])
    with pytest.raises(ParameterError, match=r"at most 16.*dbrl has no such limit"):
        fitted("prl", wide)
    assert fitted("dbrl", wide).score(wide) == 100.0


def test_distances_without_a_common_denominator():
    sizes = (53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101)
    wide = table(schema(sizes, ("ordinal",) * len(sizes)), [[0] * len(sizes)])
    with pytest.raises(ParameterError, match="common multiple"):
        fitted("dbrl", wide)


def test_tables_too_great_to_be_addressed():
    sizes = (1000,) * 7
    wide = table(schema(sizes, ("nominal",) * 7), [[0] * 7, [999] * 7])
    with pytest.raises(ParameterError, match="Lower K"):
        fitted("ctbil", wide, K=7)
    assert fitted("ctbil", wide, K=6).score(wide.take(np.array([0, 0]))) == pytest.approx(50.0)


@pytest.mark.parametrize("name", CLASSES)
def test_tables_that_do_not_fit_are_refused(name):
    original = table(schema((3, 2), ("ordinal", "nominal")), [[0, 0], [2, 1], [1, 1]])
    measure = fitted(name, original)
    for codes in ([[0, 0], [2, 1]], [[0, 0], [2, 2], [1, 1]], [[0, 0], [-2, 1], [1, 1]]):
        with pytest.raises(ValueError, match="masked table"):
            measure.score(table(original.schema, codes))


def test_distances_by_hierarchy():
    halves = Hierarchy(("0", "1", "2", "3"), (("01", "*"), ("01", "*"), ("23", "*"), ("23", "*")))
    plain = schema((4,), ("nominal",))
    attribute = replace(plain.attributes[0], hierarchy=halves)
    original = table(replace(plain, attributes=(attribute,)), [[0], [1], [2], [3]])
    masked = table(original.schema, [[1], [1], [0], [3]])
    # Distances 1/2, 0, 1 and 0.
    assert fitted("dbil", original, by_hierarchy=True).score(masked) == 100 * 1.5 / 4
    assert fitted("dbil", original).score(masked) == 50.0
    few = original.take(np.array([0, 2]))
    near = table(original.schema, [[1], [3]])
    assert fitted("dbrl", few, by_hierarchy=True).score(near) == 100.0
    assert fitted("dbrl", few).score(near) == 50.0


def test_large_random_tables_are_linked_as_by_all_pairs():
    rng = np.random.default_rng(3)
    sizes, scales = (7, 30, 2, 9, 25), ("ordinal", "nominal", "nominal", "ordinal", "ordinal")
    for na in (MissingRule.CATEGORY, MissingRule.WILDCARD):
        of_schema = schema(sizes, scales, na)
        original, masked = (table(of_schema, rng.integers(-1, sizes, (400, 5))) for _ in range(2))
        masked = Table(of_schema, np.where(rng.random((400, 5)) < 0.6, original.codes, masked.codes), masked.numbers)
        matrices, _ = common_scale(of_schema)
        columns = zip(masked.codes.T, original.codes.T, matrices, strict=True)
        distances = sum(matrix[y[:, None], x[None, :]] for y, x, matrix in columns)
        for axis, direction in ((1, "masked-to-original"), (0, "original-to-masked")):
            nearest = distances == distances.min(axis=axis, keepdims=True)
            wanted = 100 * (np.diag(nearest) / nearest.sum(axis=axis)).mean()
            assert fitted("dbrl", original, direction=direction).score(masked) == pytest.approx(wanted)


@pytest.mark.parametrize("by_frequency", [True, False])
@given(tables=pairs(most_records=30), percents=st.sets(st.integers(0, 100), min_size=1, max_size=4))
def test_hits_of_each_record_are_those_of_its_attributes(by_frequency, tables, percents):
    original, masked = tables
    params = {"percents": tuple(percents), "nominal": "frequency" if by_frequency else "equality"}
    wanted = np.zeros(len(original))
    for name in original.schema.names:
        alone = fitted("id", original.select([name]), **params).track(masked.select([name]))
        wanted += alone.contributions() / len(original.schema)
    assert fitted("id", original, **params).track(masked).contributions() == pytest.approx(wanted, abs=1e-9)
