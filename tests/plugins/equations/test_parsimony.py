import json

import pytest

from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.study import run_study
from evosdc.plugins.registry import default_registry
from evosdc_equations.parsimony import Parsimony


@pytest.mark.parametrize(("of", "value"), [("mean", 30.0), ("max", 40.0)])
def test_size_is_the_second_objective(of, value):
    fitness = Parsimony(Parsimony.Params(of=of))
    assert fitness.combine({"il": 20.0, "dr": 40.0, "nodes": 7.0}) == (value, 7.0)
    assert fitness.combine({"il": 20.0, "dr": 40.0}) == (value, 0.0)


def test_rounding_makes_near_scores_equal():
    fitness = Parsimony(Parsimony.Params(digits=1))
    assert fitness.combine({"il": 20.01, "dr": 40.0, "nodes": 3}) == (30.0, 3.0)


def run(tmp_path, **changes):
    document = {
        "seed": 5,
        "data": {"name": "housing", "protect": ["built", "degree"], "first": 200},
        "genotype": {"name": "equations", "draws": 2},
        "start": {"random": 12},
        "measures": {"il": ["dbil", "ebil"], "dr": ["id"]},
        "fitness": {"name": "mean"},
        "algorithm": {"name": "steady-state", "generations": 4},
    } | changes
    return run_study(parse_experiment(document, tmp_path), tmp_path / "run", default_registry())


def test_a_search_can_minimise_score_and_size(tmp_path):
    result = run(tmp_path, fitness={"name": "parsimony", "of": "max"})
    score, nodes = result.best.fitness
    assert score == pytest.approx(max(result.best.scores[n] for n in ("il", "dr")))
    assert nodes == result.best.scores["nodes"] >= 1
    assert result.identity.fitness[1] == 0


@pytest.mark.parametrize("algorithm", ["steady-state", "generational", "parent-child"])
def test_every_algorithm_evolves_equations(tmp_path, algorithm):
    result = run(tmp_path, algorithm={"name": algorithm, "generations": 4})
    journal = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    bests = [record["best"]["fitness"][0] for record in journal]
    assert len(bests) == 5
    assert result.best.fitness[0] == min(bests)
    assert result.fresh["draws"] == 30


def test_founders_start_the_search_where_nothing_is_said(tmp_path):
    result = run(tmp_path, start={"initial": True})
    assert result.fresh["founder"]["label"].startswith("pram design=")
    assert result.portfolio.size == 18
