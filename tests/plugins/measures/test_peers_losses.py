"""Cells of tables, k-marginals and Mlodak's losses against their definitions."""

from itertools import combinations
from math import atan, comb, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.plugins.registry import default_registry
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from tests.plugins.measures.cases import pairs

REGISTRY = default_registry()


def fitted(name, original, **params):
    return REGISTRY.build("measure", name, params).fit(original)


def tables(table, sizes):
    """Return, by set of attributes, how many records have each combination."""
    found = {}
    for size in sizes:
        for chosen in combinations(range(table.codes.shape[1]), size):
            rows, counts = np.unique(table.codes[:, chosen], axis=0, return_counts=True)
            found[chosen] = dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))
    return found


@given(pairs(), st.integers(1, 3))
def test_false_zeros(files, most):
    original, masked = files
    attributes = original.codes.shape[1]
    sizes = range(1, min(most, attributes) + 1)
    before, after = tables(original, sizes), tables(masked, sizes)
    gone = [cell not in after[chosen] for chosen, cells in before.items() for cell in cells]
    assert fitted("false-zeros", original, K=most).score(masked) == pytest.approx(100 * np.mean(gone))


@given(pairs(), st.sampled_from(["absolute", "relative", "roots"]), st.sampled_from([0.5, 0.9, 1.0]))
def test_quantiles_of_changes(files, change, q):
    original, masked = files
    sizes = range(1, min(2, original.codes.shape[1]) + 1)
    before, after = tables(original, sizes), tables(masked, sizes)
    of = {
        "absolute": lambda x, y: abs(x - y),
        "relative": lambda x, y: abs(x - y) / x,
        "roots": lambda x, y: abs(sqrt(x) - sqrt(y)),
    }[change]
    changes = [of(x, after[chosen].get(cell, 0)) for chosen, cells in before.items() for cell, x in cells.items()]
    found = fitted("cell-quantile", original, q=q, change=change).score(masked)
    assert found == pytest.approx(np.quantile(changes, q))


@given(pairs(), st.integers(1, 3))
def test_k_marginals(files, k):
    original, masked = files
    k, n = min(k, original.codes.shape[1]), len(original)
    before, after = tables(original, [k]), tables(masked, [k])
    distances = []
    for chosen in before:
        cells = before[chosen].keys() | after[chosen].keys()
        distances.append(sum(abs(before[chosen].get(c, 0) - after[chosen].get(c, 0)) for c in cells) / n)
    # NIST: a score of 1000 (2 - mean) / 2
    nist = 1000 * (2 - np.mean(distances)) / 2
    assert 1000 - 10 * fitted("k-marginal", original, k=k).score(masked) == pytest.approx(nist)


def test_too_many_marginals_are_refused():
    schema = Schema(tuple(Attribute(f"a{v}", categories=("0", "1")) for v in range(60)))
    table = Table(schema, np.zeros((3, 60), np.int32), np.empty((3, 0)))
    assert comb(60, 3) > 20_000
    with pytest.raises(ParameterError, match="tables of 3"):
        fitted("k-marginal", table)


def numeric(values):
    values = np.asarray(values, dtype=float)
    schema = Schema(tuple(Attribute(f"x{v}", scale=Scale.NUMERIC) for v in range(values.shape[1])))
    return Table(schema, np.empty((len(values), 0), dtype=np.int32), values)


class TestMlodak:
    def test_two_attributes_have_equal_diagonals_whatever_their_correlation(self):
        rng = np.random.default_rng(0)
        original, masked = numeric(rng.normal(size=(40, 2))), numeric(rng.normal(size=(40, 2)))
        assert fitted("il-correl", original).score(masked) == pytest.approx(0.0, abs=1e-9)

    def test_the_definition(self):
        rng = np.random.default_rng(1)
        x = rng.normal(size=(50, 3))
        x[:, 2] += 2 * x[:, 0]
        y = x + rng.normal(size=x.shape)
        diagonals = [np.diag(np.linalg.inv(np.corrcoef(v, rowvar=False))) for v in (x, y)]
        units = [d / np.linalg.norm(d) for d in diagonals]
        wanted = 100 * np.linalg.norm(units[0] - units[1]) / sqrt(2)
        assert fitted("il-correl", numeric(x)).score(numeric(y)) == pytest.approx(wanted)

    def test_values_by_hand(self):
        schema = Schema(
            (
                Attribute("n", scale=Scale.NOMINAL, categories=("a", "b", "c")),
                Attribute("o", scale=Scale.ORDINAL, categories=("0", "1", "2")),
                Attribute("x", scale=Scale.NUMERIC),
            )
        )
        original = Table(schema, np.array([[0, 0], [1, 2]], np.int32), np.array([[1.0], [5.0]]))
        masked = Table(schema, np.array([[0, 1], [2, -1]], np.int32), np.array([[2.0], [5.0]]))
        wanted = 100 * (0 + 0.5 + 2 / pi * atan(1.0) + 1 + 1 + 0) / 6
        assert fitted("il-variables", original).score(masked) == pytest.approx(wanted)
        assert fitted("il-variables", original).track(masked).contributions().sum() == pytest.approx(wanted)


def test_outliers_do_not_rule_robust_eigenvalues():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(150, 3))
    spoilt = values.copy()
    spoilt[:10] += 100.0
    usual = fitted("eigenvalues-discrepancy", numeric(values)).score(numeric(spoilt))
    robust = fitted("robust-eigenvalues-discrepancy", numeric(values)).score(numeric(spoilt))
    assert robust < 0.5 < 10.0 < usual


def test_impossible_records_are_those_that_break_rules():
    rules = edit_rules_of([{"child": "yes", "married": "yes"}])
    attributes = tuple(Attribute(name, categories=("no", "yes")) for name in ("child", "married"))
    schema = Schema(attributes, edit_rules=rules)
    codes = np.array([[0, 1], [1, 0], [0, 0], [0, 1]], np.int32)
    original = Table(schema, codes, np.empty((4, 0)))
    masked = Table(schema, np.array([[1, 1], [1, 0], [0, 0], [0, 1]], np.int32), np.empty((4, 0)))
    assert fitted("impossible-records", original).score(masked) == 25.0
    assert fitted("impossible-records", original).score(original) == 0.0
