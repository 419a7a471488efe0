"""What the framework does for genotypes with founders, random decoding and transition matrices."""

import csv
import json

import numpy as np
import pytest

from evosdc.engine.fresh import FIRST_FRESH, advantage, fresh_scores, jackknife_errors, summarised
from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.plugins.registry import default_registry
from tests.engine.problems import evaluated

PRAM = {"name": "pram", "draws": 2, "fresh_draws": 8}


def experiment(**changes):
    given = {
        "seed": 5,
        "data": {"name": "housing", "first": 200, "protect": ["degree", "built"]},
        "genotype": PRAM,
        "start": {"portfolio": "standard-pram", "initial": True},
        "algorithm": {"name": "parent-child", "population": 8},
        "stop": {"generations": 6},
    }
    return Experiment.model_validate(given | changes)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run_once(experiment(), tmp_path_factory.mktemp("pram") / "run", default_registry(), 5)


def test_founders_start_the_search_and_the_portfolio_is_compared(finished):
    plan = assemble(experiment(), default_registry()).plan
    assert plan.maskings == ()
    assert plan.random == 0
    assert len(plan.compared) == 18
    labels = [masking.label for masking, _ in plan.listed]
    assert labels == [*(m.label for m in plan.initial), *(m.label for m in plan.compared)]
    entries = json.loads((finished.folder / "portfolio.json").read_text())
    assert len(entries) == 1 + plan.candidates + 18
    assert finished.result.portfolio.size == plan.candidates + 18


def test_default_start_of_a_genotype_that_no_file_can_start_is_its_founders():
    plan = assemble(experiment(start={"portfolio": "standard-pram"}), default_registry()).plan
    assert plan.initial
    assert plan.candidates == len(plan.initial)
    plan = assemble(experiment(start={"random": 3}), default_registry()).plan
    assert (plan.initial, plan.candidates) == ((), 3)
    plan = assemble(experiment(start={"random": 3, "initial": True}), default_registry()).plan
    assert plan.candidates == 3 + len(plan.initial)


def test_nothing_to_start_from_is_refused():
    with pytest.raises(InputError, match="random = N"):
        assemble(experiment(start={"portfolio": "standard-pram", "initial": False}), default_registry())


def test_genotypes_without_founders_start_from_files():
    plan = assemble(experiment(genotype={"name": "cells"}), default_registry()).plan
    assert len(plan.maskings) == 18
    assert (plan.initial, plan.compared) == ((), ())


def test_fresh_scores_are_means_over_draws_that_the_search_never_saw(finished):
    problem = assemble(experiment(), default_registry()).problem
    best = finished.state.best
    fresh = finished.result.fresh
    tables = [problem.decode(best.genome, best.key, FIRST_FRESH + draw) for draw in range(fresh["draws"])]
    values = np.array([problem.measures["dbil"].score(table) for table in tables])
    assert fresh["draws"] == 8
    assert fresh["best"]["scores"]["dbil"] == pytest.approx(values.mean())
    assert fresh["best"]["errors"]["dbil"] == pytest.approx(values.std(ddof=1) / np.sqrt(8))
    seen = [problem.decode(best.genome, best.key, draw) for draw in range(2)]
    assert not any(a.same_records(b) for a in tables for b in seen)
    assert fresh["founder"]["label"] in {m.label for m in assemble(experiment(), default_registry()).plan.initial}
    assert fresh["portfolio"]["label"].startswith("pram design=")


def test_search_judges_all_genomes_by_the_same_draws():
    problem = assemble(experiment(), default_registry()).problem
    (_, genome), key = problem.initial_genomes[3], b"x" * 16
    assert problem.decode(genome, key, 1).same_records(problem.decode(genome, b"y" * 16, 1))
    assert not problem.decode(genome, key, 1).same_records(problem.decode(genome, key, 0))


