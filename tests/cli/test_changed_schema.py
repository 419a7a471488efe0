"""A schema that was changed since a run began: who goes on, or exports a file of it, is told what is another."""

import json

import pytest


def stopped(home):
    (home / "r" / "result.json").unlink()
    status = json.loads((home / "r" / "status.json").read_text())
    (home / "r" / "status.json").write_text(json.dumps(status | {"state": "interrupted"}))


@pytest.mark.endurance
def test_resume_says_what_was_changed_and_goes_on_when_forced(evosdc, finished, tmp_path):
    known = (finished / "schema.toml").read_text()
    home = tmp_path / "changed"
    home.mkdir()
    for name in ("survey.csv", "schema.toml", "e.toml"):
        (home / name).write_text((finished / name).read_text())
    assert evosdc("run", home / "e.toml", "-o", home / "r", "--quiet").status == 0
    stopped(home)
    (home / "schema.toml").write_text(known + "# a remark changes nothing\n")
    assert evosdc("resume", home / "r", "--quiet").status == 0
    stopped(home)
    (home / "schema.toml").write_text(known + 'town = { role = "identifier", scale = "nominal" }\n')
    answer = evosdc("resume", home / "r", "--quiet")
    assert answer.status == 2
    assert "town: role other is now identifier" in answer.err
    assert "--force" in answer.err
    told = evosdc("export", home / "r", "best", "-o", "given.csv")
    assert told.status == 0
    assert "town: role other is now identifier" in told.err
    assert evosdc("resume", home / "r", "--quiet", "--force").status == 0
    kept = json.loads((home / "r" / "environment.json").read_text())
    assert kept["forced"] == ["town: role other is now identifier"]


def test_what_is_read_otherwise_is_refused_though_forced(evosdc, home):
    schema = home / "schema.toml"
    resolved = home / "r" / "resolved.json"
    document = json.loads(resolved.read_text())
    document["data"] |= {"file": str(home / "survey.csv"), "schema": str(schema)}
    resolved.write_text(json.dumps(document))
    stopped(home)
    schema.write_text(schema.read_text().replace('scale = "ordinal"', 'scale = "nominal"'))
    answer = evosdc("resume", home / "r", "--force")
    assert answer.status == 2
    assert "age: scale ordinal is now nominal" in answer.err
