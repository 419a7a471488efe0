"""Stored results of studies are what the code gives: their quick versions are run again, and sources are the same."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evosdc.plugins.registry import default_registry
from experiments.reproduce import compared, read_record, read_studies, rerun, stale
from tests.published import DataSets

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
STUDIES = {study.name: study for study in read_studies()}
STORED = [name for name, study in STUDIES.items() if read_record(study) is not None]
BY_THE_WAY = ("housing",)
"""Studies that every check repeats; the others before a release."""
LARGEST = 150_000
"""Bytes of a stored picture."""


def test_every_folder_of_a_study_declares_it() -> None:
    folders = {path.parent.name for path in EXPERIMENTS.glob("*/*") if path.suffix in (".py", ".toml")}
    assert folders == STUDIES.keys()


def test_every_study_is_stored() -> None:
    assert set(STORED) == STUDIES.keys()


def test_stored_results_are_those_of_the_scripts_and_settings() -> None:
    assert [str(one) for name in STORED for one in stale(STUDIES[name])] == []


def quick(name: str) -> Any:
    """Return the study that a test repeats, with what it asks for."""
    needs = STUDIES[name].declaration.quick.needs
    marks = [*([pytest.mark.data(*needs)] if needs else []), *([] if name in BY_THE_WAY else [pytest.mark.studies])]
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [quick(name) for name in STORED])
def test_quick_results_are_as_stored(name: str, tmp_path: Path) -> None:
    assert [str(one) for one in compared(rerun(STUDIES[name], "quick", tmp_path / name))] == []


def test_what_a_study_declares_is_there() -> None:
    for study in STUDIES.values():
        for name in study.declaration.sources:
            assert (study.folder / name).is_file()
        for command in (*study.declaration.quick.commands, *study.declaration.full.commands):
            scripts = [word for word in command.split() if word.endswith((".py", ".toml"))]
            assert scripts
            for script in scripts:
                named = script.replace("{study}", str(study.folder)).replace("{studies}", str(EXPERIMENTS))
                assert Path(named).is_file(), f"{study.name}: {command}"


def test_data_that_studies_need_are_in_the_catalogue_or_published(data_sets: DataSets) -> None:
    profiles = [profile for one in STUDIES.values() for profile in (one.declaration.quick, one.declaration.full)]
    needed = {need for profile in profiles for need in profile.needs} - set(default_registry().names("dataset"))
    index = json.loads(data_sets.path("index.json").read_text(encoding="utf-8"))
    assert needed <= {entry["directory"] for entry in index["datasets"]}


def test_pages_say_what_their_studies_declare_and_the_list_of_papers_leads_to_them() -> None:
    papers = (EXPERIMENTS.parent / "docs" / "papers.md").read_text(encoding="utf-8")
    for name in STUDIES:
        assert "<!-- study -->" in (EXPERIMENTS / name / "README.md").read_text(encoding="utf-8"), name
        assert f"](../experiments/{name}/README.md)" in papers


def test_pages_show_all_pictures_which_are_small_and_whole() -> None:
    for study, picture in ((STUDIES[name], one) for name in STORED for one in STUDIES[name].declaration.pictures):
        page = (study.folder / "README.md").read_text(encoding="utf-8")
        files = sorted(study.folder.glob(picture.file))
        assert files, picture.file
        for path in files:
            assert path.stat().st_size < LARGEST, path.name
            assert ElementTree.fromstring(path.read_bytes()).tag.endswith("svg")
            assert f"]({path.name})" in page


@pytest.mark.studies
def test_pictures_are_drawn_from_stored_tables_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import csv

    from pictures import drawn, written

    for name in STORED:
        declared = tomllib.loads((EXPERIMENTS / name / "study.toml").read_text(encoding="utf-8"))
        for picture in declared.get("pictures", ()):
            if "table" not in picture:
                continue
            with (EXPERIMENTS / name / picture["table"]).open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            written(drawn(rows, picture), tmp_path / "again.svg")
            texts = [
                {element.text for element in ElementTree.fromstring(path.read_bytes()).iter() if element.text}
                for path in (tmp_path / "again.svg", EXPERIMENTS / name / picture["file"])
            ]
            assert texts[0] == texts[1], f"{name}/{picture['file']}: run experiments/pictures.py {name}"
