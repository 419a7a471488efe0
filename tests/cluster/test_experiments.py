"""The scripts of experiments/cluster, with a stand-in for srun that starts what it is told to here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .troubled import command

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "experiments" / "cluster"

SRUN = """#!/usr/bin/env bash
echo "$@" >> "{calls}"
while [[ $1 == --* ]]; do shift; done
exec "$@"
"""

EVOSDC = """#!/usr/bin/env bash
{python} -m evosdc "$@" --quiet
"""


@pytest.fixture
def surroundings(tmp_path):
    """Programs as a job finds them, and an experiment."""
    for name, text in {"srun": SRUN, "evosdc": EVOSDC}.items():
        path = tmp_path / name
        path.write_text(text.format(calls=tmp_path / "calls", python=sys.executable))
        path.chmod(0o700)
    experiment = tmp_path / "experiment.toml"
    experiment.write_text(
        'data = { name = "housing", first = 150 }\nstart = { random = 8, methods = [{ method = "mdav", k = 3 }] }\n'
        'measures = { il = ["dbil"], dr = ["id"] }\n'
        'algorithm = { name = "islands", islands = 2, interval = 3, generations = 6 }\n'
        'executor = { name = "scoop", grain = "islands", interface = "127.0.0.1" }\n'
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    return experiment, {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


@pytest.mark.cluster
@pytest.mark.endurance
def test_in_a_job_of_slurm_nothing_more_is_needed(surroundings, tmp_path):
    experiment, environment = surroundings
    job = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "absent[1-2]", "SLURM_TASKS_PER_NODE": "1(x2)"}
    folder = tmp_path / "run"
    words = [str(SCRIPTS / "slurm.sh"), str(experiment), str(folder)]
    done = subprocess.run(words, env=environment | job, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    calls = (tmp_path / "calls").read_text().splitlines()
    # One for each node, at the same time: either may be the first to write down its call.
    assert sorted(word for call in calls for word in call.split() if word.startswith("--nodelist=")) == [
        "--nodelist=absent1",
        "--nodelist=absent2",
    ]
    again = subprocess.run(words, env=environment | job, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert again.returncode == 0, "a job that is started again goes on"
    alone = tmp_path / "alone"
    serial = ["--set", "executor={ name = 'serial' }"]
    serial += ["--key", str(folder / "key")]
    subprocess.run(command("run", experiment, "-o", alone, *serial), env=environment, check=True, capture_output=True)
    assert (alone / "best.csv").read_bytes() == (folder / "best.csv").read_bytes()


@pytest.mark.cluster
@pytest.mark.endurance
def test_in_a_job_of_pbs_nothing_more_is_needed(surroundings, tmp_path):
    experiment, environment = surroundings
    (tmp_path / "nodes").write_text("localhost\nlocalhost\n")
    job = {"PBS_NODEFILE": str(tmp_path / "nodes"), "EXPERIMENT": str(experiment), "RUN_DIR": str(tmp_path / "run")}
    words = [str(SCRIPTS / "pbs.sh")]
    done = subprocess.run(words, env=environment | job, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "result.json").exists()


@pytest.mark.endurance
def test_the_script_runs_by_itself(surroundings, tmp_path):
    _, environment = surroundings
    words = [sys.executable, str(SCRIPTS / "script.py"), "--smoke", "-o", str(tmp_path / "run")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "evaluations" in done.stdout
