"""What follows a search: judges that it did not use, a verdict, and the functions and commands that ask for them."""

import json
from html import escape

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.assess.verdict import NOT_YET
from evosdc.cli import main
from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.opinion import LONG, claims_of, used_judges, wanted
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.start import starting_individual, starting_table
from evosdc.plugins.registry import default_registry
from evosdc.printing import NO_TIME
from evosdc.runs.layout import RunFolder

GIVEN = {
    "data": {"name": "housing", "first": 120},
    "measures": {"il": ["ctbil"], "dr": ["dbrl", "partial-linkage"]},
    "fitness": "max",
    "start": [{"method": "rank-swapping", "p": 30}, {"method": "mdav", "k": 3}],
    "stop": {"generations": 3},
    "second_opinion": True,
}


def told(result):
    return result.second_opinion, result.verdict


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("opinion") / "run"
    return run_once(Experiment(**GIVEN), path, default_registry(), 1)


@pytest.mark.endurance
def test_judges_that_the_search_used_are_left_out(plain):
    opinion = plain.result.second_opinion
    assert opinion.used_by_the_search == ["partial-linkage"]
    asked = set(opinion.best["judges"]) | set(opinion.best["not_applicable"])
    registry = default_registry()
    judges = registry.defaults("measure", "judge")
    wide = {name for name in judges if registry.implementation("measure", name).generalised}
    assert wide == {"informed-semantic-dr", "neighbourhood-dr"}, "the others read no labels above the categories"
    assert asked == set(judges) - wide - {"partial-linkage"}
    assert set(opinion.classical["judges"]) == set(opinion.best["judges"])
    assert opinion.classical_label == plain.result.portfolio.best.label


@pytest.mark.endurance
def test_the_claim_is_what_the_search_measured(plain):
    scores, opinion = plain.result.best.scores, plain.result.second_opinion.best
    assert opinion["claims"]["linkage"] == max(scores["dbrl"], scores["partial-linkage"])
    told = plain.result.second_opinion
    assert (told.holds, told.text) == (opinion["holds"], opinion["verdict"])
    assert told.answered == len(opinion["judges"]) == told.asked


def test_it_is_what_judging_the_published_file_says(plain):
    registry = default_registry()
    assembly = assemble(Experiment(**GIVEN), registry)
    from evosdc.files.source import read_masked

    masked = read_masked(plain.folder / "best.csv", assembly.source).table
    found = evosdc.judge(assembly.source.table, masked, judges=["linkability", "tables-3"], seed=1).to_json()["judges"]
    ours = plain.result.second_opinion.best["judges"]
    assert {n: ours[n]["value"] for n in found} == {n: found[n]["value"] for n in found}


@pytest.mark.endurance
def test_a_resumed_run_says_the_same(plain, tmp_path):
    class StopError(Exception):
        pass

    class Stopping:
        def __getattr__(self, name):
            def tell(*args, **more):
                if name == "generation" and args[0]["generation"] == 2:
                    raise StopError

            return tell

    with pytest.raises(StopError):
        run_once(Experiment(**GIVEN), tmp_path / "run", default_registry(), 1, Stopping())
    resumed = resume_once(tmp_path / "run", default_registry())
    assert told(resumed.result) == told(plain.result)


@pytest.mark.parametrize(("said", "seconds", "name", "asked"), [
    (None, LONG, "run", True), (None, LONG - 1, "run", False), (None, LONG, "replicate-001", False),
    (True, 0.0, "replicate-001", True), (False, 1e6, "run", False),
])  # fmt: skip
def test_who_is_asked(said, seconds, name, asked, tmp_path):
    model = Experiment(data={"name": "housing"}, second_opinion=said)
    assert wanted(model, RunFolder(tmp_path / name), seconds) is asked


def test_claims_are_of_linkage_and_guess_gain():
    registry = default_registry()
    model = Experiment(data={"name": "housing"}, measures={"il": ["dbil"], "dr": ["id", "dbrl", "prl", "best-guess"]})
    claims = claims_of({"id": 90.0, "dbrl": 3.0, "prl": 4.0, "best-guess": 80.0}, model, registry)
    assert (claims.values, claims.by) == ({"linkage": 4.0}, {"linkage": "prl"})
    assert used_judges(model, registry) == []
    asked = Experiment(data={"name": "housing"}, measures={"il": ["dbil"], "dr": ["id", "linkability"]})
    assert used_judges(asked, registry) == ["linkability"]


def test_the_file_of_an_entry_is_made_again():
    assembly = assemble(Experiment(**GIVEN), default_registry())
    for position in range(assembly.plan.candidates):
        scores, _ = assembly.problem.score(starting_table(assembly.problem, assembly.plan, position))
        assert scores == starting_individual(assembly.problem, assembly.plan, position).scores


def test_a_relabelled_start_is_put_right():
    given = GIVEN | {
        "measures": {"il": ["ctbil"], "dr": ["dbrl"], "other": ["worst-relabelling"]},
        "constraints": ["worst-relabelling <= 3"],
        "start": [{"method": "pram", "design": "preference", "least": 0.0}],
    }
    assembly = assemble(Experiment(**given), default_registry())
    one = starting_individual(assembly.problem, assembly.plan, 0)
    assert "labels of" in one.origin
    free = assemble(Experiment(**given | {"constraints": []}), default_registry())
    other = starting_individual(free.problem, free.plan, 0)
    assert other.scores["worst-relabelling"] > 30.0
    assert one.scores["worst-relabelling"] < 10.0


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(2)
    age = rng.integers(0, 8, 150)
    sex = np.where(rng.random(150) < 0.3 + 0.05 * age, "m", "f")
    region = rng.choice(list("nesw"), 150)
    return pd.DataFrame({"age": pd.Categorical(age, ordered=True), "sex": sex, "region": region, "pay": age * 100.0})


