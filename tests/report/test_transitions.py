import json

import numpy as np
import pytest

from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.report import write_report
from evosdc.report.figures import heat_map, matrix_entries
from evosdc.report.fresh_draws import fresh_rows
from evosdc.runs.reader import read_run_folders


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    experiment = Experiment.model_validate(
        {
            "seed": 3,
            "data": {"name": "housing", "first": 120, "protect": ["degree", "built"]},
            "genotype": {"name": "pram", "draws": 2, "fresh_draws": 5, "invariance": "two-stage"},
            "algorithm": {"name": "parent-child", "population": 4},
            "stop": {"generations": 2},
        }
    )
    path = tmp_path_factory.mktemp("drawn") / "run"
    run_once(experiment, path, default_registry(), 3)
    return path


def test_fresh_figures_stand_beside_those_of_the_search(folder):
    (run,) = read_run_folders([folder])
    shown = fresh_rows(run)
    result = json.loads((folder / "result.json").read_text())
    assert shown["draws"] == 5
    names = [row["name"] for row in shown["rows"]]
    assert names == ["best found", "best initial matrix or genome", "best of the comparison"]
    first = shown["rows"][0]
    assert first["seen"] == f"{result['best']['fitness'][0]:.3f}"
    assert first["fitness"] == f"{result['fresh']['best']['fitness'][0]:.3f}"
    assert first["error"] == f"{result['fresh']['best']['fitness_errors'][0]:.3f}"
    assert shown["rows"][2]["advantage"] != ""


def test_heat_maps_show_matrix_and_frequencies(folder):
    (run,) = read_run_folders([folder])
    entries = matrix_entries(run)
    assert [entry["attribute"] for entry in entries] == ["degree", "built"]
    assert entries[0]["shift"] == ""
    stored = run.transitions["degree"]
    drawn = heat_map(stored)
    np.testing.assert_array_equal(np.array(drawn.data[0]["z"]), stored["matrix"])
    assert list(drawn.data[1]["x"]) == stored["frequencies"]
    assert list(drawn.data[2]["x"]) == stored["published"]
    assert next(iter(drawn.layout["yaxis"]["ticktext"])).startswith(stored["categories"][0][:5])


def test_page_shows_them(folder, tmp_path):
    text = write_report([folder], tmp_path / "report.html").read_text()
    assert "On fresh draws" in text
    assert "Transition matrices" in text
    assert 'id="run-1-matrix-2"' in text
    assert "The matrix is invariant" in text


def test_files_that_are_not_drawn_have_neither(tmp_path):
    experiment = Experiment.model_validate(
        {
            "data": {"name": "housing", "first": 60, "protect": ["degree"]},
            "start": {"methods": [{"method": "pram"}]},
            "stop": {"generations": 1},
        }
    )
    run_once(experiment, tmp_path / "run", default_registry(), 1)
    (run,) = read_run_folders([tmp_path / "run"])
    assert fresh_rows(run) is None
    assert matrix_entries(run) == []
    assert "On fresh draws" not in write_report([tmp_path / "run"], tmp_path / "report.html").read_text()
