"""``evosdc compare``, fronts that settle, chosen members and callbacks, on real runs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import evosdc as evosdc_api
from evosdc.errors import InputError
from evosdc.runs.comparison import sentences

EXPERIMENT = {
    "data": {"name": "housing", "first": 80, "protect": ["degree", "grade1"]},
    "start": {"random": 2, "methods": [{"method": "mdav"}, {"method": "rank-swapping"}, {"method": "pram"}]},
    "measures": {"il": ["ctbil"], "dr": ["dbrl"]},
    "fitness": "pareto",
    "algorithm": {"name": "nsga2", "population": 6},
    "stop": {"generations": 4},
    "executor": "serial",
    "replicates": 4,
    "seed": 1,  # pairs are runs of the same seed
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    evosdc_api.run(EXPERIMENT, folder / "front")
    evosdc_api.run(EXPERIMENT | {"algorithm": {"name": "random-search", "candidates": 2}}, folder / "random")
    return folder


@pytest.mark.endurance
def test_searches_are_told_apart_by_their_runs(evosdc, studies):
    found = json.loads(evosdc("compare", studies / "front", studies / "random", "--json").out)
    assert [group["label"] for group in found["groups"]] == ["algorithm.name = nsga2", "algorithm.name = random-search"]
    assert [len(group["runs"]) for group in found["groups"]] == [4, 4]
    (test,) = found["tests"]["hypervolume"]
    a, b = ([run["hypervolume"] for run in group["runs"]] for group in found["groups"])
    assert test["a12"] == sum((x > y) + 0.5 * (x == y) for x in a for y in b) / 16, "more hypervolume is better"
    for group in found["groups"]:
        assert group["surfaces"]["median"]
    told = evosdc("compare", studies / "front", studies / "random", "--surfaces", "s.csv")
    assert told.status == 0
    assert "Mann-Whitney" in told.out


def test_the_same_from_python(studies):
    found = evosdc_api.compare([studies / "front", studies / "random"])
    assert len(found.frame) == 8
    assert set(found.tests["figure"]) == {"fitness", "il", "dr", "hypervolume", "igd_plus", "epsilon"}
    assert set(found.surfaces["surface"]) == {"best", "median", "worst"}
    paired = evosdc_api.compare([studies / "front", studies / "random"], paired=True)
    assert "Wilcoxon" in paired.sentences[-1]
    with pytest.raises(InputError, match="one and the same search"):
        evosdc_api.compare(studies / "front")


def test_the_report_draws_what_replicates_attain(evosdc, studies):
    assert evosdc("report", studies / "front", "-o", "r.html").status == 0
    assert "comparison-attainment" in Path("r.html").read_text()


def test_a_front_that_settles_ends_the_search_and_a_resume_ends_there_too(tmp_path):
    single = EXPERIMENT | {
        "replicates": 1,
        "stop": {"generations": 60, "hypervolume": {"tolerance": 5, "generations": 3}},
    }
    whole = evosdc_api.run(single, tmp_path / "whole")
    assert whole["stopped"] == "hypervolume within 5 for 3 generations"

    def broken_off(record):
        if record["generation"] == whole["generations"] - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evosdc_api.run(single, tmp_path / "parts", callback=broken_off)
    from evosdc.experiment.study import resume_study
    from evosdc.plugins.registry import default_registry

    resumed = resume_study(tmp_path / "parts", default_registry())
    assert [getattr(resumed, key) for key in ("digest", "stopped", "generations")] == [
        whole[key] for key in ("digest", "stopped", "generations")
    ]


def test_callbacks_see_each_generation_and_can_end_a_run(tmp_path):
    seen = []

    def enough(record):
        seen.append(record["generation"])
        return "good enough" if record["generation"] == 2 else None

    single = EXPERIMENT | {"replicates": 1}
    found = evosdc_api.run(single, tmp_path / "run", callback=[enough, lambda record: record.clear()])
    assert (found["stopped"], found["generations"], seen) == ("good enough", 2, [0, 1, 2])
    assert evosdc_api.run(single, tmp_path / "two", callback=lambda record: True)["stopped"] == "ended by a callback"


def test_frames_of_a_program_are_the_same_data_wherever_their_copies_lie(tmp_path):
    frame = pd.DataFrame({"a": list("xyzxyzxyzxyz"), "b": list("pqpqppqqpqpq")})
    for name in ("nsga2", "spea2"):
        for seed in (1, 2):
            own = {"seed": seed, "algorithm": {"name": name}, "replicates": 1, "data": {"protect": ["a", "b"]}}
            evosdc_api.run(EXPERIMENT | own | {"stop": {"generations": 1}}, tmp_path / f"{name}-{seed}", data=frame)
    found = evosdc_api.compare(sorted(tmp_path.iterdir()))
    assert [len(group["runs"]) for group in found["groups"]] == [2, 2]
    assert [group["label"] for group in found["groups"]] == ["algorithm.name = nsga2", "algorithm.name = spea2"]


def test_callbacks_and_choices_of_a_protection():
    frame = pd.DataFrame({"a": list("xyzxyzxyzxyz"), "b": list("pqpqppqqpqpq"), "c": list("uvwuvvwwuvuv")})
    seen = []
    found = evosdc_api.protect(
        frame, protect=["a", "b"], tune=False, second_opinion=False, choose={"il": 20}, generations=5,
        callback=lambda record: seen.append(record["generation"]) or record["generation"] == 2,
    )  # fmt: skip
    assert seen == [0, 1, 2]
    assert found.result.stopped == "ended by a callback"
    member = found.result.front[found.result.chosen["member"]]
    assert (found.il, found.dr) == (member.scores["il"], member.scores["dr"])


@pytest.mark.parametrize("choose", ["knee", "balanced", {"il": 30}, {"il": 30, "dr": 10}])
def test_the_chosen_member_is_written(evosdc, tmp_path, choose):
    found = evosdc_api.run(EXPERIMENT | {"replicates": 1, "choose": choose, "fitness": "mean"}, tmp_path / "run")
    member = found["front"][found["chosen"]["member"]]
    assert member["scores"] == found["best"]["scores"]
    text = choose if isinstance(choose, str) else ",".join(f"{key}={value}" for key, value in choose.items())
    told = json.loads(evosdc("member", tmp_path / "run", text, "--json").out)
    assert told["member"] == found["chosen"]["member"]
    exported = json.loads(evosdc("export", tmp_path / "run", text, "-o", "f.csv", "--json").out)
    assert exported["member"] == found["chosen"]["member"]
    again = json.loads(evosdc("choose", tmp_path / "run", text, "-o", "again", "--json").out)
    assert again["best"]["scores"] == found["best"]["scores"]
    assert "The file that was written is the" in (tmp_path / "run" / "report.html").read_text()


def test_wrong_choices_and_stops_are_refused(evosdc, tmp_path):
    with pytest.raises(InputError, match="knee, balanced"):
        evosdc_api.run(EXPERIMENT | {"choose": "best"}, tmp_path / "run")
    lone = EXPERIMENT | {
        "measures": {"il": ["ctbil"]},
        "fitness": "ctbil",
        "choose": {"il": 3},
        "stop": {"hypervolume": 1},
    }
    with pytest.raises(InputError) as caught:
        evosdc_api.run(lone, tmp_path / "run")
    assert {fault.where for fault in caught.value.faults} == {"choose", "stop.hypervolume"}
    assert "knee, balanced" in evosdc("protect", "housing", "--choose", "best").err


def test_single_runs_show_no_difference_and_no_test():
    groups = [{"label": label, "runs": [{}]} for label in "ab"]
    (said,) = sentences({"groups": groups, "tests": {}, "runs_needed": 4, "method": "", "level": 0.05})
    assert said.startswith("A single run of each search")
