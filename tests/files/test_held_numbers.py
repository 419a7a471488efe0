"""Columns of many numbers, which are held as numbers, fare as columns of texts do."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.errors import InputError
from evosdc.files import frame as frame_columns
from evosdc.files.frame import frame_from_table, table_from_frame
from evosdc.files.inference.proposal import infer_schema
from evosdc.files.schema.description import SchemaDescription

from .numbers import numbers

DTYPES = ["float64", "float32", "int64", "int16", "uint64", "Int64", "Float64", "Int8"]


@contextmanager
def held_from(least: int):
    """Hold columns of at least so many distinct numbers as numbers."""
    before = frame_columns.FEWEST_HELD
    frame_columns.FEWEST_HELD = least
    try:
        yield
    finally:
        frame_columns.FEWEST_HELD = before


def both(call):
    """Return what a call gives where numbers are held, and where they are not."""
    found = []
    for least in (1, 10**9):
        with held_from(least):
            try:
                found.append(call())
            except InputError as error:
                found.append(str(error))
    return found


@st.composite
def series(draw, values):
    """A column of one of the dtypes, with holes where it can have them."""
    dtype = draw(st.sampled_from(DTYPES))
    kind = np.dtype(dtype.lower())
    array = np.array(draw(st.sampled_from([values, sorted(values)])))
    if kind.kind in "iu":
        bounds = np.iinfo(kind)
        array = np.rint(np.clip(np.nan_to_num(array), float(bounds.min) / 4, float(bounds.max) / 4)).astype(kind)
    else:
        with np.errstate(over="ignore"):
            array = array.astype(kind)
    column = pd.Series(array).astype(dtype)
    holes = draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    if kind.kind == "f" or dtype[0].isupper():
        column[np.array(holes)] = None
    return column


@st.composite
def frames(draw):
    """A frame of columns of numbers and their masked numbers."""
    size = draw(st.integers(1, 12))
    columns = {}
    for name in ("age", "weight", "amount")[: draw(st.integers(1, 3))]:
        columns[name] = draw(series(draw(numbers(size, size))))
    return pd.DataFrame(columns)


@pytest.mark.endurance
@settings(max_examples=50, deadline=None)
@given(frames(), st.sampled_from([("",), ("", "99", "-9"), ("", "99.0", "nan", "12.5")]))
def test_tables_and_schemas_are_the_same(frame, missing):
    one, other = both(lambda: table_from_frame(frame, SchemaDescription(missing=missing)))
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
    else:
        assert one.schema == other.schema
        assert one.same_records(other)
    one, other = both(lambda: infer_schema(frame))
    assert (one.schema, one.notes, one.reasons, one.rules, one.suspected) == (
        other.schema, other.notes, other.reasons, other.rules, other.suspected,
    )  # fmt: skip


@st.composite
def masked_frames(draw):
    """A frame, and new numbers for some of its values."""
    frame = draw(frames())
    try:
        table = table_from_frame(frame)
    except InputError:
        return frame, None
    new = table.numbers.copy()
    for row in range(new.shape[0]):
        for place in range(new.shape[1]):
            fate = draw(st.sampled_from(["kept", "kept", "swapped", "mean", "rounded", "gone", "large"]))
            other = draw(st.integers(0, len(new) - 1))
            if fate == "swapped":
                new[row, place] = table.numbers[other, place]
            elif fate == "mean":
                new[row, place] = (table.numbers[other, place] + table.numbers[row, place]) / 2
            elif fate == "rounded":
                new[row, place] = np.round(table.numbers[row, place], 1)
            elif fate != "kept":
                new[row, place] = np.nan if fate == "gone" else 1e40
    return frame, replace(table, numbers=new)


@pytest.mark.endurance
@settings(max_examples=50, deadline=None)
@given(masked_frames())
def test_masked_frames_are_the_same(pair):
    frame, masked = pair
    if masked is None:
        return
    one, other = both(lambda: frame_from_table(frame, masked))
    pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_numbers_are_held_where_there_are_many():
    few, many = pd.DataFrame({"a": [1.5, 2.5]}), pd.DataFrame({"a": np.arange(1000) / 8})
    assert frame_columns.columns_of(few)[0].column.held is None
    assert frame_columns.columns_of(many)[0].column.held is not None


@pytest.mark.parametrize("values", [["a", "b"], [True, False], pd.to_datetime(["2020-01-01", "2020-01-02"])])
def test_other_values_are_texts(values):
    with held_from(1):
        assert frame_columns.columns_of(pd.DataFrame({"a": values}))[0].column.held is None
