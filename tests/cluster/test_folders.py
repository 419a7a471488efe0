"""Runs that are killed, damaged, held or moved: what `evosdc resume` makes of them."""

import json
import os
import shutil
import signal
import stat
import time

import pytest

from evosdc.engine.checkpoint import checkpoints
from evosdc.runs.lock import this_owner
from tests.cluster.commands import (
    assert_same_run,
    completed,
    end_at,
    experiment_file,
    journal,
    outcome,
    reached,
    started,
    wait_for,
)

pytestmark = pytest.mark.cluster

PROTECTED = ("built", "degree", "grade1")

GENOTYPES = {
    "pram": {"genotype": "pram", "start": {"initial": True, "random": 4}},
    "equations": {"genotype": "equations", "start": {"random": 6}},
    "lattice": {
        "genotype": {"name": "lattice", "k": 3},
        "data": {"name": "housing", "first": 300, "hierarchies": {a: {"merge": [2, 4]} for a in PROTECTED}},
        "measures": ["lm"],
        "fitness": {"name": "lm"},
        "start": {"random": 6},
    },
}


def killed(tmp_path, generation=4, **changes):
    """Return the folder of a run that was killed with signal 9 in the middle of its search, and its number."""
    file, folder = experiment_file(tmp_path / "x.toml", **changes), tmp_path / "killed"
    process = started("run", file, "-o", folder, "--quiet")
    wait_for(lambda: reached(folder, generation), process)
    process.kill()
    process.communicate()
    return folder, process.pid


def uninterrupted(tmp_path, generations):
    """Return the folder of the same run that nothing disturbs."""
    folder = tmp_path / "whole"
    done = completed("run", tmp_path / "x.toml", "-o", folder, "--quiet", "--set", f"stop.generations={generations}")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.endurance
@pytest.mark.parametrize("genotype", ["pram", "equations", "lattice"])
def test_a_killed_run_of_any_genotype_goes_on_and_ends_as_if_never_stopped(tmp_path, genotype):
    folder, _ = killed(tmp_path, **GENOTYPES[genotype])
    end = journal(folder)[-1]["generation"] + 6
    end_at(folder, end)
    assert completed("resume", folder, "--quiet").returncode == 0
    assert_same_run(folder, uninterrupted(tmp_path, end))


@pytest.fixture(scope="module")
def broken_off(tmp_path_factory):
    """Return a killed run, the run that nothing disturbs, and the number of the process."""
    path = tmp_path_factory.mktemp("broken")
    folder, pid = killed(path)
    end = journal(folder)[-1]["generation"] + 6
    end_at(folder, end)
    return folder, uninterrupted(path, end), pid


def test_a_killed_run_goes_on_and_ends_as_if_never_stopped(broken_off, tmp_path):
    folder, whole, pid = broken_off
    folder = copied(folder, tmp_path / "run")
    told = json.loads(completed("status", folder, "--json").stdout)
    assert (told["state"], told["process"]["pid"]) == ("killed", pid)
    done = completed("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert f"process {pid} on" in done.stderr
    assert_same_run(folder, whole)
    assert json.loads(completed("status", folder, "--json").stdout)["state"] == "finished"


def copied(folder, path):
    shutil.copytree(folder, path)
    return path


def test_without_any_sound_checkpoint_the_run_is_refused_and_nothing_is_touched(broken_off, tmp_path):
    folder = copied(broken_off[0], tmp_path / "run")
    for path in checkpoints(folder):
        path.write_bytes(b"")
    before = {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".lock")
    }
    done = completed("resume", folder, "--quiet")
    assert (done.returncode, "no checkpoint that can be read" in done.stderr) == (2, True)
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".lock")
    } == before


def test_a_line_of_the_journal_that_was_cut_off_is_written_again(broken_off, tmp_path):
    folder = copied(broken_off[0], tmp_path / "run")
    with (folder / "journal.jsonl").open("ab") as file:
        file.write(b'{"generation":99999,"eval')
    assert json.loads(completed("status", folder, "--json").stdout)["generation"] < 99999
    assert completed("resume", folder, "--quiet").returncode == 0
    assert_same_run(folder, broken_off[1])


def test_a_half_written_checkpoint_of_a_killed_process_is_no_checkpoint(broken_off, tmp_path):
    folder = copied(broken_off[0], tmp_path / "run")
    newest = checkpoints(folder)[-1]
    (folder / f".{newest.name}.abcdef").write_bytes(newest.read_bytes()[:1000])
    assert completed("resume", folder, "--quiet").returncode == 0
    assert_same_run(folder, broken_off[1])


