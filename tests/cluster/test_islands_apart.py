"""Islands on real workers, one of them made slow: the others go on meanwhile, and the result is the same."""

import pytest

from evosdc.engine.asynchronous_islands import AsynchronousIslands
from evosdc.engine.checkpoint import checkpoints
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.plugins.registry import default_registry

from .commands import assert_same_run, end_at, experiment_file

pytestmark = pytest.mark.cluster

ISLANDS = {"name": "islands", "islands": 4, "interval": 3, "topology": "ring"}

SLOW = """
import os, time
from pathlib import Path
from evosdc.experiment import workers

evolve = workers.evolve


def evolve_slowly(shared, seed, payload):
    if payload[1] == 1:
        limit = time.monotonic() + float(os.environ["EVOSDC_TEST_SECONDS"])
        while time.monotonic() < limit and not Path(os.environ["EVOSDC_TEST_AHEAD"]).exists():
            time.sleep(0.01)
    return evolve(shared, seed, payload)
"""


@pytest.fixture
def experiment(tmp_path):
    return experiment_file(tmp_path / "experiment.toml", algorithm=ISLANDS, stop={"generations": 12})


def ran(path, folder, **settings):
    experiment = read_experiment(path, [f"executor.{key}={value}" for key, value in settings.items()])
    run_once(experiment, folder, default_registry(), experiment.seed)
    return folder


@pytest.mark.parametrize("executor", ["processes", pytest.param("scoop", marks=pytest.mark.endurance)])
def test_a_slow_island_changes_nothing_and_holds_up_only_those_that_need_it(
    executor, experiment, tmp_path, monkeypatch
):
    serial = ran(experiment, tmp_path / "serial")
    (tmp_path / "slow_islands.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("evosdc.experiment.workers.EVOLVE", "slow_islands:evolve_slowly")
    # With processes the slow island waits for the others to get ahead; SCOOP waits for it with all that it was given.
    monkeypatch.setenv("EVOSDC_TEST_SECONDS", "60" if executor == "processes" else "0.25")
    monkeypatch.setenv("EVOSDC_TEST_AHEAD", str(tmp_path / "ahead"))
    told = []
    answered = AsynchronousIslands._answered

    def noted(self, island, outcome):
        told.append((island, self._demes[island].generation))
        if told[-1][1] > 3:
            (tmp_path / "ahead").touch()
        return answered(self, island, outcome)

    monkeypatch.setattr(AsynchronousIslands, "_answered", noted)
    apart = ran(experiment, tmp_path / "apart", name=executor, workers=2, grain="islands")
    assert_same_run(serial, apart)
    if executor == "processes":
        # When the slow one came to the first migration, the one before it on the ring had been through others.
        ahead = [(island, generation) for island, generation in told[: told.index((1, 1))]]
        assert max(generation for _, generation in ahead) > 3


@pytest.mark.endurance
@pytest.mark.parametrize("grain", ["islands", "evaluations"])
def test_a_run_is_taken_up_in_the_middle_between_two_migrations(grain, experiment, tmp_path):
    whole = ran(experiment, tmp_path / "whole")
    settings = {"name": "processes", "workers": 2, "grain": grain}
    cut = experiment_file(tmp_path / "cut.toml", algorithm=ISLANDS, stop={"generations": 7})
    folder = ran(cut, tmp_path / "cut", **settings)
    assert int(checkpoints(folder)[-1].stem.partition("-")[2]) == 7
    end_at(folder, 12)
    (folder / "result.json").unlink()
    resume_once(folder, default_registry())
    assert_same_run(whole, folder)
