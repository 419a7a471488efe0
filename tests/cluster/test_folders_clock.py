"""Clocks that jump: limits in seconds are kept by clocks that do not, and status makes the best of it."""

import json
import os
import subprocess
import sys
import time

import pytest

from tests.cluster.commands import assert_same_run, completed, experiment_file, started, wait_for

pytestmark = [pytest.mark.cluster, pytest.mark.endurance]

JUMPING = """
import sys, time
true, asked = time.time, []
def jumping():
    asked.append(0)
    return true() + (86400.0 if len(asked) % 2 else -86400.0)
time.time = jumping
from evosdc.cli import main
main(sys.argv[1:])
"""


def test_a_limit_in_seconds_is_kept_whatever_the_clock_on_the_wall_says(tmp_path):
    file = experiment_file(tmp_path / "x.toml", stop={"seconds": 1.5})
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", JUMPING, "run", str(file), "-o", str(tmp_path / "run"), "--quiet", "--json"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["stopped"] == "1.5 seconds"
    assert 1.5 <= result["seconds"] < time.monotonic() - began


SITE = """
import sys, time
true, asked = time.time, []
def jumping():
    asked.append(0)
    return true() + (86400.0 if len(asked) % 2 else -86400.0)
time.time = jumping
"""
"""What Python runs at its start, in workers too."""


@pytest.mark.parametrize("executor", ["processes", "scoop"])
def test_a_clock_that_jumps_does_not_disturb_workers(executor, tmp_path):
    islands = {"name": "islands", "islands": 2, "interval": 5}
    file = experiment_file(tmp_path / "x.toml", algorithm=islands, stop={"generations": 30})
    (tmp_path / "sitecustomize.py").write_text(SITE)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = ["--executor", executor, "--workers", "2", "--set", "executor.grain=islands"]
    words += ["--set", "executor.time_limit=30"]
    done = subprocess.run(
        [sys.executable, "-m", "evosdc", "run", str(file), "-o", str(tmp_path / "run"), "--quiet", *words],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert completed("run", file, "-o", tmp_path / "alone", "--quiet").returncode == 0
    assert_same_run(tmp_path / "run", tmp_path / "alone")


@pytest.mark.parametrize("days", [-3, 3])
def test_status_of_a_running_run_does_not_depend_on_the_clock_on_the_wall(tmp_path, days):
    file, folder = experiment_file(tmp_path / "x.toml", stop={"generations": 100_000}), tmp_path / "run"
    process = started("run", file, "-o", folder, "--quiet")
    try:
        wait_for(lambda: (folder / "journal.jsonl").exists() and (folder / "journal.jsonl").stat().st_size > 0, process)
        shifted = time.time() + days * 86400
        os.utime(folder / ".lock", (shifted, shifted))
        told = json.loads(completed("status", folder, "--json").stdout)
        assert told["state"] == "running"
        assert told["seconds_since_sign_of_life"] >= 0.0
        assert told["seconds"] < 3600.0
        assert told["seconds_left"] is None or told["seconds_left"] > 0.0
    finally:
        process.kill()
        process.communicate()
