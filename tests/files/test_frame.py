from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evosdc.errors import DataError, SchemaError
from evosdc.files.frame import frame_from_table, table_from_frame
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import MISSING, Table

from .build import masked, nominal, numeric, ordinal, schema


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "size": pd.Categorical(["s", "l", None, "s"], ["s", "m", "l"], ordered=True),
            "hue": pd.Categorical([3, 1, 3, 3], [3, 2, 1]),
            "word": ["b", "a", None, "b"],
            "old": np.array(["b", "a", np.nan, "b"], dtype=object),
            "flag": [True, False, True, True],
            "maybe": pd.array([True, None, False, True], dtype="boolean"),
            "count": [1, 2, 3, 4],
            "small": np.array([1, 2, 3, 4], dtype=np.int8),
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "real": [1.5, np.nan, 2.25, 0.1],
            "day": pd.to_datetime(["2020-01-02", "2020-01-01", None, "2020-01-02"]),
            "text": pd.array(["x", None, "y", "x"], dtype="string"),
        },
        index=["p", "p", "q", "p"],
    )


def test_dtypes_tell_scale_and_categories():
    found = table_from_frame(frame()).schema
    assert found["size"] == ordinal("size", "s", "m", "l")
    assert found["hue"] == nominal("hue", "3", "2", "1")
    assert found["word"] == nominal("word", "a", "b")
    assert found["flag"] == nominal("flag", "False", "True")
    assert found["maybe"] == nominal("maybe", "False", "True")
    assert found["count"] == numeric("count")
    assert found["whole"] == numeric("whole")
    assert found["real"] == numeric("real", 2)
    assert found["day"].scale is Scale.ORDINAL
    assert found["text"] == nominal("text", "x", "y")


def test_values_and_missing_values():
    table = table_from_frame(frame())
    assert list(table.column("size")) == [0, 2, MISSING, 0]
    assert list(table.column("hue")) == [0, 2, 0, 0]
    assert list(table.column("word")) == list(table.column("old")) == [1, 0, MISSING, 1]
    assert list(table.column("maybe")) == [1, MISSING, 0, 1]
    assert np.array_equal(table.column("real"), [1.5, np.nan, 2.25, 0.1], equal_nan=True)
    assert np.array_equal(table.column("whole"), [1, np.nan, 3, 4], equal_nan=True)


def test_an_unchanged_table_gives_the_frame():
    original = frame()
    assert_frame_equal(frame_from_table(original, table_from_frame(original)), original)


def test_changes_by_position_keep_dtypes():
    original = frame()
    table = table_from_frame(original)
    changed = masked(
        table,
        size=[1, 2, 0, MISSING],
        hue=[1, 2, 0, 0],
        word=[0, 0, 0, MISSING],
        flag=[0, 0, 1, 1],
        maybe=[MISSING, 0, 0, 1],
        count=[9, 2, 3, 4],
        small=[1, 2, 3, 100],
        whole=[np.nan, 7, 3, 4],
        real=[1.5, 0.5, np.nan, 0.1],
        day=[0, 0, 1, MISSING],
        text=[1, 0, MISSING, 0],
    )
    result = frame_from_table(original, changed)
    assert result.dtypes.equals(original.dtypes)
    assert list(result.index) == ["p", "p", "q", "p"]
    assert list(result.columns) == list(original.columns)
    assert result["size"].tolist()[:3] == ["m", "l", "s"]
    assert pd.isna(result["size"].iloc[3])
    assert result["hue"].tolist() == [2, 1, 3, 3]
    assert result["word"].tolist()[:3] == ["a", "a", "a"]
    assert result["flag"].tolist() == [False, False, True, True]
    assert result["maybe"].tolist() == [pd.NA, False, False, True]
    assert result["count"].tolist() == [9, 2, 3, 4]
    assert result["small"].tolist() == [1, 2, 3, 100]
    assert result["whole"].tolist() == [pd.NA, 7, 3, 4]
    assert result["real"].tolist()[:2] == [1.5, 0.5]
    assert result["day"].iloc[0] == pd.Timestamp("2020-01-01")
    assert result["day"].isna().tolist() == [False, False, False, True]
    assert result["text"].tolist() == ["y", "x", pd.NA, "x"]
    assert_frame_equal(original, frame())


