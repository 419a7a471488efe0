"""Frames of pandas (classic, nullable, Arrow), PyArrow and Polars come back with index, order and dtypes."""

from __future__ import annotations

import warnings
from datetime import timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evosdc
from evosdc.files.frame import as_pandas, frame_from_table, like, table_from_frame
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING

from .build import masked

SIZE = 40
KINDS = ["classic", "nullable", "arrow", "pyarrow", "polars"]


def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    start = pd.Timestamp("2001-01-01")
    return pd.DataFrame(
        {
            "code": [f"P{k:04}" for k in range(SIZE)],
            "when": start + pd.to_timedelta(rng.permutation(SIZE) * 37, "D"),
            "zone": (start + pd.to_timedelta(rng.permutation(SIZE) * 5000, "s")).tz_localize("Europe/Berlin"),
            "stay": pd.to_timedelta(rng.permutation(SIZE) * 3601, "s"),
            "age": rng.integers(18, 90, SIZE),
            "sex": rng.choice(["f", "m"], SIZE),
            "income": rng.normal(1000, 200, SIZE).round(2),
            "member": rng.choice([True, False], SIZE),
        },
        index=[f"r{k}" for k in range(SIZE)],
    )


def of_kind(kind: str, frame: pd.DataFrame):
    if kind == "classic":
        return frame
    if kind in ("nullable", "arrow"):
        backend = {"nullable": "numpy_nullable", "arrow": "pyarrow"}[kind]
        return frame.convert_dtypes(dtype_backend=backend)
    library = pytest.importorskip(kind, reason=f"{kind} is not installed")
    if kind == "pyarrow":
        return library.Table.from_pandas(frame, preserve_index=False)
    return library.from_pandas(frame)


def types_of(frame) -> list[str]:
    kinds = frame.schema.types if hasattr(getattr(frame, "schema", None), "types") else frame.dtypes
    return [str(kind) for kind in kinds]


@pytest.mark.parametrize("kind", KINDS)
def test_dates_zones_and_spans_stay_what_they_are(kind):
    given = of_kind(kind, people())
    names = ["when", "zone", "stay", "age", "sex", "income", "member"]
    swapped = evosdc.mask(given, "rank-swapping", p=20, protect=["code", *names[:-1]], seed=1)
    assert type(swapped) is type(given)
    assert types_of(swapped) == types_of(given)
    before, after = as_pandas(given), as_pandas(swapped)
    for name in names:
        assert sorted(after[name].astype(str)) == sorted(before[name].astype(str)), name
    assert after["member"].astype(str).tolist() == before["member"].astype(str).tolist()
    for name in names[:-2]:
        assert after[name].astype(str).tolist() != before[name].astype(str).tolist(), name
    if isinstance(given, pd.DataFrame):
        assert after.index.equals(before.index)


@pytest.mark.parametrize("kind", KINDS)
def test_identifiers_are_left_out_as_by_the_command(kind):
    given = of_kind(kind, people())
    with pytest.warns(UserWarning, match="Left out, since they look like identifiers or free text .code"):
        swapped = evosdc.mask(given, "rank-swapping", p=20, protect=["age"], seed=1)
    assert "code" not in as_pandas(swapped).columns
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "code" in as_pandas(evosdc.mask(given, "rank-swapping", p=20, protect=["code", "age"], seed=1)).columns


@pytest.mark.parametrize("kind", KINDS)
def test_zones_and_spans_have_their_order(kind):
    table = table_from_frame(as_pandas(of_kind(kind, people())))
    original = people()
    assert table.schema["zone"].scale is Scale.ORDINAL
    order = np.argsort(original["zone"].dt.tz_convert("UTC").to_numpy())
    assert table.column("zone")[order].tolist() == list(range(SIZE))
    assert table.schema["stay"].scale is Scale.NUMERIC
    assert table.column("stay").tolist() == original["stay"].dt.total_seconds().tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_taken_away_are_missing_in_each_dtype(kind):
    given = of_kind(kind, people())
    frame = as_pandas(given)
    table = table_from_frame(frame)
    changes = {name: [MISSING] * SIZE for name in ("when", "zone", "sex", "member")}
    changes |= {name: [np.nan] * SIZE for name in ("stay", "income", "age")}
    result = like(given, frame_from_table(frame, masked(table, **changes)))
    for name in changes:
        assert as_pandas(result)[name].isna().all(), name
    for name in ("when", "zone", "stay"):
        assert as_pandas(result)[name].dtype == frame[name].dtype


