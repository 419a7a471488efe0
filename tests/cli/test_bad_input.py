"""Every kind of bad input ends with status 2, words that say what to do, no traceback, and nothing written."""

import json
from pathlib import Path

import pandas as pd
import pytest

GOOD = "sex,age,town\n" + "".join(f"{'mf'[i % 2]},{20 + i % 7},{'abc'[i % 3]}\n" for i in range(40))
SCHEMA = """
[attributes]
sex = { role = "quasi-identifier", scale = "nominal" }
age = { role = "quasi-identifier", scale = "ordinal" }
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def assert_refused(answer, *words):
    assert answer.status == 2, answer
    assert "Traceback" not in answer.err
    assert answer.out == ""
    for word in words:
        assert word in answer.err, answer.err


CONTENTS = {
    "empty": (b"", ["empty"]),
    "header only": (b"sex,age\n", ["no record"]),
    "ragged": (b"sex,age\nm,20\nf\nm,22,7\n", ["line 3"]),
    "duplicate columns": (b"sex,sex\nm,f\nf,m\n", ["sex", "more than once"]),
    "binary": (bytes(range(256)) * 4, ["text"]),
}


@pytest.mark.parametrize("name", sorted(CONTENTS))
@pytest.mark.parametrize("command", ["protect", "init", "mask"])
def test_files_that_are_no_table(evosdc, files, name, command):
    content, words = CONTENTS[name]
    (files / "bad.csv").write_bytes(content)
    before = sorted(p.name for p in files.iterdir())
    words_of = {
        "protect": ("protect", "bad.csv", "-o", "run"),
        "init": ("init", "bad.csv", "-o", "new.toml"),
        "mask": ("mask", "mdav", "bad.csv", "-o", "masked.csv"),
    }
    assert_refused(evosdc(*words_of[command]), "bad.csv", *words)
    assert sorted(p.name for p in files.iterdir()) == before


def test_unknown_category_names_attribute_value_and_line(evosdc, files):
    (files / "schema.toml").write_text(SCHEMA + 'town = { categories = ["a", "b"] }\n')
    assert_refused(evosdc("protect", "good.csv", "--schema", "schema.toml"), "town", "'c'", "line 4")


def test_unknown_key_and_wrong_type_are_told_together(evosdc, files):
    (files / "x.toml").write_text(
        'sead = 1\nreplicates = "many"\ndata = { file = "good.csv", schema = "schema.toml" }\n'
        'genotype = { name = "cells", mutation = 1 }\n'
    )
    assert_refused(evosdc("check", "x.toml"), "sead", "Did you mean 'seed'?", "replicates", "'many'")
    (files / "x.toml").write_text(
        'data = { file = "good.csv", schema = "schema.toml" }\n'
        'genotype = { name = "cells", mutation = 1 }\nfitness = "meen"\n'
        'algorithm = { name = "parent-child", leaders = 0 }\n'
    )
    wanted = ("wanted 'poisson' or 'bernoulli'", "meen", "Did you mean 'mean'?", "leaders")
    assert_refused(evosdc("check", "x.toml"), *wanted)


def test_keys_within_keys_are_suggested_too(evosdc, files):
    text = 'data = { file = "good.csv", schema = "schema.toml", protct = ["sex"] }\n'
    (files / "x.toml").write_text(text + "start = { tuned = true, planned = { shar = 0.2 } }\n")
    answer = evosdc("check", "x.toml")
    assert_refused(answer, "data.protct", "Did you mean 'protect'?", "start.planned.shar", "Did you mean 'share'?")


def test_text_that_is_not_toml(evosdc, files):
    (files / "x.toml").write_text("title = unquoted\n")
    assert_refused(evosdc("run", "x.toml"), "x.toml", "TOML", "line 1")


@pytest.mark.parametrize(
    ("method", "settings", "words"),
    [
        ("mdav", ["k=41"], ["k", "41", "40"]),
        ("mdav", ["k=0"], ["k", "0"]),
        ("mdav", ["k=three"], ["k", "'three'"]),
        ("pram", ["p=1.5"], ["p", "1.5", "1"]),
        ("pram", ["p=-0.1"], ["p", "-0.1", "0"]),
        ("rank-swapping", ["p=101"], ["p", "101", "100"]),
        ("mdav", ["kk=3"], ["kk", "Did you mean 'k'?"]),
        ("mdaw", [], ["mdaw", "Did you mean 'mdav'?"]),
        ("top-coding", ["q=1"], ["sex", "nominal"]),
    ],
)
def test_methods_and_parameters(evosdc, files, method, settings, words):
    options = [word for setting in settings for word in ("--set", setting)]
    assert_refused(evosdc("mask", method, "good.csv", "--schema", "schema.toml", *options, "-o", "m.csv"), *words)
    assert not (files / "m.csv").exists()


def test_unknown_data_set(evosdc, files):
    (files / "x.toml").write_text('data = { name = "german" }\n')
    assert_refused(evosdc("run", "x.toml"), "german", "Did you mean 'german-credit'?")
    assert_refused(evosdc("datasets", "fetch", "adlut"), "Did you mean 'adult'?")


def test_unknown_measure(evosdc, files):
    assert_refused(evosdc("measure", "good.csv", "good.csv", "--measures", "dbill"), "Did you mean 'dbil'?")


def test_original_and_masked_of_different_shape(evosdc, files):
    (files / "short.csv").write_text(GOOD[: GOOD.rindex("m,")])
    assert_refused(evosdc("measure", "good.csv", "short.csv", "--schema", "schema.toml"), "38 records", "40")
    (files / "wide.csv").write_text("\n".join(line + ",x" for line in GOOD.splitlines()))
    assert_refused(evosdc("measure", "good.csv", "wide.csv", "--schema", "schema.toml"), "wide.csv", "x")
    (files / "narrow.csv").write_text("\n".join(line.split(",")[0] for line in GOOD.splitlines()))
    assert_refused(evosdc("measure", "good.csv", "narrow.csv", "--schema", "schema.toml"), "age")


def test_masked_category_unknown_to_the_original(evosdc, files):
    (files / "other.csv").write_text(GOOD.replace("\nm,", "\nx,"))
    assert_refused(evosdc("measure", "good.csv", "other.csv", "--schema", "schema.toml"), "sex", "'x'")


def test_output_that_cannot_be_written(evosdc, files):
    (files / "blocked").write_text("a file")
    schema = ("--schema", "schema.toml")
    assert_refused(evosdc("mask", "mdav", "good.csv", *schema, "-o", "no/such/m.csv"), "no/such")
    assert_refused(evosdc("mask", "mdav", "good.csv", *schema, "-o", files), "folder")
    assert_refused(evosdc("init", "good.csv", "-o", "no/such/s.toml"), "no/such")
    assert_refused(evosdc("protect", "good.csv", *schema, "-o", "blocked"), "blocked")
    assert_refused(evosdc("report", "good.csv", "-o", "r.html"), "good.csv")


def test_an_existing_schema_or_run_is_not_overwritten(evosdc, files):
    assert_refused(evosdc("init", "good.csv", "-o", "schema.toml"), "schema.toml", "--force")
    (files / "run").mkdir()
    (files / "run" / "resolved.json").write_text("{}")
    assert_refused(evosdc("protect", "good.csv", "--schema", "schema.toml", "-o", "run"), "run", "evosdc resume")


def test_protecting_what_is_not_there_or_identifies(evosdc, files):
    schema = ("--schema", "schema.toml")
    assert_refused(evosdc("protect", "good.csv", *schema, "--protect", "sexx"), "sexx", "Did you mean 'sex'?")
    (files / "schema.toml").write_text(SCHEMA + 'town = { role = "identifier" }\n')
    assert_refused(evosdc("protect", "good.csv", *schema, "--protect", "town"), "town", "identifier")


def test_numeric_attributes_say_what_to_do(evosdc, files):
    (files / "schema.toml").write_text(SCHEMA.replace('"ordinal"', '"numeric"'))
    answer = evosdc("mask", "pram", "good.csv", "--schema", "schema.toml", "--protect", "age", "-o", "masked.csv")
    assert_refused(answer, "age", "numeric", "ordinal")


def test_commands_and_options(evosdc):
    assert_refused(evosdc("protekt", "x.csv"), "Did you mean 'protect'?")
    assert_refused(evosdc("protect", "housing", "--protect", "rad,rad"), "protect", "each attribute once", "rad twice")
    assert_refused(evosdc("run"), "Missing argument")
    for content in (b"a;b\n1;\xe4\n", b"a;b\n1;2\n"):
        Path("klinik.csv").write_bytes(content)
        assert_refused(evosdc("check", "klinik.csv"), "evosdc check --data klinik.csv")
    assert_refused(evosdc("run", "x.toml", "--workers", "0"), "--workers")
    assert_refused(evosdc("protect", "x.csv", "--time", "soon"), "'soon'", "60s")
    assert_refused(evosdc("resume", "nowhere"), "nowhere", "run folder")


def test_debug_shows_where(evosdc, files):
    assert "Traceback" in evosdc("check", "none.toml", "--debug").err


ODD = {
    "one row": "sex,age\nm,20\n",
    "one category": "sex,age\n" + "m,20\n" * 30,
    "all missing": "sex,age\n" + ",\n" * 30,
    "one missing": "sex,age\n" + "m,20\n" * 15 + "f,\n" + "f,21\n" * 15,
    "crlf": GOOD.replace("\n", "\r\n"),
    "bom": "\ufeff" + GOOD,
    "non-ascii": GOOD.replace("sex", "género").replace("m,", "männlich,").replace("f,", "女,"),
    "100 columns": ",".join(f"c{j}" for j in range(100))
    + "\n"
    + "".join(",".join(str((i * j) % 5) for j in range(100)) + "\n" for i in range(50)),
}


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_but_usable_files_are_protected(evosdc, tmp_path, name):
    (tmp_path / "odd.csv").write_bytes(ODD[name].encode())
    names = ODD[name].lstrip("\ufeff").splitlines()[0].split(",")[:2]
    answer = evosdc(
        "protect",
        "odd.csv",
        "--protect",
        ",".join(names),
        "--time",
        "0.3s",
        "--no-second-opinion",
        "--no-report",
        "-o",
        "run",
        "--json",
    )
    assert answer.status in (0, 1), answer.err
    assert not (tmp_path / "run" / "report.html").exists()
    result = json.loads(answer.out)
    assert result["protect"] == names
    written = (tmp_path / "run" / result["best"]["file"]).read_bytes()
    assert written.count(b"\n") == ODD[name].encode().count(b"\n")
    assert written.startswith(b"\xef\xbb\xbf") == (name == "bom")
    assert (b"\r\n" in written) == (name == "crlf")
    told = " ".join(result["warnings"])
    alike = {
        "one row": "The file has one record",
        "one category": "All records are alike",
        "all missing": "All records",
    }
    assert alike.get(name, "") in told
    assert ("search longer" in told or "more protected attributes" in told) <= (name not in alike), "it cannot help"


@pytest.mark.parametrize("words", [("protect",), ("mask", "mdav", "-o", "x.csv"), ("risk",)])
def test_a_misspelt_data_set_is_guessed(evosdc, words):
    answer = evosdc(*words, "hosing")
    assert answer.status == 2
    assert answer.err == (
        "Error: hosing: given no such file; wanted a file that exists, or the name of a data set. "
        "Did you mean 'housing'?\n"
    )


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("protect",), "--protect"),
        (("limit",), "--protect"),
        (("tune",), "--protect"),
        (("mask", "mdav"), "--protect"),
        (("risk",), "--quasi-identifiers"),
    ],
)
def test_which_option_names_attributes_is_said_where_none_is_named(evosdc, files, words, option):
    (files / "num.csv").write_text("v,w\n1.5,2.5\n2.5,3.5\n3.5,2.25\n4.75,6.5\n")
    output = ("-o", "out.csv") if words[0] == "mask" else ()
    assert_refused(evosdc(*words, "num.csv", *output), f"by {option} A,B")
    assert "Attributes are named by" not in evosdc(*words, "num.csv", "--sundry", "x").err
    for other in ("--attribute", "--protect", "--quasi-identifiers"):
        if not option.startswith(other):
            assert f"Attributes are named by {option}." in evosdc(*words, "num.csv", other, "v").err


def test_former_names_of_options_work_and_stand_in_no_help(evosdc, files):
    words = ("mask", "mdav", "good.csv", "--schema", "schema.toml", "--seed", "1")
    assert evosdc(*words, "--protect", "age", "-o", "now.csv").status == 0
    assert evosdc(*words, "--attributes", "age", "-o", "then.csv").status == 0
    assert (files / "now.csv").read_bytes() == (files / "then.csv").read_bytes()
    assert "--attributes" not in evosdc("mask", "--help").out


def test_what_its_format_cannot_hold_is_refused_before_any_work(evosdc, files, monkeypatch):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.read_csv(files / "good.csv")
    pyreadstat.write_sav(frame, files / "good.sav")
    (files / "e.toml").write_text(
        'data = { file = "good.sav", protect = ["sex", "age"] }\nstop = { generations = 2 }\n'
    )

    def full(*_: object, **__: object) -> None:
        raise ValueError("no room")

    monkeypatch.setattr(pyreadstat, "write_sav", full)
    for words in (("protect", "good.sav"), ("run", "e.toml"), ("tune", "good.sav", "--evaluations", "50")):
        assert_refused(evosdc(*words, "-o", "out", "--quiet"), "cannot hold (no room)")
        assert not (files / "out").exists()
    assert_refused(evosdc("mask", "mdav", "good.sav", "-o", "out.sav"), "cannot hold (no room)")
    # The record that does not fit need not be among the first.
    frame = pd.concat([frame, frame])
    frame.assign(note=["x"] * 79 + ["se\x0bcret"]).to_csv(files / "note.csv", index=False)
    frame.assign(note=["x"] * 79 + ["x" * 32768]).to_csv(files / "long.csv", index=False)
    for name, given in (("note", "a control character"), ("long", "more than 32,767 characters")):
        answer = evosdc("mask", "mdav", f"{name}.csv", "--protect", "sex", "-o", "out.xlsx")
        assert_refused(answer, given, "Choose another ending")
        assert "cret" not in answer.err
    assert_refused(evosdc("mask", "mdav", "good.csv", "-o", "out.por"), "names in capitals")
    assert_refused(
        evosdc("table", "good.csv", "--by", "sex", "--seed", "1", "-o", "t.xlsx"), "an ending of a text file"
    )
    assert_refused(evosdc("classes", "good.csv", "good.csv", "--protect", "sex", "-o", "t.sav"), "the ending .sav")


def test_the_option_that_chooses_attributes_of_other_scales_is_said(evosdc, files):
    (files / "num.csv").write_text("v,w\n1.5,a\n2.5,b\n3.5,a\n4.75,b\n")
    answer = evosdc("limit", "num.csv", "--protect", "v,w")
    assert_refused(answer, "Name the nominal and ordinal ones by --protect A,B")


def test_columns_with_one_value_are_named_where_nothing_is_left_to_mask(evosdc, files):
    (files / "alike.csv").write_text("sex,town\n" + "m,north\n" * 5)
    answer = evosdc("protect", "alike.csv", "-o", "run")
    assert_refused(answer, "no attribute (sex, town: one value in all records)", "--protect A,B")
    assert not (files / "run").exists()


def test_a_folder_that_is_not_there_is_told_once(evosdc, files):
    answer = evosdc("mask", "pram", "good.csv", "--schema", "schema.toml", "-o", "none/masked.csv")
    assert_refused(answer, "there is no folder")
    assert answer.err.count("Error:") == 1


def test_labels_that_a_mask_exchanges_are_warned_of(evosdc, files):
    words = ("mask", "pram", "good.csv", "--schema", "schema.toml", "--protect", "sex", "--set", "p=0")
    answer = evosdc(*words, "-o", "masked.csv")
    assert answer.status == 0
    assert "sex: 100 % more of the records would read right under exchanged labels" in answer.err
    answer = evosdc(*words[:-1], "p=0.9", "-o", "other.csv")
    assert "exchanged" not in answer.err
