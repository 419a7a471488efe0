"""A verdict asked before a search is over, and tighter bounds where it is no."""

import json

import numpy as np
import pytest

from evosdc.engine.loop import first_state, search
from evosdc.experiment.assembly import assemble
from evosdc.experiment.early_verdict import linkage_to_learn, margins_wanted, rejudged, within
from evosdc.experiment.experiment import Experiment, TighterBounds
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.start import starting_individual
from evosdc.model.constraint import Constraint, Constraints
from evosdc.plugins.registry import default_registry
from evosdc.report.frames import files, ranking
from evosdc.report.standings import standings
from evosdc.report.summary import key_figures, sentences
from evosdc.runs.journal import read_journal
from evosdc.runs.reader import read_run_folders

REGISTRY = default_registry()


def experiment(*swapped, **changes):
    """Return one that follows `dbrl` alone: other attackers link more people."""
    return Experiment(
        **{
            "data": {"name": "housing", "protect": ["built", "degree", "grade1"]},
            "measures": {"il": ["dbil"], "dr": ["dbrl"]},
            "fitness": {"name": "loss"},
            "audience": "public",
            "limits": ["dbrl <= 9"],
            "start": [{"method": "rank-swapping", "p": p} for p in swapped],
            "second_opinion": False,
            **changes,
        }
    )


def wanted(assembly, one):
    return margins_wanted(assembly, assembly.problem.decode(one.genome, one.key), one.scores, None)


def test_margins_keep_figures_away_from_their_bounds():
    listed = (Constraint.parse("dbrl <= 9"), Constraint.parse("dbil >= 2"))
    scores = {"dbrl": np.array([7.0, 8.5, 9.5]), "dbil": np.array([3.0, 2.1, 2.1])}
    plain, kept = Constraints(listed), Constraints(listed, margins_kept={"dbrl": 1.0, "dbil": 0.5})
    assert plain.judge_columns(scores)["infeasibility"].tolist() == pytest.approx([0.0, 0.0, 0.5 / 9])
    expected = [0.0, 0.5 / 9 + 0.4 / 2, 1.5 / 9 + 0.4 / 2]
    assert kept.judge_columns(scores)["infeasibility"].tolist() == pytest.approx(expected)
    for place in range(3):
        alone = kept.judge({name: float(column[place]) for name, column in scores.items()})
        assert alone["infeasibility"] == pytest.approx(expected[place])


def test_what_the_verdict_would_refuse_asks_for_tighter_bounds_and_what_it_accepts_for_none():
    assembly = assemble(experiment(12, 50), REGISTRY, 1)
    weak, strong = (starting_individual(assembly.problem, assembly.plan, place) for place in (0, 1))
    assert weak.feasible
    margins, words = wanted(assembly, weak)
    assert 0.0 < margins["dbrl"] < 9.0
    assert "linkability" in words
    assert wanted(assembly, strong) == ({}, "")


def three_generations(algorithm, evaluator, streams, stop, state, observe, advance=None):
    """Search until an observer or three generations end it, as if that were the time until the next verdict."""
    last = state.progress.generation + 3

    def until(reached, record):
        reason = observe(reached, record)
        return stop.time_over if stop.seconds is not None and reached.progress.generation == last else reason

    return search(algorithm, evaluator, streams, stop, state, until, advance)


def run_and_repeat(folder, monkeypatch):
    """Return a run whose time is over each three generations, its bounds, and its repetition without a time."""
    monkeypatch.setattr("evosdc.experiment.early_verdict.search", three_generations)
    first = run_once(experiment(12, 16, stop={"whole": 600.0}), folder / "first", REGISTRY, 1)
    monkeypatch.undo()
    kept = json.loads((folder / "first" / "resolved.json").read_text())["tighter"]
    written = read_experiment(folder / "first" / "experiment.toml")
    again = run_once(written, folder / "again", REGISTRY, 1)
    assert again.result.generations == first.result.generations
    assert again.result.digest == first.result.digest
    best = [(run.folder / run.result.best.file).read_bytes() for run in (first, again)]
    assert best[0] == best[1]
    return first, kept


def test_a_refused_search_goes_on_within_tighter_bounds_and_is_repeated(tmp_path, monkeypatch):
    first, kept = run_and_repeat(tmp_path, monkeypatch)
    assert kept
    assert [bounds["after"] for bounds in kept] == [3, 6, 9, 12][: len(kept)]
    assert [entry.requirement for entry in first.result.requirements] == ["dbrl <= 9"]


