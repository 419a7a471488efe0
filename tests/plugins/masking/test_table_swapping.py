"""Swapping that keeps frequency tables."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.table.schema import Attribute, Role, Schema
from evosdc.table.table import Table
from evosdc_masking.swapping.table_swapping import (
    CLASSES,
    TableSwapping,
    _alone,
    _keys,
    exchange,
    frequency_tables,
    levels_of,
)
from evosdc_measures.interval_disclosure.lookup import LookupGain
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, joined, masked, mixed_tables, numeric

N = 400


def dependent(seed: int = 0, n: int = N) -> Table:
    """Four attributes, each a noisy copy of the one before it."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 5, n)
    columns = [first]
    for _ in range(3):
        noise = rng.random(n) < 0.2
        columns.append(np.where(noise, rng.integers(0, 5, n), columns[-1]))
    return categorical(np.array(columns).T, [5] * 4, [NOMINAL, ORDINAL, NOMINAL, ORDINAL])


def table_loss(original: Table, published: Table, order: int = 2) -> float:
    """The plain reference: the mean share of records in another cell, over all tables of an order."""
    found = []
    for group in combinations(range(original.codes.shape[1]), order):
        cells: dict[tuple[int, ...], int] = {}
        for sign, table in ((1, original), (-1, published)):
            for record in table.codes[:, group]:
                cells[tuple(record)] = cells.get(tuple(record), 0) + sign
        found.append(sum(map(abs, cells.values())) / 2 / len(original))
    return float(np.mean(found))


@given(mixed_tables(), st.floats(0, 1), st.integers(2, 3), st.booleans(), st.integers(0, 5))
def test_marginals_are_kept_and_the_seed_decides(
    table: Table, share: float, order: int, avoid_alone: bool, seed: int
) -> None:
    params = {"share": share, "order": order, "avoid_alone": avoid_alone}
    published = masked(TableSwapping, table, seed, **params)
    np.testing.assert_array_equal(np.sort(published.codes, axis=0), np.sort(table.codes, axis=0))
    np.testing.assert_array_equal(np.sort(published.numbers, axis=0), np.sort(table.numbers, axis=0))
    assert published.same_records(masked(TableSwapping, table, seed, **params))


def test_nothing_permuted_is_the_identity() -> None:
    assert masked(TableSwapping, dependent(), share=0).same_records(dependent())


@pytest.mark.parametrize("order", [2, 3])
def test_tables_come_back_although_values_were_permuted(order: int) -> None:
    table = dependent()
    published = masked(TableSwapping, table, share=1, order=order, avoid_alone=False)
    rng = np.random.default_rng(1)
    shuffled = np.stack([rng.permutation(table.codes[:, j]) for j in range(4)], axis=1)
    independent = Table(table.schema, shuffled, table.numbers)
    assert table_loss(table, published, order) < 0.15 * table_loss(table, independent, order)
    assert np.mean(table.codes == published.codes) < 0.4


def test_tables_with_unmasked_attributes_come_back() -> None:
    table = dependent()
    part, others = table.select(table.schema.names[:2]), table.select(table.schema.names[2:])
    method = build(TableSwapping, share=1, avoid_alone=False)
    published = method.mask_given(part, others, np.random.default_rng(1))
    whole = Table(table.schema, np.hstack([published.codes, others.codes]), table.numbers)
    alone = method.mask(part, np.random.default_rng(1))
    apart = Table(table.schema, np.hstack([alone.codes, others.codes]), table.numbers)
    assert table_loss(table, whole) < 0.2 * table_loss(table, apart)


def test_identifiers_weights_and_households_are_not_tabulated() -> None:
    table = dependent()
    assert build(TableSwapping).auxiliary_names(table.schema, ["c0"]) == ("c1", "c2", "c3")


def test_records_that_one_respondent_alone_has_are_avoided() -> None:
    rng = np.random.default_rng(3)
    table = categorical(rng.integers(0, 4, (N, 5)), [4] * 5, [NOMINAL] * 5)
    records, counts = np.unique(table.codes, axis=0, return_counts=True)
    alone = {tuple(record) for record in records[counts == 1]}

    def replicated(**params: bool) -> int:
        published = masked(TableSwapping, table, share=1, **params)
        return len(alone & {tuple(record) for record in published.codes})

    assert replicated(avoid_alone=True) < 0.3 * replicated(avoid_alone=False)


