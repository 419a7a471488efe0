"""Plugins in single files, classes registered from Python, and what doctor and test say of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import evosdc as evosdc_api
from evosdc.errors import InputError
from evosdc.experiment.environment import naming_plugins
from evosdc.model import Fitness, Fitted, Masking, Measure
from evosdc.plugins.diagnosis import diagnose
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import RunFolder
from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture

MINE = '''"""A plugin in one file."""
from evosdc.model import Fitted, Measure, MeasureSpec, hookimpl


class Changed(Fitted):
    def __init__(self, original):
        self.original = original

    def score(self, masked):
        return 100.0 * float((self.original.codes != masked.codes).mean())


class ShareChanged(Measure):
    """Percentage of changed cells."""

    def fit(self, original):
        self.require_support(original)
        return Changed(original)


@hookimpl
def evosdc_measures():
    yield MeasureSpec(name="my-share", implementation="MODULE:ShareChanged", summary="Changed cells.", kind="il")
'''

EXPERIMENT = {
    "data": {"name": "housing", "first": 60, "protect": ["degree", "grade1"]},
    "start": {"methods": [{"method": "mdav"}, {"method": "rank-swapping"}], "random": 1},
    "measures": {"il": ["my-share"], "dr": ["id"]},
    "stop": {"generations": 2},
}


def write(path, text=MINE):
    path.write_text(text.replace("MODULE", path.stem))
    return path


@pytest.mark.endurance
def test_a_file_is_a_plugin_for_a_command_and_its_workers(tmp_path):
    write(tmp_path / "own_file.py")
    lines = [f"{key} = {json.dumps(value).replace(': ', ' = ')}" for key, value in EXPERIMENT.items()]
    (tmp_path / "e.toml").write_text("\n".join(lines).replace('"protect" =', "protect ="))
    digests, command, key = [], [sys.executable, "-m", "evosdc"], ["--key", "k"]
    for executor in (["--executor", "serial"], ["--workers", "2", "--set", "executor.grain='evaluations'"]):
        done = subprocess.run(
            [*command, "run", "e.toml", "--plugin", "own_file.py", "--json", "-o", executor[1], *executor, *key],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert done.stdout, done.stderr
        digests.append(json.loads(done.stdout)["digest"])
    assert digests[0] == digests[1]
    resumed = subprocess.run([*command, "resume", "serial"], cwd=tmp_path, capture_output=True, text=True)
    assert resumed.returncode != 2, "a run that has ended is told of without its plugins"


def test_a_run_that_is_opened_without_its_plugin_file_names_it(evosdc, tmp_path, monkeypatch):  # noqa: F811
    folder = tmp_path / "run"
    monkeypatch.setenv("EVOSDC_PLUGINS", str(write(tmp_path / "own_gone.py")))
    default_registry.cache_clear()
    evosdc_api.run(EXPERIMENT | {"executor": "serial"}, folder)
    monkeypatch.setenv("EVOSDC_PLUGINS", "")
    commands = [
        ("member", folder, "knee"), ("export", folder, "knee", "-o", tmp_path / "knee.csv"),
        ("choose", folder, "knee", "-o", tmp_path / "chosen"), ("check", folder / "experiment.toml"),
        ("run", folder / "experiment.toml", "-o", tmp_path / "again"),
    ]  # fmt: skip
    for command in commands:
        default_registry.cache_clear()
        answer = evosdc(*command)
        assert answer.status == 2, answer
        assert "given 'my-share'; wanted " in answer.err, command
        told = "The run was made with the plugin file own_gone.py: give it again, by --plugin own_gone.py."
        assert told in answer.err, command
    given = ("--plugin", tmp_path / "own_gone.py")
    default_registry.cache_clear()
    assert evosdc("member", folder, "knee", *given).status == 0


@pytest.mark.parametrize(
    ("plugins", "advice"),
    [
        ([{"name": name, "distribution": f"{name}.py"} for name in "ab"], "--plugin a.py --plugin b.py."),
        ([{"name": "python", "distribution": ""}], "(evosdc.register)."),
        ([{"name": "theirs", "distribution": "their-plugins"}], "their-plugins, which is not installed here"),
        ([], "'nothing'; wanted one of"),
    ],
)
def test_what_a_run_had_its_names_from_is_told(tmp_path, plugins, advice):
    (tmp_path / "environment.json").write_text(json.dumps({"plugins": plugins}))
    with pytest.raises(InputError, match=re.escape(advice)), naming_plugins(RunFolder(tmp_path), default_registry()):
        default_registry().spec("executor", "nothing")


def test_other_faults_of_a_run_are_told_as_they_are(tmp_path):
    (tmp_path / "environment.json").write_text(json.dumps({"plugins": [{"name": "a", "distribution": "a.py"}]}))
    with pytest.raises(InputError) as caught, naming_plugins(RunFolder(tmp_path), default_registry()):
        default_registry().parameters("measure", "dbrl", {"degree": -1})
    assert "plugin" not in str(caught.value)


def test_its_name_version_and_offers_are_told(evosdc, tmp_path):  # noqa: F811
    path = write(tmp_path / "own_told.py")
    told = json.loads(evosdc("plugins", "show", "my-share", "--plugin", path, "--json").out)
    assert told["provider"].startswith("own_told (own_told.py ")
    assert evosdc(f"--plugin={path}", "plugins", "list").status == 0


@pytest.mark.parametrize("name", ["nothing.py", "text.txt", "folder.py"])
def test_what_is_no_file_is_refused(evosdc, tmp_path, name):  # noqa: F811
    (tmp_path / "text.txt").write_text("")
    (tmp_path / "folder.py").mkdir()
    answer = evosdc("plugins", "list", "--plugin", name)
    assert (answer.status, "FILE.py" in answer.err) == (2, True)
    assert evosdc("plugins", "list", "--plugin").status == 2


def test_a_file_named_like_another_module_is_a_problem(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOSDC_PLUGINS", str(write(tmp_path / "json.py")))
    assert any("rename it" in problem.message for problem in default_registry().problems)


class Changes(Fitted):
    def __init__(self, original):
        self.original = original

    def score(self, masked):
        return 100.0 * float(np.mean(self.original.codes != masked.codes))


class Share(Measure):
    """Share of changed cells."""

    def fit(self, original):
        return Changes(original)


def test_a_registered_class_works_here_and_on_workers(tmp_path):
    assert evosdc_api.register(Share, "my-share", kind="il") is Share
    assert default_registry().here_only == ()
    assert default_registry().spec("measure", "my-share").summary == "Share of changed cells."
    found = [
        evosdc_api.run(EXPERIMENT | {"executor": executor}, tmp_path / str(place), key=tmp_path / "key")["digest"]
        for place, executor in enumerate(("serial", {"name": "processes", "workers": 2, "grain": "evaluations"}))
    ]
    assert found[0] == found[1]
    assert json.loads(os.environ["EVOSDC_REGISTERED"])[0][1]["name"] == "my-share"


def test_what_no_worker_can_import_is_done_here(tmp_path):
    class Sum(Fitness):
        """IL and DR."""

        def combine(self, scores):
            return (scores["il"] + scores["dr"],)

    def gentle(table):
        """Return one entry."""
        return [Masking("rank-swapping", {"p": 5.0})]

    evosdc_api.register(Share, "my-share", kind="il")
    evosdc_api.register(Sum, "my-sum")
    evosdc_api.register(gentle, "my-start", offer="portfolio")
    assert default_registry().here_only == ("my-sum", "my-start")
    found = evosdc_api.run(
        EXPERIMENT | {"fitness": "my-sum", "start": {"portfolio": "my-start", "random": 2}, "executor": "processes"},
        tmp_path / "run",
    )
    assert found["best"]["fitness"] == [pytest.approx(sum(found["best"]["scores"][name] for name in ("il", "dr")))]
    assert found["portfolio"]["size"] == 1
    for name in ("my-share", "my-sum", "my-start"):
        evosdc_api.unregister(name)
    assert default_registry().here_only == ()
    assert "my-share" not in default_registry().names("measure")


def test_faults_of_a_registration_are_told():
    with pytest.raises(InputError, match="subclass of one of"):
        evosdc_api.register(write, "mine")
    with pytest.raises(InputError, match="fields of"):
        evosdc_api.register(Share, "mine", kin="il")
    with pytest.raises(InputError, match="one of masking-method"):
        evosdc_api.register(write, "mine", offer="portfolios")
    evosdc_api.register(Share, "Not A Name")
    assert any("Not A Name" in problem.message for problem in default_registry().problems)


BROKEN = {
    "own_name": ("from evosdc.model import Measur\n", "Did you mean 'Measure'?"),
    "own_lack": ("import a_module_that_nobody_has\n", "pip install a_module_that_nobody_has"),
    "own_line": ("def hook(:\n", "py_compile"),
    "own_exit": ("raise SystemExit\n", "sys.exit"),
    "own_work": ("1 / 0\n", "nothing but yield specs"),
    "own_new": ('evosdc_contract = "9.0"\n', "compatibility.md"),
    "own_hook": (
        "from evosdc.model import hookimpl\n@hookimpl\ndef evosdc_measure():\n    yield 1\n",
        "module of the hooks",
    ),
    "own_lost": (MINE.replace(":ShareChanged", ":Share"), "spelt"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_doctor_explains_what_is_wrong_and_what_helps(tmp_path, monkeypatch, name):
    text, advice = BROKEN[name]
    monkeypatch.setenv("EVOSDC_PLUGINS", str(write(tmp_path / f"{name}.py", text)))
    (found,) = diagnose(name)
    assert [advice in fault.advice for fault in found.faults] == [True], found
    if name in ("own_name", "own_lack", "own_line", "own_work"):
        assert f"{name}.py:1" in found.faults[0].where


def test_the_doctor_sees_files_that_no_command_was_told_of(evosdc, tmp_path):  # noqa: F811
    (tmp_path / "plugins").mkdir()
    path = write(tmp_path / "plugins" / "own_lying.py")
    answer = evosdc("plugins", "doctor", "own_lying")
    assert (answer.status, f"evosdc --plugin plugins/{path.name}" in answer.out) == (1, True)
    assert json.loads(evosdc("plugins", "doctor", "cells", "--json").out)["plugins"][0]["faults"] == []
    assert evosdc("plugins", "doctor", "nobody").status == 2


@pytest.mark.endurance
def test_the_test_of_a_plugin_is_a_table(evosdc, tmp_path):  # noqa: F811
    path = write(tmp_path / "own_tested.py")
    answer = evosdc("plugins", "test", "my-share", "--plugin", path, "--json")
    assert answer.status == 0, answer.out
    told = json.loads(answer.out)
    assert {entry["group"] for entry in told["checks"]} == {"contract", "determinism", "tracked equals recomputed"}
    score = next(entry for entry in told["growth"] if entry["operation"] == "score")
    assert len(score["records"]) == len(score["seconds"]) >= 3
    assert score["exponent"] is not None
    broken = write(tmp_path / "own_broken.py", MINE.replace("100.0 *", "200.0 +").replace("my-share", "my-break"))
    answer = evosdc("plugins", "test", "my-break", "--plugin", broken)
    assert answer.status == 1
    assert "FAILED test_" in answer.out


def test_a_class_without_its_methods_is_found(tmp_path, evosdc) -> None:  # noqa: F811
    text = MINE.replace("    def fit(self, original):", "    def fitted(self, original):")
    path = write(tmp_path / "unfinished.py", text)
    answer = evosdc("--plugin", path, "plugins", "doctor", "unfinished")
    assert answer.status == 1
    assert "unfinished:ShareChanged lacks fit, which evosdc.model.Measure asks for" in answer.out + answer.err
