"""``evosdc member`` and what it tells of the best file: the same as the run."""

from __future__ import annotations

import json

import pytest

import evosdc as evosdc_api
from evosdc.assess.intruder import measured_by
from evosdc.engine.checkpoint import front_scores
from evosdc.errors import InputError


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("member") / "run"
    evosdc_api.run(
        evosdc_api.Experiment(
            data={"name": "housing", "first": 60},
            start={"random": 2, "methods": [{"method": "mdav"}, {"method": "rank-swapping"}]},
            measures={"il": ["ctbil"], "dr": ["dbrl"]},
            fitness="max",
            stop={"generations": 12},
            executor="serial",
            second_opinion=True,
        ),
        folder,
    )
    return folder


def test_the_best_file_is_told_as_its_run_told_it(evosdc, run) -> None:
    result, release = (json.loads((run / name).read_text()) for name in ("result.json", "release.json"))
    front = front_scores(run)
    assert [entry["scores"] for entry in front] == [entry["scores"] for entry in result["front"]]
    assert [entry["origin"] for entry in front] == [entry["origin"] for entry in result["front"]]
    best = next(at for at, entry in enumerate(front) if entry["scores"] == result["best"]["scores"])
    told = json.loads(evosdc("member", run, str(best), "--json").out)
    assert told["scores"] == result["best"]["scores"]
    for key in ("cross_tables", "analyses", "records"):
        assert told[key] == release[key], key
    assert told == json.loads(json.dumps(evosdc_api.member(run, best)))
    said = evosdc("member", run, str(best)).out
    assert f"Member {best} of the front" in said
    assert "An informed intruder is expected to re-identify" in said


def test_the_share_found_is_the_greater_of_both_directions_and_told_with_its_measure(evosdc, run) -> None:
    for at in range(len(front_scores(run))):
        found = evosdc_api.member(run, at)["records"]
        assert found["percent"] >= found["other_percent"]
        assert f"({found['percent']:.2f} %, by {measured_by(found)})" in evosdc("member", run, str(at)).out


def test_judges_say_what_they_said_to_the_run(run) -> None:
    result = json.loads((run / "result.json").read_text())
    best = next(at for at, one in enumerate(front_scores(run)) if one["scores"] == result["best"]["scores"])
    told = evosdc_api.member(run, best, judge=True)["second_opinion"]
    wanted = result["second_opinion"]["best"]
    assert told["verdict"] == wanted["verdict"]
    assert {name: one["value"] for name, one in told["judges"].items()} == {
        name: one["value"] for name, one in wanted["judges"].items()
    }


def test_what_is_not_there_is_told(evosdc, run, tmp_path) -> None:
    for words in ((run, "999"), (run, "-1"), (tmp_path, "0")):
        answer = evosdc("member", *words)
        assert answer.status == 2
        assert "wanted" in answer.err
    assert front_scores(tmp_path) == []
    with pytest.raises(InputError):
        evosdc_api.member(run, 999)


def test_of_a_study_one_of_its_runs_is_to_be_named(evosdc, tmp_path) -> None:
    given = {"data": {"name": "housing", "first": 40}, "start": {"random": 3}, "stop": {"generations": 1}}
    evosdc_api.run(
        given | {"replicates": 2, "executor": "serial", "measures": {"il": ["ctbil"], "dr": ["dbrl"]}},
        tmp_path / "study",
    )
    answer = evosdc("member", tmp_path / "study", "knee")
    assert answer.status == 2
    told = " ".join(answer.err.split())
    assert "given a study of 2 runs; wanted the folder of a single run. Name one of them, such as" in told
    assert "replicate-001" in told
