"""Two small genotypes that evosdc does not know go all the way: run, checkpoint, resume, workers."""

import json
import sys

import pytest

from evosdc.engine.checkpoint import checkpoints, load_checkpoint
from evosdc.engine.digest import digest_of
from evosdc.engine.fresh import unequal
from evosdc.experiment import workers
from evosdc.experiment.assembly import assemble
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.workers import problem_for_workers
from evosdc.plugins.registry import Registry
from evosdc.runs.journal import read_journal
from tests.engine.problems import evaluated
from tests.experiment.offers import Failing, experiment, lasting, registry, timeless
from tests.fake_plugins import distribute
from tests.testing.measures import CountsTracker

GENOTYPES = ("swaps", "levels")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Return a run that nothing disturbs, by genotype."""
    folder = tmp_path_factory.mktemp("plain")
    return {name: run_once(experiment(genotype=name), folder / name, registry(), 7) for name in GENOTYPES}


@pytest.fixture
def workers_know(monkeypatch):
    """Let workers in this process know the plugin, and send them everything."""
    found = registry()
    monkeypatch.setattr("evosdc.experiment.workers.default_registry", lambda: found)
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_starting", lambda seconds, workers: True)
    monkeypatch.setattr("evosdc.executors.pool.PoolExecutor.begin", lambda self, task: True)  # wait for workers
    workers.problem_of.cache_clear()
    yield found
    workers.problem_of.cache_clear()


@pytest.mark.parametrize("name", GENOTYPES)
def test_a_whole_run(plain, name):
    result = plain[name].result
    assert (result.generations, result.stopped) == (8, "8 generations")
    assert result.portfolio.size == 0
    assert len(plain[name].state.population) == 8
    assert result.digest == digest_of(plain[name].state.population)
    records = read_journal(plain[name].folder / "journal.jsonl")
    assert [record["generation"] for record in records] == list(range(9))
    assert records[-1]["fitness"]["mean"] < records[0]["fitness"]["mean"]
    assert (result.fresh is not None) == (name == "swaps")
    assert (plain[name].folder / "best.csv").exists()
    assert json.loads((plain[name].folder / "environment.json").read_text())["plugins"][-1]["name"] == "trial"


@pytest.mark.parametrize("name", GENOTYPES)
def test_scores_are_those_of_a_fresh_evaluation(plain, name):
    problem = assemble(experiment(genotype=name), registry()).problem
    state = plain[name].state
    assert unequal(problem, (*state.population, *state.front, state.best)) == []


@pytest.mark.parametrize("name", GENOTYPES)
def test_the_last_checkpoint_holds_the_end(plain, name):
    genotype = assemble(experiment(genotype=name), registry()).problem.genotype
    found = load_checkpoint(checkpoints(plain[name].folder)[-1], genotype)
    state = plain[name].state
    assert digest_of(found.population) == plain[name].result.digest
    for ours, theirs in ((found.population, state.population), (found.front, state.front)):
        assert [(i.key, i.origin) for i in ours] == [(i.key, i.origin) for i in theirs]
    assert (found.best.key, found.best.origin) == (state.best.key, state.best.origin)
    assert found.progress == state.progress


@pytest.mark.parametrize("name", GENOTYPES)
@pytest.mark.parametrize("after", [0, 4])
def test_a_stopped_run_ends_as_if_never_stopped(plain, name, after, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_once(
            experiment(genotype=name), tmp_path / "run", registry(), 7, display=Failing(KeyboardInterrupt(), after)
        )
    resumed = resume_once(tmp_path / "run", registry())
    assert lasting(resumed.result) == lasting(plain[name].result)
    journals = [read_journal(folder / "journal.jsonl") for folder in (resumed.folder, plain[name].folder)]
    assert timeless(journals[0]) == timeless(journals[1])


def bench_of(name, folder, known):
    """Return a worker's bench for an experiment."""
    assembly = assemble(experiment(genotype=name), known)
    context = problem_for_workers(assembly, folder / "context")
    return workers.WorkerProblem(context, 7), context


@pytest.mark.parametrize("name", GENOTYPES)
def test_a_worker_finds_the_same_scores(plain, name, tmp_path, workers_know):
    bench, context = bench_of(name, tmp_path, workers_know)
    genotype = bench.problem.genotype
    individuals = plain[name].state.population
    nearest = None
    for individual in individuals:
        dump = dict(genotype.dump(individual.genome))
        assert bench.evaluate(dump, nearest) == (individual.scores, individual.objectives)
        assert workers.evaluate(context, 7, (dump, nearest)) == (individual.scores, individual.objectives)
        nearest = individual.key
    assert set(bench.recent) == {individual.key for individual in individuals}


