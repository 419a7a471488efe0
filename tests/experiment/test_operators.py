"""The operators that an experiment names: functions of modules, of DEAP, and of plugins."""

import json
import sys

import numpy as np
import pytest

from evosdc.errors import InputError, PluginError, PluginRaisedError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.model import GenotypeSpec, OperatorSpec, hookimpl
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry, default_registry
from evosdc.testing import GenotypeConformance
from evosdc_cells.cells import Cells

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
COPYING = {"mutate": "copying", "mate": f"{__name__}:halves"}


def pure(genome, rng, times=1):
    """Copy some records."""
    SEEN.append(f"pure {times}")
    changed = genome.copy()
    for _ in range(times):
        one, other = rng.integers(len(changed), size=2)
        changed[one] = changed[other]
    changed.flags.writeable = False
    return changed


def halves(a, b, rng):
    """Exchange what stands behind some record."""
    SEEN.append("mate")
    at = rng.integers(len(a))
    made = np.concatenate([a[:at], b[at:]]), np.concatenate([b[:at], a[at:]])
    for one in made:
        one.flags.writeable = False
    return made


def halving(genome, rng, toolbox):
    """Copy fewer records with each generation."""
    itself = toolbox.genotype.distance(genome, genome)
    SEEN.append(f"generation {toolbox.generation} {sorted(toolbox.measures)} {itself}")
    return pure(genome, rng, max(1, 8 >> toolbox.generation))


def failing(genome, rng):
    raise ValueError("Jane Doe, born 1950")


def of_deap(genes):
    """Copy a gene of the same attribute."""
    SEEN.append("deap")
    genes[0] = genes[2]
    return (genes,)


def first_ones(individuals, k):
    """Select the first."""
    SEEN.append("select")
    return individuals[:1] * k


class HalvedCells(Cells):
    """A genotype that differs from a shipped one in its crossover."""

    def crossover(self, a, b, rng):
        return halves(np.asarray(a), np.asarray(b), rng)


class TestHalvedCells(GenotypeConformance):
    def genotype(self, microdata):
        return HalvedCells(HalvedCells.Params(), microdata)


del GenotypeConformance


class Offers:
    @hookimpl
    def evosdc_genotypes(self):
        yield GenotypeSpec(name="halved-cells", implementation=f"{__name__}:HalvedCells", summary="Halves of files.")

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
    if "mutate" in operators:
        again, _ = run(operators, tmp_path / "again", registry)
        assert finished.result.digest == again.result.digest, "draws come from the search's own streams"
    without, _ = run({}, tmp_path / "without", registry)
    assert without.result.digest != finished.result.digest


def test_an_operator_that_takes_the_toolbox_knows_what_the_search_is_about(tmp_path, registry):
    finished, _ = run({"mutate": f"{__name__}:halving"}, tmp_path / "run", registry)
    assert {text for text in SEEN if text.startswith("generation")} == {
        f"generation {generation} ['dbil', 'dbrl'] 0.0" for generation in range(3)
    }
    again, _ = run({"mutate": f"{__name__}:halving"}, tmp_path / "again", registry)
    assert finished.result.digest == again.result.digest
    with pytest.raises(InputError, match="parameters toolbox"):
        run({"mutate": {"name": f"{__name__}:halving", "toolbox": 1}}, tmp_path / "refused", registry)


def test_a_subclass_of_a_shipped_genotype_is_found_by_its_name(tmp_path, registry):
    given = EXPERIMENT | {"genotype": {"name": "halved-cells"}}
    finished = run_once(parse_parameters(Experiment, given, "experiment"), tmp_path / "run", registry, 5)
    assert "mate" in SEEN
    assert finished.result.best.file