def test_surpluses_and_keys_are_followed_exactly() -> None:
    table = joined(dependent(), numeric(np.random.default_rng(5).normal(size=N)))
    levels = levels_of(table)
    tables = frequency_tables(levels, 3, 3)
    expected = tables.counts(levels)
    rng = np.random.default_rng(2)
    labels = rng.integers(1, 2**63, size=(3, int(levels[0].max()) + 1)).astype(np.uint64)
    alone = _alone(_keys(levels[0], labels))
    source = np.stack([rng.permutation(N) for _ in range(3)], axis=1)
    published = levels.copy()
    for v in range(3):
        published[:, :, v] = levels[:, source[:, v], v]
    weights = np.where(expected == 0, 6, 1)
    surplus, keys = tables.counts(published) - expected, _keys(published[0], labels)

    def cost() -> int:
        again = np.abs(tables.counts(published) - expected) * weights
        return int(again.sum()) + 12 * int(np.isin(_keys(published[0], labels), alone).sum())

    before = cost()
    gained = exchange(published, source, tables, surplus, weights, keys, labels, alone, 12, 100_000, rng)
    np.testing.assert_array_equal(surplus, tables.counts(published) - expected)
    np.testing.assert_array_equal(keys, _keys(published[0], labels))
    for v in range(3):
        np.testing.assert_array_equal(published[:, :, v], levels[:, source[:, v], v])
        np.testing.assert_array_equal(np.sort(source[:, v]), np.arange(N))
    np.testing.assert_array_equal(published[:, :, 3:], levels[:, :, 3:])
    assert before - gained == cost() < before


def test_wide_attributes_have_at_most_twenty_classes() -> None:
    rng = np.random.default_rng(4)
    table = joined(categorical(rng.integers(0, 90, (N, 2)), [90, 90], [NOMINAL, ORDINAL]), numeric(rng.normal(size=N)))
    values, classes = levels_of(table)
    assert (classes.max(axis=0) < CLASSES).all()
    assert values[:, 2].max() == N - 1
    for v in range(3):  # a value has one class
        assert len(np.unique(np.stack([values[:, v], classes[:, v]]), axis=1).T) == values[:, v].max() + 1


def test_parameters_out_of_range_are_refused() -> None:
    for wrong in ({"share": 1.5}, {"order": 4}, {"effort": 0}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            build(TableSwapping, **wrong)


def test_tries_may_be_interrupted_anywhere_without_another_result(monkeypatch):
    original = dependent()
    whole = TableSwapping(TableSwapping.Params(effort=0.1)).mask(original, np.random.default_rng(5))
    monkeypatch.setattr("evosdc_masking.swapping.table_swapping.AT_ONCE", 77)
    parts = TableSwapping(TableSwapping.Params(effort=0.1)).mask(original, np.random.default_rng(5))
    assert np.array_equal(whole.codes, parts.codes)
    assert not np.array_equal(whole.codes, original.codes)


def test_no_kernel_draws_numbers_of_its_own():
    # Its generator would begin at a seed of 32 bits, all of which can be tried: kernels are given numbers.
    root = Path(__file__).parents[3]
    own = re.compile(r"np\.random\.(seed|rand|randn|randint|random|choice|shuffle|permutation|normal|uniform)\(")
    files = [path for folder in ("evosdc", "plugins") for path in (root / folder).rglob("*.py")]
    found = {path.name for path in files if own.search(path.read_text(encoding="utf-8"))}
    assert found <= {"secret.py", "purity.py"}, "these lend a generator to code of others"


def test_tables_with_a_sensitive_attribute_are_kept_by_classes_of_enough_people() -> None:
    rng = np.random.default_rng(4)
    town = Attribute("town", Role.QUASI_IDENTIFIER, NOMINAL, tuple(map(str, range(150))))
    ill = Attribute("ill", Role.SENSITIVE, NOMINAL, ("no", "flu", "gout"))
    codes = np.column_stack([rng.integers(0, 150, N), rng.integers(0, 3, N)])
    whole = Table(Schema((town, ill)), codes, np.empty((N, 0)))
    fitted = LookupGain(LookupGain.Params()).fit_in(Microdata(whole, ("town",)))

    def gain(**params: int) -> float:
        method = build(TableSwapping, share=1.0, avoid_alone=False, **params)
        return fitted.score(method.mask_given(whole.select(["town"]), whole.select(["ill"]), rng))

    assert gain(least_cell=1) > 10.0
    assert gain() < 4.0
