"""``evosdc tune``, ``evosdc mask --then``, and ``evosdc.tune``."""

from __future__ import annotations

import json
import shlex

import pandas as pd
import pytest

import evosdc as package
from evosdc.cli.signals import Stopped
from evosdc.cli.tune import command_of, value_text
from evosdc.datasets.loading import load_dataset
from evosdc.model import Masking
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Role

WORDS = ("housing", "--protect", "built,degree", "--il", "dbil", "--dr", "id", "--fitness", "max",
         "--methods", "rank-swapping,top-coding")  # fmt: skip
JUDGED = ("--measures", "dbil,id", "--protect", "built,degree", "--json")
FEW = ("--evaluations", 60, "--executor", "serial", "--quiet")


@pytest.fixture
def found(evosdc):
    answer = evosdc("tune", *WORDS, *FEW, "-o", "out", "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_every_row_has_the_command_that_repeats_its_file(evosdc, found):
    assert {row["kind"] for row in found["methods"]} == {"method", "by attribute", "chain"}
    for row in (*found["methods"], found["best_file"]):
        program, *command = shlex.split(row["command"])
        assert program == "evosdc"
        assert evosdc(*command, "--force").status == 0
        measured = evosdc("measure", "housing", "masked.csv", *JUDGED)
        scores = json.loads(measured.out)
        assert {name: scores[name] for name in ("dbil", "id")} == {name: row["scores"][name] for name in ("dbil", "id")}


def test_the_best_file_and_what_goes_on_from_it_are_written(evosdc, found, tmp_path):
    assert json.loads((tmp_path / "out" / "tuning.json").read_text())["methods"] == found["methods"]
    answer = evosdc("measure", "housing", "out/best.csv", *JUDGED)
    scores = json.loads(answer.out)
    assert {name: scores[name] for name in ("dbil", "id")} == {
        name: found["best_file"]["scores"][name] for name in ("dbil", "id")
    }
    short = ("--set", "stop.generations=1", "--set", "second_opinion=false", "--executor", "serial")
    run = evosdc("run", "out/experiment.toml", "--key", "out/key", *short, "-o", "run", "--json")
    result = json.loads(run.out)
    assert run.status == int("NOT-PUBLISHABLE" in result["best"]["file"]), run.err
    assert result["best"]["fitness"] <= found["best_file"]["fitness"]
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0


def test_what_was_found_is_told_and_written_where_it_is_stopped(evosdc, tmp_path, monkeypatch):
    def press(self, done):
        raise Stopped(2)

    monkeypatch.setattr("evosdc.cli.display.Quiet.tuning", press)
    answer = evosdc("tune", *WORDS, *FEW, "-o", "out", "--json")
    assert answer.status == 130, answer.err
    best = json.loads(answer.out)["best_file"]
    assert (tmp_path / "out" / "best.csv").exists()
    measured = json.loads(evosdc("measure", "housing", "out/best.csv", *JUDGED).out)
    assert {name: measured[name] for name in ("dbil", "id")} == {name: best["scores"][name] for name in ("dbil", "id")}


def test_the_table_is_for_people(evosdc):
    answer = evosdc("tune", *WORDS, *FEW, "--seed", 1)
    assert answer.status == 0
    for words in ("rank-swapping", "evosdc mask ", "--seed", "Best file of all"):
        assert words in answer.out
    assert len(answer.out.splitlines()) <= 15


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tune", "housing", "--methods", "rank-swoping"), "rank-swapping"),
        (("tune", "housing", "--protect", "nowhere"), "nowhere"),
        (("tune", "housing", "--time", "soon"), "soon"),
        (("tune", "housing", "--protect", "built", "--methods", "noise"), "no method"),
        (("tune", "housing", "-o", "."), "exists"),
        (("tune", "housing", "--require", "Publishable on conditions"), "Tuning asks no judges"),
        (("mask", "rank-swapping", "housing", "-o", "m.csv", "--then", "pramm p=1"), "pram"),
        (("mask", "rank-swapping", "housing", "-o", "m.csv", "--then", ""), "--then"),
        (("mask", "rank-swapping", "housing", "-o", "m.csv", "--then", "pram 'p=1"), "--then"),
        (("mask", "rank-swapping", "housing", "-o", "m.csv", "--then", "pram p"), "KEY=VALUE"),
    ],
)
def test_bad_input_is_told(evosdc, words, told):
    answer = evosdc(*words)
    assert answer.status == 2
    assert told in answer.err


