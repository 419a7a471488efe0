"""Every algorithm and fitness by name from an experiment: reproducible, resumable, exact; constraints and fronts."""

import json
from itertools import pairwise

import pytest

from evosdc.engine.checkpoint import load_checkpoint, save_checkpoint
from evosdc.engine.digest import digest_of
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.fresh import unequal
from evosdc.engine.loop import first_state, search
from evosdc.engine.stop import Stop
from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import named_in, resolve
from evosdc.experiment.single_run import run_once
from evosdc.experiment.start import starting_individuals
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

METHODS = ({"method": "mdav", "k": 3}, {"method": "pram", "p": 0.7}, {"method": "rank-swapping", "p": 8})
PROTECT = ("built", "degree", "grade1")

ALGORITHMS = (
    {"name": "parent-child", "variation": "and", "adaptive": False, "selection": "rank"},
    {"name": "parent-child", "adaptive": True},
    {"name": "generational", "gap": 0.5, "duplicates": False, "selection": "stochastic-universal"},
    {"name": "steady-state", "variation": "and"},
    {"name": "nsga2"},
    {"name": "nsga3", "variation": "or", "adaptive": True},
    {"name": "spea2"},
    {"name": "random-search", "candidates": 10},
    {"name": "hill-climbing", "patience": 3, "mutants": 2},
    {"name": "islands", "islands": 2, "interval": 3, "inner": {"name": "nsga2"}},
    {"name": "islands", "islands": 3, "interval": 2, "inner": {"name": "hill-climbing", "patience": 2}},
)
NAMES = [" ".join(map(str, entry.values())) for entry in ALGORITHMS]


def experiment(**changes):
    given = {
        "seed": 7,
        "data": {"name": "housing", "first": 120, "protect": PROTECT},
        "start": {"methods": METHODS, "random": 5},
        "fitness": "pareto",
        "stop": {"generations": 8},
    }
    return Experiment.model_validate(given | changes)


def searched(assembly, generations, state=None):
    """Return the state after so many generations, from the start or from a state."""
    if state is None:
        individuals = list(starting_individuals(assembly, None, lambda done, total: None))
        state = first_state(assembly.algorithm, individuals)
    evaluator, stop = Evaluator(assembly.problem), Stop(generations=generations)
    return search(assembly.algorithm, evaluator, assembly.problem.streams, stop, state, lambda state, record: None)[0]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=NAMES)
def test_a_search_goes_on_from_a_checkpoint_as_if_never_stopped_and_is_exact(algorithm, tmp_path):
    assembly = assemble(experiment(algorithm=algorithm), default_registry())
    whole = searched(assembly, 8)
    half = searched(assembly, 4)
    genotype = assembly.problem.genotype
    stored = load_checkpoint(save_checkpoint(tmp_path, half, genotype), genotype)
    again = searched(assemble(experiment(algorithm=algorithm), default_registry()), 8, stored)
    assert digest_of(again.population) == digest_of(whole.population)
    assert digest_of(again.front) == digest_of(whole.front)
    assert again.best.key == whole.best.key
    assert again.progress.diversity == whole.progress.diversity
    assert unequal(assembly.problem, [*whole.population, *whole.front, whole.best]) == []


@pytest.mark.parametrize("fitness", ["mean", "max", "weighted", {"name": "pareto", "objectives": "measures"}])
def test_every_fitness_runs_by_name(fitness, tmp_path):
    run = run_once(experiment(fitness=fitness, algorithm="nsga3"), tmp_path / "run", default_registry(), 7)
    result = run.result
    assert len(result.best.fitness) == (6 if isinstance(fitness, dict) else 1)
    assert result.best.fitness <= result.portfolio.best.fitness or isinstance(fitness, dict)


@pytest.fixture(scope="module")
def constrained(tmp_path_factory):
    chosen = experiment(
        constraints=("dr <= 40", "il of degree <= 30", "dbil <= 60", "k-anonymity >= 1"),
        algorithm="nsga2",
        stop={"generations": 30},
    )
    return run_once(chosen, tmp_path_factory.mktemp("constrained") / "run", default_registry(), 7)


