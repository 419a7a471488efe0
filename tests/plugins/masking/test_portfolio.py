from __future__ import annotations

from collections import Counter
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings

from evosdc.errors import ParameterError
from evosdc.model import Masking
from evosdc.model.parameters import parse_parameters
from evosdc.table.table import Table
from evosdc_masking import evosdc_masking_methods, evosdc_portfolios
from evosdc_masking.portfolio import categorical as portfolio
from evosdc_masking.portfolio import mixed as mixed_portfolio
from evosdc_masking.portfolio import numeric as numeric_portfolio
from tests.plugins.masking.tables import NOMINAL, ORDINAL, categorical, categorical_tables, joined, numeric

METHODS = {spec.name: spec for spec in evosdc_masking_methods()}


def implementation(path: str):
    module, name = path.split(":")
    return getattr(import_module(module), name)


def applied(entry: Masking, table: Table) -> Table:
    method = implementation(METHODS[entry.method].implementation)
    part = table.select(entry.attributes or table.schema.names)
    masked = method(parse_parameters(method.Params, entry.params, entry.label)).mask(part, np.random.default_rng(0))
    return table.with_columns(masked)


def test_names_scales_and_implementations_agree() -> None:
    assert set(METHODS) >= {"pram", "mdav", "rank-swapping", "global-recoding", "top-coding", "bottom-coding"}
    for spec in METHODS.values():
        assert set(spec.scales) == set(implementation(spec.implementation).supports)
    assert {spec.name: implementation(spec.implementation) for spec in evosdc_portfolios()} == {
        "categorical": portfolio, "numeric": numeric_portfolio, "mixed": mixed_portfolio,
    }  # fmt: skip


def test_counts_for_three_ordinal_attributes_as_wide_as_those_of_housing() -> None:
    rng = np.random.default_rng(1)
    sizes = [25, 8, 21]
    table = categorical(np.column_stack([rng.integers(0, s, 1000) for s in sizes]), sizes, [ORDINAL] * 3)
    entries = portfolio(table)
    assert Counter(e.method for e in entries) == {
        "pram": 18, "rank-swapping": 11, "mdav": 56, "top-coding": 5, "bottom-coding": 5, "global-recoding": 5,
    }  # fmt: skip
    assert {e.attributes for e in entries if e.method == "mdav"} == {
        ("c0",), ("c1",), ("c2",), ("c0", "c1"), ("c0", "c2"), ("c1", "c2"), (),
    }  # fmt: skip
    assert all(e.attributes == () for e in entries if e.method != "mdav")


@pytest.mark.parametrize(("width", "groups"), [(1, 1), (2, 3), (3, 7), (4, 11), (5, 10), (11, 22)])
def test_groups_of_attributes_for_mdav(width: int, groups: int) -> None:
    table = categorical(np.zeros((20, width)), [2] * width, [NOMINAL] * width)
    chosen = [e.attributes for e in portfolio(table) if e.method == "mdav"]
    assert len(set(chosen)) == groups
    assert set(Counter(chosen).values()) == {8}


@settings(max_examples=15)
@given(categorical_tables(max_records=12))
def test_every_entry_can_be_applied_and_labels_are_unique(table: Table) -> None:
    entries = portfolio(table)
    assert len({e.label for e in entries}) == len(entries)
    assert [e.label for e in portfolio(table)] == [e.label for e in entries]
    for entry in entries:
        applied(entry, table).verify()
        assert entry.params.get("k", 0) <= len(table)


def test_recoding_spares_attributes_that_would_become_constant() -> None:
    codes = np.column_stack([np.arange(12) % size for size in (2, 4, 6)])
    table = categorical(codes, [2, 5, 6], [ORDINAL, NOMINAL, ORDINAL])
    chosen = {(e.method, e.params["q"]): e.attributes for e in portfolio(table) if "q" in e.params}
    assert chosen == {
        **{("global-recoding", q): attributes for q, attributes in [(2, ("c1", "c2")), (3, ("c1", "c2"))]},
        **{("global-recoding", q): ("c2",) for q in (4, 5)},
        **{(end, q): ("c2",) for end in ("top-coding", "bottom-coding") for q in (2, 3, 4, 5)},
    }


def test_swaps_and_classes_that_cannot_apply_are_left_out() -> None:
    entries = portfolio(categorical(np.arange(5), [5], [NOMINAL]))
    assert [e.params["k"] for e in entries if e.method == "mdav"] == [2, 3, 4, 5]
    assert not [e for e in entries if e.method == "rank-swapping"]
    entries = portfolio(categorical(np.arange(25), [25], [NOMINAL]))
    assert [e.params["p"] for e in entries if e.method == "rank-swapping"] == [4, 5, 6, 7, 8, 9, 10, 11]


def test_numeric_attributes_are_left_alone() -> None:
    table = joined(categorical([0, 1, 2, 0], [3], [ORDINAL]), numeric([1.0, 2, 3, 4]))
    entries = portfolio(table)
    assert {e.attributes for e in entries} == {("c0",)}
    for entry in entries:
        np.testing.assert_array_equal(applied(entry, table).numbers, table.numbers)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="no categorical attribute"):
        portfolio(numeric([1.0]))
    with pytest.raises(ParameterError, match="no record"):
        portfolio(categorical(np.empty((0, 1)), [2], [NOMINAL]))


def test_real_file(german: Table) -> None:
    entries = portfolio(german)
    assert Counter(e.method for e in entries) == {
        "pram": 18, "rank-swapping": 11, "mdav": 56, "top-coding": 3, "bottom-coding": 3, "global-recoding": 3,
    }  # fmt: skip
    for entry in entries:
        published = applied(entry, german)
        published.verify()
        assert not published.same_records(german)
