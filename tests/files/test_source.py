from __future__ import annotations

import codecs
import errno
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evosdc.errors import DataError, SchemaError
from evosdc.files.atomic import check_writable, write_text
from evosdc.files.delimited_file import plain_text
from evosdc.files.frame import frame_from_table, table_from_frame
from evosdc.files.source import parsed, read_masked, read_source
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table

from .build import nominal, numeric, ordinal, schema, write

WORD = st.sampled_from(["low", "mid", "high", "São", "a b", "x,y", 'q"q', "l\nl", "", "?"])
RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def delimited(draw_rows, separator, end, quote, final):
    def cell(text: str) -> str:
        if quote or any(sign in text for sign in (separator, '"', "\n", " ")) or (not text and separator == " "):
            return '"' + text.replace('"', '""') + '"'
        return text

    return end.join(separator.join(map(cell, row)) for row in draw_rows) + (end if final else "")


@RELAXED
@given(
    rows=st.lists(st.tuples(WORD, WORD, st.integers(-99, 99).map(str)), min_size=2, max_size=12),
    separator=st.sampled_from([",", ";", "\t", "|", " "]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quote=st.booleans(),
    final=st.booleans(),
    coding=st.sampled_from(
        [("utf-8", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE), ("cp1252", b"")]
    ),
)
def test_a_file_written_unmasked_says_the_same_in_one_way(tmp_path, rows, separator, end, quote, final, coding):
    text = delimited([("first", "second", "third"), *rows], separator, end, quote, final)
    content = coding[1] + text.encode(coding[0])
    source = read_source(write(tmp_path, content), separator=separator)
    assert cells(source) == rows
    source.write(tmp_path / "out.csv", source.table.select(["third"]), drop_identifiers=False)
    again = read_source(tmp_path / "out.csv", separator=separator)
    assert cells(again) == cells(source)
    assert again.original.encoding == source.original.encoding
    again.write(tmp_path / "again.csv", again.table.select(["third"]), drop_identifiers=False)
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def cells(source) -> list[tuple[str, ...]]:
    columns = [[column.texts[place] for place in column.index] for column in source.original.columns]
    return list(zip(*columns, strict=True))


@RELAXED
@given(
    rows=st.lists(st.tuples(WORD, WORD), min_size=2, max_size=12),
    separator=st.sampled_from([",", ";", "\t", " "]),
    quote=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_masked_values_are_read_back_and_others_untouched(tmp_path, rows, separator, quote, seed):
    text = delimited([("first", "second"), *rows], separator, "\r\n", quote, True)
    labels = sorted({cell for row in rows for cell in row} - {"", "?"})
    described = schema(nominal("first", *labels), nominal("second", *labels), missing=("", "?"))
    source = read_source(write(tmp_path, text), described, separator=separator)
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, len(labels), size=(len(rows), 1)).astype(np.int32)
    masked = Table(described.select(["second"]), codes, np.empty((len(rows), 0)))
    source.write(tmp_path / "out.csv", masked)
    back = read_source(tmp_path / "out.csv", described, separator=separator)
    assert np.array_equal(back.table.column("second"), codes[:, 0])
    assert np.array_equal(back.table.column("first"), source.table.column("first"))
    for old, new in zip(source.original.columns[0].index, back.original.columns[0].index, strict=True):
        assert source.original.columns[0].texts[old] == back.original.columns[0].texts[new]


def masked_with(source, **values) -> Table:
    """The source's table with some columns replaced by codes or numbers."""
    part = source.table.select(list(values))
    codes, numbers = part.codes.copy(), part.numbers.copy()
    for name, column in values.items():
        if part.schema[name].categorical:
            codes[:, [a.name for a in part.schema.categorical].index(name)] = column
        else:
            numbers[:, [a.name for a in part.schema.numeric].index(name)] = column
    return Table(part.schema, codes, numbers)


def test_masked_columns_are_written_in_one_way(tmp_path):
    content = 'kind;"size";amount;note\r\n"b"; small ;1,50;k\r\n"a";large;2,00;\r\n"?";small;-3;k\r\n'
    described = schema(
        nominal("kind", "a", "b"),
        ordinal("size", "small", "large"),
        numeric("amount", 2),
        nominal("note", "k"),
        missing=("", "?"),
    )
    source = read_source(write(tmp_path, content), described)
    masked = masked_with(source, kind=[MISSING, 0, 0], size=[1, 1, 0], amount=[1.5, 2.126, np.nan])
    report = source.write(tmp_path / "out.csv", masked)
    assert (tmp_path / "out.csv").read_bytes().decode() == (
        "kind;size;amount;note\r\n?;large;1,5;k\r\na;large;2,13;\r\na;small;;k\r\n"
    )
    assert report.changed == {"kind": 2, "size": 1, "amount": 2}


def test_numbers_have_one_spelling_and_the_decimals_of_their_column(tmp_path):
    source = read_source(write(tmp_path, "x,y\n1.50,a\n+2,b\n3e0,a\n"), schema(numeric("x", 2), nominal("y", "a", "b")))
    source.write(tmp_path / "out.csv", masked_with(source, x=[1.5, 2.0, 4.0]))
    assert (tmp_path / "out.csv").read_text() == "x,y\n1.5,a\n2,b\n4,a\n"
    source = read_source(
        write(tmp_path, "x,y\n1.50,a\n2.00,b\n3.25,a\n"), schema(numeric("x", 2), nominal("y", "a", "b"))
    )
    source.write(tmp_path / "out.csv", masked_with(source, x=[1.5, 2.0, 4.0]))
    assert (tmp_path / "out.csv").read_text() == "x,y\n1.50,a\n2.00,b\n4.00,a\n"


def test_identifiers_are_dropped_by_default_and_told(tmp_path):
    content = "id,sex,name\n1,f,Ann\n2,m,Bob\n"
    described = schema(nominal("id", "1", "2", role=Role.IDENTIFIER), nominal("sex", "f", "m"),
                       nominal("name", "Ann", "Bob", role=Role.IDENTIFIER))  # fmt: skip
    source = read_source(write(tmp_path, content), described)
    report = source.write(tmp_path / "out.csv", source.table)
    assert report.dropped == ("id", "name")
    assert (tmp_path / "out.csv").read_text() == "sex\nf\nm\n"
    assert source.write(tmp_path / "all.csv", source.table, drop_identifiers=False).dropped == ()
    assert (tmp_path / "all.csv").read_text() == content


def test_the_first_of_blank_separated_columns_can_be_dropped(tmp_path):
    described = schema(nominal("id", "p", "q", role=Role.IDENTIFIER), nominal("a", "x", "y"), nominal("b", "u", "v"))
    source = read_source(write(tmp_path, "id  a b\np   x u\nq   y v\n"), described)
    source.write(tmp_path / "out.txt", source.table)
    assert (tmp_path / "out.txt").read_text() == "a b\nx u\ny v\n"


def test_a_file_of_identifiers_only_is_not_written(tmp_path):
    source = read_source(write(tmp_path, "id\na\nb\n"), schema(nominal("id", "a", "b", role=Role.IDENTIFIER)))
    with pytest.raises(DataError, match="identifiers and columns to drop only"):
        source.write(tmp_path / "out.csv", source.table)


def test_recoded_labels_are_written_as_text(tmp_path):
    source = read_source(write(tmp_path, "age,sex\n31,f\n48,m\n"), schema(numeric("age"), nominal("sex", "f", "m")))
    recoded = Schema((ordinal("age", "30-39", "48"),))
    source.write(tmp_path / "out.csv", Table(recoded, np.array([[0], [1]], dtype=np.int32), np.empty((2, 0))))
    assert (tmp_path / "out.csv").read_text() == "age,sex\n30-39,f\n48,m\n"


def test_files_are_for_their_owner_alone_and_replaced_whole(tmp_path):
    source = read_source(write(tmp_path, "a,b\n1,x\n2,y\n"))
    target = write(tmp_path, "old", "out.csv")
    target.chmod(0o644)
    source.write(target, source.table)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.csv", "out.csv"]


def test_restriction_keeps_positions(tmp_path):
    content = "a,b\nx,1\n?,2\ny,3\n\nx,?\nx,5\n"
    described = schema(nominal("a", "x", "y"), numeric("b"), missing=("?",))
    source = read_source(write(tmp_path, content), described)
    assert list(source.restricted(True).rows) == [0, 2, 4]
    assert list(source.restricted(["a"]).rows) == [0, 2, 3, 4]
    assert list(source.restricted(False, 2).rows) == [0, 1]
    part = source.restricted(True, 2)
    assert list(part.restricted(first=1).rows) == [0]
    part.write(tmp_path / "out.csv", masked_with(part, a=[1, 1]))
    assert (tmp_path / "out.csv").read_text() == "a,b\ny,1\ny,3\n"
    with pytest.raises(SchemaError, match="Did you mean 'a'"):
        source.restricted(["aa"])
    with pytest.raises(DataError, match="from 1"):
        source.restricted(first=0)
    lone = read_source(write(tmp_path, "a,b\nx,?\n?,1\n"), described)
    with pytest.raises(DataError, match="no complete record"):
        lone.restricted(True)


def test_masked_tables_of_another_shape_are_refused(tmp_path):
    source = read_source(write(tmp_path, "a,b\nx,1\ny,2\n"))
    with pytest.raises(DataError, match="1 records") as caught:
        source.write(tmp_path / "o.csv", Table(schema(nominal("z", "x")), np.zeros((1, 1), np.int32), np.empty((1, 0))))
    assert len(caught.value.faults) == 2


def test_a_masked_file_is_read_by_the_originals_schema(tmp_path):
    described = schema(nominal("id", "1", "2", role=Role.IDENTIFIER), nominal("a", "x", "y", "z"), numeric("n", 1))
    source = read_source(write(tmp_path, "id,a,n\n1,x,1.5\n2,y,2.5\n"), described)
    masked = read_masked(write(tmp_path, "a,n\ny,2\ny,2\n", "m.csv"), source).table
    assert masked.schema.names == ("a", "n")
    assert list(masked.column("a")) == [1, 1]
    for content, error, word in [
        ("a\nx\n", DataError, "1 records"),
        ("a,q\nx,1\nx,1\n", SchemaError, "the column q"),
        ("a\nx\nw\n", DataError, "'w' in line 3"),
    ]:
        with pytest.raises(error, match=word):
            read_masked(write(tmp_path, content, "bad.csv"), source)


def test_names_for_a_file_without_header(tmp_path):
    source = read_source(write(tmp_path, "\nA11 6\nA12 48\n"), names=["standing", "months"])
    assert source.table.schema.names == ("standing", "months")
    source.write(tmp_path / "out", source.table)
    assert (tmp_path / "out").read_text() == "A11 6\nA12 48\n"


def test_unnamed_columns_get_names(tmp_path):
    source = read_source(write(tmp_path, '"","a"\n"1","x"\n"2","y"\n'))
    assert source.table.schema.names == ("column 1", "a")
    assert "A column has no name in the header: called column 1 here." in source.notes


def test_unnamed_columns_keep_their_position_where_others_are_left_out(tmp_path):
    rows = "".join(f"p{i},{i % 3},{i % 2}\n" for i in range(60))
    source = read_source(write(tmp_path, f"name,,sex\n{rows}"))
    assert source.write(tmp_path / "out.csv", source.table).dropped == ("name",)
    assert (tmp_path / "out.csv").read_text().startswith("column 2,sex\n0,0\n")
    assert read_masked(tmp_path / "out.csv", source).table.schema.names == ("column 2", "sex")


def test_a_workbook_names_columns_by_position_too(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    book.active.append(["a", None, "b"])
    for i in range(4):
        book.active.append([i, i % 2, "x"])
    book.save(tmp_path / "p.xlsx")
    source = read_source(tmp_path / "p.xlsx")
    assert source.table.schema.names == ("a", "column 2", "b")
    assert any("called column 2 here" in note for note in source.notes)


def test_values_are_trimmed_and_quotes_are_kept_apart(tmp_path):
    source = read_source(write(tmp_path, 'a,b\n x , "1"\n"x",2\n'))
    assert source.table.schema["a"].categories == ("x",)
    assert source.table.schema["b"].categories == ("1", "2")


def test_one_column_with_missing_values(tmp_path):
    source = read_source(write(tmp_path, 'a\nx\n""\ny\n'), schema(nominal("a", "x", "y")))
    assert list(source.table.column("a")) == [0, MISSING, 1]
    source.write(tmp_path / "out.csv", masked_with(source, a=[MISSING, 0, 1]))
    assert (tmp_path / "out.csv").read_text() == 'a\n""\nx\ny\n'


def test_a_hundred_columns(tmp_path):
    rows = [[str((i * j) % 7) for j in range(100)] for i in range(50)]
    path = write(tmp_path, plain_text([f"c{j}" for j in range(100)], rows))
    source = read_source(path)
    assert len(source.table.schema) == 100
    source.write(tmp_path / "out.csv", source.table)
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()


def test_code_page_is_noted_and_new_labels_must_fit_it(tmp_path):
    source = read_source(write(tmp_path, "ort\nKöln\nBonn\n".encode("cp1252")))
    assert source.notes[0] == "The file is not UTF-8; it was read as cp1252."
    with pytest.raises(SchemaError, match="cannot write"):
        read_source(tmp_path / "file.csv", schema(nominal("ort", "Köln", "Bonn", "Łódź")))
    recoded = Table(Schema((nominal("ort", "Łódź"),)), np.zeros((2, 1), dtype=np.int32), np.empty((2, 0)))
    with pytest.raises(DataError, match="characters of cp1252"):
        source.write(tmp_path / "out.csv", recoded)
    assert not (tmp_path / "out.csv").exists()


def test_decimal_commas_are_seen_in_semicolon_files_only(tmp_path):
    source = read_source(write(tmp_path, "a;b\n1,5;x\n2;y\n-0,25;x\n"))
    assert source.table.schema["a"].scale is Scale.NUMERIC
    assert source.table.schema["a"].decimals == 2
    assert list(source.table.column("a")) == [1.5, 2.0, -0.25]
    point = read_source(write(tmp_path, "a;b\n1.5;1,2\n2.5;3,4\n"))
    assert point.table.schema["a"].scale is Scale.NUMERIC


@pytest.mark.parametrize("target", ["none/out.csv", ".", "file.csv/out.csv"])
def test_paths_that_cannot_be_written_are_told_early(tmp_path, target):
    write(tmp_path, "a\n1\n")
    with pytest.raises(DataError, match="cannot be written"):
        check_writable(tmp_path / target)


def test_checking_leaves_no_trace(tmp_path):
    check_writable(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out.csv", "ausgeführte Datei.csv", " blank .csv", "保護.csv", "x" * 255, "é" * 127])
def test_names_of_all_kinds_in_the_current_folder(tmp_path, monkeypatch, name):
    source = read_source(write(tmp_path, "a,b\nx,1\ny,2\n"))
    monkeypatch.chdir(tmp_path)
    check_writable(name)
    source.write(Path(name), source.table)
    source.write(Path(name), source.table)
    assert (tmp_path / name).read_text() == "a,b\nx,1\ny,2\n"
    assert len(list(tmp_path.iterdir())) == 2


def test_links_are_written_through(tmp_path):
    source = read_source(write(tmp_path, "a,b\nx,1\ny,2\n"))
    (tmp_path / "there").mkdir()
    for target in ("there/old.csv", "there/new.csv"):
        link = tmp_path / f"link-{Path(target).stem}"
        link.symlink_to(target)
        if "old" in target:
            (tmp_path / target).write_text("old")
        check_writable(link)
        source.write(link, source.table)
        assert link.is_symlink()
        assert not (tmp_path / target).is_symlink()
        assert (tmp_path / target).read_text() == "a,b\nx,1\ny,2\n"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["new.csv", "old.csv"]


def special(folder: Path, kind: str) -> Path:
    """A path at which something stands that is no regular file."""
    path = folder / "special"
    if kind == "a device":
        return Path("/dev/full")
    if kind == "a link to a device":
        path.symlink_to("/dev/full")
    elif kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a link to itself":
        path.symlink_to(path)
    elif kind == "a link into a missing folder":
        path.symlink_to(folder / "none" / "out.csv")
    return path


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("a device", "it is a device"),
        ("a link to a device", "it is a device"),
        ("a pipe", "it is a pipe"),
        ("a folder", "it is a folder"),
        ("a link to itself", "cannot be written"),
        ("a link into a missing folder", "there is no folder"),
    ],
)
def test_what_is_no_regular_file_is_never_replaced(tmp_path, kind, word):
    source = read_source(write(tmp_path, "a,b\nx,1\ny,2\n"))
    path = special(tmp_path, kind)
    before = path.lstat()
    for attempt in (check_writable, lambda target: source.write(target, source.table)):
        with pytest.raises(DataError, match=word):
            attempt(path)
    if "link" not in kind:
        with pytest.raises(DataError, match=word):
            write_text(path, "text")
    after = path.lstat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_no_bad_input(tmp_path, monkeypatch, number):
    source = read_source(write(tmp_path, "a,b\nx,1\ny,2\n"))

    def full(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        source.write(tmp_path / "out.csv", source.table)
    assert caught.value.errno == number
    assert [path.name for path in tmp_path.iterdir()] == ["file.csv"]


def test_other_failures_of_writing_are_bad_input(tmp_path, monkeypatch):
    source = read_source(write(tmp_path, "a,b\nx,1\ny,2\n"))

    def refused(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(DataError, match="Read-only"):
        source.write(tmp_path / "out.csv", source.table)


def test_columns_that_a_masked_file_must_have(tmp_path):
    source = read_source(write(tmp_path, "a,b,c\nx,1,u\ny,2,v\n"))
    path = write(tmp_path, "c\nu\nv\n", "m.csv")
    assert read_masked(path, source).table.schema.names == ("c",)
    with pytest.raises(SchemaError) as caught:
        read_masked(path, source, ["a", "b", "c"])
    assert [fault.given for fault in caught.value.faults] == ["no column a, b"]
    assert {fault.where for fault in caught.value.faults} == {str(path)}


def test_weights_are_attributes_like_others(tmp_path):
    path = write(tmp_path, "a,w\nx,1.5\ny,2.5\n")
    source = read_source(path, Schema((Attribute("w", Role.WEIGHT, Scale.NUMERIC, (), None, 1),)))
    assert source.table.schema["w"].role is Role.WEIGHT
    assert source.table.schema["a"].role is Role.OTHER


@pytest.mark.parametrize(
    "name", ["casc_eia/EIA.csv", "adult/arx/adult.csv", "ihsn_testdata/testdata.csv", "ihsn_testdata/francdat.csv"]
)
def test_published_files_come_back_with_all_their_values(tmp_path, data_sets, name):
    source = read_source(data_sets.path(name))
    source.write(tmp_path / "out.csv", source.table.select([source.table.schema.names[0]]), drop_identifiers=False)
    assert cells(read_source(tmp_path / "out.csv")) == cells(source)
    source.table.verify()


@pytest.mark.parametrize("ending", ["csv", "sav", "dta"])
@pytest.mark.parametrize("codes", [("9",), ("8", "9")])
def test_how_a_missing_value_is_written_does_not_tell_whether_it_was_missing_before(tmp_path, ending, codes):
    values = [1, 2, int(codes[0]), 1, int(codes[-1]), 2, int(codes[0]), int(codes[-1])]
    frame = pd.DataFrame({"sex": values, "age": range(30, 38)})
    path = tmp_path / f"in.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        pyreadstat = pytest.importorskip("pyreadstat")
        if ending == "sav":
            pyreadstat.write_sav(frame, str(path), missing_ranges={"sex": [*map(int, codes)]})
        else:
            pyreadstat.write_dta(frame, str(path))
    source = read_source(path, Schema((replace(nominal("sex", "1", "2"), missing=codes), numeric("age"))))
    part = source.table.select(["sex"])

    def published(taken: list[int]) -> set[str]:
        changed = part.codes.copy()
        changed[taken] = MISSING
        report = source.write(tmp_path / f"out.{ending}", Table(part.schema, changed, part.numbers))
        assert bool(report.warnings) is bool(taken)
        written = parsed(tmp_path / f"out.{ending}").columns[0]
        gone = changed[:, 0] == MISSING
        return {written.texts[k] if k >= 0 else "" for k in written.index[gone].tolist()}

    assert published([]) == set(codes)
    if len(codes) == 1:
        assert len(published([0, 3])) == 1
        assert published([0, 3]).isdisjoint(codes)
    else:  # they say why, and a remark says that they tell more
        assert published([0, 3]) - set(codes)


def test_frames_write_missing_values_alike(tmp_path):
    frame = pd.DataFrame({"pay": [100, 200, -9, 300, 400]})
    table = table_from_frame(frame, Schema((replace(numeric("pay"), missing=("-9",)),)))
    masked = Table(table.schema, table.codes, np.array([[np.nan], [200.0], [np.nan], [300.0], [500.0]]))
    assert frame_from_table(frame, masked)["pay"].isna().tolist() == [True, False, True, False, False]


def test_codes_that_no_record_has_are_named(tmp_path):
    described = Schema((replace(numeric("bmi", 1), missing=("99", "98.0")), nominal("sex", "f", "m")))
    source = read_source(write(tmp_path, "bmi;sex\n" + "24,5;f\n27,1;m\n99,0;f\n" * 3), described)
    assert source.table.absent("bmi").sum() == 3
    assert source.remarks == ("bmi: no record has '98.0', which the schema lists for a missing value.",)
