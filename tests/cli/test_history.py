"""Releases of one original are judged together: those that are named, and other runs in the same folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evosdc as library
from evosdc.cli import main

SCHEMA = """[attributes]
age = { role = "quasi-identifier", scale = "ordinal" }
sex = { role = "quasi-identifier", scale = "nominal" }
job = { role = "quasi-identifier", scale = "nominal" }
"""
EXPERIMENT = """bound = 60
data = { file = "people.csv", schema = "schema.toml", shuffle = true }
measures = { il = ["dbil"], dr = ["two-way-linkage"] }
start = [{ method = "rank-swapping", p = 40 }]
second_opinion = false
executor = "serial"
stop = { generations = 1 }
"""


QUIET = ("--quiet", "--no-report")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Two runs of one original that publish unchanged who spent what, which tells the rows of both apart."""
    rng, home = np.random.default_rng(4), tmp_path_factory.mktemp("history")
    people = {
        "age": rng.integers(18, 26, 150),
        "sex": rng.choice(["f", "m"], 150),
        "job": rng.choice(list("abcd"), 150),
    }
    pd.DataFrame(people | {"spent": rng.permutation(150), "saved": np.arange(150) % 7}).to_csv(
        home / "people.csv", index=False
    )
    (home / "schema.toml").write_text(SCHEMA)
    (home / "e.toml").write_text(EXPERIMENT)
    for name, digits in (("a", "01"), ("b", "02")):
        key = home / f"{name}.key"  # by which both files may be published: others swap categories by chance
        key.write_text(32 * digits)
        key.chmod(0o600)
        with pytest.raises(SystemExit):
            main(["run", str(home / "e.toml"), "-o", str(home / "runs" / name), *QUIET, "--key", str(key)])
    return home


@pytest.fixture
def home(finished, tmp_path):
    shutil.copytree(finished / "runs", tmp_path / "runs")
    for name in ("people.csv", "schema.toml"):
        shutil.copy(finished / name, tmp_path / name)
    return tmp_path


def told(answer):
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_other_runs_of_the_same_data_are_found_and_named_ones_forbid(evosdc, home):
    found = told(evosdc("judge", "runs/b", "--json"))["judges"]["release-history"]
    assert found["value"] > found["details"]["alone"] + 5.0
    result = json.loads(Path("runs/b/result.json").read_text())
    assert [Path(one).name for one in result["second_opinion"]["earlier"]] == ["a"]
    assert result["second_opinion"]["earlier_named"] is False
    said = " ".join(result["verdict"]["reasons"] + result["verdict"]["conditions"])
    assert "runs/a counts as a publishable run of the same data in the same folder" in said
    assert "`evosdc judge RUN --earlier none`" in said
    named = told(evosdc("judge", "runs/b", "--earlier", "runs/a", "--json"))["judges"]["release-history"]
    assert named["value"] == found["value"]
    assert "--earlier none" not in Path("runs/b/result.json").read_text(), "whoever names a release counts it"
    verdict = json.loads(Path("runs/b/result.json").read_text())["verdict"]
    linkability = verdict["risks"][1]
    assert "with the earlier releases" in linkability["words"]
    assert linkability["kept"] is (found["value"] <= 60.0)


def test_own_trials_are_left_out_where_the_user_says_that_nothing_is_out(evosdc, home):
    told(evosdc("judge", "runs/b", "--json"))
    answer = evosdc("judge", "runs/b", "--earlier", "none")
    assert answer.status == 0, answer.err
    result = json.loads(Path("runs/b/result.json").read_text())
    assert answer.out.splitlines()[0] == f"Verdict: {result['verdict']['headline'].upper()}" + (
        f": {result['verdict']['provided']}" if result["verdict"]["provided"] else ""
    )
    assert (result["second_opinion"]["earlier"], result["second_opinion"]["earlier_named"]) == ([], True)
    assert "release-history" not in result["second_opinion"]["best"]["judges"]
    assert not any("runs/a" in text for text in result["verdict"]["reasons"] + result["verdict"]["conditions"])
    library.judge("runs/b", earlier=["none"])
    assert json.loads(Path("runs/b/result.json").read_text())["second_opinion"]["earlier"] == []
    assert "release-history" in told(evosdc("judge", "runs/b", "--json"))["judges"], "they count again by themselves"


