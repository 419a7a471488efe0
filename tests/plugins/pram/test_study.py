"""The scripted experiment, in its smoke profile, and the experiment files beside it."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import read_experiment
from evosdc.plugins.registry import default_registry

pytestmark = pytest.mark.studies

STUDY = Path(__file__).parents[3] / "experiments" / "thesis-ch4-pram"


@pytest.mark.data("german-credit", "solar-flare")
@pytest.mark.parametrize("name", ["german", "flare"])
def test_experiment_files_of_published_data_are_valid(name):
    assembly = assemble(read_experiment(STUDY / f"{name}.toml"), default_registry())
    assert assembly.plan.candidates > 20
    assert len(assembly.plan.compared) == 18


@pytest.mark.parametrize("name", ["housing", "housing-pairs"])
def test_experiment_files_of_the_survey_are_valid(name):
    assert assemble(read_experiment(STUDY / f"{name}.toml"), default_registry()).plan.candidates > 20


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.data("german-credit")
def test_smoke_profile_makes_all_tables_and_beats_the_standard_matrices(tmp_path):
    command = [sys.executable, str(STUDY / "study.py"), "--smoke", "-o", str(tmp_path / "study")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Matrices of attributes hold on fresh draws" in done.stdout
    made = tmp_path / "study"
    rows = rows_of(made / "attributes.csv")
    assert {(row["fitness"], row["search"]) for row in rows} == {
        (fitness, search) for fitness in ("mean", "max") for search in ("population", "1+1")
    }
    for row in rows:
        assert float(row["final score"]) <= float(row["initial score"])
        assert float(row["advantage"]) > 2 * float(row["se advantage"])
        assert row["best standard PRAM"].startswith("pram design=")
        assert row["requirements hold"] == "yes"
        assert float(row["worst-relabelling evolved"]) <= 3.0
        assert 0.0 <= float(row["informed-linkage evolved"]) <= 100.0
    for row in rows_of(made / "pairs-tables.csv"):
        assert float(row["shift of marginals"]) < 1e-12
    assert {row["stage"] for row in rows_of(made / "pairs-summary.csv")} == {"initial", "final"}
    assert rows_of(made / "pairs-risk.csv")
    assert rows_of(made / "pairs-evolution.csv")
    assert "Transition matrices" in (made / "report.html").read_text(encoding="utf-8")
