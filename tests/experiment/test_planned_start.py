"""A plan is evolved first, and its files start the search: never a worse one, told apart from classical methods."""

import json
from pathlib import Path

import pytest

from evosdc.experiment.assembly import assemble, assembled_like
from evosdc.experiment.display import Display
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import experiment_text, read_recipe
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.start import starting_individual
from evosdc.experiment.tuned_start import plan_assembly, planned_start, seconds_of_plan
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import PLANNING, RECIPE, RunFolder
from tests.engine.problems import evaluated

REGISTRY = default_registry()
GIVEN = {
    "seed": 5,
    "data": {"name": "housing", "first": 120},
    "measures": {"il": ["ctbil"], "dr": ["dbrl"]},
    "fitness": "max",
    "start": {"methods": [{"method": "rank-swapping", "p": 5}], "planned": {"evaluations": 60, "files": 2}},
    "algorithm": {"name": "parent-child"},
    "stop": {"generations": 3},
    "executor": "serial",
    "second_opinion": False,
}


def ran(folder: Path, **changes: object) -> dict:
    run_once(Experiment(**(GIVEN | changes)), folder, REGISTRY, 5)
    return json.loads((folder / "result.json").read_text())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planned") / "run"
    ran(folder)
    return folder


def test_its_files_start_the_search_and_it_is_no_classical_method(run: Path) -> None:
    result = json.loads((run / "result.json").read_text())
    portfolio = json.loads((run / "portfolio.json").read_text())
    recipe = read_recipe(run / RECIPE)
    planned = [entry for entry in portfolio if entry["planned"]]
    assert len(planned) == 2
    assert all(entry["label"].startswith(recipe.entry.masking.label) for entry in planned)
    assert result["best"]["fitness"] <= min(entry["fitness"] for entry in planned)
    assert result["portfolio"]["size"] == 1
    assert result["portfolio"]["best"]["method"] == "rank-swapping"
    assert result["portfolio"]["best"]["params"] == {"p": 5}


def test_the_result_says_what_a_file_costs_that_can_be_explained(run: Path) -> None:
    recipe = json.loads((run / "result.json").read_text())["recipe"]
    best = json.loads((run / "result.json").read_text())["best"]["fitness"][0]
    assert recipe["scores"]["score"] == read_recipe(run / RECIPE).scores["score"]
    assert recipe["better_percent"] == pytest.approx(100 * (1 - best / recipe["scores"]["score"]))
    assert recipe["file"] == RECIPE


def test_workers_and_a_resume_find_the_same(run: Path, tmp_path: Path) -> None:
    result = json.loads((run / "result.json").read_text())
    again = ran(tmp_path / "workers", executor={"name": "processes", "workers": 2})
    assert again["digest"] == result["digest"]
    assert again["recipe"]["label"] == result["recipe"]["label"]
    for path in (tmp_path / "workers").glob("checkpoint-*"):
        path.unlink()
    known = (tmp_path / "workers" / PLANNING).read_bytes()
    resumed = resume_once(tmp_path / "workers", REGISTRY).result
    assert resumed.digest == result["digest"]
    assert (tmp_path / "workers" / PLANNING).read_bytes() == known


@pytest.mark.endurance
def test_tuned_methods_are_where_plans_begin(tmp_path: Path) -> None:
    start = {"tuned": {"evaluations": 60, "methods": ["rank-swapping", "pram"]}, "planned": {"evaluations": 80}}
    result = ran(tmp_path / "run", start=start)
    tuned = json.loads((tmp_path / "run" / "tuning.json").read_text())["best"]["mean"][0]
    assert result["recipe"]["scores"]["score"] <= 1.1 * tuned, "but for the luck of few draws"
    assert result["evaluations"] > 140


def test_every_file_of_a_plan_has_to_keep_the_bounds() -> None:
    changes = {
        "genotype": {"name": "recipes", "draws": 3, "lasting": False},
        "start": {"initial": True},
        "constraints": ["dbrl <= 12"],
    }
    problem = assemble(Experiment(**(GIVEN | changes)), REGISTRY).problem
    genotype, broken = problem.genotype, 0
    for _, genome in genotype.initial_genomes():
        evaluation = evaluated(problem, genome)
        files = [problem.decode(genome, genotype.key(genome), draw) for draw in range(3)]
        worst = max(max(problem.measures["dbrl"].score(file) - 12.0, 0.0) for file in files)
        assert (evaluation.scores["infeasibility"] == 0.0) == (worst == 0.0)
        broken += worst > 0.0
    assert 0 < broken < len(genotype.initial_genomes())