@pytest.mark.parametrize(("rows", "told"), [("x,1\n", "one record"), ("x,1\nx,2\n", "All records are alike")])
def test_a_file_that_no_method_changes_is_told_of(evosdc, tmp_path, rows, told):
    (tmp_path / "few.csv").write_text("a,b\n" + rows)
    answer = evosdc("tune", tmp_path / "few.csv", "--protect", "a", "--methods", "pram", *FEW)
    assert answer.status == 0, answer.err
    assert told in answer.err
    assert "no method is better than another one" in answer.err


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_tuned(evosdc, tmp_path):
    (tmp_path / "file").write_text("")
    answer = evosdc("tune", *WORDS, *FEW, "-o", tmp_path / "file" / "out")
    assert (answer.status, answer.out) == (2, "")
    assert "a writable path" in answer.err or "writable" in answer.err


def test_mask_notes_further_steps_in_the_manifest(evosdc, tmp_path):
    then = ("--then", "pram design=a p=0.5 attributes=degree", "--then", "top-coding q=3 by=metro")
    first = ("rank-swapping", "housing", "--protect", "built", "--set", "p=9")
    answer = evosdc("mask", *first, *then, "-o", "m.csv", "--json")
    assert answer.status == 0, answer.err
    manifest = json.loads((tmp_path / "m.manifest.json").read_text())
    assert [step["method"] for step in manifest["then"]] == ["pram", "top-coding"]
    assert manifest["then"][1]["by"] == ["metro"]
    assert set(manifest["changed"]) == {"built", "degree"}
    assert "companion" not in manifest


def test_commands_say_values_so_that_they_are_read_as_they_are():
    from evosdc.options.written import setting_value

    inner = {"method": "mdav", "k": 5, "destandardise": True, "groups": [["a", 'b"']], "of": {"a b": {}, "": "ä"}}
    for value in (3, 0.5, True, "two-stage", "1", "true", "a b", [1, 2], ["x", "y"], inner, {}):
        assert setting_value(value_text(value)) == value
    masking = Masking("noise", {"alpha": 0.1}, ("a,b",), ("region",), (Masking("liew", by=("c d",)),), 5)
    words = shlex.split(command_of(masking, "my file.csv", None, ("a,b", "x"), ["--key", "my key"]))
    assert words[:6] == ["evosdc", "mask", "noise", "my file.csv", "--protect", '"a,b"']
    assert words[words.index("--key") + 1] == "my key"
    assert words[words.index("--draw") + 1] == "5"
    assert shlex.split(words[words.index("--then") + 1]) == ["liew", 'attributes="a,b",x', "by=c d"]


@pytest.fixture
def frame():
    table = load_dataset(default_registry().spec("dataset", "housing")).table
    columns = {}
    for name in ("built", "degree"):
        attribute = table.schema[name]
        labels = [attribute.categories[code] for code in table.column(name)]
        columns[name] = pd.Categorical(labels, attribute.categories, ordered=True)
    assert table.schema["built"].role is Role.QUASI_IDENTIFIER
    return pd.DataFrame(columns)[:150]


def test_tune_from_python(frame):
    few = {"evaluations": 50, "il": ["dbil"], "dr": ["id"], "methods": ["rank-swapping", "mdav"], "seed": 3}
    found = package.tune(frame, **few)
    assert list(found.masked.columns) == ["built", "degree"]
    assert found.masked["built"].dtype == frame["built"].dtype
    again = package.measure(frame, found.masked, ["dbil", "id"])
    assert again == {name: found.tuning.files[0].scores[name] for name in ("dbil", "id")}
    assert found.best is found.methods[0]
    assert json.loads(json.dumps(found.to_json()))["evaluations"] == 50
    assert package.tune(frame, **few).masked.equals(found.masked)
    with pytest.raises(AttributeError):
        found.masked = None


WRONG = [{"methods": ["x"]}, {"protect": ["x"]}, {"fitness": "x"}, {"il": ["x"]}, {"seed": -1}, {"methods": ["noise"]}]


@pytest.mark.parametrize("wrong", WRONG)
def test_tune_refuses_bad_input(frame, wrong):
    with pytest.raises(package.InputError):
        package.tune(frame, evaluations=5, **wrong)


def test_a_time_counts_from_the_start_of_the_program(evosdc, monkeypatch):
    from evosdc.experiment import tuned_start as tuning

    given, usual = [], tuning.tune_alone

    def tune_alone(assembly, tuned, budget, *more):
        given.append(budget)
        return usual(assembly, tuned, budget, *more)

    monkeypatch.setattr("evosdc.cli.tune.tune_alone", tune_alone)
    for before, left in ((3.0, 1.0), (100.0, 0.2)):
        monkeypatch.setattr("evosdc.cli.tune.seconds_since", lambda before=before: before)
        assert evosdc("tune", *WORDS, "--time", "4s", "--executor", "serial", "--quiet").status == 0
        assert given.pop().seconds == pytest.approx(left)
