"""Whole runs whose workers get into trouble, for real: the result is that of a run without."""

import json
import os
import signal
import subprocess

import pytest

from tests.executors.conftest import alive, descendants

from .commands import assert_same_run, experiment_file, reached, wait_for
from .troubled import Trouble, command

pytestmark = [pytest.mark.cluster, pytest.mark.endurance]

CHANGES = {
    "measures": {"il": ["dbil", "ctbil"], "dr": ["id", "troubled"]},
    "algorithm": {"name": "islands", "islands": 3, "interval": 6, "migrants": 1, "topology": "star"},
    "stop": {"generations": 40},
}


@pytest.fixture(scope="module")
def trouble(tmp_path_factory):
    return Trouble(tmp_path_factory.mktemp("trouble"))


@pytest.fixture(scope="module")
def calm(trouble):
    """A run without trouble, on one process."""
    path = experiment_file(trouble.folder / "experiment.toml", **CHANGES)
    folder = trouble.folder / "calm"
    done = subprocess.run(command("run", path, "-o", folder), env=trouble.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def start(trouble, calm, tmp_path):
    """A function that starts the same run on two workers, its islands on them."""
    started = []
    trouble.forget()

    def start(executor, *settings):
        path, folder = trouble.folder / "experiment.toml", tmp_path / "run"
        words = ["run", path, "-o", folder, "--executor", executor, "--workers", 2, "--set", "executor.grain=islands"]
        for setting in settings:
            words += ["--set", setting]
        process = subprocess.Popen(
            command(*words), env=trouble.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process, folder

    yield start
    for process in started:
        process.kill()
        process.communicate()


def resumed(folder, trouble):
    """Go on with a run in one process: that it was begun on several makes no difference."""
    document = json.loads((folder / "resolved.json").read_text())
    document["executor"] = {"name": "serial"}
    (folder / "resolved.json").write_text(json.dumps(document))
    done = subprocess.run(command("resume", folder), env=trouble.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("executor", ["processes", "scoop"])
def test_a_worker_that_dies_of_a_task_is_replaced_and_the_task_done_again(executor, start, trouble, calm):
    process, folder = start(executor)
    trouble.order("die")
    _, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    assert trouble.obeyed
    assert_same_run(folder, calm)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("nan", "gave a value that is not finite"),
        ("hang", "did not end within the time limit"),
    ],
)
def test_an_evaluation_that_fails_ends_the_run_in_words_and_a_resume_goes_on(kind, words, start, trouble, calm):
    process, folder = start("processes", "executor.time_limit=3")
    wait_for(lambda: reached(folder, 2), process)
    trouble.order(kind)
    _, complaints = process.communicate(timeout=300)
    assert process.returncode == 1, complaints
    assert words in complaints
    assert "Traceback" not in complaints
    resumed(folder, trouble)
    assert_same_run(folder, calm)


def test_a_worker_that_is_killed_in_the_middle_costs_nothing_but_time(start, calm):
    process, folder = start("processes")
    wait_for(lambda: reached(folder, 2), process)
    os.kill(max(descendants(process.pid)), signal.SIGKILL)
    _, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    assert_same_run(folder, calm)


@pytest.mark.parametrize(
    ("executor", "number", "status"),
    [
        ("processes", signal.SIGTERM, 143),
        ("scoop", signal.SIGKILL, -9),
    ],
    ids=["processes-term", "scoop-kill"],
)
def test_whichever_way_the_master_ends_no_worker_is_left_and_a_resume_goes_on(
    executor, number, status, start, trouble, calm
):
    process, folder = start(executor)
    wait_for(lambda: reached(folder, 2), process)
    workers = descendants(process.pid)
    assert len(workers) >= 2
    process.send_signal(number)
    process.communicate(timeout=300)
    assert process.returncode == status
    wait_for(lambda: not any(map(alive, workers)))
    resumed(folder, trouble)
    assert_same_run(folder, calm)