@pytest.mark.parametrize(
    ("operators", "told"),
    [
        ({"mutate": "copyin"}, "Did you mean 'copying'"),
        ({"mutate": "first-ones"}, "an operator to select"),
        ({"mutate": f"{__name__}:absent"}, "absent"),
        ({"mutate": "no_such_module:function"}, "no_such_module"),
        ({"mutate": f"{__name__}:SEEN"}, "no function"),
        ({"mutate": {"name": "copying", "tims": 3}}, "tims of copying; wanted parameters that it takes: times"),
        ({"select": "deap.tools:selTournament"}, "deap.tools:selTournament without tournsize; wanted all parameters"),
        ({"mutate": "broken_operators:blur"}, "'broken_operators:blur': NameError: name 'undefined' is not defined"),
    ],
)
def test_what_cannot_be_used_is_told(operators, told, tmp_path, registry, monkeypatch):
    (tmp_path / "broken_operators.py").write_text("undefined\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=told):
        run(operators, tmp_path / "run", registry)


def test_all_that_is_wrong_is_told_at_once(tmp_path, registry):
    with pytest.raises(InputError) as caught:
        run({"mutate": "copyin", "select": "first"}, tmp_path / "run", registry)
    assert "operators.mutate" in str(caught.value)
    assert "operators.select" in str(caught.value)


@pytest.mark.parametrize(
    "algorithm",
    [
        {"name": "parent-child"},
        {"name": "generational"},
        {"name": "steady-state"},
        {"name": "nsga2"},
        {"name": "moead", "population": 6},
        {"name": "islands", "islands": 2, "interval": 2},
        {"name": "memetic", "rounds": 4, "rung": 1},
    ],
    ids=lambda algorithm: algorithm["name"],
)
def test_algorithms_vary_by_operators_of_a_stranger(algorithm, tmp_path, registry):
    given = EXPERIMENT | {"algorithm": algorithm, "operators": COPYING, "stop": {"generations": 6}}
    fitness = "pareto" if algorithm["name"] in ("nsga2", "moead") else "mean"
    finished = run_once(Experiment.model_validate(given | {"fitness": fitness}), tmp_path / "run", registry, 5)
    assert {"pure 1", "mate"} <= set(SEEN)
    assert finished.result.generations == 6


def test_operators_of_deap_take_parameters_and_what_they_make_is_checked(tmp_path, registry):
    chosen = {"name": "deap.tools:mutUniformInt", "low": 0, "indpb": 0.1}
    digests = {run({"mutate": chosen | {"up": up}}, tmp_path / f"{up}", registry)[0].result.digest for up in (1, 2)}
    assert len(digests) == 2
    with pytest.raises(PluginError, match=r"the operator deap.tools:mutUniformInt made what is no genome"):
        run({"mutate": chosen | {"up": 5000}}, tmp_path / "wrong", registry)


def test_what_an_operator_raises_is_told_and_its_text_is_not_kept(tmp_path, registry):
    told = f"operator {__name__}:failing: mutate raised ValueError"
    with pytest.raises(PluginRaisedError, match=f"^{told}: Jane Doe, born 1950$"):
        run({"mutate": f"{__name__}:failing"}, tmp_path / "run", registry)
    assert json.loads((tmp_path / "run" / "status.json").read_text())["message"] == f"PluginRaisedError: {told}"
    assert all(b"Jane Doe" not in path.read_bytes() for path in (tmp_path / "run").iterdir())


OWN = """
def blur(genome, rng):
    changed = genome.copy()
    one, other = rng.integers(len(changed), size=2)
    changed[one] = changed[other]
    changed.flags.writeable = False
    return changed
"""


def test_a_module_beside_the_experiment_is_found_by_workers_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_operators.py").write_text(OWN)
    monkeypatch.setattr("evosdc.executors.pool.PoolExecutor.begin", lambda self, task: True)  # wait for workers
    given = EXPERIMENT | {
        "operators": {"mutate": "own_operators:blur"},
        "algorithm": {"name": "islands", "islands": 2, "interval": 2, "inner": {"name": "generational"}},
    }
    digests = set()
    for place, executor in enumerate(("serial", {"name": "processes", "workers": 1, "grain": "islands"})):
        experiment = Experiment.model_validate(given | {"executor": executor})
        digests.add(run_once(experiment, tmp_path / f"run{place}", default_registry(), 5).result.digest)
    assert len(digests) == 1
    sys.modules.pop("own_operators", None)