def test_noise_on_spans_gives_spans():
    given = people()
    noisy = evosdc.mask(given, "noise", protect=["stay"], seed=1)
    assert noisy["stay"].dtype == given["stay"].dtype
    assert (noisy["stay"] != given["stay"]).any()


def test_labels_of_a_recoding_come_back_as_texts_in_each_kind():
    for kind in KINDS:
        given = of_kind(kind, people())
        banded = evosdc.mask(given, "global-recoding", protect=["age"], width=20, output="label", seed=1)
        assert all(str(text).startswith("[") for text in as_pandas(banded)["age"]), kind


@pytest.mark.parametrize(("unit", "length"), [("D", 86_400), ("h", 3_600), ("s", 1)])
def test_masked_time_spans_are_whole_where_all_were(tmp_path, monkeypatch, unit, length):
    # An odd part of a day would tell which cells were changed.
    frame = pd.DataFrame({"stay": pd.to_timedelta([*range(1, 13), None], unit), "age": [*range(30, 43)]})
    frame.to_parquet(tmp_path / "d.parquet")
    from evosdc.cli import main

    monkeypatch.chdir(tmp_path)
    words = ["mask", "mdav", "d.parquet", "--protect", "stay,age", "--set", "k=5", "--seed", "1", "-o", "m.parquet"]
    with pytest.raises(SystemExit, match="0"):
        main(words)
    masked = evosdc.mask(frame, "mdav", protect=["stay", "age"], k=5, seed=1)
    for one in (masked, pd.read_parquet(tmp_path / "m.parquet")):
        found = one["stay"].dt.total_seconds().dropna()
        assert len(found.unique()) == 2
        assert not (found % length).any()


SERIES = st.sampled_from(
    [
        pd.Series([3, 1, 2], dtype="int8"),
        pd.Series([3, 1, None], dtype="UInt16"),
        pd.Series([2.5, None, 1.0], dtype="float32"),
        pd.Series([1.5, None, 2.0], dtype="Float64"),
        pd.Series([True, False, True]),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series(["b", "a", None], dtype="string"),
        pd.Series(["b", "a", None], dtype=object),
        pd.Series(["b", "a", "b"], dtype=pd.CategoricalDtype(["b", "a", "c"], ordered=True)),
        pd.Series(pd.to_datetime(["2020-01-02", "2019-05-06", None])),
        pd.Series(pd.to_datetime(["2020-01-02 10:00+01:00", "2020-01-02 09:30+01:00", None])),
        pd.Series([timedelta(1), None, timedelta(hours=3)], dtype="timedelta64[us]"),
        pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3])),
        pd.Series(["x", None, "y"], dtype=pd.ArrowDtype(pa.string())),
        pd.Series([7, None, 8], dtype=pd.ArrowDtype(pa.int16())),
        pd.Series([timedelta(1), None, timedelta(2)], dtype=pd.ArrowDtype(pa.duration("ms"))),
    ]
)


@settings(deadline=None)
@given(st.lists(SERIES, min_size=1, max_size=4), st.permutations(range(3)))
def test_any_dtypes_come_back_equal_and_permuted(columns, order):
    frame = pd.DataFrame({f"c{k}": one for k, one in enumerate(columns)})
    table = table_from_frame(frame)
    pd.testing.assert_frame_equal(frame_from_table(frame, table), frame)
    moved = frame_from_table(frame, table.take(np.array(order)))
    pd.testing.assert_frame_equal(moved, frame.iloc[order].reset_index(drop=True))
