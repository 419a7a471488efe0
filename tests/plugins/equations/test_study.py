"""The study of thesis section 4.2, its smoke profile, by the command that its file names."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "experiments" / "thesis-ch4-gp"


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "out"
    command = [sys.executable, str(FOLDER / "study.py"), "--smoke", "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return folder


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_standard_pram_is_set_beside_the_equation(output):
    for fitness in ("mean", "max"):
        table = rows(output / f"standard-housing-{fitness}.csv")
        assert [row["method"] for row in table][:2] == ["equation", "pram design=a p=0.1"]
        assert len(table) == 1 + 9 + 9
        for row in table:
            il, dr, score = (float(row[name]) for name in ("IL", "DR", "score"))
            assert score == pytest.approx(max(il, dr) if fitness == "max" else (il + dr) / 2, abs=0.002)


def test_sweep_algorithms_and_transfer_are_complete(output):
    depths = rows(output / "depths.csv")
    assert [row["depth limit"] for row in depths] == ["3", "5"]
    assert all(int(row["depth"]) <= int(row["depth limit"]) for row in depths)
    assert [(r["fitness"], r["algorithm"]) for r in rows(output / "algorithms.csv")] == [
        (fitness, algorithm) for fitness in ("mean", "max") for algorithm in ("steady-state", "generational")
    ]
    transfer = rows(output / "transfer-max.csv")
    assert [row["evolved on"] for row in transfer] == ["equation of housing", "best of design a", "best of design b"]
    # On its own file an equation has the score that its table gives.
    own = float(transfer[0]["score on housing"].split()[0])
    assert own == float(rows(output / "standard-housing-max.csv")[0]["score"])


def test_figures_and_report_are_written(output):
    assert "plotly" in (output / "figures.html").read_text(encoding="utf-8")
    assert "The tree that was evolved" in (output / "report.html").read_text(encoding="utf-8")


def test_the_experiments_can_be_run_by_themselves():
    from evosdc.experiment.reader import read_experiment

    for name in ("german", "flare", "housing"):
        experiment = read_experiment(FOLDER / f"{name}.toml")
        assert experiment.genotype.name == "equations"
        assert len(experiment.data.protect) == 3
