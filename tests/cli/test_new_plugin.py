"""`evosdc new-plugin`: what it writes can be imported, is offered, works, and passes its own tests."""

import os
import re
import subprocess
import sys
import tomllib

import click
import pytest

from evosdc.cli.plugins import MADE, NAME, builds_offline, class_name, files, template
from evosdc.plugins.discovery import _NAME as REGISTERED
from evosdc.plugins.registry import Registry


@pytest.mark.endurance
def test_new_plugins_are_offered_and_pass_their_conformance_suites(evosdc, tmp_path):
    folders = []
    for kind in MADE:
        name = f"ward-{kind}"
        written = evosdc("new-plugin", kind, name)
        assert written.status == 0, written.err
        folder = tmp_path / f"evosdc-{name}"
        assert sorted(path.name for path in folder.rglob("*.py")) == sorted(
            ["__init__.py", f"{MADE[kind].short}.py", f"test_evosdc_ward_{kind.replace('-', '_')}.py"]
        )
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        assert (project["name"], project["entry-points"]) == (
            f"evosdc-{name}", {"evosdc": {name: f"evosdc_{name.replace('-', '_')}"}},
        )  # fmt: skip
        folders.append(str(folder))
    # All in one process, which has to compile and to import only once.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *folders],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize("kind", MADE)
def test_its_hook_is_light_and_its_offer_is_found(evosdc, tmp_path, monkeypatch, kind):
    name = f"own-{kind}"
    assert evosdc("new-plugin", kind, name, "-o", tmp_path / "here").status == 0
    monkeypatch.syspath_prepend(str(tmp_path / "here"))
    package = f"evosdc_{name.replace('-', '_')}"
    module = __import__(package)
    registry = Registry.load(extra_plugins={name: module})
    assert registry.problems == ()
    if kind == "command":
        cli = click.Group()
        assert registry.add_commands(cli) == ()
        assert name in cli.commands
    else:
        assert registry.spec(kind, name).summary
        assert registry.implementation(kind, name).__name__ == class_name(name, MADE[kind])
    for imported in [entry for entry in sys.modules if entry.split(".")[0] == package]:
        del sys.modules[imported]


@pytest.mark.parametrize("kind", MADE)
def test_names_that_mean_something_else_make_sound_classes(kind):
    for name in ("measure", "table", "none", "true", "field", "algorithm", "a1-b2"):
        for path, text in files(kind, name).items():
            if path.endswith(".py"):
                compile(text, path, "exec")
                assert "$" not in text
        made = class_name(name, MADE[kind])
        assert made.isidentifier()
        assert f"import {made}" not in template(kind)


def test_all_that_is_wrong_is_told_at_once(evosdc, tmp_path):
    answer = evosdc("new-plugin", "mesure", "Not_A_Name")
    assert answer.status == 2
    assert "Did you mean 'measure'?" in answer.err
    assert "lower-case letters and digits" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_and_a_folder_that_is_not_empty_are_refused(evosdc, tmp_path):
    assert "a name that measures" in evosdc("new-plugin", "measure", "dbil").err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    answer = evosdc("new-plugin", "measure", "mine", "-o", tmp_path / "full")
    assert (answer.status, "not empty" in answer.err) == (2, True)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["x"]


def test_names_are_those_that_can_be_registered():
    for name in ("a", "a-b", "k3-level"):
        assert NAME.fullmatch(name)
        assert REGISTERED.fullmatch(name)


def test_what_follows_needs_nothing_that_is_not_there_or_says_what(evosdc, monkeypatch):
    monkeypatch.setattr("evosdc.cli.plugins.version_of", lambda distribution: (70, 1))
    said = evosdc("new-plugin", "measure", "first-loss").out
    assert f"{sys.executable} -m pip install --no-deps --no-build-isolation -e evosdc-first-loss" in said
    assert "And: evosdc plugins test first-loss" in said
    monkeypatch.setattr("evosdc.cli.plugins.version_of", lambda distribution: (65, 5))
    monkeypatch.setattr("evosdc.cli.plugins.find_spec", lambda name: None)
    said = evosdc("new-plugin", "measure", "second-loss").out
    assert "Lacking for what follows: pip, pytest. Install them first." in said
    assert f"{sys.executable} -m pip install --no-deps -e evosdc-second-loss" in said
    assert "It downloads setuptools to build with" in said


@pytest.mark.parametrize(
    ("setuptools", "wheel", "offline"),
    [
        ((), True, False),
        ((65, 5), False, False),
        ((65, 5, 1), True, True),
        ((70, 0, 9), False, False),
        ((70, 1), False, True),
    ],
)
def test_what_is_installed_decides_how_to_install(setuptools, wheel, offline):
    assert builds_offline(setuptools, wheel) is offline


def test_of_many_names_the_nearest_are_told(evosdc):
    told = evosdc("plugins", "test", "mdva").err
    assert "mdav" in told
    assert "`evosdc plugins list` shows all." in told
    assert len(told) < 300


def test_requirements_readme_and_ci_name_pytest():
    texts = files("dataset", "ward")
    assert tomllib.loads(texts["pyproject.toml"])["project"]["optional-dependencies"] == {"test": ["pytest"]}
    assert "with pytest" in texts["README.md"]
    assert 'PIP_OPTIONS="--find-links FOLDER" sh .ci/run' in texts["README.md"]
    assert "-m pytest" in texts[".ci/run"]
    assert "sh .ci/run" in texts[".github/workflows/test.yml"]


@pytest.mark.endurance
def test_its_ci_passes_as_it_is(evosdc, tmp_path):
    assert evosdc("new-plugin", "command", "ward-count").status == 0
    folder, target = tmp_path / "evosdc-ward-count", tmp_path / "installed"
    options = f"--quiet --no-deps --no-build-isolation --disable-pip-version-check --target {target}"
    # What pip would fetch is there already; an editable installation would change this environment.
    script = (folder / ".ci" / "run").read_text().replace("-e '.[test]'", ".")
    done = subprocess.run(
        ["sh", "-c", script.replace("$(dirname \"$0\")/..", str(folder))],
        capture_output=True, text=True,
        env={**os.environ, "PYTHON": sys.executable, "PIP_OPTIONS": options, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert any(target.glob("evosdc_ward_count-*.dist-info"))


def test_authors_import_from_the_model_and_the_suites_alone():
    for kind in MADE:
        for path, text in files(kind, "ward-thing").items():
            if path.endswith(".py") and kind != "command":
                rooms = set(re.findall(r"^(?:from|import) (evosdc[.\w]*)", text, re.MULTILINE))
                allowed = {
                    "evosdc.model",
                    "evosdc.testing",
                    "evosdc_ward_thing",
                    f"evosdc_ward_thing.{MADE[kind].short}",
                }
                assert rooms <= allowed
