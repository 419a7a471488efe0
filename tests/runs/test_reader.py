"""Reading run folders: what is one, what is not, what may be broken."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from evosdc.errors import InputError
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    broken = write_run(tmp_path / "broken")
    (broken / "result.json").write_text("{")
    (broken / "status.json").write_text("[]")
    document = json.loads((broken / "frequencies.json").read_text())
    document["savings"]["after"].pop()
    (broken / "frequencies.json").write_text(json.dumps(document))
    (broken / "scores.csv").write_text("set,slot\nfront,0\n")
    with pytest.raises(InputError) as caught:
        read_run_folders([tmp_path / "absent", tmp_path / "empty", broken])
    where = [fault.where for fault in caught.value.faults]
    assert len(where) == 6
    assert where[0].endswith("absent")
    assert where[1].endswith("empty")
    assert {Path(w.split(": ")[0]).name for w in where[2:]} == {
        "result.json",
        "status.json",
        "frequencies.json",
        "scores.csv",
    }
    assert "broken" in caught.value.faults[0].advice


def test_no_folder_at_all_is_a_fault() -> None:
    with pytest.raises(InputError, match="one or more run folders"):
        read_run_folders([])


def test_replicates_are_runs_in_numerical_order_and_the_parent_is_none(tmp_path: Path) -> None:
    study = tmp_path / "study"
    for number in (10, 2, 1):
        write_run(study / f"replicate-{number}", seed=number, generations=2)
    (study / "replicate-3").mkdir()
    (study / "resolved.json").write_text("{}")
    runs = read_run_folders([study])
    assert [run.name for run in runs] == ["study/replicate-1", "study/replicate-2", "study/replicate-10"]


def test_a_folder_named_twice_is_read_once(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=1)
    assert len(read_run_folders([folder, tmp_path / "." / "run"])) == 1


def test_torn_and_repeated_lines_of_the_journal(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=3)
    path = folder / "journal.jsonl"
    path.write_text(path.read_text() + '{"generation": 4, "eval\n\n{"generation": 2, "evaluations": 999}\n[1]\n')
    (run,) = read_run_folders([folder])
    assert [record["generation"] for record in run.journal] == [0, 1, 2, 3]
    assert run.journal[2]["evaluations"] == 999
    assert run.unreadable == 2


def test_the_published_file_is_hashed_and_never_one_outside(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=1)
    (run,) = read_run_folders([folder])
    assert run.digests == {"best.csv": hashlib.sha256((folder / "best.csv").read_bytes()).hexdigest()}
    (tmp_path / "secret.csv").write_text("secret")
    result = json.loads((folder / "result.json").read_text())
    result["best"]["file"] = "../secret.csv"
    (folder / "result.json").write_text(json.dumps(result))
    (run,) = read_run_folders([folder])
    assert run.digests == {}