@pytest.mark.endurance
def test_a_second_run_on_the_folder_is_refused_by_name_and_the_first_goes_on(tmp_path):
    file, folder = experiment_file(tmp_path / "x.toml", stop={"generations": 100_000}), tmp_path / "run"
    first = started("run", file, "-o", folder, "--quiet")
    try:
        wait_for(lambda: reached(folder, 2), first)
        for words in (("resume", folder), ("run", file, "-o", folder)):
            second = completed(*words, "--quiet")
            assert second.returncode == 2
            assert "Traceback" not in second.stderr
            if words[0] == "resume":
                assert f"another run is writing to: process {first.pid} on" in second.stderr
        assert first.poll() is None
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=300)
        assert first.returncode == 130
        assert "evosdc resume" in err
    finally:
        first.kill()
    assert json.loads(completed("status", folder, "--json").stdout)["state"] == "stopped"


def test_the_lock_of_another_computer_counts_while_it_gives_signs_of_life(broken_off, tmp_path):
    folder = copied(broken_off[0], tmp_path / "run")
    owner = {"pid": 4242, "host": "node17.cluster", "born": "1", "since": "2026-01-01T00:00:00+00:00"}
    (folder / ".lock").write_text(json.dumps(owner))
    done = completed("resume", folder, "--quiet")
    assert done.returncode == 2
    assert "process 4242 on node17.cluster" in done.stderr
    assert json.loads(completed("status", folder, "--json").stdout)["state"] == "running"
    old = time.time() - 600
    for name in (".lock", "status.json", "journal.jsonl"):
        os.utime(folder / name, (old, old))
    assert json.loads(completed("status", folder, "--json").stdout)["state"] == "killed"
    assert completed("resume", folder, "--quiet").returncode == 0
    assert_same_run(folder, broken_off[1])


def test_a_process_that_took_the_number_of_a_dead_one_does_not_hold_the_folder(broken_off, tmp_path):
    folder = copied(broken_off[0], tmp_path / "run")
    us = this_owner()
    owner = {"pid": us.pid, "host": us.host, "born": "12", "since": us.since}
    (folder / ".lock").write_text(json.dumps(owner))
    assert json.loads(completed("status", folder, "--json").stdout)["state"] == "killed"
    assert completed("resume", folder, "--quiet").returncode == 0


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda document: document | {"evosdc": "0.0.1"}, "evosdc 0.0.1 is now"),
        (
            lambda document: (
                document | {"providers": document["providers"] | {"genotype cells": "cells (evosdc-cells 7.5)"}}
            ),
            "genotype cells: cells (evosdc-cells 7.5) is now",
        ),
    ],
    ids=["evosdc", "plugin"],
)
def test_another_version_is_refused_with_the_difference_unless_forced(broken_off, tmp_path, edit, told):
    folder = copied(broken_off[0], tmp_path / "run")
    path = folder / "environment.json"
    path.write_text(json.dumps(edit(json.loads(path.read_text()))))
    refused = completed("resume", folder, "--quiet")
    assert refused.returncode == 2
    assert told in refused.stderr
    assert "--force" in refused.stderr
    forced = completed("resume", folder, "--quiet", "--force")
    assert forced.returncode == 0, forced.stderr
    assert told in forced.stderr
    assert any(told in change for change in json.loads(path.read_text())["forced"])
    assert_same_run(folder, broken_off[1])


def test_another_library_version_is_told_of_and_does_not_stop_the_run(broken_off, tmp_path):
    folder = copied(broken_off[0], tmp_path / "run")
    path = folder / "environment.json"
    document = json.loads(path.read_text())
    document["packages"]["numpy"] = "1.0"
    path.write_text(json.dumps(document))
    done = completed("resume", folder, "--quiet")
    assert done.returncode == 0
    assert "numpy 1.0 is now" in done.stderr


@pytest.mark.endurance
def test_files_and_folders_of_a_run_are_their_owners_alone(broken_off, tmp_path):
    before = os.umask(0)
    try:
        folder, _ = killed(tmp_path)
        end_at(folder, journal(folder)[-1]["generation"])
        assert completed("resume", folder, "--quiet").returncode == 0
    finally:
        os.umask(before)
    assert outcome(folder)["generations"] > 0
    for path in (folder, *folder.rglob("*")):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
