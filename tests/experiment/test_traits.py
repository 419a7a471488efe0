"""Traits of genomes, the length of plans for one, as objectives beside the scores of their files."""

import json
from pathlib import Path

import pytest

from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry

REGISTRY = default_registry()
GIVEN = {
    "seed": 2,
    "data": {"name": "housing", "first": 120},
    "genotype": {"name": "recipes", "draws": 2, "fresh_draws": 2, "lasting": False},
    "measures": {"il": ["ctbil"], "dr": ["dbrl"]},
    "executor": "serial",
    "second_opinion": False,
}


@pytest.mark.parametrize("algorithm", [{"name": "racing", "population": 8}, {"name": "nsga2", "population": 8}])
def test_length_is_an_objective_besides_loss_and_risk(tmp_path: Path, algorithm: dict[str, object]) -> None:
    fitness = {"name": "pareto", "objectives": ["il", "dr", "length"]}
    given = GIVEN | {"fitness": fitness, "algorithm": algorithm, "stop": {"generations": 3}}
    run_once(Experiment(**given), tmp_path / "run", REGISTRY, 2)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["identity"]["fitness"][2] == 0.0, "the original is made by no step"
    for member in result["front"]:
        il, dr, length = member["fitness"]
        assert [il, dr, length] == [member["scores"][name] for name in ("il", "dr", "length")]
        assert length == int(length) >= 1
    points = [tuple(member["fitness"]) for member in result["front"]]
    assert not any(
        one != other and all(a <= b for a, b in zip(one, other, strict=True)) for one in points for other in points
    ), "no member is beaten in all three"


def test_a_trait_that_genomes_lack_is_refused() -> None:
    fitness = {"name": "pareto", "objectives": ["il", "nodes"]}
    with pytest.raises(InputError, match="no measure for nodes"):
        assemble(Experiment(**GIVEN | {"fitness": fitness, "algorithm": {"name": "racing"}}), REGISTRY)
