"""``evosdc choose``: a member of the front becomes the best file of a run folder of its own."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

import evosdc as evosdc_api
from evosdc.engine.checkpoint import front_scores
from evosdc.errors import InputError


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choose") / "run"
    evosdc_api.run(
        evosdc_api.Experiment(
            data={"name": "housing", "first": 60},
            start={"random": 2, "methods": [{"method": "mdav"}, {"method": "rank-swapping"}]},
            measures={"il": ["ctbil"], "dr": ["dbrl"]},
            fitness="pareto",
            algorithm={"name": "nsga2"},
            stop={"generations": 8},
            executor="serial",
            second_opinion=True,
        ),
        folder,
    )
    return folder


def told(folder, name):
    return json.loads((folder / name).read_text())


def test_all_that_is_told_is_the_member_s(evosdc, run, tmp_path) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    front, result = front_scores(run), told(run, "result.json")
    best = next(at for at, one in enumerate(front) if one["scores"] == result["best"]["scores"])
    other = 0 if best else len(front) - 1
    assert front[other]["scores"] != result["best"]["scores"], "there is nothing to choose"
    target = tmp_path / "chosen"
    answer = evosdc("choose", run, str(other), "-o", target, "--json")
    assert answer.status == 0, answer.err
    chosen = told(target, "result.json")
    assert json.loads(answer.out) == chosen
    assert chosen["best"]["scores"] == front[other]["scores"]
    assert chosen["front"] == result["front"]
    assert chosen["digest"] == result["digest"]
    assert chosen["second_opinion"]["best"]["judges"].keys() == result["second_opinion"]["best"]["judges"].keys()
    assert evosdc("export", run, str(other), "--keep-order", "-o", tmp_path / "other.csv").status == 0
    assert (target / "best.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    member = json.loads(evosdc("member", run, str(other), "--json").out)
    release = told(target, "release.json")
    for key in ("cross_tables", "analyses", "records"):
        assert release[key] == member[key], key
    assert (target / "report.html").exists()
    assert (target.stat().st_mode | (target / "best.csv").stat().st_mode) & 0o77 == 0, "owner-only"
    assert told(target, "status.json")["best"]["il"] == pytest.approx(front[other]["scores"]["il"])
    assert evosdc("status", target).status == 0
    assert {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()} == before, "the run stays"


@pytest.mark.endurance
def test_the_best_chosen_again_is_the_same(run, tmp_path) -> None:
    front, result = front_scores(run), told(run, "result.json")
    best = next(at for at, one in enumerate(front) if one["scores"] == result["best"]["scores"])
    again = evosdc_api.choose(run, best, tmp_path / "again")
    timed = {"seconds"}
    assert {k: v for k, v in again.items() if k not in timed} == {k: v for k, v in result.items() if k not in timed}
    for name in ("best.csv", "scores.csv", "front.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (run / name).read_bytes()


@pytest.mark.endurance
def test_bad_input(evosdc, run, tmp_path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "original.csv").write_text("a\n1\n")
    for words in ((run, "999", "-o", tmp_path / "a"), (run, "0", "-o", tmp_path / "full"), (run, "0", "-o", run)):
        answer = evosdc("choose", *words)
        assert answer.status == 2, words
        assert "wanted" in answer.err
    going = tmp_path / "going"
    evosdc_api.choose(run, 0, going)
    (going / "status.json").write_text(json.dumps(told(run, "status.json") | {"state": "interrupted"}))
    with pytest.raises(InputError, match="ended"):
        evosdc_api.choose(going, 0, tmp_path / "never")
    assert not (tmp_path / "never").exists()


@pytest.mark.endurance
def test_best_is_the_run_s_own_file_though_no_member_is(evosdc, run, tmp_path) -> None:
    for name, source in (("first", run), ("second", None)):
        if source is None:
            source = tmp_path / "chosen"
            assert evosdc("choose", run, "0", "-o", source).status == 0
        target = tmp_path / f"{name}.csv"
        answer = evosdc("export", source, "best", "--keep-order", "-o", target)
        assert answer.status == 0, answer.err
        assert "not judged" not in answer.err
        assert target.read_bytes() == (source / "best.csv").read_bytes()
    lone = tmp_path / "lone"
    evosdc_api.run(
        evosdc_api.Experiment(
            data={"name": "housing", "first": 60}, genotype="recipes",
            start={"methods": [{"method": "mdav"}, {"method": "rank-swapping"}]},
            measures={"il": ["ctbil"], "dr": ["dbrl"]}, fitness="max", algorithm={"name": "racing", "tolerance": 50},
            stop={"generations": 3}, executor="serial",
        ),
        lone,
    )  # fmt: skip
    assert evosdc("export", lone, "best", "--keep-order", "-o", tmp_path / "lone.csv").status == 0
    assert (tmp_path / "lone.csv").read_bytes() == (lone / "best.csv").read_bytes()
    found = evosdc_api.member(run, "best")
    assert found["scores"] == told(run, "result.json")["best"]["scores"]


def test_the_page_for_users_has_the_checksum_of_every_export_of_its_file(evosdc, run, tmp_path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    result = told(copy, "result.json")
    open_verdict = {**result["verdict"], "publishable": True, "headline": "publishable", "reasons": []}
    (copy / "result.json").write_text(json.dumps(result | {"verdict": open_verdict}))
    best = next(at for at, one in enumerate(result["front"]) if one["scores"] == result["best"]["scores"])
    other = 0 if best else len(result["front"]) - 1
    names = {"same.csv": best, "again.tsv": "best", "ordered.csv": "best", "another.csv": other}
    for name, member in names.items():
        order = ["--keep-order"] if name == "ordered.csv" else []
        assert evosdc("export", copy, str(member), *order, "-o", tmp_path / name).status == 0
    sums = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names}
    assert len({sums["again.tsv"], sums["same.csv"], sums["another.csv"]}) == 3
    for page in (copy / "for-users.html", copy / "report.html"):
        text = page.read_text()
        for name in ("same.csv", "again.tsv", "ordered.csv"):
            assert f"<bdi>{name}</bdi></dt><dd><code>{sums[name]}</code>" in text
        assert "another.csv" not in text
    assert evosdc("report", copy).status == 0
    assert sums["again.tsv"] in (copy / "for-users.html").read_text(), "a page that is written again has it too"
