"""Any table of any types, written and read again, is equal: in each format."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather

from evosdc.errors import DataError
from evosdc.files.formats import require_writable_format
from evosdc.files.formats.statistical import _completed
from evosdc.files.source import read_masked, read_source
from evosdc.table.schema import Schema

from .build import masked, nominal, numeric, schema, write

pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
pytest.importorskip("openpyxl", reason="openpyxl is not installed")
import pyreadstat

SLOW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=6)
WORDS = ["north", "south", "São", "a b", "x,y", "it's", 'q"q']
ENDINGS = [".csv", ".tsv", ".csv.gz", ".zip", ".parquet", ".feather", ".xlsx", ".sav", ".zsav", ".dta", ".xpt"]


@st.composite
def frames(draw) -> pd.DataFrame:
    """Words, whole numbers, and numbers with a fraction, some of them missing."""
    size = draw(st.integers(4, 12))

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    words = column(st.sampled_from([*WORDS, None]))
    whole = [float(value) for value in column(st.integers(-99, 9999))]
    real = column(st.one_of(st.none(), st.integers(-(10**6), 10**6).map(lambda cents: cents / 100)))
    return pd.DataFrame(
        {
            "word": pd.Series(words, dtype=object),
            "whole": whole,
            "real": pd.Series([np.nan if value is None else value for value in real], dtype=float),
        }
    )


def described(frame: pd.DataFrame) -> Schema:
    return schema(nominal("word", *WORDS), numeric("whole"), numeric("real", 2))


@pytest.mark.parametrize("ending", ENDINGS)
@SLOW
@given(frame=frames(), seed=st.integers(0, 99))
def test_a_table_is_read_again_as_it_was_written(tmp_path: Path, ending: str, frame: pd.DataFrame, seed: int) -> None:
    frame.to_csv(tmp_path / "file.csv", index=False)
    source = read_source(tmp_path / "file.csv", described(frame))
    source.write(tmp_path / f"first{ending}", source.table)
    first = read_source(tmp_path / f"first{ending}", described(frame))
    assert first.table.same_records(source.table)
    order = np.random.default_rng(seed).permutation(len(frame))
    moved = first.table.take(order)
    first.write(tmp_path / f"second{ending}", moved)
    second = read_masked(tmp_path / f"second{ending}", first)
    assert second.table.same_records(moved)
    first.write(tmp_path / f"third{ending}", first.table.select(["whole"]), order=order)
    assert read_source(tmp_path / f"third{ending}", described(frame)).table.same_records(moved)


def stata(path: Path, **more) -> Path:
    frame = pd.DataFrame(
        {
            "sex": pd.array([0, 1] * 10, dtype="Int8"), "age": pd.array(range(20, 40), dtype="Int16"),
            "score": np.arange(20, dtype="float32") / 4, "pay": np.arange(20) * 1.5, "town": ["Bath", "York"] * 10,
        }
    )  # fmt: skip
    frame.to_stata(path, write_index=False, value_labels={"sex": {0: "man", 1: "woman"}}, **more)
    return path


@pytest.mark.parametrize("release", [114, 117, 118, 119])
def test_stata_keeps_release_types_labels_and_formats(tmp_path, release):
    path = stata(tmp_path / "s.dta", version=release, variable_labels={"pay": "Pay in euros"})
    source = read_source(path)
    age = np.roll(source.table.column("age"), 3)
    source.write(tmp_path / "out.dta", masked(source.table, age=age))
    (old, before), (new, after) = (pyreadstat.read_dta(file) for file in (path, tmp_path / "out.dta"))
    assert path.read_bytes()[:40][:3] == (tmp_path / "out.dta").read_bytes()[:3]
    ages = pd.read_stata(tmp_path / "out.dta", convert_categoricals=False)["age"]
    assert ages.tolist() == np.roll(old["age"], 3).tolist()
    for what in ("readstat_variable_types", "original_variable_types", "variable_value_labels", "column_labels"):
        assert getattr(before, what) == getattr(after, what), what
    assert new["town"].tolist() == old["town"].tolist()


def test_stata_takes_a_wider_type_where_a_value_needs_it_and_text_where_labels_do(tmp_path):
    from evosdc.table.table import Table

    source = read_source(stata(tmp_path / "s.dta"), schema(numeric("age")))
    wide = source.table.select(["age"])
    source.write(tmp_path / "out.dta", Table(wide.schema, wide.codes, wide.numbers * 10_000))
    assert pyreadstat.read_dta(tmp_path / "out.dta")[1].readstat_variable_types["age"] == "int32"
    recoded = Table(
        schema(nominal("age", "20-29", "30-39")), np.repeat([[0], [1]], 10, axis=0).astype(np.int32), np.empty((20, 0))
    )
    source.write(tmp_path / "out.dta", recoded)
    assert pyreadstat.read_dta(tmp_path / "out.dta")[0]["age"].tolist() == ["20-29"] * 10 + ["30-39"] * 10


@pytest.mark.parametrize("labels", [{"a": "Refused"}, {1.0: "one", "a": "Refused"}, {}])
def test_letters_of_missing_values_stay_in_stata_unless_values_were_suppressed(tmp_path, labels):
    values = [1.0, 2.0, "a", "z", 3.0] * 6
    frame = pd.DataFrame({"v": pd.Series(values, dtype=object), "x": np.arange(30) * 1.5})
    pyreadstat.write_dta(
        frame, tmp_path / "in.dta", missing_user_values={"v": ["a", "z"]},
        variable_value_labels={"v": labels} if labels else {},
    )  # fmt: skip
    source = read_source(tmp_path / "in.dta")
    assert set(source.table.schema["v"].missing) == {"a", "z"}
    gone = np.array([0, 5, 7])
    part = source.table.select(["x"])
    source.write(tmp_path / "out.dta", part)
    kept = pyreadstat.read_dta(tmp_path / "out.dta", user_missing=True)[0]["v"].astype(str).tolist()
    assert kept == pyreadstat.read_dta(tmp_path / "in.dta", user_missing=True)[0]["v"].astype(str).tolist()
    suppressed = source.table.column("v").copy()
    suppressed[gone] = -1 if source.table.schema["v"].categorical else np.nan
    source.write(tmp_path / "out.dta", masked(source.table, v=suppressed, x=source.table.column("x")))
    new = pyreadstat.read_dta(tmp_path / "out.dta", user_missing=True)[0]["v"]
    missing = {*gone.tolist(), *(row for row in range(30) if isinstance(values[row], str))}
    assert {row for row in range(30) if isinstance(new[row], float) and np.isnan(new[row])} == missing


def test_numbers_of_a_workbook_stay_numbers_beside_words(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["income", "sex"])
    for k in range(40):
        book.active.append(["NA" if k % 9 == 4 else 1000 + 7 * k, "fm"[k % 2]])
    book.save(tmp_path / "p.xlsx")
    source = read_source(tmp_path / "p.xlsx", schema(numeric("income"), nominal("sex", "f", "m"), missing=("", "NA")))
    source.write(tmp_path / "out.xlsx", masked(source.table, income=np.roll(source.table.column("income"), 2)))
    cells = openpyxl.load_workbook(tmp_path / "out.xlsx").active["A"][1:]
    assert [cell.data_type for cell in cells].count("n") == 36
    assert {cell.value for cell in cells if cell.data_type == "s"} == {"NA"}


def test_times_of_a_workbook_stay_times(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["at", "stay", "sex"])
    for k in range(24):
        book.active.append([time(k, 15), timedelta(hours=k + 1), "fm"[k % 2]])
    book.save(tmp_path / "p.xlsx")
    source = read_source(tmp_path / "p.xlsx")
    source.write(tmp_path / "out.xlsx", masked(source.table, at=np.roll(source.table.column("at"), 2)))
    rows = list(openpyxl.load_workbook(tmp_path / "out.xlsx").active.iter_rows(min_row=2, values_only=True))
    assert rows[2] == (time(0, 15), timedelta(hours=3), "f")


@pytest.mark.parametrize(
    ("rows", "names", "count"),
    [
        ([["a", "b", None], [1, "x", "n"], [2, "y", "s"]], ("a", "b", "column 3"), 2),
        (
            [["Survey of May", None, None], [None] * 3, ["a", "b", "c"], [1, "x", "n"], [2, "y", "s"]],
            ("a", "b", "c"),
            2,
        ),
        ([["a", "b", "c"], [1, "x", "n"], [None] * 3, [2, "y", "s"]], ("a", "b", "c"), 2),
        ([[None, "Person", None], ["a", "b", "c"], [1, "x", "n"], [2, "y", "s"]], ("a", "b", "c"), 2),
    ],
)
def test_nothing_of_a_workbook_vanishes(tmp_path, rows, names, count):
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "p.xlsx")
    source = read_source(tmp_path / "p.xlsx")
    assert (source.table.schema.names, len(source.table)) == (names, count)


def test_a_sheet_of_notes_is_left_out_with_a_remark(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["This holds the survey"])
    book.active.append(["Contact: office"])
    for name, state in (("Old", "hidden"), ("Data", "visible")):
        data = book.create_sheet(name)
        data.sheet_state = state
        for row in (["a", "b"], [1, "x"], [2, "y"]):
            data.append(row)
    book.save(tmp_path / "p.xlsx")
    source = read_source(tmp_path / "p.xlsx")
    assert source.table.schema.names == ("a", "b")
    assert any("The sheet Data is read, and not Notes" in note for note in source.notes)


def test_a_format_that_cannot_hold_the_columns_is_refused_before_any_work(tmp_path):
    source = read_source(write(tmp_path, "pay per month,b\n1,x\n2,y\n"))
    with pytest.raises(DataError, match="cannot hold"):
        require_writable_format(tmp_path / "out.dta", source)
    require_writable_format(tmp_path / "out.parquet", source)
    require_writable_format(tmp_path / "out.csv", source)


@pytest.mark.parametrize("release", [114, 117, 118, 119])
def test_stata_keeps_a_label_set_that_several_variables_share(tmp_path, release):
    answers = {0: "no", 1: "yes"}
    frame = pd.DataFrame({"a": [0, 1] * 10, "b": [1, 0] * 10, "sex": [0, 1] * 10, "x": range(20)}, dtype="int8")
    labels = {"a": answers, "sex": {0: "man", 1: "woman"}}
    frame.to_stata(tmp_path / "one.dta", write_index=False, version=release, value_labels=labels)
    made = _completed(
        (tmp_path / "one.dta").read_bytes(),
        {},
        {},
        {0: "yesno", 1: "yesno", 2: "sexes"},
        {"a": "yesno", "sex": "sexes"},
    )
    (tmp_path / "in.dta").write_bytes(made)
    _, before = pyreadstat.read_dta(tmp_path / "in.dta")
    assert before.variable_to_label == {"a": "yesno", "b": "yesno", "sex": "sexes"}
    source = read_source(tmp_path / "in.dta")
    source.write(tmp_path / "out.dta", masked(source.table, b=np.roll(source.table.column("b"), 1)))
    new, after = pyreadstat.read_dta(tmp_path / "out.dta")
    assert after.variable_to_label == before.variable_to_label
    assert after.value_labels == before.value_labels
    assert after.variable_value_labels == before.variable_value_labels
    assert new["b"].tolist() == [0, 1] * 10
    assert pd.read_stata(tmp_path / "out.dta")["a"].tolist() == ["no", "yes"] * 10


@st.composite
def typed(draw) -> pa.Table:
    """Columns of the types that files of values have, some values missing."""
    size = draw(st.integers(4, 12))

    def column(values, kind) -> pa.Array:
        return pa.array(draw(st.lists(st.one_of(values, values, st.none()), min_size=size, max_size=size)), kind)

    cents = st.integers(-(10**6), 10**6)
    codes = pa.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), pa.int8())
    return pa.table(
        {
            "flag": column(st.booleans(), pa.bool_()),
            "small": column(st.integers(-128, 127), pa.int8()),
            "large": column(st.integers(0, 2**53), pa.uint64()),
            "single": column(cents.map(lambda n: n / 8), pa.float32()),
            "real": column(cents.map(lambda n: n / 100), pa.float64()),
            "price": column(cents.map(lambda n: Decimal(n).scaleb(-2)), pa.decimal128(9, 2)),
            "word": column(st.sampled_from(WORDS), pa.large_string()),
            "grade": pa.DictionaryArray.from_arrays(codes, ["low", "mid", "high"], ordered=True),
            "day": column(st.dates(date(1930, 1, 1), date(2029, 12, 31)), pa.date32()),
            "moment": column(st.datetimes(datetime(1930, 1, 1), datetime(2029, 12, 31)), pa.timestamp("us", "UTC")),
            "span": column(
                st.timedeltas(timedelta(0), timedelta(90)).map(lambda s: timedelta(s.days)), pa.duration("s")
            ),
        }
    )


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@settings(SLOW, max_examples=8)
@given(table=typed())
def test_columns_of_any_type_are_written_again_as_they_were(tmp_path: Path, ending: str, table: pa.Table) -> None:
    (pq.write_table if ending == ".parquet" else feather.write_feather)(table, tmp_path / f"in{ending}")
    source = read_source(tmp_path / f"in{ending}")
    source.write(tmp_path / f"out{ending}", source.table, drop_identifiers=False)
    back = (pq if ending == ".parquet" else feather).read_table(tmp_path / f"out{ending}")
    assert back.schema.equals(table.schema)
    for name in table.column_names:
        assert back[name].to_pylist() == table[name].to_pylist(), name


@pytest.mark.parametrize("ending", [".xlsx", ".dta", ".sav"])
@settings(SLOW, max_examples=8)
@given(table=typed())
def test_values_of_statistical_programs_are_written_again_as_they_were(tmp_path, ending, table):
    frame = pd.DataFrame(
        {
            "small": table["small"].fill_null(0).to_numpy().astype("int8").clip(-100, 100),
            "real": table["real"].to_numpy(),
            "word": pd.Series(["" if word is None else word for word in table["word"].to_pylist()], dtype=object),
            "day": pd.to_datetime(table["day"].fill_null(date(2000, 2, 29)).to_pandas()).astype("datetime64[ms]"),
        }
    )
    writers = {
        ".xlsx": lambda path: frame.to_excel(path, index=False),
        ".dta": lambda path: frame.to_stata(path, write_index=False),
        ".sav": lambda path: pyreadstat.write_sav(frame, path),
    }
    writers[ending](tmp_path / f"in{ending}")
    source = read_source(tmp_path / f"in{ending}")
    source.write(tmp_path / f"out{ending}", source.table, drop_identifiers=False)
    readers = {".xlsx": pd.read_excel, ".dta": pd.read_stata, ".sav": lambda path: pyreadstat.read_sav(path)[0]}
    before, after = (readers[ending](tmp_path / f"{name}{ending}") for name in ("in", "out"))
    pd.testing.assert_frame_equal(after, before)


@pytest.mark.parametrize(("separator", "ending"), [("\t", ".tsv"), (",", ".csv"), (";", ".csv")])
def test_the_ending_of_a_published_file_is_that_of_its_separator(tmp_path, separator, ending):
    (tmp_path / "d.txt").write_text(separator.join("ab") + "\n" + "\n".join(f"{n}{separator}x{n}" for n in range(9)))
    assert read_source(tmp_path / "d.txt").original.suffix == ending
