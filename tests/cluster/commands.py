"""Runs as users start them, in processes of their own that can be killed."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import tomli_w

from evosdc.cli import main
from evosdc.engine.checkpoint import checkpoints

HASTY = """
import sys
import evosdc.experiment.recorder as observers
assert observers.INTERVAL
observers.INTERVAL = 0.05
from evosdc.cli import main
main(sys.argv[1:])
"""
"""The command line with a checkpoint every twentieth of a second."""

START = {"methods": [{"method": "mdav", "k": 3}, {"method": "pram", "p": 0.7}, {"method": "rank-swapping", "p": 8}]}


def experiment_file(path: Path, **changes: object) -> Path:
    """Write an experiment file that takes a while: on any computer longer than a test needs to disturb it."""
    given = {
        "seed": 11,
        "data": {"name": "housing", "first": 300},
        "start": START | {"random": 5},
        "measures": {"il": ["dbil", "ctbil"], "dr": ["id"]},
        "stop": {"generations": 1_000_000},
        "executor": {"name": "serial"},
        "second_opinion": False,  # by default the seconds that a search took decide
    }
    path.write_text(tomli_w.dumps(given | changes), encoding="utf-8")
    return path


def started(*words: object, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start a command."""
    return subprocess.Popen(
        [sys.executable, "-c", HASTY, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def completed(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return subprocess.CompletedProcess(words, int(caught.value.code or 0), out.getvalue(), err.getvalue())


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None, seconds: float = 300) -> None:
    """Wait until a condition holds, for as long as a process runs."""
    limit = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, "it ended too early"
        assert time.monotonic() < limit, "it takes too long"
        time.sleep(0.01)


def reached(folder: Path, generation: int) -> bool:
    """Whether there are two checkpoints, the later one of that generation or a later one."""
    found = checkpoints(folder)
    return len(found) > 1 and int(found[-1].stem.partition("-")[2]) >= generation


def end_at(folder: Path, generations: int) -> None:
    """Let a run end at a generation."""
    path = folder / "resolved.json"
    document = json.loads(path.read_text())
    document["stop"]["generations"] = generations
    path.write_text(json.dumps(document))


def outcome(folder: Path) -> dict[str, object]:
    """Return all of a result that does not depend on clocks; a limit is looked for as long as the search took."""
    result = json.loads((folder / "result.json").read_text())
    return {key: value for key, value in result.items() if key not in ("seconds", "limit")}


def journal(folder: Path) -> list[dict[str, object]]:
    """Return the records of a journal without their times."""
    lines = (folder / "journal.jsonl").read_text().splitlines()
    return [{key: value for key, value in json.loads(line).items() if key != "seconds"} for line in lines]


def assert_same_run(one: Path, other: Path) -> None:
    """Check that two runs came to the same, bit for bit."""
    assert outcome(one) == outcome(other)
    assert journal(one) == journal(other)
    for name in ("best.csv", "front.csv", "scores.csv"):
        assert (one / name).read_bytes() == (other / name).read_bytes()