def test_protect_returns_all_that_the_command_tells(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = evosdc.protect(frame, protect=["age", "sex"], time=3, require=["dr <= 90"], fitness="max")
    assert list(tmp_path.iterdir()) == []
    assert found.folder is None
    assert list(found.frame.columns) == list(frame.columns)
    original = frame.iloc[found.rows]
    assert found.frame["region"].tolist() == original["region"].tolist() != frame["region"].tolist()
    assert found.classical is not None
    assert list(found.score) <= found.classical.fitness
    assert found.score == (max(found.il, found.dr),)
    assert found.requirements[0].met
    assert found.second_opinion.text.startswith(("Holds", "Does not hold", "Not checked", "Not yet checked"))
    in_order = original.reset_index(drop=True)
    scores = evosdc.measure(in_order, found.frame, ["dbrl"], protect=["age", "sex"])
    assert scores["dbrl"] == found.best.scores["dbrl"]
    json.dumps(found.to_json())


def test_a_requirement_may_name_a_measure_that_nothing_else_looks_at(frame):
    wanted = ["repu <= 50", "dbrl <= 90"]
    found = evosdc.protect(frame, protect=["age", "sex"], time=1, require=wanted, second_opinion=False)
    assert [one.requirement for one in found.requirements][:2] == wanted
    assert found.requirements[0].value == found.best.scores["repu"] <= 50


def test_protect_writes_a_run_where_it_is_asked_to(frame, tmp_path):
    more = {"tune": False, "second_opinion": False, "output": tmp_path / "run"}
    found = evosdc.protect(frame, protect=["age", "sex"], time=0.5, **more)
    assert (found.second_opinion.holds, found.second_opinion.answered) == (None, 0)
    assert found.folder == tmp_path / "run"
    assert (tmp_path / "run" / "report.html").is_file()
    assert not (tmp_path / "run" / "tuning.json").exists()
    with pytest.raises(InputError, match="above 0"):
        evosdc.protect(frame, time=0)


def test_the_command_prints_a_verdict(frame, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("people.csv", index=False)
    monkeypatch.setenv("COLUMNS", "200")  # no heading is broken
    words = ["protect", "people.csv", "--protect", "age,sex", "--generations", "2", "-o", "run", "--quiet", "--no-tune"]
    with pytest.raises(SystemExit):
        main([*words, "--time", "600s"])  # whatever else the computer does
    printed = capsys.readouterr().out
    assert "without a search" in printed
    assert len(printed.splitlines()) <= 15
    opinion = json.loads((tmp_path / "run" / "result.json").read_text())["second_opinion"]
    assert f"{opinion['answered']} of {opinion['asked']} judges answered" in printed
    report = (tmp_path / "run" / "report.html").read_text()
    assert "<summary>Independent attacks " in report
    assert escape(opinion["text"]) in report


def test_a_search_whose_time_was_over_does_not_go_on(frame, tmp_path, monkeypatch):
    from evosdc.experiment import summaries

    own, asked = summaries.fresh_summary, []

    def stopped_once(*given):
        asked.append(given)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return own(*given)

    monkeypatch.setattr(summaries, "fresh_summary", stopped_once)
    monkeypatch.chdir(tmp_path)
    frame.to_csv("people.csv", index=False)
    with pytest.raises(SystemExit) as stopped:
        main(["protect", "people.csv", "--protect", "age,sex", "--time", "3s", "-o", "run", "--quiet"])
    assert stopped.value.code == 130
    left = json.loads((tmp_path / "run" / "status.json").read_text())
    found = (tmp_path / "run" / "best.csv").read_bytes()
    assert left["state"] == "interrupted"
    with pytest.raises(SystemExit) as gone_on:
        main(["resume", "run", "--quiet"])
    assert gone_on.value.code in (0, 1, None)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert (result["generations"], result["evaluations"]) == (left["generation"], left["evaluations"])
    assert result["stopped"] == "3 seconds"
    (file,) = (tmp_path / "run").glob("best*.csv")
    assert file.read_bytes() == found


def test_judges_without_time_are_named(frame):
    found = evosdc.protect(frame, protect=["age", "sex"], time=0.5)
    opinion = found.second_opinion
    assert (opinion.holds, opinion.answered) == (None, 0)
    assert opinion.asked > 2
    assert set(opinion.best["not_applicable"].values()) == {NO_TIME}
    assert found.verdict.conditions[-1] == NOT_YET.replace("evosdc judge RUN", "evosdc.judge(result)"), (
        "in words of Python"
    )


def test_the_mask_command_puts_labels_right(frame):
    masked = evosdc.mask(frame, "pram", design="preference", least=0.0, protect=["age", "sex"])
    righted = evosdc.mask(
        frame, "pram", design="preference", least=0.0, protect=["age", "sex"], right_labels=["age", "sex"]
    )
    harm = [evosdc.measure(frame, one, ["relabelling"], protect=["age", "sex"]) for one in (masked, righted)]
    assert harm[0]["relabelling"] > 0.0
    assert harm[1]["relabelling"] == 0.0
