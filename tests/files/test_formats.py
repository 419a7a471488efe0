"""Files as people have them: each format is read, published in kind, and keeps what it says besides its values."""

from __future__ import annotations

import gzip
import io
import zipfile
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evosdc.errors import DataError
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.source import read_masked, read_source
from evosdc.table.schema import Role, Scale

from .build import masked, write

SEX = {1.0: "male", 2.0: "female"}
LEVEL = {1.0: "low", 2.0: "middle", 3.0: "high"}


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [f"n{k} {'x' * (k % 4)}" for k in range(30)],
            "sex": [1.0 + k % 2 for k in range(30)],
            "level": [1.0 + k % 3 for k in range(30)],
            "age": [-9.0 if k == 4 else float(20 + k % 7) for k in range(30)],
            "pay": [np.nan if k == 5 else k * 10.5 for k in range(30)],
            "seen": pd.to_datetime(["2020-01-01", "2020-02-03", "2021-12-31"] * 10),
        }
    )


def stored(folder: Path, suffix: str) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    path, frame = folder / f"people{suffix}", people()
    labels = {"name": "Name", "sex": "Sex of the person", "level": "", "age": "", "pay": "", "seen": ""}
    if suffix in (".sav", ".zsav"):
        pyreadstat.write_sav(
            frame, path, file_label="People", column_labels=labels, compress=suffix == ".zsav",
            variable_value_labels={"sex": SEX, "level": LEVEL}, missing_ranges={"age": [{"lo": -9, "hi": -1}]},
            variable_measure={"level": "ordinal", "sex": "nominal"}, variable_format={"pay": "F10.1"},
        )  # fmt: skip
    elif suffix == ".dta":
        pyreadstat.write_dta(frame, path, file_label="People", column_labels=labels, variable_value_labels={"sex": SEX})
    elif suffix == ".por":
        pyreadstat.write_por(frame.rename(columns=str.upper).drop(columns="SEEN"), path)
    else:
        pyreadstat.write_xport(frame, path, table_name="PEOPLE", file_format_version=8, column_labels=labels)
    return path


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta", ".xpt", ".por"])
def test_files_of_statistical_packages_come_back_as_they_were(tmp_path, suffix):
    import pyreadstat

    path = stored(tmp_path, suffix)
    source = read_source(path)
    schema = source.table.schema
    named = {name.lower(): name for name in schema.names}
    assert schema[named["name"]].role is Role.IDENTIFIER
    out = tmp_path / f"out{suffix}"
    age = named["age"]
    moved = np.roll(source.table.column(age), 1)
    report = source.write(out, masked(source.table, **{age: moved}))
    assert report.dropped == (named["name"],)
    reader = {".dta": pyreadstat.read_dta, ".xpt": pyreadstat.read_xport, ".por": pyreadstat.read_por}
    read = reader.get(suffix, pyreadstat.read_sav)
    users = {"user_missing": True} if suffix in (".sav", ".zsav", ".dta") else {}
    (before, told), (after, kept) = (read(file, disable_datetime_conversion=True, **users) for file in (path, out))
    for name in after.columns:
        expected = before[name]
        if name == age:
            expected = np.roll(expected, 1)
        if name == age and suffix in (".sav", ".zsav"):
            # Who had no age because of -9 has one now; who lost it did not for that reason.
            expected = np.roll(np.where(before[name] == -9, np.nan, before[name]), 1)
        assert np.array_equal(after[name].astype(float), np.asarray(expected, dtype=float), equal_nan=True), name
    assert kept.column_names == told.column_names[1:]
    assert kept.column_labels == told.column_labels[1:]
    assert kept.variable_value_labels == told.variable_value_labels
    types = {name: kind for name, kind in told.original_variable_types.items() if name != named["name"]}
    assert kept.original_variable_types == types
    if suffix in (".sav", ".zsav"):
        assert kept.missing_ranges == told.missing_ranges
        assert kept.variable_measure["level"] == "ordinal"
        assert kept.file_label == "People"
    assert read_masked(out, source, require=[age]).table.column(age).tolist() == moved.tolist()


