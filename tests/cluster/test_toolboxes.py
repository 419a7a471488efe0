"""DEAP's algorithms on the toolbox of a search, with the ``map`` of other processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.optional import require_dask

ROOT = Path(__file__).parents[2]

SCRIPT = """
import multiprocessing
import random
import sys

import evosdc
from deap import algorithms

EXPERIMENT = {
    "seed": 5,
    "data": {"name": "housing", "first": 60, "protect": ["degree", "grade1"]},
    "start": {"random": 6},
    "measures": {"il": ["dbil"], "dr": ["dbrl"]},
    "fitness": "mean",
}


def evolved(toolbox):
    population = toolbox.population()
    for one in population:
        one.fitness.values = toolbox.evaluate(one)  # here, and the others elsewhere
    random.seed(3)
    offspring = algorithms.varAnd(population, toolbox, 0.6, 0.8)
    changed = [one for one in offspring if not one.fitness.valid]
    elsewhere = list(toolbox.map(toolbox.evaluate, changed))
    assert elsewhere == list(map(toolbox.evaluate, changed))
    assert all(values.scores["dbrl"] >= 0.0 for values in elsewhere)
    for one, values in zip(changed, elsewhere):
        one.fitness.values = values
    print(len(changed), sum(one.fitness.valid for one in offspring))


if __name__ == "__main__":
    toolbox = evosdc.Search(EXPERIMENT).toolbox()  # nothing else keeps the search
    if sys.argv[1] == "scoop":
        from scoop import futures

        toolbox.register("map", futures.map)
        evolved(toolbox)
    elif sys.argv[1] == "dask":
        from distributed import Client, LocalCluster

        with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            toolbox.register("map", lambda *given: client.gather(client.map(*given)))
            evolved(toolbox)
    else:
        with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
            toolbox.register("map", pool.map)
            evolved(toolbox)
"""


@pytest.mark.parametrize(
    "way", ["fork", *(pytest.param(way, marks=pytest.mark.endurance) for way in ("spawn", "dask", "scoop"))]
)
def test_individuals_are_evaluated_elsewhere_and_nothing_stays_behind(way, tmp_path):
    if way == "dask":
        require_dask()
    script, files = tmp_path / "script.py", tmp_path / "temporary"
    script.write_text(SCRIPT)
    files.mkdir()
    launcher = ["-m", "scoop", "-n", "2", "-q"] if way == "scoop" else []
    done = subprocess.run(
        [sys.executable, *launcher, str(script), way],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TMPDIR": str(files)},
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    changed, valid = map(int, done.stdout.split())
    assert changed >= 2
    assert valid == 6
    assert not list(files.glob("evosdc-*")), "the problem holds confidential data"
