from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc.testing import MaskingMethodConformance
from evosdc.testing.tables import sample_table
from evosdc_masking.noise import DateShift, nearest
from tests.plugins.masking.tables import build

FIRST = date(2020, 2, 20)


def dated(table: Table) -> Table:
    """The table whose categories are days, three apart."""
    attributes = []
    for attribute in table.schema.attributes:
        days = tuple(f"{FIRST + timedelta(days=3 * code):%Y-%m-%d}" for code in range(len(attribute.categories)))
        attributes.append(replace(attribute, categories=days, date_format="%Y-%m-%d"))
    return Table(replace(table.schema, attributes=tuple(attributes)), table.codes, table.numbers)


class TestDateShift(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(DateShift, days=4)

    def table(self, table_name: str) -> Table:
        return dated(sample_table(table_name, {Scale.ORDINAL}))


def days(*offsets: int) -> Attribute:
    labels = tuple(f"{FIRST + timedelta(days=k):%d.%m.%Y}" for k in sorted(offsets))
    return Attribute("d", scale=Scale.ORDINAL, categories=labels, date_format="%d.%m.%Y")


def table_of(codes: list[list[int]], *attributes: Attribute) -> Table:
    named = tuple(replace(a, name=f"d{k}") for k, a in enumerate(attributes))
    return Table(Schema(named), np.array(codes, dtype=np.int32), np.empty((len(codes), 0)))


@given(
    st.lists(st.integers(0, 400), min_size=1, unique=True),
    st.lists(st.integers(-500, 900), min_size=1, max_size=20),
)
def test_the_nearest_day_is_found(offsets, wanted):
    known = np.array(sorted(offsets), dtype=np.int64)
    own = np.zeros(len(wanted), dtype=np.int32)
    found = nearest(known, np.array(wanted, dtype=np.int64), own)
    for code, day in zip(found, wanted, strict=True):
        assert code == min(range(len(known)), key=lambda k: (abs(known[k] - day), known[k]))


def test_all_dates_of_a_record_move_alike():
    wide = days(*range(200))
    codes = [[50 + k % 40, 60 + k % 40] for k in range(300)]
    table = table_of(codes, wide, wide)
    masked = build(DateShift, days=20).mask(table, np.random.default_rng(3))
    moved = masked.codes - table.codes
    assert (moved[:, 0] == moved[:, 1]).all()
    assert set(moved[:, 0].tolist()) == set(range(-20, 21))


def test_no_move_and_missing_dates():
    table = table_of([[0], [MISSING], [2]], days(0, 1, 2))
    assert build(DateShift, days=0).mask(table, np.random.default_rng(0)).same_records(table)
    assert build(DateShift, days=9).mask(table, np.random.default_rng(0)).codes[1, 0] == MISSING


def test_what_is_no_date_is_refused_and_not_tuned():
    plain = Attribute("grade", scale=Scale.ORDINAL, categories=("a", "b"))
    table = Table(Schema((plain,)), np.zeros((3, 1), dtype=np.int32), np.empty((3, 0)))
    with pytest.raises(ParameterError, match="grade, no date"):
        build(DateShift).mask(table, np.random.default_rng(0))
    assert DateShift.designs(table) == []
    (design,) = DateShift.designs(table_of([[0], [1]], days(0, 100)))
    assert (design.free[0].low, design.free[0].high, design.attributes) == (1, 50, ("d0",))