def test_labels_and_missing_values_of_spss_make_the_schema(tmp_path):
    schema = read_source(stored(tmp_path, ".sav")).table.schema
    assert (schema["sex"].scale, schema["sex"].categories) == (Scale.NOMINAL, ("male", "female"))
    assert (schema["level"].scale, schema["level"].categories) == (Scale.ORDINAL, ("low", "middle", "high"))
    assert schema["age"].missing == ("-9",)
    assert schema["seen"].scale_word == "date"
    assert schema["seen"].categories == ("2020-01-01", "2020-02-03", "2021-12-31")
    assert schema["age"].role is Role.QUASI_IDENTIFIER


def test_codes_of_missing_values_stay_apart_but_not_within_a_class(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    pay = [-8.0, -9.0, np.nan, -8.0, -9.0, -8.0, *(k % 8 * 2.5 for k in range(24))]
    frame = pd.DataFrame({"pay": pay, "sex": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, *[1.0, 2.0] * 12]})
    pyreadstat.write_sav(
        frame, tmp_path / "p.sav", missing_ranges={"pay": [-8, -9]}, variable_value_labels={"sex": SEX}
    )
    source = read_source(tmp_path / "p.sav")
    assert source.table.schema["pay"].missing == ("-8", "-9")
    moved = np.array([*[np.nan] * 6, *np.roll(pay[6:], 1)])

    def published(**columns):
        source.write(tmp_path / "out.sav", masked(source.table, **columns))
        return pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)[0]["pay"].tolist()

    others = source.table.column("sex").copy()
    alone = published(pay=moved)  # all that miss it are one class, for several reasons
    assert np.isnan(alone[:6]).all()
    assert alone[6:] == moved[6:].tolist()
    assert np.isnan(published(pay=moved, sex=others)[:6]).all()
    unlike = np.arange(30) * 1.5
    frame["score"] = unlike
    pyreadstat.write_sav(
        frame, tmp_path / "p.sav", missing_ranges={"pay": [-8, -9]}, variable_value_labels={"sex": SEX}
    )
    source = read_source(tmp_path / "p.sav")
    kept = published(pay=moved, score=unlike)
    assert np.array_equal(kept[:6], pay[:6], equal_nan=True)
    moved[7] = np.nan  # taken away: no code says why
    assert np.isnan(published(pay=moved, score=unlike)[7])


def test_labels_of_a_recoding_become_texts_in_a_statistical_file(tmp_path):
    import pyreadstat

    from evosdc.table.schema import Attribute, Schema
    from evosdc.table.table import Table

    source = read_source(stored(tmp_path, ".sav"))
    wide = Schema((Attribute("age", scale=Scale.NOMINAL, categories=("20-23", "24-26")),))
    codes = np.array([[k % 2] for k in range(30)], dtype=np.int32)
    source.write(tmp_path / "out.sav", Table(wide, codes, np.empty((30, 0))))
    frame, meta = pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)
    assert frame["age"].tolist() == ["20-23", "24-26"] * 15
    assert "age" not in meta.missing_ranges


@pytest.mark.parametrize("name", ["PEOPLE.SAS7BCAT", "formats.sas7bcat"])
def test_a_catalog_beside_a_file_of_sas_labels_its_values(tmp_path, monkeypatch, name):
    pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    pyreadstat.write_xport(people().drop(columns="seen"), tmp_path / "people.xpt", variable_format={"sex": "SEXF."})
    assert read_source(tmp_path / "people.xpt").table.schema["sex"].categories == ("1", "2")
    write(tmp_path, b"no catalog", name)
    with pytest.raises(DataError, match="damaged catalog"):
        read_source(tmp_path / "people.xpt")
    told = SimpleNamespace(value_labels={"SEXF": SEX, "OTHER": LEVEL})
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", lambda path: (None, told))
    source = read_source(tmp_path / "people.xpt")
    assert source.table.schema["sex"].categories == ("male", "female")
    source.write(tmp_path / "out.xpt", masked(source.table, sex=source.table.column("sex")[::-1]))
    assert pyreadstat.read_xport(tmp_path / "out.xpt")[0]["sex"].tolist() == people()["sex"].tolist()[::-1]
    (tmp_path / "run").mkdir()
    (tmp_path / "out.xpt").rename(tmp_path / "run" / "best.xpt")
    again = read_masked(tmp_path / "run" / "best.xpt", source).table
    assert again.column("sex").tolist() == source.table.column("sex").tolist()[::-1]