def test_paired_errors_are_smaller_than_unpaired_ones():
    problem = assemble(experiment(), default_registry()).problem
    (_, a), (_, b) = problem.initial_genomes[3], problem.initial_genomes[4]
    first, second = (fresh_scores(problem, g, problem.genotype.key(g), 12) for g in (a, b))
    paired, unpaired = advantage(first, second), advantage(first, second, paired=False)
    assert paired[0] == unpaired[0] == pytest.approx(second.objectives[0] - first.objectives[0])
    assert paired[1] < unpaired[1]


def test_jackknife_error_of_a_mean_is_the_usual_one():
    values = np.random.default_rng(0).normal(size=11)
    left_out = (values.sum() - values) / 10
    assert jackknife_errors(left_out[:, None])[0] == pytest.approx(values.std(ddof=1) / np.sqrt(11))


def test_objectives_of_fresh_draws_are_those_of_mean_scores():
    problem = assemble(experiment(fitness={"name": "max"}), default_registry()).problem
    names = list(problem.measures)
    draws = [dict.fromkeys(names, 10.0) | {"id": 40.0}, dict.fromkeys(names, 30.0)]
    judged = summarised(problem, draws)
    assert judged.scores["il"] == 20.0
    assert judged.objectives == (max(judged.scores["il"], judged.scores["dr"]),)


def test_resumed_run_equals_one_that_was_never_stopped(finished, tmp_path):
    stopped = run_once(experiment(stop={"generations": 3}), tmp_path / "run", default_registry(), 5)
    resolved = json.loads((stopped.folder / "resolved.json").read_text())
    resolved["stop"]["generations"] = 6
    (stopped.folder / "resolved.json").write_text(json.dumps(resolved))
    resumed = resume_once(stopped.folder, default_registry()).result
    assert resumed.digest == finished.result.digest
    assert resumed.fresh == finished.result.fresh


def test_workers_give_the_result_of_one_process(finished, tmp_path):
    parallel = experiment(
        executor={"name": "processes", "workers": 2}, algorithm={"name": "parent-child", "population": 8}
    )
    result = run_once(parallel, tmp_path / "run", default_registry(), 5).result
    assert result.digest == finished.result.digest


def test_matrices_are_written_for_the_custodian_and_the_analyst(finished):
    folder = finished.folder
    transitions = json.loads((folder / "transitions.json").read_text())
    assert list(transitions) == ["degree", "built"]
    entry = transitions["degree"]
    rows = list(csv.reader((folder / "matrix-degree.csv").read_text().splitlines()))
    assert rows[0] == ["original", *entry["categories"]]
    assert [row[0] for row in rows[1:]] == entry["categories"]
    np.testing.assert_array_equal([[float(cell) for cell in row[1:]] for row in rows[1:]], entry["matrix"])
    text = (folder / "analyst.json").read_text()
    assert "seed" not in text
    assert "frequencies" not in text
    assert json.loads(text)["attributes"]["degree"]["randomised"]
    assert finished.result.best.genome["degree"] == entry["matrix"]


def test_expectation_needs_measures_that_have_one():
    judged = experiment(genotype={"name": "pram", "judge": "expectation"})
    with pytest.raises(InputError) as caught:
        assemble(judged, default_registry())
    assert [fault.where for fault in caught.value.faults] == ["measure dbrl", "measure prl"]


def test_expectation_needs_no_draw_and_is_checked_on_fresh_ones(tmp_path):
    judged = experiment(
        genotype={"name": "pram", "judge": "expectation", "fresh_draws": 4},
        measures={"il": ["dbil", "ctbil", "ebil"], "dr": ["id"]},
    )
    assembly = assemble(judged, default_registry())
    problem = assembly.problem
    _, genome = problem.initial_genomes[2]
    evaluation = evaluated(problem, genome)
    assert evaluation.scores["dbil"] == problem.measures["dbil"].expected(problem.genotype.transitions(genome))
    result = run_once(judged, tmp_path / "run", default_registry(), 5).result
    assert result.fresh["draws"] == 4
    assert result.best.fitness != result.fresh["best"]["fitness"]
