"""Status of runs and studies from what lies in their folders: whole, torn, dated, or not there."""

import json
import os
import socket
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest

from evosdc.errors import ExperimentError
from evosdc.experiment.display import Display
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.study_status import read_status
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import Journal, journal_tail
from evosdc.runs.layout import RunFolder
from evosdc.runs.lock import FolderLockedError, Lock, read_owner, this_owner
from evosdc.runs.status import read_run_status, time_left

RECORDS = [
    {"generation": g, "evaluations": 10 + 4 * g, "seconds": 2.0 + 0.5 * g, "front": 3, "best": {"fitness": [40.0 - g]}}
    for g in range(21)
]


def folder_of(path, state="running", records=RECORDS, stop=None, owner=None):
    path.mkdir()
    (path / "resolved.json").write_text(json.dumps({"title": "Trial", "stop": stop or {"generations": 100}}))
    (path / "journal.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (path / "status.json").write_text(json.dumps({"state": state, "generation": 5, "message": "so far"}))
    if owner is not None:
        (path / ".lock").write_text(json.dumps(asdict(owner)))
    return path


def test_rate_and_time_left_follow_from_the_journal(tmp_path):
    found = read_run_status(folder_of(tmp_path / "run", owner=this_owner()))
    assert (found.phase, found.generation, found.evaluations, found.front) == ("running", 20, 90, 3)
    assert (found.evaluations_per_second, found.generations_per_second) == pytest.approx((8.0, 2.0))
    assert found.left == pytest.approx(40.0)
    assert found.best == {"fitness": [20.0]}
    assert found.to_json()["process"]["pid"] == os.getpid()


def test_the_time_of_the_whole_command_counts_from_its_beginning(tmp_path):
    began = (datetime.now(UTC) - timedelta(seconds=25)).isoformat(timespec="seconds")
    owner = replace(this_owner(), since=began)
    found = read_run_status(folder_of(tmp_path / "run", records=[], stop={"whole": 60.0}, owner=owner))
    assert 30.0 <= found.left <= 36.0
    found = read_run_status(folder_of(tmp_path / "over", records=[], stop={"whole": 5.0}, owner=owner))
    assert found.left is None, "compiling does not count, so that the end cannot be foreseen"
    found = read_run_status(folder_of(tmp_path / "near", stop={"whole": 500.0, "generations": 100}, owner=owner))
    assert found.left == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("stop", "left"),
    [
        ({"generations": 100, "evaluations": 130}, 5.0),
        ({"generations": 100, "seconds": 15.0}, 3.0),
        ({"stalled": 20}, None),
        ({"generations": 10}, 0.0),
    ],
)
def test_the_nearest_limit_counts(stop, left):
    newest = RECORDS[-1]
    found = time_left(stop, newest, (8.0, 2.0))
    assert found == (left if left is None else pytest.approx(left))
    assert time_left({"generations": 100}, newest, (0.0, 0.0)) is None


@pytest.mark.parametrize(
    ("said", "state"), [("done", "finished"), ("failed", "failed"), ("interrupted", "stopped"), ("running", "failed")]
)
def test_a_folder_without_an_owner_is_in_the_phase_it_says(tmp_path, said, state):
    assert read_run_status(folder_of(tmp_path / "run", said)).phase == state


def test_the_state_follows_the_process_and_not_the_file(tmp_path):
    us = this_owner()
    dead = replace(us, born="1")
    assert read_run_status(folder_of(tmp_path / "a", "failed", owner=us)).phase == "running"
    assert read_run_status(folder_of(tmp_path / "b", "running", owner=dead)).phase == "killed"
    away = replace(us, host=f"not-{socket.gethostname()}")
    folder = folder_of(tmp_path / "c", "running", owner=away)
    assert read_run_status(folder).phase == "running"
    os.utime(folder / ".lock", (time.time() - 3600,) * 2)
    assert read_run_status(folder).phase == "killed"


