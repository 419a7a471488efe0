"""A first run with a limit of time is rehearsed on a few records, once for each kind on a machine."""

from pathlib import Path
from typing import Any

import pytest

from evosdc.errors import InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.time_budget import REHEARSING, rehearse
from evosdc.secret import Key

HOUSING: dict[str, Any] = {
    "data": {"name": "housing", "protect": ["built", "degree", "grade1"]},
    "measures": {"il": ["dbil"], "dr": ["dbrl"]},
    "algorithm": "parent-child",
    "seed": 1,
}


class Machine:
    """Runs that are begun on a machine, with what is said about them."""

    def __init__(self) -> None:
        self.runs: list[Experiment] = []
        self.folders: list[Path] = []
        self.said: list[str] = []

    def rehearse(self, kinds: str = "nominal", error: Exception | None = None, **changed: Any) -> None:
        def run(experiment: Experiment, folder: Path, key: Key) -> None:
            self.runs.append(experiment)
            self.folders.append(folder)
            folder.mkdir()
            (folder / "key").write_text(str(key))
            if error is not None:
                raise error

        rehearse(parse_experiment(HOUSING | changed, Path.cwd()), kinds, run, self.said.append)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("EVOSDC_REHEARSAL", raising=False)
    return Machine()


def test_the_rehearsal_is_short_and_leaves_nothing(machine: Machine) -> None:
    machine.rehearse(stop={"seconds": 60})
    (short,) = machine.runs
    assert short.data.first == 150
    assert short.stop.seconds is None
    assert short.stop.generations == 2
    assert short.measures == parse_experiment(HOUSING, Path.cwd()).measures
    assert machine.said == [REHEARSING]
    assert not machine.folders[0].exists()
    assert not machine.folders[0].parent.exists()


def test_each_kind_is_rehearsed_once(machine: Machine) -> None:
    machine.rehearse(stop={"seconds": 60})
    machine.rehearse(stop={"seconds": 5}, seed=2)
    assert len(machine.runs) == 1
    machine.rehearse(stop={"seconds": 60}, algorithm="memetic")
    machine.rehearse(stop={"seconds": 60}, measures={"il": ["ebil"], "dr": ["dbrl"]})
    machine.rehearse(stop={"seconds": 60}, kinds="numeric")
    assert len(machine.runs) == 4


def test_a_run_without_a_limit_of_time_is_not_rehearsed(machine: Machine) -> None:
    machine.rehearse(stop={"generations": 5})
    assert not machine.runs
    assert not machine.said


def test_the_environment_can_refuse(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOSDC_REHEARSAL", "no")
    machine.rehearse(stop={"seconds": 60})
    assert not machine.runs


def test_what_fails_in_a_rehearsal_is_left_to_the_run(machine: Machine) -> None:
    machine.rehearse(stop={"seconds": 60}, error=InputError("this file has too few records"))
    assert len(machine.runs) == 1
    assert not machine.folders[0].exists()