def workbook(path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    from openpyxl.comments import Comment
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "people"
    sheet.append(["name", "age", "joined", "pay", "note"])
    for k in range(25):
        sheet.append([f"person {k}", 20 + k % 6, datetime(2020, 1, 1 + k % 5), k * 1.25, "=cmd()" if k == 3 else None])
    sheet["E5"].data_type = "s"
    sheet["A1"].font = Font(bold=True)
    sheet["B2"].comment = Comment("she is the mayor", "clerk")
    for row in range(2, 27):
        sheet.cell(row, 3).number_format = "dd/mm/yyyy"
    book.create_sheet("secret").append(["all names"])
    book.properties.creator = "a clerk"
    book.save(path)
    return path


def test_workbooks_come_back_with_their_formats_and_without_what_hides_in_them(tmp_path):
    source = read_source(workbook(tmp_path / "p.xlsx"))
    schema = source.table.schema
    assert schema["name"].role is Role.IDENTIFIER
    assert schema["joined"].scale_word == "date"
    moved = np.roll(source.table.column("age"), 1)
    later = np.roll(source.table.column("joined"), 2)
    source.write(tmp_path / "out.xlsx", masked(source.table, age=moved, joined=later))
    import openpyxl

    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["people"]
    rows = list(book.active.iter_rows(values_only=True))
    assert rows[0] == ("age", "joined", "pay", "note")
    assert [row[0] for row in rows[1:]] == np.roll([20 + k % 6 for k in range(25)], 1).tolist()
    assert rows[1][1] == datetime(2020, 1, 4)
    assert book.active["B2"].number_format == "dd/mm/yyyy"
    assert book.active["A1"].font.bold is False or book.active["A1"].font.bold is None
    assert book.active["D5"].data_type == "s"
    assert book.properties.creator != "a clerk"
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    for hidden in (b"mayor", b"secret", b"all names", b"person 1"):
        assert hidden not in everything
    assert read_masked(tmp_path / "out.xlsx", source).table.column("age").tolist() == moved.tolist()


def test_faulty_workbooks_are_refused_with_everything_that_is_wrong(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    book.active.append(["a", "b", "a", "c"])
    book.active.append([1, 2, 3, "=1+1"])
    book.save(tmp_path / "p.xlsx")
    with pytest.raises(DataError) as caught:
        read_source(tmp_path / "p.xlsx")
    message = str(caught.value)
    assert "the column a more than once" in message
    assert "a formula without its value in D2" in message
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    with pytest.raises(DataError, match="no sheet with records"):
        read_source(tmp_path / "empty.xlsx")


TEXT = "age;sex\n" + "".join(f"{20 + k % 5};{'fm'[k % 2]}\n" for k in range(12))


def test_packed_text_is_read_and_packed_again(tmp_path):
    wanted = read_source(write(tmp_path, TEXT))
    moved = np.roll(wanted.table.column("age"), 1)
    wanted.write(tmp_path / "plain.csv", masked(wanted.table, age=moved))
    plain = (tmp_path / "plain.csv").read_bytes()
    (tmp_path / "p.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("inner/people.csv", TEXT)
    for name, suffix in (("p.csv.gz", ".csv.gz"), ("p.zip", ".zip")):
        source = read_source(tmp_path / name)
        assert source.original.suffix == suffix
        assert source.table.same_records(wanted.table)
        source.write(tmp_path / f"out{suffix}", masked(source.table, age=moved))
        content = (tmp_path / f"out{suffix}").read_bytes()
        if suffix == ".zip":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                assert archive.namelist() == ["inner/people.csv"]
                assert archive.read("inner/people.csv") == plain
        else:
            assert gzip.decompress(content) == plain
        assert read_masked(tmp_path / f"out{suffix}", source).table.column("age").tolist() == moved.tolist()


def test_archives_that_cannot_be_read_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", TEXT)
        archive.writestr("b.csv", TEXT)
    with zipfile.ZipFile(tmp_path / "nested.zip", "w") as archive:
        archive.writestr("a.csv.gz", gzip.compress(TEXT.encode()))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT.encode())[:-9])
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04 and no more")
    for name, why in (
        ("two.zip", "2 files"), ("nested.zip", "an archive in an archive"), ("cut.gz", "damaged gzip"),
        ("cut.zip", "cannot be read"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=why):
            read_source(tmp_path / name)


@pytest.mark.parametrize("name", ["x.sav", "x.dta", "x.xpt", "x.sas7bdat", "x.por", "x.feather"])
def test_damaged_files_are_refused(tmp_path, name):
    pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    start = {
        "x.sav": b"$FL2", "x.dta": b"<stata_dta>", "x.xpt": b"HEADER RECORD*******LIB",
        "x.por": b"ASCII SPSS PORT FILE",
        "x.sas7bdat": b"\0" * 12 + b"\xc2\xea\x81\x60", "x.feather": b"ARROW1",
    }[name]  # fmt: skip
    with pytest.raises(DataError, match="damaged"):
        read_source(write(tmp_path, start + b"and then nothing that is right", name))


def shipped(*parts: str) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = Path(pyarrow.__file__).parent.joinpath("tests", "data", *parts)
    if not path.exists():
        pytest.skip("this build of pyarrow ships no test files")
    return path


@pytest.mark.parametrize(
    "parts",
    [("feather", "v0.17.0.version.2-compression.lz4.feather"), ("parquet", "v0.7.1.parquet"),
     ("parquet", "v0.7.1.some-named-index.parquet")],
)  # fmt: skip
def test_files_that_packages_ship_come_back_as_they_are(tmp_path, parts):
    import pyarrow.parquet as pq
    from pyarrow import feather

    path = shipped(*parts)
    source = read_source(path)
    out = tmp_path / f"out{source.original.suffix}"
    source.write(out, source.table, drop_identifiers=False)
    read = feather.read_table if path.suffix == ".feather" else pq.read_table
    assert read(out).equals(read(path))


@pytest.mark.parametrize("records", [12, 20_000])
def test_a_code_stays_apart_from_cells_that_are_empty(tmp_path, records):
    # The longer file is read and written by columns.
    rng = np.random.default_rng(1)
    cells = [f"{value:.2f}" for value in rng.normal(50, 9, records)]
    cells[2:8:2], cells[3:9:2] = ["-9"] * 3, [""] * 3
    lines = ["x,pay", *(f"{1000 + row}.5,{cell}" for row, cell in enumerate(cells)), ""]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    source = read_source(tmp_path / "a.csv", SchemaDescription({"pay": AttributeDescription(missing=("-9",))}))
    moved = source.table.column("pay").copy()
    moved[-2:] = moved[[-1, -2]]
    source.write(tmp_path / "b.csv", masked(source.table, pay=moved, x=source.table.column("x")))
    told = [line.partition(",")[2] for line in (tmp_path / "b.csv").read_text().splitlines()[1:]]
    assert told == [*cells[:-2], cells[-1], cells[-2]]
    # Where records are alike by sixes, a code would make a smaller group of those that miss it.
    moved[~np.isnan(moved)] = 50.0
    source.write(tmp_path / "c.csv", masked(source.table, pay=moved))
    alike = {line.partition(",")[2] for line in (tmp_path / "c.csv").read_text().splitlines()[3:9]}
    assert alike == {""}
