"""Cells that a spreadsheet would run are told of, and made harmless on request."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.errors import SchemaError
from evosdc.files.published import is_formula
from evosdc.files.schema.schema_file import load_schema
from evosdc.files.source import read_masked, read_source
from evosdc.table.table import Table

TEXT = (
    "sex;note;amount\n"
    + 'm;=cmd();-5\nf;"@SUM(1;2)";"+3,5"\nm;\t=1+1;-0,5\nf;"\t=2";-7\nm;+49 30;-1\nf;-;-2\n'
    + "m;plain;-3\nf;--;-4\n"
)


@pytest.mark.parametrize("text", ["=cmd()", "+A1", "-A1", "@SUM(1)", "\t=1", "\r=1", "=1", "-2+3", "+49 30", "-5e"])
def test_formulas(text):
    assert is_formula(text)


@pytest.mark.parametrize("text", ["", "-", "--", "=", "a=1", "-5", "+3", "-5.25", "-1e3", " a", "'=1", "<-5", "2-3"])
def test_no_formulas(text):
    assert not is_formula(text)


def test_numbers_with_a_comma_are_none_where_the_file_has_commas():
    assert is_formula("-5,2") is True
    assert is_formula("-5,2", ",") is False


@pytest.fixture
def source(tmp_path):
    (tmp_path / "a.csv").write_text(TEXT)
    (tmp_path / "s.toml").write_text(
        '[attributes]\nsex = { role = "quasi-identifier" }\nnote = { role = "quasi-identifier", scale = "nominal" }\n'
    )
    return read_source(tmp_path / "a.csv", tmp_path / "s.toml")


def shifted(source):
    table = source.table.select(["note"])
    return Table(table.schema, np.roll(table.codes, 1, axis=0), table.numbers)


@pytest.mark.parametrize("masking", [lambda source: source.table.select(["sex"]), shifted])
def test_published_formulas_are_counted_and_stay_as_they_are_unless_asked(source, tmp_path, masking):
    written = source.write(tmp_path / "out.csv", masking(source))
    assert (written.formulas, written.neutralised) == ({"note": 5}, False)
    assert "note (5)" in written.warnings[0]
    assert "--neutralise-formulas" in written.warnings[0]


@pytest.mark.parametrize("masking", [lambda source: source.table.select(["sex"]), shifted])
def test_neutralised_files_hold_no_formula_and_are_read_as_before(source, tmp_path, masking):
    plain = source.write(tmp_path / "plain.csv", masking(source))
    written = replace(source, neutralise_formulas=True).write(tmp_path / "out.csv", masking(source))
    assert written.changed == plain.changed
    frame = pd.read_csv(tmp_path / "out.csv", sep=";", decimal=",", dtype={"note": str})
    assert not [text for text in frame["note"] if is_formula(text.strip())]
    assert sorted(text.strip() for text in frame["note"] if text.strip().startswith("'")) == sorted(
        ["'=cmd()", "'@SUM(1;2)", "'=1+1", "'=2", "'+49 30"]
    )
    assert frame["amount"].tolist() == pd.read_csv(tmp_path / "plain.csv", sep=";", decimal=",")["amount"].tolist()
    again = read_masked(tmp_path / "out.csv", source)
    np.testing.assert_array_equal(again.table.codes, read_masked(tmp_path / "plain.csv", source).table.codes)


@pytest.mark.parametrize("name", ["n.csv", "n.csv.gz"])
def test_names_of_columns_are_cells_too(tmp_path, name):
    plain = 'sex,"=cmd(1,2)",@more,-\n' + "m,a,1,x\nf,b,2,y\n" * 10
    content = plain.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    source = read_source(tmp_path / name)
    table = source.table.select(["sex"])
    rolled = Table(table.schema, np.roll(table.codes, 1, axis=0), table.numbers)
    for neutral in (False, True):
        written = replace(source, neutralise_formulas=neutral).write(tmp_path / f"out-{name}", rolled)
        assert (written.formulas, written.neutralised) == ({"=cmd(1,2)": 1, "@more": 1}, neutral)
        assert "=cmd(1,2) (1)" in written.warnings[0]
        assert read_masked(tmp_path / f"out-{name}", source).table.same_records(source.table.with_columns(rolled))
    content = (tmp_path / f"out-{name}").read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    assert text.splitlines()[:2] == ["sex,\"'=cmd(1,2)\",'@more,-", "f,a,1,x"]
    framed = evosdc.neutralise_formulas(pd.DataFrame({"=1": [1], "a": [2]}))
    assert list(framed.columns) == ["'=1", "a"]


def test_what_is_written_decides_whether_there_are_formulas(tmp_path):
    frame = pd.DataFrame({"sex": ["f", "m"] * 9, "=note": ["=1+1", "x"] * 9})
    frame.to_parquet(tmp_path / "p.parquet")
    frame.to_csv(tmp_path / "p.csv", index=False)
    parquet, text = read_source(tmp_path / "p.parquet"), read_source(tmp_path / "p.csv")
    for source, name, found in (
        (parquet, "o.csv", 10),
        (parquet, "o.parquet", 0),
        (text, "o.tsv", 10),
        (text, "o.xlsx", 0),
    ):
        neutral = replace(source, neutralise_formulas=True)
        written = neutral.write(tmp_path / name, source.table.select(["sex"]))
        assert written.formulas == ({"=note": found} if found else {})
        assert not found or (tmp_path / name).read_text().splitlines()[:2] in (
            ["sex,'=note", "f,'=1+1"],
            ["sex\t'=note", "f\t'=1+1"],
        )


def test_columns_that_are_left_out_are_not_counted(source, tmp_path):
    (tmp_path / "t.toml").write_text('[attributes]\nnote = { role = "identifier" }\n')
    other = read_source(tmp_path / "a.csv", tmp_path / "t.toml")
    assert other.write(tmp_path / "out.csv", other.table.select(["sex"])).formulas == {}


def test_the_schema_may_ask_for_it(source, tmp_path):
    schema = tmp_path / "s.toml"
    schema.write_text("neutralise_formulas = true\n" + schema.read_text())
    assert read_source(tmp_path / "a.csv", schema).neutralise_formulas
    schema.write_text('neutralise_formulas = "yes"\n')
    with pytest.raises(SchemaError, match=r"neutralise_formulas: given a text; wanted true or false"):
        load_schema(schema)


def test_frames(source):
    frame = pd.DataFrame({"a": ["=1", "x", None], "b": pd.Categorical(["@b", "c", "@b"]), "c": [-1, 2, 3]})
    found = evosdc.neutralise_formulas(frame)
    assert found["a"].tolist()[:2] == ["'=1", "x"]
    assert found["b"].tolist() == ["'@b", "c", "'@b"]
    assert found["c"].equals(frame["c"])
    assert frame["a"][0] == "=1"


def test_a_protected_frame(tmp_path):
    frame = pd.DataFrame({"a": ["=x", "y", "=x", "z"] * 5, "b": list("pqrq") * 5, "c": ["+49 1", "-5"] * 10})
    found = evosdc.protect(
        frame, protect=["a", "b"], time=0.2, tune=False, second_opinion=False, neutralise_formulas=True,
        il=["ctbil"], dr=["id"], output=tmp_path / "run",
    )  # fmt: skip
    assert set(found.frame["a"]) <= {"'=x", "y", "z"}
    assert set(found.frame["c"]) == {"'+49 1", "-5"}
    (file,) = (tmp_path / "run").glob("best*.csv")
    assert not any(is_formula(cell) for line in file.read_text().split() for cell in line)
    assert any("with a quote before them: " in note for note in found.result.notes)


def test_commands_warn_and_neutralise(tmp_path, monkeypatch, capsys):
    from evosdc.cli import main

    def call(*words):
        with pytest.raises(SystemExit) as caught:
            main(list(words))
        said = capsys.readouterr()
        assert caught.value.code == 0, said.err
        return said

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("sex,note,more\n" + "m,=x(),p\nf,y,q\n" * 10)
    mask = ("mask", "pram", "a.csv", "--protect", "sex", "-o", "m.csv", "--force", "--json")
    said = call(*mask)
    assert "Warning: Cells begin like a formula of a spreadsheet" in said.err
    document = json.loads(said.out)
    assert (document["formulas"], document["neutralised_formulas"]) == ({"note": 10}, False)
    assert json.loads(call(*mask, "--neutralise-formulas").out)["neutralised_formulas"]
    assert (tmp_path / "m.csv").read_text().count("'=x()") == 10
    (tmp_path / "x.toml").write_text(
        'data = { file = "a.csv", protect = ["sex", "note"] }\nstop = { generations = 1 }\n'
        'measures = { il = ["ctbil"], dr = ["id"] }\nstart = { random = 2 }\nexecutor = "serial"\n'
    )
    call("run", "x.toml", "-o", "first", "--quiet")
    warnings = json.loads((tmp_path / "first" / "result.json").read_text())["warnings"]
    assert any("Cells begin like a formula" in text for text in warnings)
    call("run", "x.toml", "-o", "second", "--quiet", "--set", "data.neutralise_formulas=true")
    assert ",=x()" not in (tmp_path / "second" / "best.csv").read_text()