@pytest.mark.parametrize("name", ["status.json", "journal.jsonl", ".lock", "resolved.json"])
@pytest.mark.parametrize("text", ["", '{"state": "runn', "\x00\x01", "[1, 2]"])
def test_torn_files_are_passed_over(tmp_path, name, text):
    folder = folder_of(tmp_path / "run", owner=this_owner())
    (folder / name).write_text(text)
    found = read_run_status(folder)
    json.dumps(found.to_json(), allow_nan=False)
    assert found.generation == (5 if name == "journal.jsonl" else 20)


def test_a_time_in_the_future_is_no_negative_age(tmp_path):
    folder = folder_of(tmp_path / "run", owner=this_owner())
    for path in folder.iterdir():
        os.utime(path, (time.time() + 1e6,) * 2)
    assert read_run_status(folder).silent == 0.0


def test_the_tail_of_a_journal_is_whole_lines_only(tmp_path):
    path = tmp_path / "journal.jsonl"
    assert journal_tail(path) == []
    journal = Journal(path)
    for record in RECORDS:
        journal.write(record)
    journal.flush()
    with path.open("ab") as file:
        file.write(b'{"generation":21,"evalua')
    assert journal_tail(path) == RECORDS
    assert journal_tail(path, size=10) == RECORDS[-len(journal_tail(path, size=10)) :]
    for size in range(1, 400, 7):
        found = journal_tail(path, size)
        assert found
        assert found == RECORDS[-len(found) :]
    journal.close()


def test_a_line_of_the_journal_can_be_read_soon_after_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr("evosdc.experiment.recorder.FLUSH", 0.0)
    seen = []

    class Looking(Display):
        def generation(self, record, limit):
            found = read_run_status(tmp_path / "run")
            seen.append((record["generation"], found.generation, found.phase))

    chosen = Experiment(
        data={"name": "housing", "first": 60},
        start={"random": 3, "methods": [{"method": "mdav"}]},
        measures={"il": ["ctbil"], "dr": ["id"]},
        stop={"generations": 5},
    )
    run_once(chosen, tmp_path / "run", default_registry(), 1, Looking())
    assert seen == [(g, g, "running") for g in range(6)]
    assert read_status(tmp_path / "run").phase == "finished"
    assert read_owner(tmp_path / "run" / ".lock") is None


def test_a_lock_is_held_once_and_let_go(tmp_path):
    first, second = Lock(tmp_path / ".lock"), Lock(tmp_path / ".lock")
    assert first.acquire() is None
    with pytest.raises(FolderLockedError) as caught:
        second.acquire()
    assert caught.value.owner == read_owner(tmp_path / ".lock")
    first.release()
    first.release()
    assert second.acquire() is None
    second.release()


def test_the_name_of_a_dead_owner_is_told_to_the_next(tmp_path):
    dead = replace(this_owner(), born="1")
    (tmp_path / ".lock").write_text(json.dumps(asdict(dead)))
    with RunFolder(tmp_path) as folder:
        assert folder.abandoned == dead
    with RunFolder(tmp_path) as folder:
        assert folder.abandoned is None


def test_an_owner_gives_signs_of_life(tmp_path, monkeypatch):
    monkeypatch.setattr("evosdc.runs.lock.BEAT", 0.02)
    lock = Lock(tmp_path / ".lock")
    lock.acquire()
    os.utime(tmp_path / ".lock", (1.0, 1.0))
    limit = time.monotonic() + 300
    while (tmp_path / ".lock").stat().st_mtime < 2.0:
        assert time.monotonic() < limit
        time.sleep(0.01)
    lock.release()


def test_a_file_system_that_cannot_lock_goes_by_the_name(tmp_path, monkeypatch):
    def unable(lock):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("evosdc.runs.lock.FileLock.acquire", unable)
    first, second = Lock(tmp_path / ".lock"), Lock(tmp_path / ".lock")
    first.acquire()
    with pytest.raises(FolderLockedError):
        second.acquire()
    first.release()
    second.acquire()
    second.release()


def test_a_path_without_a_run_is_refused(tmp_path):
    with pytest.raises(ExperimentError, match="holds no run"):
        read_status(tmp_path)