def test_a_refused_run_is_no_release_and_an_experiment_may_leave_out_all(evosdc, home):
    document = json.loads(Path("runs/a/result.json").read_text())
    document["verdict"]["publishable"] = False
    Path("runs/a/result.json").write_text(json.dumps(document))
    assert "release-history" not in told(evosdc("judge", "runs/b", "--json"))["judges"]
    document["verdict"]["publishable"] = True
    Path("runs/a/result.json").write_text(json.dumps(document))
    for name, data in (("c", ""), ("d", ', earlier = ["none"]')):
        text = EXPERIMENT.replace("second_opinion = false", "second_opinion = true")
        Path("e.toml").write_text(text.replace("shuffle = true", f"shuffle = true{data}"))
        assert evosdc("run", "e.toml", "-o", f"runs/{name}", *QUIET).status in (0, 1)
        opinion = json.loads(Path(f"runs/{name}/result.json").read_text())["second_opinion"]
        assert [Path(one).name for one in opinion["earlier"]] == ([] if data else ["a", "b"])
        assert opinion["earlier_named"] is bool(data)


def test_a_file_of_another_original_is_no_release_of_this_one(evosdc, home):
    text = Path("people.csv").read_text().splitlines()
    Path("other.csv").write_text("\n".join([text[0], *reversed(text[1:])]) + "\n")
    Path("e.toml").write_text(EXPERIMENT.replace("people.csv", "other.csv"))
    evosdc("run", "e.toml", "-o", "runs/c", "--quiet", "--no-report")
    found = told(evosdc("judge", "runs/b", "--judges", "repu", "--json"))
    assert "release-history" in found["judges"]
    shutil.rmtree("runs/a")
    assert "release-history" not in told(evosdc("judge", "runs/b", "--judges", "repu", "--json"))["judges"]


def test_two_files_and_frames_have_earlier_releases_too(evosdc, home):
    for name, seed in (("now.csv", "1"), ("before.csv", "2")):
        words = ("mask", "pram", "people.csv", "--schema", "schema.toml", "--seed", seed, "-o", name)
        assert evosdc(*words).status == 0
    judged = ("judge", "people.csv", "now.csv", "--schema", "schema.toml", "--judges", "repu", "--json")
    files = told(evosdc(*judged, "--earlier", "before.csv"))["judges"]["release-history"]
    frames = [pd.read_csv(name) for name in ("people.csv", "now.csv", "before.csv")]
    opinion = library.judge(*frames[:2], protect=["age", "sex", "job"], judges=["repu"], earlier=[frames[2]])
    assert opinion.scores["release-history"] > 0.0
    assert files["value"] > 0.0


def test_what_is_no_earlier_release_is_refused_in_a_sentence(evosdc, home):
    judged = ("judge", "people.csv", "now.csv", "--schema", "schema.toml", "--judges", "repu")
    assert evosdc("mask", "pram", "people.csv", "--schema", "schema.toml", "-o", "now.csv").status == 0
    words = ("mask", "pram", "people.csv", "--schema", "schema.toml", "--shuffle", "--crosswalk", "c.csv")
    assert evosdc(*words, "-o", "before.csv").status == 0
    for given, said in (("before.csv", "shuffled"), ("absent.csv", "absent.csv"), (".", "no run")):
        answer = evosdc(*judged, "--earlier", given)
        assert (answer.status, "Traceback" in answer.err) == (2, False)
        assert said in answer.err


def test_earlier_runs_of_other_people_or_without_their_order_are_refused(evosdc, home):
    head, *lines = Path("people.csv").read_text().splitlines()
    Path("next.csv").write_text("\n".join([head, *reversed(lines)]) + "\n")
    assert evosdc("mask", "pram", "next.csv", "--schema", "schema.toml", "-o", "now.csv").status == 0
    judged = ("judge", "next.csv", "now.csv", "--schema", "schema.toml", "--judges", "repu")
    answer = evosdc(*judged, "--earlier", "runs/a")
    assert answer.status == 2
    assert "a run of other data than next.csv" in answer.err
    Path("runs/a/crosswalk.csv").unlink()
    answer = evosdc("judge", "runs/b", "--judges", "repu", "--earlier", "runs/a")
    assert answer.status == 2
    assert "Restore crosswalk.csv" in answer.err
    shutil.copy("runs/a/best.csv", "released.csv")
    answer = evosdc("judge", "runs/b", "--judges", "repu", "--earlier", "released.csv")
    assert answer.status == 2
    assert "in another order" in answer.err
    frames = [pd.read_csv(name) for name in ("people.csv", "runs/b/best.csv", "released.csv")]
    with pytest.raises(library.EvosdcError, match="another order"):
        library.judge(frames[0], frames[0], protect=["age", "sex", "job"], judges=["repu"], earlier=[frames[2]])


def test_an_earlier_run_of_the_same_file_counts_though_the_schema_changed(evosdc, home):
    Path("schema.toml").write_text(SCHEMA + 'spent = { role = "other", scale = "numeric", missing = ["7"] }\n')
    assert evosdc("mask", "pram", "people.csv", "--schema", "schema.toml", "-o", "now.csv").status == 0
    judged = ("judge", "people.csv", "now.csv", "--schema", "schema.toml", "--judges", "repu", "--json")
    assert "release-history" in told(evosdc(*judged, "--earlier", "runs/a"))["judges"]
