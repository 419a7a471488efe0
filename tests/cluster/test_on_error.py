"""Evaluations that fail and do not end the run: penalised or tried again, with one result on every executor."""

import subprocess
import sys

import pytest

from .commands import assert_same_run, end_at, experiment_file, journal, outcome, reached, started, wait_for
from .troubled import Trouble

pytestmark = [pytest.mark.cluster, pytest.mark.endurance]

SENT = """
import sys
import evosdc.experiment.recorder as observers
from evosdc.engine.evaluation import Evaluator
observers.INTERVAL = 0.05
Evaluator.better_sent = lambda self, count: count > 0 and self.dispatch is not None
from evosdc.cli import main
main(sys.argv[1:])
"""
"""The command line; where there are workers they evaluate, however cheap that is here."""

ISLANDS = {"name": "islands", "islands": 2, "interval": 3, "inner": {"name": "generational"}}


@pytest.fixture(scope="module")
def trouble(tmp_path_factory):
    return Trouble(tmp_path_factory.mktemp("fragile"))


def file_with(folder, kind="raise", **changes):
    given = {
        "measures": {"il": ["dbil", "ctbil"], "dr": ["id", {"name": "fragile", "kind": kind}]},
        "algorithm": ISLANDS,
        "stop": {"generations": 8},
        "on_error": "penalise",
    }
    return experiment_file(folder / "experiment.toml", **(given | changes))


def evosdc(trouble, *words):
    command = [sys.executable, "-c", SENT, *map(str, words), "--quiet"]
    return subprocess.run(command, env=trouble.environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def serial(trouble):
    """A run on one process, in which every third candidate or so could not be evaluated."""
    folder = trouble.folder / "serial"
    done = evosdc(trouble, "run", file_with(trouble.folder), "-o", folder)
    assert done.returncode == 0, done.stderr
    assert "evaluations failed; those candidates counted as the worst there can be" in done.stderr
    return folder


def test_what_failed_is_counted_and_told_of_and_is_never_the_best(serial, trouble):
    result = outcome(serial)
    assert 0 < result["failed"] < result["evaluations"]
    assert journal(serial)[-1]["failed"] == result["failed"]
    assert any("evaluations failed" in text for text in result["warnings"])
    assert "infeasibility" not in result["best"]["scores"]
    assert all("infeasibility" not in member["scores"] for member in result["front"])
    told = subprocess.run(
        [sys.executable, "-m", "evosdc", "status", str(serial)], env=trouble.environment, capture_output=True, text=True
    )
    assert f"{result['failed']} evaluations, penalised" in told.stdout
    assert "evaluations failed" in (serial / "report.html").read_text()
    failed = [line for line in (serial / "scores.csv").read_text().splitlines() if line.endswith(",1000000000000000.0")]
    assert failed, "some of them are in the start or in the population"
    assert all(line.split(",")[-5:-1] == [""] * 4 for line in failed), "they have no scores"


@pytest.mark.parametrize(("executor", "grain"), [("processes", "islands"), ("scoop", "evaluations")])
def test_the_result_is_the_same_wherever_an_evaluation_fails(executor, grain, serial, trouble, tmp_path):
    words = ["--executor", executor, "--workers", 2, "--set", f"executor.grain={grain}"]
    done = evosdc(trouble, "run", file_with(tmp_path), "-o", tmp_path / "run", *words)
    assert done.returncode == 0, done.stderr
    assert_same_run(tmp_path / "run", serial)


SHORT = {"stop": {"generations": 1}, "algorithm": "parent-child"}


@pytest.fixture(scope="module")
def short(trouble, tmp_path_factory):
    """A shorter run on one process."""
    folder = tmp_path_factory.mktemp("short")
    done = evosdc(trouble, "run", file_with(folder, **SHORT), "-o", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder / "run"


@pytest.mark.parametrize("kind", ["nan", "die"])
def test_the_result_is_the_same_however_an_evaluation_fails(kind, short, trouble, tmp_path):
    words = ["--executor", "processes", "--workers", 2, "--set", "executor.grain=evaluations"]
    words += ["--set", "executor.retries=0"]
    done = evosdc(trouble, "run", file_with(tmp_path, kind, **SHORT), "-o", tmp_path / "run", *words)
    assert done.returncode == 0, done.stderr
    assert outcome(short)["failed"] > 0
    assert journal(tmp_path / "run") == journal(short)
    assert outcome(tmp_path / "run")["digest"] == outcome(short)["digest"]


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_candidates_that_take_too_long_are_passed_over(executor, trouble, tmp_path):
    words = ["--executor", executor, "--set", "executor.time_limit=0.2"]
    words += ["--set", "executor.grain=evaluations"] if executor == "processes" else []
    done = evosdc(trouble, "run", file_with(tmp_path, "linger", **SHORT), "-o", tmp_path / "run", *words)
    assert done.returncode == 0, done.stderr
    result = outcome(tmp_path / "run")
    assert 0 < result["failed"] < result["evaluations"]


def test_a_run_that_is_killed_keeps_count_of_what_failed(trouble, tmp_path):
    file, folder = file_with(tmp_path, stop={"generations": 1_000_000}), tmp_path / "run"
    process = started("run", file, "-o", folder, "--quiet", environment=trouble.environment)
    wait_for(lambda: reached(folder, 4), process)
    process.kill()
    process.communicate()
    end = journal(folder)[-1]["generation"] + 3
    end_at(folder, end)
    done = evosdc(trouble, "resume", folder)
    assert done.returncode == 0, done.stderr
    whole = evosdc(trouble, "run", file, "-o", tmp_path / "whole", "--set", f"stop.generations={end}")
    assert whole.returncode == 0, whole.stderr
    assert_same_run(folder, tmp_path / "whole")


@pytest.mark.parametrize(("executor", "kind"), [("processes", "raise"), ("scoop", "hang")])
def test_what_failed_once_is_tried_again(executor, kind, trouble, tmp_path):
    measures = {"il": ["dbil"], "dr": ["id", "troubled"]}
    file = file_with(tmp_path, measures=measures, algorithm="parent-child", on_error="retry", stop={"generations": 4})
    trouble.order(kind)
    words = ["--executor", executor, "--workers", 2, "--set", "executor.grain=evaluations"]
    words += ["--set", "executor.time_limit=3"]
    done = evosdc(trouble, "run", file, "-o", tmp_path / "run", *words)
    assert done.returncode == 0, done.stderr
    assert trouble.obeyed
    trouble.forget()
    calm = evosdc(trouble, "run", file, "-o", tmp_path / "calm")
    assert calm.returncode == 0, calm.stderr
    assert_same_run(tmp_path / "run", tmp_path / "calm")


def test_what_fails_again_and_again_ends_the_run(trouble, tmp_path):
    file = file_with(tmp_path, on_error={"action": "retry", "times": 3})
    done = evosdc(trouble, "run", file, "-o", tmp_path / "run")
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr
    assert "Traceback" not in done.stderr
