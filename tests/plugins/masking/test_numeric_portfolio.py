"""The portfolios of numeric and of mixed files."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from evosdc.assess.defaults import default_portfolio
from evosdc.errors import ParameterError
from evosdc.experiment.experiment import Experiment, Start
from evosdc.experiment.start import start_of
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Schema
from evosdc.table.table import Table
from evosdc_masking import portfolio as families
from evosdc_masking.portfolio import mixed
from evosdc_masking.portfolio import numeric as portfolio
from tests.plugins.masking.tables import NOMINAL, ORDINAL, categorical, joined, mixed_tables, numeric, numeric_tables
from tests.plugins.masking.test_portfolio import METHODS, applied

NUMBERS = {"mdav": 24, "rank-swapping": 20, "individual-ranking": 8, "projected-microaggregation": 16, "noise": 6}


def test_families_and_counts_are_those_of_the_comparison() -> None:
    entries = portfolio(numeric(np.random.default_rng(0).normal(size=(200, 7))))
    counts = Counter(e.method for e in entries)
    assert counts.pop("jpeg", 20) == 20
    assert counts == NUMBERS
    assert {(e.params.get("group_size"), e.params["destandardise"]) for e in entries if e.method == "mdav"} == {
        (None, False), (4, False), (3, False),
    }  # fmt: skip
    assert [e.params["k"] for e in entries if e.method == "individual-ranking"] == list(range(3, 11))
    assert all(e.attributes == () for e in entries)


@pytest.mark.parametrize(("width", "groups"), [(1, 1), (3, 1), (4, 2), (5, 3)])
def test_groups_are_smaller_than_the_file(width: int, groups: int) -> None:
    entries = portfolio(numeric(np.random.default_rng(0).normal(size=(50, width))))
    assert Counter(e.method for e in entries)["mdav"] == 8 * groups


def test_jpeg_is_offered_where_pillow_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "find_spec", lambda name: None)
    assert Counter(e.method for e in portfolio(numeric(np.arange(200.0)[:, None] ** [1, 2, 3, 4, 5]))) == NUMBERS


@settings(max_examples=12)
@given(numeric_tables(max_records=12))
def test_every_entry_can_be_applied_and_labels_are_unique(table: Table) -> None:
    entries = portfolio(table)
    assert len({e.label for e in entries}) == len(entries)
    for entry in entries:
        published = applied(entry, table)
        published.verify()
        assert published.schema == table.schema


@settings(max_examples=6)
@given(mixed_tables())
def test_every_entry_of_the_mixed_one_can_be_applied_and_labels_are_unique(table: Table) -> None:
    entries = mixed(table)
    assert len({e.label for e in entries}) == len(entries)
    for entry in entries:
        published = applied(entry, table)
        published.verify()
        assert published.schema == table.schema


def test_the_mixed_one_masks_all_attributes_first_and_then_each_kind() -> None:
    rng = np.random.default_rng(1)
    codes = categorical(np.column_stack([rng.integers(0, 9, 120), rng.integers(0, 8, 120)]), [9, 8], [ORDINAL, NOMINAL])
    entries = mixed(joined(codes, numeric(rng.normal(size=(120, 2)))))
    whole = [e.method for e in entries if not e.attributes]
    assert Counter(whole) == {"rank-swapping": 11, "mdav": 8, "mondrian": 8}
    assert whole == [e.method for e in entries[:27]]
    for entry in entries[27:]:
        names = {a[0] for a in entry.attributes}
        assert names == (
            {"x"} if "nominal" not in METHODS[entry.method].scales and entry.method not in CODED else {"c"}
        )


CODED = {"top-coding", "bottom-coding"}


@pytest.mark.parametrize("table", [categorical([0, 1], [2], [NOMINAL]), numeric(np.empty((0, 2)))])
def test_files_without_numbers_or_records_are_refused(table: Table) -> None:
    with pytest.raises(ParameterError, match=r"portfolio numeric: given no (numeric attribute|record)"):
        portfolio(table)
    with pytest.raises(ParameterError, match=r"portfolio mixed: given no (numeric|categorical) attribute"):
        mixed(table)


def test_the_usual_portfolio_goes_by_the_scales() -> None:
    codes, numbers = categorical([0], [1], [NOMINAL]).schema, numeric([1.0]).schema
    assert default_portfolio(codes, default_registry()) == "categorical"
    assert default_portfolio(numbers, default_registry()) == "numeric"
    both = Schema(codes.attributes + numbers.attributes)
    assert default_portfolio(both, default_registry()) == "mixed"
    cells = Experiment.model_validate({"genotype": {"name": "cells"}, "data": {"name": "census"}})
    assert [start_of(cells, default_registry(), schema).portfolio for schema in (codes, numbers, both)] == [
        "categorical", "numeric", "mixed",
    ]  # fmt: skip
    chosen = cells.model_copy(update={"start": Start(portfolio="categorical")})
    assert start_of(chosen, default_registry(), numbers).portfolio == "categorical"


def test_real_file(tarragona: Table) -> None:
    entries = [e for e in portfolio(tarragona) if e.params.get("k", 3) == 3 and e.params.get("p", 5) == 5]
    for entry in entries:
        published = applied(entry, tarragona)
        published.verify()
        assert not published.same_records(tarragona) or entry.label == "jpeg quality=100"
