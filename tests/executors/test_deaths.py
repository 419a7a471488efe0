"""Workers that die, hang or never start, and owners that do."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from evosdc.errors import ExecutorError
from evosdc.executors import launch
from evosdc.executors.processes import ProcessesExecutor
from tests.cluster.commands import wait_for

from .conftest import KINDS, alive, descendants
from .work import task

ROOT = Path(__file__).parents[2]


ONE_AND_ALL = ["processes", pytest.param("scoop", marks=pytest.mark.endurance)]
"""What the pool does, whoever fills it: by one executor in every check, by all before a release."""


@pytest.mark.parametrize("pool", ONE_AND_ALL, indirect=True)
@pytest.mark.parametrize("death", ["kill", pytest.param("os-exit", marks=pytest.mark.endurance)])
def test_the_culprit_is_found_and_all_else_is_done(pool, death):
    rows = pool.map([task("leave", ["a", death, "b"]), task("leave", ["c", "d"]), task("leave", ["e"])])
    assert [o.value if o.ok else o.value.type for row in rows for o in row] == ["a", "WorkerDied", "b", "c", "d", "e"]
    assert pool.map([task("echo", ["next"])])[0][0].value == "next"


@pytest.mark.parametrize("pool", ONE_AND_ALL, indirect=True)
def test_a_task_lost_once_is_run_again(pool, tmp_path):
    rows = pool.map([task("leave_once", [str(tmp_path / "marker")]), task("echo", [1])])
    assert [rows[0][0].value, rows[1][0].value] == ["survived", 1]


def test_an_idle_worker_that_is_killed_is_replaced(tmp_path):
    def those_at_work(executor, name):
        (tmp_path / name).mkdir()
        rows = executor.map([task("met", [(str(tmp_path / name), 2)]) for _ in range(2)])
        return rows[0][0].value

    with ProcessesExecutor(None, 2) as executor:
        before = those_at_work(executor, "before")
        os.kill(min(before), signal.SIGKILL)
        after = those_at_work(executor, "after")
    assert len(after) == 2
    assert after & before == {max(before)}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_time_limit_holds_in_workers(kind):
    executor = KINDS[kind](KINDS[kind].Params(time_limit=1.0), 1)
    with executor:
        rows = executor.map([task("busy", [0.0, 30.0, 0.0])])
    assert [o.value if o.ok else o.value.type for o in rows[0]] == [0.0, "TimeLimit", 0.0]


@pytest.mark.parametrize("kind", ONE_AND_ALL)
def test_a_worker_that_hangs_is_killed_and_replaced(kind, monkeypatch):
    monkeypatch.setattr("evosdc.executors.pool.GRACE", 3.0)
    monkeypatch.setattr("evosdc.executors.pool.FIRST_GRACE", 15.0)
    with KINDS[kind](KINDS[kind].Params(time_limit=0.5), 2) as executor:
        rows = executor.map([task("unstoppable", [0.0, 60.0]), task("unstoppable", [0.01])])
    assert [o.value if o.ok else o.value.type for row in rows for o in row] == [0.0, "TimeLimit", 0.01]


def test_workers_are_recycled():
    with ProcessesExecutor(ProcessesExecutor.Params(recycle=2), 1) as executor:
        rows = executor.map([task("process", [0.0]) for _ in range(5)])
    assert [len({row[0].value for row in rows[i : i + 2]}) for i in (0, 2, 4)] == [1, 1, 1]
    assert len({row[0].value for row in rows}) == 3


def test_endless_deaths_end_the_run(monkeypatch):
    monkeypatch.setattr("evosdc.executors.pool.losses_allowed", lambda workers: 2)
    with (
        ProcessesExecutor(ProcessesExecutor.Params(retries=9), 1) as executor,
        pytest.raises(ExecutorError, match="die one after another"),
    ):
        executor.map([task("leave", ["kill"])])


@pytest.mark.endurance
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_silence_ends_the_run_and_the_pool_can_be_used_again(kind, monkeypatch):
    monkeypatch.setattr("evosdc.executors.pool.PATIENCE", 0.5)
    with KINDS[kind](None, 1) as executor:
        with pytest.raises(ExecutorError, match="have been silent"):
            executor.map([task("asleep", [60.0])])
        monkeypatch.undo()
        assert executor.map([task("echo", ["again"])])[0][0].value == "again"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_workers_that_cannot_start_are_an_error_with_their_last_words(kind, monkeypatch, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no licence left >&2\nexit 7\n")
    broken.chmod(0o700)
    monkeypatch.setattr(launch.sys, "executable", str(broken))
    with pytest.raises(ExecutorError, match=r"ended with status 7 before it was ready(?s:.*)no licence left"):
        KINDS[kind](None, 2).__enter__()
    monkeypatch.setattr(launch.sys, "executable", str(tmp_path / "none"))
    with pytest.raises(ExecutorError, match="could not be started: No such file"):
        KINDS[kind](None, 2).__enter__()


@pytest.mark.parametrize("kind", ONE_AND_ALL)
def test_other_versions_are_refused(kind, monkeypatch):
    monkeypatch.setattr("evosdc.executors.launch.__version__", "99.0")
    with pytest.raises(ExecutorError, match=r"has other versions than this process: evosdc [0-9.]+ instead of 99\.0"):
        KINDS[kind](None, 1).__enter__()


PROGRAM = """
import os, signal, sys
from evosdc.executors.tasks import resolve
from tests.executors.work import task