def test_what_starts_a_race_is_judged_on_one_file_and_what_starts_other_searches_on_all() -> None:
    start = {"methods": [{"method": "rank-swapping", "p": 5.0}], "initial": True}
    for algorithm in ("racing", "nsga2"):
        changes = {"genotype": "recipes", "algorithm": algorithm, "start": start}
        assembly = assemble(Experiment(**(GIVEN | changes)), REGISTRY)
        both = [starting_individual(assembly.problem, assembly.plan, place) for place in (0, 1)]
        assert {one.provisional for one in both} == {algorithm == "racing"}


@pytest.mark.parametrize("draws", [1, 8])
@pytest.mark.parametrize("same", [True, False])
def test_the_best_method_in_the_mean_is_told_from_the_one_of_the_best_file(
    run: Path, same: bool, draws: int, tmp_path: Path
) -> None:
    from evosdc.experiment.summaries import recipe_summary
    from evosdc.model import Individual
    from evosdc.runs.layout import TUNING, RunFolder
    from evosdc.runs.result import Entry

    folder = RunFolder(tmp_path)
    folder.write_json(PLANNING, json.loads((run / PLANNING).read_text()))
    row = {"name": "mdav", "mean": [29.779], "method": "mdav", "params": {"k": 9}, "attributes": [], "draws": draws}
    folder.write_json(TUNING, {"best": row})
    classical = {"label": "mdav k=5", "method": "mdav", "params": {"k": 5}, "attributes": [], "fitness": [15.539]}
    if not same:
        classical |= {"label": "table-swapping", "method": "table-swapping", "params": {}}
    told = recipe_summary(
        folder, Individual(None, b"", {}, (15.0,), "crossover"), None, Entry.model_validate(classical)
    )
    assert told is not None
    of_several = "new files of mdav score best in the mean: 29.779, by the draws that chose it"
    assert (of_several if draws > 1 else "a file of mdav scores best: 29.779") in told["words"]
    assert ("table-swapping with 15.539" in told["words"]) is not same


def test_measures_of_the_file_are_not_fitted_again_for_plans() -> None:
    assembly = assemble(Experiment(**GIVEN), REGISTRY)
    nested = plan_assembly(assembly, [])
    assert dict(nested.problem.measures) == dict(assembly.problem.measures)
    changes = {"measures": {"il": [{"name": "ctbil", "K": 1}], "dr": ["dbrl"]}}
    other = assembled_like(assembly, Experiment(**(GIVEN | changes)))
    assert other.problem.measures["dbrl"] is assembly.problem.measures["dbrl"]
    assert other.problem.measures["ctbil"] is not assembly.problem.measures["ctbil"]


def test_there_is_no_plan_where_too_few_could_be_evaluated(tmp_path: Path) -> None:
    experiment = Experiment(**(GIVEN | {"stop": {"seconds": 30}, "start": GIVEN["start"] | {"planned": {}}}))
    assembly = assemble(experiment, REGISTRY)
    with RunFolder(tmp_path) as folder:
        (tmp_path / "experiment.toml").write_text(experiment_text(experiment))
        (tmp_path / "resolved.json").write_text(json.dumps(experiment.to_json()))
        (tmp_path / "environment.json").write_text("{}")
        recorder = Recorder(assembly, folder, Display())
        cost = {"seconds": 1.0, "evaluations": 3}
        found, spent = planned_start(recorder, None, cost | {"file_seconds": 2.0})
    assert found.experiment.start.planned is None
    assert spent["seconds"] == 1.0
    assert not (tmp_path / PLANNING).exists()


def test_what_a_plan_takes_is_foretold() -> None:
    def foretold(file_seconds: float, **start: object) -> float:
        experiment = Experiment(**(GIVEN | {"stop": {"seconds": 30}, "start": GIVEN["start"] | start}))
        return seconds_of_plan(assemble(experiment, REGISTRY), file_seconds)

    assert foretold(0.01) == 0.0
    assert foretold(2.0, planned={"share": 0.1}) == 0.0, "too few could be evaluated"
    assert 3.0 < foretold(0.01, planned={"share": 0.1}) < 6.0
    assert foretold(0.01, planned={"evaluations": 9}) == 0.0, "nobody knows"