def test_integers_stay_integers():
    original = pd.DataFrame({"a": [1, 2, 3], "b": np.array([1, 2, 3], np.int8), "c": pd.array([1, 2, 3], "Int8")})
    table = table_from_frame(original)

    def result(**columns) -> pd.DataFrame:
        return frame_from_table(original, masked(table, **columns))

    assert result(a=[1, np.nan, 4])["a"].dtype == "Int64"
    assert result(b=[1, 200, 3])["b"].dtype == np.int64
    assert result(c=[1, 200, 3])["c"].dtype == "Int64"
    assert_frame_equal(result(c=[1, 2.7, np.nan])[["c"]], pd.DataFrame({"c": pd.array([1, 3, None], "Int8")}))


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8", "uint32", "Int64", "UInt8", "Int16"])
def test_fractions_in_columns_of_integers_are_rounded(dtype):
    original = pd.DataFrame({"a": pd.array([1, 2, 3, 4], dtype)})
    result = frame_from_table(original, masked(table_from_frame(original), a=[3.3602, 1.5, 2.6, 4.4]))
    assert_frame_equal(result, pd.DataFrame({"a": pd.array([3, 2, 3, 4], dtype)}))
    assert frame_from_table(original, masked(table_from_frame(original), a=[1.2, 2, 3, 4])).equals(original)


def test_fractional_labels_of_a_recoding_turn_integers_to_floats():
    original = pd.DataFrame({"a": [1, 2, 4]})
    recoded = Table(schema(ordinal("a", "1.5", "4")), np.array([[0], [0], [1]], np.int32), np.empty((3, 0)))
    assert frame_from_table(original, recoded)["a"].tolist() == [1.5, 1.5, 4.0]


@pytest.mark.parametrize(
    ("values", "new"),
    [([1, 2, None], 3), ([1.5, 2, None], 3.4), ([Decimal("1.5"), Decimal(2), None], Decimal("3.4"))],
)
def test_numbers_in_columns_of_objects_stay_numbers(values, new):
    original = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    result = frame_from_table(original, masked(table_from_frame(original), a=[3.4, 2, np.nan]))["a"]
    assert result.tolist() == [new, values[1], None]
    assert type(result[0]) is type(new)


def test_texts_declared_numbers_stay_texts():
    original = pd.DataFrame({"a": ["1.5", "2"]})
    table = table_from_frame(original, schema(numeric("a", 1)))
    assert frame_from_table(original, masked(table, a=[3.44, 2]))["a"].tolist() == ["3.4", "2"]


def test_whole_floats_are_labelled_as_whole_numbers():
    original = pd.DataFrame({"a": [1.0, np.nan, 3.0, 1.0]})
    table = table_from_frame(original, schema(ordinal("a", "1", "2", "3")))
    assert list(table.column("a")) == [0, MISSING, 2, 0]
    result = frame_from_table(original, masked(table, a=[1, 0, 2, MISSING]))
    assert result["a"].dtype == np.float64
    assert result["a"].tolist()[:3] == [2.0, 1.0, 3.0]


def test_labels_of_a_recoding():
    original = pd.DataFrame(
        {
            "age": [31, 48, 39],
            "size": pd.Categorical(["s", "m", "l"], ["s", "m", "l"], ordered=True),
            "flag": [True, False, True],
            "day": pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-02"]),
        }
    )
    recoded = Schema(
        (
            ordinal("age", "30-39", "48"),
            ordinal("size", "s/m", "l"),
            nominal("flag", "True", "any"),
            nominal("day", "2020"),
        )
    )
    table = Table(recoded, np.array([[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0]], dtype=np.int32), np.empty((3, 0)))
    result = frame_from_table(original, table)
    assert result["age"].tolist() == ["30-39", "48", "30-39"]
    assert result["size"].tolist() == ["s/m", "s/m", "l"]
    assert list(result["size"].cat.categories) == ["s", "m", "s/m", "l"]
    assert result["size"].cat.ordered
    assert result["flag"].tolist() == ["True", "any", "True"]
    assert result["day"].tolist() == ["2020", "2020", "2020"]


def test_filtered_and_shuffled_frames_go_by_position():
    original = frame().reset_index(drop=True).sample(frac=1, random_state=3)
    part = original[original["count"] > 1]
    table = table_from_frame(part)
    assert list(table.column("count")) == part["count"].tolist()
    result = frame_from_table(part, masked(table, count=[7, 8, 9]))
    assert result["count"].tolist() == [7, 8, 9]
    assert list(result.index) == list(part.index)


