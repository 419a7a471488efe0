"""A search that starts from tuned methods, and entries with further steps and seeds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import evosdc
from evosdc.cli import main
from evosdc.engine.digest import digest_of
from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment, MaskingEntry, StopRule, TunedStart
from evosdc.experiment.protection import protection
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.start import starting_individual
from evosdc.experiment.tuned_start import EVALUATIONS, budget_of, with_tuned
from evosdc.model import Masking
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry
from evosdc.report import write_report
from evosdc.tuning.designs import Budget
from evosdc.tuning.judge import Trial, attempt
from tests.published import asking

PROTECT = ("built", "degree", "grade1")
METHODS = ("rank-swapping", "top-coding", "mdav")
STEP = {"method": "pram", "design": "a", "p": 0.9, "attributes": ["built"]}
CHAIN = {"method": "rank-swapping", "p": 20, "then": [STEP]}


def experiment(**changes):
    given = {
        "seed": 4,
        "data": {"name": "housing", "first": 200, "protect": PROTECT},
        "start": {"tuned": {"evaluations": 150, "methods": METHODS, "files": 6}},
        "fitness": "max",
        "measures": {"il": ["dbil", "ctbil"], "dr": ["id", "dbrl"]},
        "stop": {"generations": 3},
    }
    return Experiment.model_validate(given | changes)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return run_once(experiment(), tmp_path_factory.mktemp("tuned") / "run", default_registry(), 4)


def test_the_search_starts_from_tuned_methods(plain):
    tuning = json.loads((plain.folder / "tuning.json").read_text())
    listed = json.loads((plain.folder / "portfolio.json").read_text())
    assert [entry["masking"] for entry in listed[1:]] == tuning["start"]
    portfolio = plain.result.portfolio
    assert portfolio.size == len(tuning["start"])
    assert portfolio.tuned["best"] == tuning["best"]
    assert portfolio.tuned["evaluations"] == tuning["evaluations"] <= 150
    assert portfolio.best.fitness == tuning["best_file"]["fitness"]
    assert plain.result.best.fitness <= portfolio.best.fitness
    assert plain.result.evaluations > tuning["evaluations"] + portfolio.size


def test_starting_files_are_those_that_were_tuned(plain):
    listed = json.loads((plain.folder / "portfolio.json").read_text())
    found = {file["label"]: file for file in json.loads((plain.folder / "tuning.json").read_text())["files"]}
    assert found
    for entry in listed:
        if entry["label"] in found:
            assert entry["scores"] == found[entry["label"]]["scores"]


def test_words_call_it_the_tuned_classical_method(plain):
    page = write_report([plain.folder], plain.folder / "page.html").read_text(encoding="utf-8")
    assert "the tuned classical file" in page
    assert "had been tuned for this score on" in page
    assert "Tuned classical file" in page
    assert "the best portfolio file," not in page


def test_the_experiment_file_of_a_run_tunes_again(plain, tmp_path):
    again = read_experiment(plain.folder / "experiment.toml")
    assert again.start.tuned.evaluations == 150
    done = run_once(again, tmp_path / "again", default_registry(), again.seed)
    assert done.result.digest == plain.result.digest


@pytest.mark.endurance
def test_workers_change_nothing(plain, tmp_path):
    executor = {"name": "processes", "workers": 2, "grain": "evaluations"}
    done = run_once(experiment(executor=executor), tmp_path / "run", default_registry(), 4)
    assert done.result.digest == plain.result.digest
    one, other = (json.loads((folder / "tuning.json").read_text()) for folder in (plain.folder, done.folder))
    assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_a_resumed_run_does_not_tune_again(plain, tmp_path, monkeypatch):
    short = run_once(experiment(stop={"generations": 1}), tmp_path / "run", default_registry(), 4)
    for name in ("resolved.json", "experiment.toml"):
        path = short.folder / name
        text = path.read_text().replace('"generations": 1', '"generations": 3')
        path.write_text(text.replace("generations = 1", "generations = 3"))
    monkeypatch.setattr("evosdc.experiment.tuned_start.tune_problem", None)
    done = resume_once(short.folder, default_registry())
    assert digest_of(done.state.population) == plain.result.digest
    assert done.result.portfolio.tuned["evaluations"] <= 150


def test_a_portfolio_stands_beside_what_is_tuned(tmp_path):
    start = {"portfolio": "categorical", "tuned": {"evaluations": 60, "methods": ["rank-swapping"]}}
    done = run_once(experiment(start=start, stop={"generations": 0}), tmp_path / "run", default_registry(), 4)
    listed = json.loads((done.folder / "portfolio.json").read_text())[1:]
    assert len(listed) > 60
    best = min(entry["fitness"] for entry in listed)
    assert done.result.portfolio.best.fitness == best


@pytest.mark.parametrize(
    ("tuned", "stop", "budget"),
    [
        ({}, {"generations": 5}, Budget(EVALUATIONS)),
        ({}, {"seconds": 60}, Budget(None, 12.0)),
        ({"share": 0.5}, {"seconds": 60, "evaluations": 1000}, Budget(500, 30.0)),
        ({"evaluations": 70}, {"seconds": 60}, Budget(70)),
        ({"seconds": 3}, {"evaluations": 1000}, Budget(None, 3.0)),
    ],
)
def test_the_budget_is_a_share_unless_told(tuned, stop, budget):
    assert budget_of(TunedStart(**tuned), StopRule(**stop)) == budget


def test_true_is_short_for_all_defaults_and_false_for_nothing():
    assert experiment(start={"tuned": True}).start.tuned == TunedStart()
    assert experiment(start={"tuned": False, "random": 2}).start.tuned is None
    with pytest.raises(InputError, match="tuned = true"):
        experiment(start={"tuned": False})


def test_matrices_are_compared_with_tuned_methods(tmp_path):
    start = {"tuned": {"evaluations": 40, "methods": METHODS}}
    given = experiment(genotype="pram", stop={"generations": 1}, start=start)
    done = run_once(given, tmp_path / "run", default_registry(), 4)
    assert done.result.portfolio.tuned["methods"] >= len(METHODS)
    assert done.result.fresh["portfolio"]["label"]


def test_genotypes_that_generalise_refuse_tuned_methods():
    given = {"data": {"name": "housing", "protect": ["built"], "hierarchies": {"built": {"merge": [2, 4]}}}}
    judged = {"genotype": {"name": "lattice", "k": 2}, "measures": ["lm"], "fitness": "lm", "start": {"tuned": True}}
    with pytest.raises(InputError, match=r"start\.tuned"):
        assemble(Experiment(**given, **judged), default_registry())


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ({"tuned": {"methods": ["rank-swoping"]}}, "rank-swapping"),
        ({"tuned": {"share": 0}}, "share"),
        ({"methods": [{**CHAIN, "then": [{"method": "pramm"}]}]}, "pram"),
        ({"methods": [{**CHAIN, "then": [{"method": "mdav", "k": 10_000}]}]}, "10000"),
        ({"methods": [{**CHAIN, "then": [{"method": "mondrian", "output": "interval"}]}]}, "generalised labels"),
        ({"methods": [{**CHAIN, "seed": -1}]}, "seed"),
    ],
)
def test_faults_are_told(start, words):
    with pytest.raises(InputError, match=words):
        assemble(experiment(start=start), default_registry())


def test_an_entry_with_steps_and_a_draw_is_what_the_mask_function_makes(tmp_path):
    start = {"methods": [{**CHAIN, "draw": 2}, CHAIN]}
    done = run_once(experiment(start=start, stop={"generations": 0}), tmp_path / "run", default_registry(), 4)
    listed = json.loads((done.folder / "portfolio.json").read_text())[1:]
    assert [entry["label"] for entry in listed] == ["rank-swapping p=20, then pram design=a p=0.9 (built)"] * 2
    assert listed[0]["scores"] != listed[1]["scores"]
    assembly = assemble(experiment(start=start), default_registry())
    table = assembly.source.table
    made = evosdc.mask(table, "rank-swapping", p=20, protect=PROTECT, then=CHAIN["then"], seed=4, draw=2)
    assert assembly.problem.score(made.select(PROTECT))[0] == listed[0]["scores"]


def test_entries_become_experiment_text_and_back():
    masking = Masking("rank-swapping", {"p": 20}, ("built",), ("metro",), (Masking("pram", {"design": "b"}),), 7)
    assert MaskingEntry.of(masking).masking == masking
    assert MaskingEntry.model_validate(MaskingEntry.of(masking).model_dump(mode="json")).masking == masking


def test_check_counts_no_files_that_are_not_made_yet(tmp_path, capsys):
    path = tmp_path / "e.toml"
    path.write_text('data = { name = "housing", protect = ["built"] }\nstart = { tuned = true, random = 2 }\n')
    with pytest.raises(SystemExit) as status:
        main(["check", str(path), "--json"])
    assert status.value.code == 0
    assert json.loads(capsys.readouterr().out)["starting_files"] == 2


def test_folders_of_runs_without_tuning_say_nothing_of_it(tmp_path: Path):
    done = run_once(experiment(start={"methods": [CHAIN]}), tmp_path / "run", default_registry(), 4)
    assert done.result.portfolio.tuned is None
    assert not (done.folder / "tuning.json").exists()


def test_a_file_that_tuning_made_is_the_one_that_its_masking_makes_anew(tmp_path):
    """A run that is repeated has no tables, only maskings; some files are put in order twice there."""
    lines = [f"{'mf'[i % 2]},{20 + i % 7},{i * i % 11}" for i in range(60)]
    (tmp_path / "survey.csv").write_text("sex,age,note\n" + "\n".join(lines) + "\n")
    attributes = [f'[attributes.{name}]\nrole = "quasi-identifier"' for name in ("sex", "age")]
    ordinal = '\nscale = "ordinal"\n'
    (tmp_path / "schema.toml").write_text("\n".join(attributes) + ordinal)
    source = {"file": tmp_path / "survey.csv", "schema": tmp_path / "schema.toml"}
    given = protection(source, default_registry(), ProtectOptions(fitness="max", second_opinion=False))
    assembly = assemble(given, default_registry())
    known, differing = [], 0
    for method, params in (("mdav", {"k": 5, "group_size": 1}), ("mdav", {"k": 3}), ("mdav", {"k": 5})):
        trial, table = attempt(assembly.problem, default_registry(), Masking(method, params), assembly.seed, 1)
        assert isinstance(trial, Trial)
        known.append((trial.exactly(Masking(method, params)), table))
    plan = with_tuned(assembly, [masking for masking, _ in known], made=known).plan
    assert len(plan.made) == len(known)
    for position, (masking, _) in enumerate(known):
        first, again = (starting_individual(assembly.problem, one, position) for one in (plan, replace(plan, made={})))
        assert (first.origin, first.scores) == (again.origin, again.scores)
        differing += first.origin != masking.label
    assert differing, "none was put in order twice, so that nothing was tested"


@pytest.mark.parametrize(
    ("seconds", "file_seconds", "first"), [(60, 0.0, 1), (60, 5.0, 1), (60, 0.7, 2), (60, 0.01, 4)]
)
def test_tuned_files_that_take_hardly_any_time_come_before_what_was_asked_for(seconds, file_seconds, first):
    assembly = assemble(
        experiment(start={"methods": [{"method": "table-swapping"}], "tuned": {}}, stop={"seconds": seconds}),
        default_registry(),
    )
    tuned = [Masking("rank-swapping", {"p": p}) for p in (3, 5, 7, 9, 11, 13)]
    plan = with_tuned(assembly, tuned, file_seconds=file_seconds).plan
    methods = [masking.method for masking, _ in plan.maskings]
    assert methods.index("table-swapping") == first
    assert plan.assured == first + 1


@pytest.mark.parametrize(("name", "offered"), [("housing", True), asking("census", False)])
def test_tables_are_swapped_where_any_masked_attribute_has_categories(name, offered):
    given = protection({"name": name}, default_registry(), ProtectOptions(fitness="max"))
    assert any(entry.method == "table-swapping" for entry in given.start.methods) is offered
