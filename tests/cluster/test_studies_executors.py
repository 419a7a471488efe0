"""The runs of a study as tasks of each executor: one table and one digest for each run, whoever carried it out."""

import json

import pytest

from tests.cluster.commands import completed, experiment_file, outcome, started, wait_for
from tests.optional import require_dask

pytestmark = [pytest.mark.cluster, pytest.mark.endurance]

STUDY = {
    "data": {"name": "housing", "first": 150},
    "replicates": 2,
    "sweep": {"genotype.mutations": [1, 40]},
    "stop": {"generations": 6},
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return experiment_file(tmp_path_factory.mktemp("study") / "x.toml", **STUDY)


@pytest.fixture(scope="module")
def serial(file):
    folder = file.parent / "serial"
    done = completed("run", file, "-o", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    return folder


def runs_of(folder):
    """Return all runs of a study, without times."""
    return [{key: value for key, value in run.items() if key != "seconds"} for run in outcome(folder)["replicates"]]


@pytest.mark.parametrize("executor", ["processes", "scoop", "dask"])
def test_a_study_comes_to_the_same_on_every_executor(executor, file, serial, tmp_path):
    if executor == "dask":
        require_dask()
    folder = tmp_path / "study"
    done = completed("run", file, "-o", folder, "--executor", executor, "--workers", 2)
    assert done.returncode == 0, done.stderr
    assert "runs: 4 of 4 complete" in done.stderr
    states = {json.loads((folder / run["folder"] / "status.json").read_text())["state"] for run in runs_of(folder)}
    assert states == {"done"}
    assert runs_of(folder) == runs_of(serial)
    for table in ("summary.csv", "runs.csv"):
        assert without_times(folder / table) == without_times(serial / table)


def without_times(path):
    """Return the rows of a table but for the seconds that a run took."""
    header, *rows = [line.split(",") for line in path.read_text().splitlines()]
    kept = [place for place, name in enumerate(header) if name != "seconds"]
    return [[row[place] for place in kept] for row in (header, *rows)]


@pytest.mark.parametrize("executor", ["processes", "scoop"])
def test_finish_ends_a_study_whose_runs_are_spread_over_workers(executor, tmp_path):
    file = experiment_file(tmp_path / "x.toml", **STUDY | {"stop": {"generations": 10**6}})
    folder = tmp_path / "study"
    study = started("run", file, "-o", folder, "--executor", executor, "--workers", 2)

    def journals():
        return [file for file in folder.rglob("journal.jsonl") if file.stat().st_size]

    wait_for(lambda: len(journals()) == 2, study)
    answer = completed("finish", folder, "--wait", "60s", "--json")
    _, err = study.communicate(timeout=300)
    assert answer.returncode == 0, answer.stderr
    assert (study.returncode, "evosdc resume" in err) == (130, True), err
    written = {str(journal.parent / "best.csv") for journal in journals()}
    assert set(json.loads(answer.stdout)["files"]) == written
    assert len(journals()) == 2
    assert not list(folder.rglob(".finish"))
