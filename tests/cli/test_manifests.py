"""What every published file says of where it comes from, and what `--json` prints."""

import hashlib
import json
import re

import pytest

from evosdc.secret import Key

TABLE = "sex,age,town\n" + "".join(f"{'mf'[i % 2]},{20 + i % 7},{'abc'[i % 3]}\n" for i in range(30))
SCHEMA = '[attributes]\nsex = { role = "quasi-identifier" }\nage = { role = "quasi-identifier", scale = "ordinal" }\n'
EXPERIMENT = (
    'data = { file = "a.csv", schema = "s.toml" }\nstop = { generations = 2 }\nstart = { random = 3 }\n'
    'measures = { il = ["ctbil"], dr = ["id"] }\nexecutor = "serial"\n'
)


def hashed(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def home(tmp_path):
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "s.toml").write_text(SCHEMA)
    (tmp_path / "x.toml").write_text(EXPERIMENT)
    return tmp_path


def assert_accounted(document, home, output, command, key=None):
    """Check what is told of the input: names, and where a key is kept what its owner recognises the files by."""
    told = {part: {"name": name} for part, name in (("data", "a.csv"), ("schema", "s.toml"))}
    for one in told.values() if key is not None else ():
        one["fingerprint"] = key.fingerprint(bytes.fromhex(hashed(home / one["name"])))
    assert document["input"] == told
    assert hashed(home / "a.csv") not in json.dumps(document)
    assert document["output"] == {"name": output, "sha256": hashed(home / output)}
    assert document["command"].startswith(command)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", document["date"])
    assert {"evosdc", "python", "packages", "plugins"} <= document["versions"].keys()
    said = json.dumps(document)
    assert [row for row in TABLE.splitlines() if row in said] == [], "no record and no heading of the original"


def test_masking(evosdc, home):
    answer = evosdc("mask", "pram", "a.csv", "--schema", "s.toml", "-o", "m.csv", "--json")
    document = json.loads(answer.out)
    assert document == json.loads((home / "m.manifest.json").read_text())
    assert_accounted(document, home, "m.csv", "evosdc mask pram a.csv --schema s.toml -o m.csv")
    words = ("mask", "pram", "a.csv", "--schema", "s.toml", "--key", "k", "-o", "n.csv")
    document = json.loads(evosdc(*words, "--json").out)
    assert_accounted(document, home, "n.csv", f"evosdc {' '.join(words)}", Key.read(home / "k"))


def test_a_data_set_is_named_with_the_digests_of_its_files(evosdc, tmp_path):
    read = json.loads(evosdc("mask", "pram", "housing", "-o", "m.csv", "--json").out)["input"]
    assert read == {"data": {"name": "housing"}}


def test_runs_exports_and_reports(evosdc, home):
    assert evosdc("run", "x.toml", "-o", "run", "--quiet").status == 0
    environment = json.loads((home / "run" / "environment.json").read_text())
    assert environment["command"] == "evosdc run x.toml -o run --quiet"
    key = Key.read(home / "run" / "key")
    mine = {"name": "a.csv", "fingerprint": key.fingerprint(bytes.fromhex(hashed(home / "a.csv")))}
    assert environment["input"]["data"] == mine
    assert environment["experiment"] == hashed(home / "run" / "experiment.toml")
    answer = evosdc("export", "run", 0, "-o", "e.csv", "--json")
    document = json.loads(answer.out)
    assert isinstance(document.pop("warnings"), list)
    assert document == json.loads((home / "e.manifest.json").read_text())
    assert_accounted(document, home, "e.csv", "evosdc export run 0 -o e.csv", key)
    assert (document["run"], document["member"]) == ("run", 0)
    answer = evosdc("report", "run", "-o", "r.html", "--json")
    assert json.loads(answer.out) == {"report": "r.html", "runs": ["run"]}
    assert (home / "r.html").exists()
    # An edited experiment is told of, and the run stays what it was, finished or not.
    before = json.loads((home / "run" / "result.json").read_text())
    assert "edited" not in evosdc("resume", "run", "--quiet").err
    (home / "run" / "experiment.toml").write_text(EXPERIMENT.replace("generations = 2", "generations = 9"))
    answer = evosdc("resume", "run", "--quiet")
    assert "experiment.toml was edited since the run began" in answer.err
    (home / "run" / "result.json").unlink()
    answer = evosdc("resume", "run", "--quiet")
    assert (answer.status, "evosdc run run/experiment.toml -o NEW" in answer.err) == (0, True)
    assert json.loads((home / "run" / "result.json").read_text())["generations"] == before["generations"]


def test_an_edited_study_is_told_of(evosdc, home):
    assert evosdc("run", "x.toml", "-o", "study", "--quiet", "--set", "replicates=2").status == 0
    assert "edited" not in evosdc("resume", "study", "--quiet").err
    (home / "study" / "experiment.toml").write_text(EXPERIMENT)
    assert "experiment.toml was edited" in evosdc("resume", "study", "--quiet").err


def test_init(evosdc, home):
    document = json.loads(evosdc("init", "a.csv", "-o", "new.toml", "--json").out)
    assert isinstance(document, dict)
    assert (home / "new.toml").exists()
