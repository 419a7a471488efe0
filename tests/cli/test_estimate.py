"""PRAM on the command line, its matrices beside the file, and the estimate from both."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def survey(tmp_path):
    lines = ["sex,region,grade"] + [f"{'fm'[i % 2]},{'nsw'[i % 3]},{i // 7 % 4}" for i in range(240)]
    file = tmp_path / "survey.csv"
    file.write_text("\n".join(lines) + "\n")
    schema = tmp_path / "schema.toml"
    schema.write_text(
        "[attributes]\n"
        + "".join(
            f'{name} = {{ role = "quasi-identifier", scale = "nominal" }}\n' for name in ("sex", "region", "grade")
        )
    )
    return file, schema


def test_the_matrices_stand_beside_the_file_and_the_manifest_names_them(evosdc, survey, tmp_path):
    file, schema = survey
    words = ("--set", "design=two-stage", "--set", "alpha=0.6", "--protect", "region,grade")
    done = evosdc("mask", "pram", file, "--schema", schema, *words, "-o", "masked.csv")
    assert done.status == 0, done.err
    assert "masked.matrices.json says how records were masked" in done.out
    assert json.loads((tmp_path / "masked.manifest.json").read_text())["companion"] == "masked.matrices.json"
    (entry,) = json.loads((tmp_path / "masked.matrices.json").read_text())
    assert set(entry["account"]) == {"region", "grade"}
    words = ("--schema", schema, "--matrices", "masked.matrices.json", "--protect", "region,sex", "--json")
    found = json.loads(evosdc("estimate", "masked.csv", *words).out)
    cells = {(cell["region"], cell["sex"]): cell["estimated"] for cell in found["cells"]}
    assert len(cells) == 6
    assert sum(cells.values()) == pytest.approx(240)
    assert all(abs(count - 40) < 30 for count in cells.values())


def test_strata_have_matrices_of_their_own(evosdc, survey, tmp_path):
    file, schema = survey
    words = ("--set", "p=0.7", "--protect", "grade", "--by", "sex")
    assert evosdc("mask", "pram", file, "--schema", schema, *words, "-o", "masked.csv").status == 0
    entries = json.loads((tmp_path / "masked.matrices.json").read_text())
    assert [entry["stratum"] for entry in entries] == [{"sex": "f"}, {"sex": "m"}]
    words = ("--schema", schema, "--matrices", "masked.matrices.json", "--protect", "grade")
    done = evosdc("estimate", "masked.csv", *words)
    assert done.status == 0, done.err
    assert done.out.splitlines()[0].split() == ["grade", "published", "estimated", "standard", "error"]
    assert len(done.out.splitlines()) == 5


def test_what_is_wrong_is_told_in_plain_words(evosdc, survey, tmp_path):
    file, schema = survey
    (tmp_path / "m.csv").write_text("grade,0,1,2,3\n0,.5,.5,0,0\n1,.5,.6,0,0\n2,0,0,1,0\n3,0,0,0,1\n")
    done = evosdc("estimate", file, "--schema", schema, "--matrices", "m.csv", "--protect", "grade")
    assert done.status == 2
    assert "line 3 (1): given a row that sums to 1.1" in done.err
    done = evosdc("mask", "pram", file, "--schema", schema, "--set", "matrix=m.csv", "--protect", "grade", "-o", "x")
    assert done.status == 2
    assert "line 3 (1): given a row that sums to 1.1" in done.err


def test_methods_without_an_account_write_none(evosdc, survey, tmp_path):
    file, schema = survey
    done = evosdc("mask", "local-suppression", file, "--schema", schema, "--set", "k=5", "-o", "masked.csv")
    assert done.status == 0, done.err
    assert "companion" not in json.loads((tmp_path / "masked.manifest.json").read_text())
    words = ("--set", "importance.sex=9", "--set", "missing=wildcard", "--set", "k=5")
    assert evosdc("mask", "local-suppression", file, "--schema", schema, *words, "-o", "again.csv").status == 0