def test_a_search_finds_an_anonymous_file_from_files_that_are_none(tmp_path):
    """The smallest class alone would lead it nowhere."""
    chosen = experiment(
        constraints=("k-anonymity >= 2",),
        start={"methods": [{"method": "pram", "p": 0.6}, {"method": "rank-swapping", "p": 8}]},
        algorithm="memetic",
        stop={"target": 99.0, "evaluations": 20_000},
    )
    result = run_once(chosen, tmp_path / "run", default_registry(), 7).result
    assert result.portfolio.best.scores["k-anonymity"] == 1.0
    assert result.portfolio.best.scores["records short of k-anonymity >= 2"] > 10.0
    assert result.best.scores["k-anonymity"] >= 2.0
    assert result.best.scores["infeasibility"] == 0.0


def test_the_result_says_which_constraints_hold(constrained):
    scores, judged = constrained.result.best.scores, constrained.result.requirements
    assert [entry.requirement for entry in judged] == [
        "dr <= 40", "il of degree <= 30", "dbil <= 60", "k-anonymity >= 1"
    ]  # fmt: skip
    assert [entry.value for entry in judged] == [scores[name] for name in ("dr", "il of degree", "dbil", "k-anonymity")]
    assert all(entry.met for entry in judged)
    assert scores["infeasibility"] == 0.0
    assert scores["il of degree"] == pytest.approx(
        sum(scores[f"{name} of degree"] for name in ("dbil", "ctbil", "ebil")) / 3
    )
    assert not any("breaks" in text for text in constrained.result.warnings)


def test_figures_on_one_attribute_are_those_of_the_stored_file(constrained):
    from evosdc import measure
    from evosdc.files.source import read_masked

    assembly = assemble(experiment(), default_registry())
    stored = read_masked(constrained.folder / "best.csv", assembly.source)
    before = assembly.microdata.original.select(["degree"])
    found = measure(before, stored.table.select(["degree"]), ["dbil", "ctbil", "ebil"])
    for name, value in found.items():
        assert constrained.result.best.scores[f"{name} of degree"] == value


def test_the_front_obeys_the_constraints_and_dominates_more_than_the_portfolio(constrained):
    front = constrained.result.front
    assert front
    for member in front:
        assert member.scores["dr"] <= 40
        assert member.scores["infeasibility"] == 0.0
    volumes = constrained.result.hypervolume
    assert volumes["reference"] == 100.0
    assert volumes["front"] > volumes["portfolio"] >= 0.0


def test_best_is_the_balanced_member_of_the_front(constrained):
    greatest = [max(m.scores["il"], m.scores["dr"]) for m in constrained.result.front]
    best = constrained.result.best.scores
    assert max(best["il"], best["dr"]) == min(greatest)


def test_diversity_and_hypervolume_stand_in_the_journal(constrained):
    records = read_journal(constrained.folder / "journal.jsonl")
    volumes = [record["hypervolume"] for record in records]
    feasible = [record["infeasible"] < 8 if "infeasible" in record else True for record in records]
    assert volumes[-1] == constrained.result.hypervolume["front"]
    assert all(b >= a for a, b in pairwise(volumes))
    assert all(record["diversity"] >= 0.0 for record in records)
    assert feasible[-1]


def test_a_report_tells_of_constraints_and_fronts(constrained, tmp_path):
    from evosdc.report import write_report

    text = write_report([constrained.folder], tmp_path / "page.html").read_text()
    assert "Every constraint holds in the file that was written: dr &lt;= 40" in text
    assert "The front that was found dominates" in text
    assert "front of the portfolio" in text


def test_constraints_that_nothing_fulfils_are_told(tmp_path):
    run = run_once(experiment(constraints=["il <= 0", "dr <= 0"]), tmp_path / "run", default_registry(), 7)
    assert not all(entry.met for entry in run.result.requirements)
    assert "No file that fulfils all constraints was found" in run.result.warnings[0]
    assert run.result.hypervolume["front"] == 0.0
    assert json.loads((run.folder / "status.json").read_text())["state"] == "done"