if __name__ == "__main__":
    # A test run in the background of a shell hands an ignored SIGINT down.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    executor = resolve(sys.argv[1])(None, 2)
    with executor:
        print([row[0].value for row in executor.map([task("echo", [i]) for i in range(3)])], flush=True)
        match sys.argv[2]:
            case "exit":
                sys.exit(3)
            case "raise":
                raise RuntimeError("the program's own")
            case "asleep" | "unstoppable" as work:
                try:
                    executor.map([task("announced", [(sys.argv[3], work, 60.0)]) for i in range(3)])
                except KeyboardInterrupt:
                    sys.exit(130)
"""

IMPLEMENTATIONS = {
    "processes": "evosdc.executors.processes:ProcessesExecutor",
    "scoop": "evosdc_scoop.executor:ScoopExecutor",
}


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def program(request, tmp_path):
    """A function that starts a program which uses an executor, and gives it with the pids of its descendants."""
    path, at_work = tmp_path / "program.py", tmp_path / "at_work"
    path.write_text(PROGRAM)
    at_work.mkdir()
    started = []

    def start(ending):
        process = subprocess.Popen(
            [sys.executable, str(path), IMPLEMENTATIONS[request.param], ending, str(at_work)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        started.append(process)
        assert process.stdout.readline() == "[0, 1, 2]\n"
        return process, descendants(process.pid)

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def left_after(pids, seconds=120.0):
    deadline = time.monotonic() + seconds
    while (left := {pid for pid in pids if alive(pid)}) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


@pytest.mark.endurance
@pytest.mark.parametrize(("ending", "status"), [("exit", 3), ("raise", 1)])
def test_the_exit_status_is_the_programs_own(program, ending, status):
    process, workers = program(ending)
    _, complaints = process.communicate(timeout=180)
    assert process.returncode == status
    assert ("the program's own" in complaints) == (ending == "raise")
    assert ending == "raise" or complaints == ""
    assert not left_after(workers)


@pytest.mark.endurance
@pytest.mark.parametrize(
    ("number", "status", "work"),
    [
        (signal.SIGKILL, -signal.SIGKILL, "unstoppable"),
        (signal.SIGTERM, -signal.SIGTERM, "asleep"),
        (signal.SIGINT, 130, "unstoppable"),
    ],
    ids=["kill-compiled", "term", "ctrl-c-compiled"],
)
def test_no_orphans_whichever_way_the_owner_ends(program, number, status, work, tmp_path):
    process, workers = program(work)
    assert len(workers) >= 2
    wait_for(lambda: any((tmp_path / "at_work").iterdir()), process)
    process.send_signal(number)
    _, complaints = process.communicate(timeout=180)
    assert process.returncode == status
    assert complaints == ""
    assert not left_after(workers)
