"""Losses that compare contingency tables: fixtures, slow references, limits, invariances."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Expected
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from tests.plugins.measures.cases import digits, noisy, pairs, schema, table

INF = float("inf")
BOUNDED = ("hellinger",)
NAMES = ("actbil", "ctbil-mv", "frequency-change", *BOUNDED)


def fitted(name, original, **params):
    return default_registry().build("measure", name, params).fit(original)


class _Registered(MeasureConformance):
    name, identity, scales = "", 0.0, frozenset({Scale.NOMINAL, Scale.ORDINAL})

    def measure(self):
        return default_registry().build("measure", self.name, {})


class TestAverageContingencyTableLoss(_Registered):
    name, kind, range = "actbil", "model", (0.0, INF)


class TestMeanVariation(_Registered):
    name, kind, range = "ctbil-mv", "model", (0.0, INF)


class TestFrequencyChange(_Registered):
    name, kind, range = "frequency-change", "model", (0.0, INF)


class TestHellinger(_Registered):
    name = "hellinger"


class TestKMarginal(_Registered):
    name = "k-marginal"


class TestFalseZeros(_Registered):
    name = "false-zeros"


class TestCellQuantile(_Registered):
    name, kind, range = "cell-quantile", "model", (0.0, INF)


del _Registered, MeasureConformance


def counts(t, chosen):
    found = {}
    for record in t.codes[:, list(chosen)].tolist():
        found[tuple(record)] = found.get(tuple(record), 0) + 1
    return found


def subsets(t, most):
    attributes = range(t.codes.shape[1])
    return [c for size in range(1, most + 1) for c in combinations(attributes, size)]


def reference(name, original, masked):
    n = len(original)
    chosen = subsets(original, 1 if name == "frequency-change" else 2)
    before, after = ([counts(t, c) for c in chosen] for t in (original, masked))
    cells = list(zip(before, after, strict=True))
    if name == "hellinger":
        distances = [
            sqrt(sum((sqrt(x.get(c, 0)) - sqrt(y.get(c, 0))) ** 2 for c in {*x, *y}) / (2 * n)) for x, y in cells
        ]
        return 100 * sum(distances) / len(distances)
    if name == "actbil":
        sizes = [
            len(a.categories) + bool((original.codes[:, v] < 0).any())
            for v, a in enumerate(original.schema.categorical)
        ]
        moved = sum(abs(x.get(c, 0) - y.get(c, 0)) for x, y in cells for c in {*x, *y})
        return moved / sum(int(np.prod([sizes[v] for v in c])) for c in chosen)
    changes = [abs(x[c] - y.get(c, 0)) / x[c] for x, y in cells for c in x]
    return 100 * sum(changes) / len(changes)


FIXTURE = schema((4, 3), ("ordinal", "nominal"))
X, Y = digits(FIXTURE, "00,01,11,21,22,32,32,10"), digits(FIXTURE, "00,11,11,21,32,30,32,10")


def test_fixture_of_eight_records():
    assert fitted("actbil", X).score(Y) == pytest.approx(10 / 19)
    assert fitted("actbil", X, K=1).score(Y) == pytest.approx(6 / 7)
    # Sums over the occupied cells: A 2, B 5/6, AB 3, over 4 + 3 + 7 of them.
    assert fitted("ctbil-mv", X).score(Y) == pytest.approx(100 * (2 + 5 / 6 + 3) / 14)
    assert fitted("frequency-change", X).score(Y) == pytest.approx(100 * (2 + 5 / 6) / 7)
    assert fitted("ctbil-mv", X, K=1).score(Y) == fitted("frequency-change", X).score(Y)


@pytest.mark.parametrize("name", NAMES)
@given(tables=pairs())
def test_small_tables_against_the_definitions(name, tables):
    original, masked = tables
    measure = fitted(name, original)
    assert measure.score(original) == 0.0
    assert measure.score(masked) == pytest.approx(reference(name, original, masked), abs=2e-6)
    order = np.random.default_rng(1).permutation(len(original))
    assert fitted(name, original.take(order)).score(masked.take(order)) == pytest.approx(measure.score(masked))


@pytest.mark.parametrize("name", NAMES)
@given(tables=pairs(), data=st.data())
def test_relabelling_both_files_changes_nothing(name, tables, data):
    codes = [t.codes.copy() for t in tables]
    for v, attribute in enumerate(tables[0].schema.categorical):
        names = np.array([*data.draw(st.permutations(range(len(attribute.categories)))), -1])
        for matrix in codes:
            matrix[:, v] = names[matrix[:, v]]
    original, masked = (Table(t.schema, matrix, t.numbers) for t, matrix in zip(tables, codes, strict=True))
    wanted = fitted(name, tables[0]).score(tables[1])
    assert fitted(name, original).score(masked) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("name", BOUNDED)
def test_nothing_in_common_is_a_total_loss(name):
    original = table(schema((2, 2), ("nominal", "nominal")), [[0, 0], [1, 1]] * 4)
    masked = table(original.schema, [[-1, -1]] * 8)
    assert fitted(name, original).score(masked) == pytest.approx(100.0)


@pytest.mark.parametrize("name", NAMES)
def test_constant_columns_two_records_and_empty_files_of_values(name):
    for codes in ([[0, 0], [0, 0]], [[0, 1]], [[0, 1], [1, 0]], [[-1, -1], [-1, -1]]):
        original = table(schema((2, 3), ("nominal", "ordinal")), codes)
        for other in ([0, 0], [1, 2], [-1, 2]):
            score = fitted(name, original).score(table(original.schema, [other] * len(codes)))
            assert np.isfinite(score)
            assert score >= 0.0


@pytest.mark.parametrize("name", NAMES)
def test_published_files_against_the_definitions(name, published):
    original = published.take(np.arange(0, len(published), 5))
    masked = noisy(original, 0.3, np.random.default_rng(2))
    assert fitted(name, original).score(masked) == pytest.approx(reference(name, original, masked), abs=1e-6)
    order = np.random.default_rng(6).permutation(len(original))
    assert fitted(name, original).score(original.take(order)) == pytest.approx(0.0, abs=2e-6)


def test_expectations_of_sums_agree_with_each_other(german):
    matrices = [np.full((len(a.categories),) * 2, 1.0 / len(a.categories)) for a in german.schema.categorical]
    plain, average = fitted("ctbil", german), fitted("actbil", german)
    assert isinstance(plain, Expected)
    ratio = average.score(noisy(german, 0.5, np.random.default_rng(1))) / plain.score(
        noisy(german, 0.5, np.random.default_rng(1))
    )
    assert average.expected(matrices) == pytest.approx(ratio * plain.expected(matrices))
