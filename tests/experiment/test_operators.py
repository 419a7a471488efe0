"""The operators that an experiment names: functions of modules, of DEAP, and of plugins."""

import json

import pytest

from evosdc.errors import InputError
from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.run.run import run_once
from evosdc.model import OperatorSpec, hookimpl
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry

EXPERIMENT = {
    "seed": 5,
    "data": {"name": "housing", "first": 60, "protect": ["degree", "grade1"]},
    "start": {"random": 6},
    "measures": {"il": ["dbil"], "dr": ["dbrl"]},
    "fitness": "mean",
    "algorithm": {"name": "generational", "crossover": 0.5, "mutation": 1.0},
    "stop": {"generations": 3},
    "executor": "serial",
}
SEEN: list[str] = []


def pure(genome, rng, times=1):
    """Copy some records."""
    SEEN.append(f"pure {times}")
    changed = genome.copy()
    for _ in range(times):
        one, other = rng.integers(len(changed), size=2)
        changed[one] = changed[other]
    changed.flags.writeable = False
    return changed


def of_deap(genes):
    """Copy a gene of the same attribute."""
    SEEN.append("deap")
    genes[0] = genes[2]
    return (genes,)


def first_ones(individuals, k):
    """Select the first."""
    SEEN.append("select")
    return individuals[:1] * k


class Offers:
    @hookimpl
    def evosdc_operators(self):
        yield OperatorSpec(name="copying", implementation=f"{__name__}:pure", summary="Copies records.")
        yield OperatorSpec(
            name="first-ones", implementation=f"{__name__}:first_ones", summary="Selects.", varies="select"
        )


@pytest.fixture(scope="module")
def registry():
    return Registry.load(extra_plugins={"offers": Offers()})


@pytest.fixture(autouse=True)
def _nothing_seen():
    SEEN.clear()


def run(operators, folder, registry):
    given = parse_parameters(Experiment, EXPERIMENT | {"operators": operators}, "experiment")
    finished = run_once(given, folder, registry, 5)
    records = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return finished, records


@pytest.mark.parametrize(
    ("operators", "asked"),
    [
        ({"mutate": f"{__name__}:pure"}, {"pure 1"}),
        ({"mutate": {"name": f"{__name__}:pure", "times": 4}}, {"pure 4"}),
        ({"mutate": f"{__name__}:of_deap"}, {"deap"}),
        ({"mutate": "copying", "select": "first-ones"}, {"pure 1", "select"}),
        ({"mate": "deap.tools:cxTwoPoint", "mutate": {"name": "copying", "times": 2}}, {"pure 2"}),
        ({"select": {"name": "deap.tools:selTournament", "tournsize": 3}}, set()),
    ],
)
def test_a_search_varies_and_selects_by_what_is_named(operators, asked, tmp_path, registry):
    finished, _ = run(operators, tmp_path / "run", registry)
    assert set(SEEN) == asked
    again, _ = run(operators, tmp_path / "again", registry)
    assert finished.result["digest"] == again.result["digest"], "draws come from the search's own streams"
    without, _ = run({}, tmp_path / "without", registry)
    assert without.result["digest"] != finished.result["digest"]


@pytest.mark.parametrize(
    ("operators", "told"),
    [
        ({"mutate": "copyin"}, "Did you mean 'copying'"),
        ({"mutate": "first-ones"}, "an operator to select"),
        ({"mutate": f"{__name__}:absent"}, "absent"),
        ({"mutate": "no_such_module:function"}, "no_such_module"),
        ({"mutate": f"{__name__}:SEEN"}, "no function"),
        ({"mutate": {"name": "copying", "tims": 3}}, "tims of copying; wanted parameters that it takes: times"),
    ],
)
def test_what_cannot_be_used_is_told(operators, told, tmp_path, registry):
    with pytest.raises(InputError, match=told):
        run(operators, tmp_path / "run", registry)


def test_all_that_is_wrong_is_told_at_once(tmp_path, registry):
    with pytest.raises(InputError) as caught:
        run({"mutate": "copyin", "select": "first"}, tmp_path / "run", registry)
    assert "operators.mutate" in str(caught.value)
    assert "operators.select" in str(caught.value)
