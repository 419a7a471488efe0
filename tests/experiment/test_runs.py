"""Runs, resumed runs and replicates: same seed, same result."""

import json
from itertools import pairwise

import numpy as np
import pytest

from evosdc.engine.digest import digest_of
from evosdc.engine.fresh import unequal
from evosdc.errors import CheckpointError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.study import resume_study, run_study
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

SMALL = ({"method": "mdav", "k": 3}, {"method": "pram", "p": 0.7}, {"method": "rank-swapping", "p": 8})


def experiment(**changes):
    given = {
        "seed": 11,
        "data": {"name": "housing", "first": 200},
        "start": {"methods": SMALL, "random": 5},
        "stop": {"generations": 12},
    }
    return Experiment.model_validate(given | changes)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return run_once(experiment(), tmp_path_factory.mktemp("plain") / "run", default_registry(), 11)


def test_result_describes_the_run(plain):
    result = plain.result
    assert result.portfolio.size == 3
    assert result.generations == 12
    assert result.stopped == "12 generations"
    assert result.best.fitness[0] <= result.portfolio.best.fitness[0]
    assert result.identity.scores["il"] == 0.0
    assert result.digest == digest_of(plain.state.population)
    assert json.loads((plain.folder / "result.json").read_text()) == result.to_json()
    front = [(m.scores["il"], m.scores["dr"]) for m in result.front]
    assert front == sorted(front)
    assert all(a[1] > b[1] for a, b in pairwise(front))


def test_scores_equal_a_fresh_evaluation_of_the_stored_file(plain):
    from evosdc import measure
    from evosdc.files.source import read_masked

    assembly = assemble(experiment(), default_registry())
    masked = read_masked(plain.folder / "best.csv", assembly.source)
    names = list(assembly.problem.measures)
    scores = measure(assembly.source.table, masked.table, names, protect=assembly.microdata.protect)
    assert scores == {name: plain.result.best.scores[name] for name in scores}


def test_scores_of_children_are_those_of_a_fresh_evaluation(plain):
    assembly = assemble(experiment(), default_registry())
    assert unequal(assembly.problem, plain.state.population) == []


def test_best_and_mean_never_get_worse(plain):
    records = read_journal(plain.folder / "journal.jsonl")
    assert [r["generation"] for r in records] == list(range(13))
    for series in ("min", "mean"):
        values = [r["fitness"][series] for r in records]
        assert all(b <= a + 1e-12 for a, b in pairwise(values))


@pytest.mark.parametrize(
    ("name", "workers"),
    [
        *(pytest.param("processes", workers, marks=pytest.mark.endurance) for workers in (1, 2, 3)),
        *(pytest.param("scoop", workers, marks=pytest.mark.endurance) for workers in (2, 3)),
    ],
)
def test_every_executor_ends_with_the_same_digest(plain, tmp_path, name, workers, monkeypatch):
    # Small work would stay in this process: send all of it away.
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_starting", lambda seconds, workers: True)
    monkeypatch.setattr("evosdc.executors.pool.PoolExecutor.begin", lambda self, task: True)  # wait for workers
    chosen = experiment(executor={"name": name, "workers": workers})
    result = run_once(chosen, tmp_path / "run", default_registry(), 11).result
    assert result.digest == plain.result.digest
    assert result.best.scores == plain.result.best.scores
    assert not list((tmp_path / "run").glob("context/*"))


@pytest.mark.parametrize("algorithm", ["generational", "parent-child"])
@pytest.mark.parametrize("fitness", ["mean", "max"])
def test_algorithms_improve_on_their_start(tmp_path, algorithm, fitness):
    chosen = experiment(algorithm=algorithm, fitness=fitness, stop={"generations": 40})
    result = run_once(chosen, tmp_path / "run", default_registry(), 11).result
    assert result.best.fitness[0] < result.portfolio.best.fitness[0]


def test_another_seed_gives_another_run(plain, tmp_path):
    other = run_once(experiment(), tmp_path / "run", default_registry(), 12).result
    assert other.digest != plain.result.digest


def test_resume_of_a_finished_study_returns_its_result(plain):
    assert resume_study(plain.folder, default_registry()) == plain.result


def test_resume_refuses_changed_data_and_versions(tmp_path):
    run_once(experiment(), tmp_path / "run", default_registry(), 11)
    path = tmp_path / "run" / "environment.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"evosdc": "0.0.0"}))
    with pytest.raises(CheckpointError, match=r"evosdc 0\.0\.0 is now"):
        resume_once(tmp_path / "run", default_registry())
    path.write_text(json.dumps(document | {"data": "other"}))
    with pytest.raises(CheckpointError, match="not those that the run began with"):
        resume_once(tmp_path / "run", default_registry())


@pytest.mark.endurance
def test_replicates_have_seeds_folders_and_a_summary(tmp_path):
    result = run_study(experiment(replicates=3, stop={"generations": 2}), tmp_path / "study", default_registry())
    assert [r.folder for r in result.replicates] == [f"replicate-00{i}" for i in (1, 2, 3)]
    assert len({r.digest for r in result.replicates}) == 3
    values = [r.best.fitness[0] for r in result.replicates]
    assert result.spread["mean"] == pytest.approx(np.mean(values))
    assert result.best.fitness[0] == min(values)
    assert (tmp_path / "study" / result.best.file).exists()
    assert resume_study(tmp_path / "study", default_registry()) == result


def test_stop_by_target_and_stall(tmp_path):
    target = run_once(experiment(stop={"target": 60.0}), tmp_path / "a", default_registry(), 11).result
    assert target.stopped == "target 60 reached"
    wild = experiment(stop={"stalled": 2}, genotype={"name": "cells", "mutations": 600})
    stalled = run_once(wild, tmp_path / "b", default_registry(), 1).result
    assert "without improvement" in stalled.stopped