def test_a_file_that_misses_only_tighter_bounds_breaks_none(tmp_path, monkeypatch):
    monkeypatch.setattr("evosdc.experiment.early_verdict.search", three_generations)
    result = run_once(experiment(12, 16, stop={"whole": 600.0}), tmp_path / "run", REGISTRY, 1).result
    assert (result.best.scores["infeasibility"], result.bounds) == (0.0, {"dr": 9.0})
    assert result.best.scores["tighter"] > 0.0
    (run,) = read_run_folders([tmp_path / "run"])
    stand, listed = standings(run), files(run).set_index("label")
    labels = {figure["name"]: figure["label"] for figure in key_figures(stand)}
    assert labels["Best file found"] == ""
    assert labels["Unprotected original"] == "breaks the bounds"
    assert labels["Best portfolio file"] == "rank-swapping p=12; outside the tighter bounds"
    # All files are judged alike: the best one comes first, the weaker portfolio file has less loss and lies outside.
    assert ranking(files(run))["score"].iloc[0] == pytest.approx(result.best.fitness[0])
    weak = listed.loc["rank-swapping p=12"]
    assert weak["infeasibility"] == 0.0 < result.best.scores["tighter"] < weak["tighter"]
    assert weak["score"] < result.best.fitness[0]
    assert "tighter bounds, which the best file misses" in " ".join(sentences(run, stand))


def test_the_last_file_that_the_verdict_accepts_is_kept(tmp_path, monkeypatch):
    """Two files would be accepted, the later ones not: the run is as one that ends with the second."""
    answers = iter([({}, ""), ({}, "")])

    def verdict(*given):
        return next(answers, ({"dbrl": 3.0}, "linkability"))

    monkeypatch.setattr("evosdc.experiment.early_verdict.margins_wanted", verdict)
    first, kept = run_and_repeat(tmp_path, monkeypatch)
    assert first.result.generations == 6
    assert kept == []
    assert [record["generation"] for record in read_journal(tmp_path / "first" / "journal.jsonl")] == list(range(7))
    resumed = resume_once(tmp_path / "first", REGISTRY)
    assert resumed.result.digest == first.result.digest


def test_linkage_stands_for_what_is_learned_where_no_learner_had_time(tmp_path):
    """Of people with four illnesses, equally common, 5 / (1 - 1/4) = 6.7 % linked are 5 % disclosed."""
    rng = np.random.default_rng(4)
    rows = [f"{rng.integers(1, 30)},{'fm'[rng.integers(2)]},{'abcd'[i % 4]}" for i in range(600)]
    (tmp_path / "people.csv").write_text("age,sex,ill\n" + "\n".join(rows) + "\n")
    (tmp_path / "schema.toml").write_text(
        '[attributes]\nage = { role = "quasi-identifier", scale = "ordinal" }\n'
        'sex = { role = "quasi-identifier", scale = "nominal" }\nill = { role = "sensitive", scale = "nominal" }\n'
    )
    data = {"file": str(tmp_path / "people.csv"), "schema": str(tmp_path / "schema.toml"), "protect": ["age", "sex"]}
    bounded = experiment(100, data=data, measures={"il": ["dbil"], "dr": ["dbrl"]}, constraints=["dbrl <= 9"])
    assembly = assemble(bounded, REGISTRY, 1)
    one = starting_individual(assembly.problem, assembly.plan, 0)
    masked, late = assembly.problem.decode(one.genome, one.key), {"not_checked": "the time was over"}
    assert linkage_to_learn(assembly.source.table) == pytest.approx(20.0 / 3.0)
    margins, words = margins_wanted(assembly, masked, one.scores | {"dbrl": 7.0}, late)
    assert margins["dbrl"] == pytest.approx(9.0 - 0.99 * 20.0 / 3.0)
    assert words == "inference not checked"
    assert margins_wanted(assembly, masked, one.scores | {"dbrl": 6.0}, late) == ({}, "")
    assert margins_wanted(assembly, masked, one.scores | {"dbrl": 7.0}, None) == ({}, "")


def test_the_next_safer_file_is_the_best_within_tighter_bounds():
    assembly = assemble(experiment(12, 50), REGISTRY, 1)
    started = [starting_individual(assembly.problem, assembly.plan, place) for place in (0, 1)]
    state = first_state(assembly.algorithm, started)
    assert state.best.key == started[0].key
    tighter = within(assembly, (TighterBounds(after=0, margins={"dbrl": 6.0}),))
    judged = rejudged(tighter, state)
    assert judged.best.key == started[1].key
    assert [one.feasible for one in judged.population] == [one.key == started[1].key for one in state.population]
    assert rejudged(within(tighter, ()), judged).best.key == started[0].key


def test_what_is_guessed_of_masked_columns_forbids_a_file_by_itself(tmp_path):
    """Whoever links people does not say how many of their sensitive values are guessed."""
    bounded = experiment(
        50, measures={"il": ["dbil"], "dr": ["dbrl", "guess-gain"]}, limits=["dbrl <= 9", "guess-gain <= 9"],
        algorithm={"name": "parent-child", "generations": 0},
    )  # fmt: skip
    result = run_once(bounded, tmp_path / "run", REGISTRY, 1).result
    assert result.best.scores["guess-gain"] > 9.0
    assert result.verdict.people_found < 9.0
    assert "not kept: guess-gain <= 9" in result.verdict.titles
    assert any("guess-gain <= 9 (it is 1" in text for text in result.verdict.reasons)