def test_a_schema_may_describe_some_columns():
    described = SchemaDescription({"age": AttributeDescription(scale=Scale.ORDINAL)}, ("", "?"))
    table = table_from_frame(pd.DataFrame({"age": [30, 9, 30], "job": ["x", "?", "y"]}), described)
    assert table.schema["age"].categories == ("9", "30")
    assert list(table.column("job")) == [0, MISSING, 1]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (pd.DataFrame({"a": []}), "no record"),
        (pd.DataFrame(index=[1, 2]), "no column"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "the column a more than once"),
        (pd.DataFrame({"a": [[1], [2]]}), "values such as lists"),
        (pd.DataFrame({"a": [1.5, np.inf]}), "'inf' in record 2"),
    ],
)
def test_frames_that_cannot_be_used(bad, words):
    with pytest.raises(DataError, match=words):
        table_from_frame(bad)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ([{"a": 1}], "given a list"),
        ("file.csv", "given a text or a path"),
        (Path("file.csv"), "given a text or a path"),
        ({"a": [1]}, "given a dict"),
        (pd.Series([77]), "Series"),
        (np.array([[77]]), "numpy.ndarray"),
        (None, "given a NoneType"),
    ],
)
def test_what_is_no_frame(thing, words):
    with pytest.raises(DataError, match=words) as caught:
        table_from_frame(thing)
    assert "a pandas DataFrame" in caught.value.faults[0].wanted
    assert "77" not in str(caught.value)


def test_columns_that_the_frame_lacks_are_named():
    with pytest.raises(SchemaError) as caught:
        table_from_frame(pd.DataFrame({"educat": ["x"]}), schema(nominal("education", "x"), numeric("age")))
    assert [fault.given for fault in caught.value.faults] == [
        "the attribute 'education', for which the frame has no column",
        "the attribute 'age', for which the frame has no column",
    ]
    assert caught.value.faults[0].advice == "Did you mean 'educat'?"


def test_values_outside_the_schema():
    with pytest.raises(DataError, match="'x' in record 2"):
        table_from_frame(pd.DataFrame({"a": ["f", "x"]}), schema(nominal("a", "f", "m")))
    with pytest.raises(SchemaError, match="'b'"):
        table_from_frame(pd.DataFrame({"a": ["f"]}), schema(nominal("b", "f")))


def test_tables_of_another_frame_are_refused():
    table = table_from_frame(pd.DataFrame({"a": ["f", "m"]}))
    with pytest.raises(DataError) as caught:
        frame_from_table(pd.DataFrame({"b": ["f"]}), table)
    assert len(caught.value.faults) == 2


def test_dates_and_column_labels_that_are_no_text():
    original = pd.DataFrame({1: [datetime.date(2020, 1, 2), None], 2: [1.5, 2.5]})
    table = table_from_frame(original)
    assert table.schema.names == ("1", "2")
    result = frame_from_table(original, masked(table, **{"2": [2.5, 2.5]}))
    assert list(result.columns) == [1, 2]
    assert result.iloc[:, 1].tolist() == [2.5, 2.5]


FLOATS = st.one_of(st.none(), st.just(0.0), st.floats(1e-60, 1e60), st.floats(-1e60, -1e-60))
CELLS = st.one_of(st.none(), st.sampled_from(["x", "y", "ü", "1", "q r"]))


@settings(deadline=None)
@example([None] * 7, [0] * 8, [None] * 5 + [16777217.0, -5.960464477539063e-08, None], [0] * 8, object)
@example([None] * 7, [0] * 8, [None] * 5 + [3.4028235677973366e38, -5.960464477539063e-08, None], [0] * 8, object)
@given(
    words=st.lists(CELLS, min_size=1, max_size=8),
    ints=st.lists(st.integers(-(2**53), 2**53), min_size=8, max_size=8),
    floats=st.lists(FLOATS, min_size=8, max_size=8),
    labels=st.lists(st.integers(0, 2), min_size=8, max_size=8),
    kind=st.sampled_from([object, "string", "category"]),
)
def test_frames_come_back(words, ints, floats, labels, kind):
    size = len(words)
    original = pd.DataFrame(
        {"w": pd.Series(words, dtype=kind), "i": ints[:size], "f": pd.Series(floats[:size], dtype=float)},
        index=pd.Index(labels[:size]).astype(object),
    )
    original["w"] = pd.Series(words, dtype=kind).array
    original["f"] = pd.Series(floats[:size], dtype=float).array
    table = table_from_frame(original)
    assert_frame_equal(frame_from_table(original, table), original)
    backwards = original.iloc[::-1]
    assert table_from_frame(backwards, table.schema).same_records(table.take(np.arange(size)[::-1].copy()))
    assert table_from_frame(frame_from_table(original, table_from_frame(backwards, table.schema))).same_records(
        table_from_frame(backwards)
    )