def test_a_target_waits_for_a_file_that_may_be_published(tmp_path):
    chosen = experiment(fitness="mean", constraints=["dr <= 40"], stop={"generations": 200, "target": 90.0})
    result = run_once(chosen, tmp_path / "run", default_registry(), 7).result
    assert result.stopped == "target 90 reached"
    assert result.best.scores["infeasibility"] == 0.0


def test_a_search_ends_when_its_members_have_become_alike(tmp_path):
    chosen = experiment(
        fitness="mean",
        algorithm={"name": "generational", "mutation": 0.0, "selection": "truncation", "truncation": 0.2},
        stop={"generations": 500, "diversity": 1.0},
    )
    result = run_once(chosen, tmp_path / "run", default_registry(), 7).result
    assert result.stopped == "diversity below 1"


FAULTS = [
    ("dr < 20", "the comparison <"),
    ("risk <= 20", "which nothing is called"),
    ("il of city <= 5", "which is not protected"),
    ("k-anonymity of degree >= 3", "privacy model of one attribute"),
    ("actbil <= 5", "a measure that is not taken"),
]


@pytest.mark.parametrize(("text", "word"), FAULTS)
def test_a_constraint_that_cannot_be_judged_has_one_fault(text, word):
    with pytest.raises(InputError) as caught:
        assemble(experiment(constraints=[text]), default_registry())
    (fault,) = caught.value.faults
    assert word in str(fault)


def test_faulty_constraints_are_told_together():
    texts = [text for text, _ in FAULTS[1:]]
    with pytest.raises(InputError) as caught:
        assemble(experiment(constraints=texts), default_registry())
    assert len(caught.value.faults) == len(texts)
    with pytest.raises(InputError) as caught:
        assemble(experiment(constraints=["dr", "il = 3"], fitness="meen"), default_registry())
    assert len(caught.value.faults) == 3


def test_a_fitness_on_what_is_not_measured_is_refused():
    for fitness in ({"name": "weighted", "measures": {"rsrl": 1}}, {"name": "pareto", "objectives": ["il", "rsrl"]}):
        with pytest.raises(InputError, match="no measure for rsrl"):
            assemble(experiment(fitness=fitness), default_registry())


@pytest.mark.endurance
def test_workers_end_with_the_same_digest(tmp_path, monkeypatch):
    from evosdc.executors.processes import ProcessesExecutor

    chosen = {
        "algorithm": {"name": "islands", "islands": 2, "interval": 2, "inner": "nsga2"},
        "constraints": ["dr <= 40", "il of degree <= 30", "k-anonymity >= 2"],
        "stop": {"generations": 5},
    }
    here = run_once(experiment(**chosen), tmp_path / "here", default_registry(), 7).result
    sent = []
    send = ProcessesExecutor.map
    monkeypatch.setattr(ProcessesExecutor, "map", lambda self, tasks: sent.append(len(tasks)) or send(self, tasks))
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_starting", lambda seconds, workers: True)
    monkeypatch.setattr("evosdc.executors.pool.PoolExecutor.begin", lambda self, task: True)  # wait for workers
    executor = {"name": "processes", "workers": 2}
    there = run_once(experiment(**chosen, executor=executor), tmp_path / "there", default_registry(), 7).result
    assert sent
    for key in ("digest", "best", "front", "requirements", "hypervolume", "evaluations"):
        assert getattr(there, key) == getattr(here, key), key


def test_a_resolved_experiment_says_all_of_algorithms_within_algorithms():
    registry = default_registry()
    given = {
        "data": {"name": "housing"},
        "measures": ["dbil"],
        "start": {"random": 2},
        "algorithm": {"name": "islands", "inner": {"name": "memetic", "rounds": 3, "inner": "steady-state"}},
    }
    said = Experiment.model_validate(given)
    full = resolve(said, registry, ("built",), said.start)
    inner = full.algorithm.params["inner"]
    assert (inner["name"], inner["rounds"], inner["probes"]) == ("memetic", 3, 60)
    assert (inner["inner"]["name"], inner["inner"]["tournament"]) == ("steady-state", 4)
    assert {name for kind, name in named_in(full, registry) if kind == "algorithm"} == {
        "islands",
        "memetic",
        "steady-state",
    }
    assert resolve(full, registry, ("built",), said.start) == full
