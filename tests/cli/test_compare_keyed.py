"""Comparing runs that draw from secret keys, each of which knows its data by a fingerprint of its own."""

import json
import shutil
from pathlib import Path

import pytest

from evosdc.runs.reader import read_run_folders
from tests.cli.conftest import ROWS, SCHEMA

EXPERIMENT = """data = { file = "survey.csv", schema = "schema.toml", shuffle = true }
measures = { il = ["dbil"], dr = ["id"] }
replicates = 2
executor = "serial"
stop = { generations = 1 }
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "survey.csv").write_text("sex,age,town\n" + ROWS)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    return tmp_path


def made(evosdc, folder, *words):
    answer = evosdc("run", "e.toml", "-o", folder, "--quiet", "--no-report", *words)
    assert answer.status == 0, answer.err


def test_searches_on_the_same_file_are_compared_whatever_their_keys(evosdc, home):
    made(evosdc, "one")
    made(evosdc, "two", "--set", "stop.generations=2")
    (home / "elsewhere").mkdir()
    for name in ("survey.csv", "schema.toml", "e.toml"):
        shutil.copy(home / name, home / "elsewhere" / name)
    made(evosdc, "three", "--set", "stop.generations=3", "--set", "data.file=elsewhere/survey.csv")
    answer = evosdc("compare", "one", "two", "three", "--json")
    assert answer.status == 0, answer.err
    assert [len(group["runs"]) for group in json.loads(answer.out)["groups"]] == [2, 2, 2]
    paired = evosdc("compare", "one", "two", "--paired")
    assert paired.status == 2, "keys have nothing in common"
    assert "runs of different seeds" in paired.err


def test_searches_on_other_files_are_not_compared(evosdc, home):
    made(evosdc, "one")
    (home / "survey.csv").write_text("sex,age,town\n" + ROWS + "m,21,b\n")
    made(evosdc, "two", "--set", "stop.generations=2")
    answer = evosdc("compare", "one", "two")
    assert answer.status == 2
    assert "runs of different data" in answer.err


def test_without_the_data_replicates_are_still_one_search(evosdc, home):
    made(evosdc, "one")
    made(evosdc, "two")
    (home / "survey.csv").unlink()
    first, second, other, _ = read_run_folders([Path("one"), Path("two")])
    assert first.data_identity == second.data_identity != other.data_identity


def test_nothing_that_tells_the_data_is_told(evosdc, home):
    made(evosdc, "one")
    run = read_run_folders([Path("one")])[0]
    from evosdc.runs.published import sha256_of

    assert sha256_of(home / "survey.csv") not in run.data_identity
    assert run.data_identity == read_run_folders([Path("one")])[0].data_identity
