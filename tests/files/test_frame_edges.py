"""Values at the edge of what a DataFrame's dtypes hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evosdc.files.frame import frame_from_table, table_from_frame
from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Table

from .build import masked, nominal


def test_integers_that_a_table_cannot_tell_apart_come_out_as_one():
    original = pd.DataFrame({"a": [2**53, 2**53 + 1, 5, 7]})
    table = table_from_frame(original)
    assert frame_from_table(original, table)["a"].tolist() == original["a"].tolist()
    assert frame_from_table(original, masked(table, a=[2.0**53, 2.0**53, 5, 5]))["a"].tolist() == [2**53, 2**53, 5, 5]


@pytest.mark.parametrize(("dtype", "wide"), [("int64", "float64"), ("Int64", "Float64"), ("float32", "float64")])
def test_numbers_too_large_for_a_dtype_widen_it(dtype, wide):
    original = pd.DataFrame({"a": pd.array([1, 2, 3], dtype)})
    result = frame_from_table(original, masked(table_from_frame(original), a=[1e300, 2, 3]))["a"]
    assert result.dtype == wide
    assert result.tolist() == [1e300, 2, 3]


@pytest.mark.parametrize("unit", ["int64", "float64"])
def test_intervals_can_be_exchanged_and_go_missing(unit):
    original = pd.DataFrame({"a": pd.arrays.IntervalArray.from_breaks(np.array([0, 1, 2], dtype=unit))})
    table = table_from_frame(original)
    first, second = original["a"]
    assert frame_from_table(original, masked(table, a=[1, 1]))["a"].tolist() == [second, second]
    assert frame_from_table(original, masked(table, a=[MISSING, MISSING]))["a"].isna().all()
    mixed = frame_from_table(original, masked(table, a=[0, MISSING]))["a"]
    assert mixed.iloc[0] == first
    assert pd.isna(mixed.iloc[1])


def test_labels_of_generalised_intervals_turn_them_to_text():
    original = pd.DataFrame({"a": pd.interval_range(0, 2)})
    part = table_from_frame(original)
    merged = Table(Schema((nominal("a", "(0, 1]", "(1, 2]", "(0, 2]"),)), np.array([[2], [2]]), part.numbers)
    assert frame_from_table(original, merged)["a"].tolist() == ["(0, 2]", "(0, 2]"]


def test_all_dates_can_go_missing():
    original = pd.DataFrame({"a": pd.to_datetime(["2020-01-02", "2020-01-01"])})
    result = frame_from_table(original, masked(table_from_frame(original), a=[MISSING, MISSING]))
    assert result["a"].isna().all()
    assert result.dtypes.equals(original.dtypes)