@pytest.mark.parametrize("name", GENOTYPES)
def test_a_worker_makes_the_same_start(name, tmp_path, workers_know):
    bench, context = bench_of(name, tmp_path, workers_know)
    assembly = assemble(experiment(genotype=name), workers_know)
    genotype = assembly.problem.genotype
    for position in range(8):
        dump, scores, objectives, label = workers.evaluate_start(context, 7, position)
        genome = genotype.random(assembly.problem.streams.random_genome(position))
        evaluation = evaluated(assembly.problem, genome)
        assert genotype.key(genotype.load(dump)) == genotype.key(genome)
        assert label == bench.plan.labels[position]
        assert (scores, objectives) == (evaluation.scores, evaluation.objectives)
    assert bench.plan.candidates == 8


def test_a_worker_follows_relatives_that_it_knows(tmp_path, workers_know, monkeypatch):
    bench, _ = bench_of("levels", tmp_path, workers_know)
    genotype = bench.problem.genotype
    calls = []
    tries = CountsTracker.tries
    monkeypatch.setattr(CountsTracker, "tries", lambda *args: calls.append(len(args[-1].rows)) or tries(*args))
    widths = genotype.random(bench.problem.streams.random_genome(0))[0]
    keys = []
    for suppressed, nearest in ((10, None), (13, 0), (14, None), (17, 2)):
        genome = (widths, suppressed)
        keys.append(genotype.key(genome))
        relative = None if nearest is None else keys[nearest]
        found = bench.evaluate(dict(genotype.dump(genome)), relative)
        afresh = evaluated(bench.problem, genome)
        assert found == (afresh.scores, afresh.objectives)
    assert bench.evaluate(dict(genotype.dump((widths, 18))), b"unknown") is not None
    assert calls == [3, 3]


def test_a_worker_forgets_the_oldest(tmp_path, workers_know, monkeypatch):
    monkeypatch.setattr("evosdc.experiment.workers.RECENT", 3)
    bench, _ = bench_of("levels", tmp_path, workers_know)
    genotype = bench.problem.genotype
    widths = genotype.random(bench.problem.streams.random_genome(0))[0]
    for suppressed in range(5):
        bench.evaluate(dict(genotype.dump((widths, suppressed))), None)
    assert list(bench.recent) == [genotype.key((widths, suppressed)) for suppressed in (2, 3, 4)]
    assert all(individual.parent is None for individual in bench.recent.values()), "they would keep all ancestors"


@pytest.mark.parametrize("name", GENOTYPES)
def test_the_whole_road_to_workers_and_back(plain, name, tmp_path, workers_know, monkeypatch):
    sent = []
    evaluate, begin = workers.evaluate, workers.evaluate_start
    monkeypatch.setattr(workers, "evaluate", lambda *args: sent.append("evaluate") or evaluate(*args))
    monkeypatch.setattr(workers, "evaluate_start", lambda *args: sent.append("begin") or begin(*args))
    # The first start is made here, to learn what it costs: with batches of two the others are sent away.
    monkeypatch.setattr("evosdc.experiment.start.BATCH", 2)
    chosen = experiment(genotype=name, executor={"name": "lent", "workers": 2})
    result = run_once(chosen, tmp_path / "run", workers_know, 7).result
    assert lasting(result) == lasting(plain[name].result)
    assert {"evaluate", "begin"} == set(sent)
    assert not list((tmp_path / "run").glob("context/*"))


@pytest.fixture
def distributed(tmp_path, monkeypatch):
    """Install the plugin as a distribution that worker processes find on their path; return the registry."""
    folder = tmp_path / "site"
    folder.mkdir()
    hooks = "evosdc_executors, evosdc_genotypes, evosdc_measures"
    distribute(folder, "evosdc-trial", f"from tests.experiment.offers import {hooks}\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_starting", lambda seconds, workers: True)
    monkeypatch.setattr("evosdc.executors.pool.PoolExecutor.begin", lambda self, task: True)  # wait for workers
    yield Registry.load()
    sys.modules.pop("evosdc_trial", None)


@pytest.mark.endurance
@pytest.mark.parametrize("name", GENOTYPES)
def test_worker_processes_end_with_the_same_digest(plain, name, tmp_path, distributed, monkeypatch):
    from evosdc.executors.processes import ProcessesExecutor

    sent = []
    send = ProcessesExecutor.map
    monkeypatch.setattr(ProcessesExecutor, "map", lambda self, tasks: sent.append(len(tasks)) or send(self, tasks))
    assert distributed.provider("genotype", name) == "evosdc_trial (evosdc-trial 1.0)"
    chosen = experiment(genotype=name, executor={"name": "processes", "workers": 2})
    result = run_once(chosen, tmp_path / "run", distributed, 7).result
    assert lasting(result) == lasting(plain[name].result)
    assert sent
