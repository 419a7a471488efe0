"""One experiment, one result: whichever executor, number of workers and grain."""

import subprocess
import sys

import pytest

from evosdc.engine.evaluation import Evaluator
from evosdc.errors import ExperimentError
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from tests.optional import require_dask

from .commands import experiment_file, journal

pytestmark = pytest.mark.cluster

CASES = [
    ("processes", 2, "evaluations"),
    # Numbers of workers and grains mean the same to every executor.
    *(
        pytest.param(name, workers, grain, marks=pytest.mark.endurance)
        for name, workers, grain in (
            ("processes", 1, "islands"),
            ("processes", 3, "islands"),
            ("processes", 4, "evaluations"),
            ("scoop", 2, "evaluations"),
            ("scoop", 3, "islands"),
            ("dask", 2, "evaluations"),
            ("dask", 1, "islands"),
        )
    ),
]

ISLANDS = {"name": "islands", "inner": {"name": "nsga2"}, "islands": 3, "interval": 4, "topology": "random"}


def ran(folder, path, **settings):
    """Return the digest and the whole journal of a run, without its times."""
    experiment = read_experiment(path, [f"executor.{key}={value}" for key, value in settings.items()])
    result = run_once(experiment, folder, default_registry(), experiment.seed).result
    assert (folder / "journal.jsonl").stat().st_mode & 0o77 == 0
    return result.digest, result.front, [record | {"seconds": 0} for record in journal(folder)]


CHANGES = {"algorithm": ISLANDS, "fitness": {"name": "pareto"}, "stop": {"generations": 7}}


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return experiment_file(tmp_path_factory.mktemp("digests") / "experiment.toml", **CHANGES)


@pytest.fixture(scope="module")
def serial(experiment):
    return ran(experiment.parent / "serial", experiment)


@pytest.mark.parametrize(("name", "workers", "grain"), CASES, ids=lambda value: str(value))
def test_executor_workers_and_grain_change_nothing(name, workers, grain, experiment, serial, tmp_path, monkeypatch):
    if name == "dask":
        require_dask()
    sent = []
    plain = Evaluator._sent
    monkeypatch.setattr(Evaluator, "better_sent", lambda self, count: count > 0 and self.dispatch is not None)
    monkeypatch.setattr(Evaluator, "_sent", lambda self, fresh: sent.append(len(fresh)) or plain(self, fresh))
    assert ran(tmp_path / "run", experiment, name=name, workers=workers, grain=grain) == serial
    assert (grain == "evaluations") == bool(sent), "what was asked for is what was done"


def test_a_grain_without_demes_is_refused(experiment, tmp_path):
    wrong = read_experiment(experiment, ["algorithm={ name = 'parent-child' }", "executor.grain=islands"])
    with pytest.raises(ExperimentError, match=r"executor\.grain: given islands, with algorithm parent-child"):
        run_once(wrong, tmp_path / "run", default_registry(), 1)


SCRIPT = """
import sys
from pathlib import Path
import evosdc
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.workers import executor_of
from evosdc.plugins.registry import default_registry

if __name__ == "__main__":
    experiment = read_experiment(Path(sys.argv[1]))
    executor = executor_of(experiment, default_registry())
    print(type(executor).__name__, evosdc.run(experiment, sys.argv[2])["digest"])
"""


@pytest.mark.parametrize(
    ("launcher", "executor"),
    [
        pytest.param([], "ProcessesExecutor", id="by itself", marks=pytest.mark.endurance),
        pytest.param(["-m", "scoop", "-n", "2", "-q"], "ScoopExecutor", id="under scoop"),
    ],
)
def test_an_experiment_written_as_a_script(launcher, executor, serial, tmp_path):
    script, unsaid = tmp_path / "script.py", experiment_file(tmp_path / "experiment.toml", **CHANGES, executor={})
    script.write_text(SCRIPT)
    command = [sys.executable, *launcher, str(script), str(unsaid), str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == f"{executor} {serial[0]}"
