"""``evosdc init``: what it proposes, asks and writes."""

from __future__ import annotations

import json
import tomllib

import pandas as pd
import pytest

ROWS = "\n".join(f"{i % 47 + 18},{'fm'[i % 2]},{i * 31 % 97},{'N' if i % 9 == 0 else i % 5},{i % 7}" for i in range(90))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(f"age,sex,hours,visits,education\n{ROWS}\n70,f,99,-9,3\n71,m,99,-9,4\n")
    return path


def test_each_proposal_has_its_reason_and_hierarchies_lie_beside(evosdc, file, tmp_path):
    assert evosdc("init", file, "-o", "s.toml", "--no-ask").status == 0
    text = (tmp_path / "s.toml").read_text()
    lines = text.splitlines()
    for name in ("age", "sex", "hours", "visits"):
        place = next(k for k, line in enumerate(lines) if line.startswith(f"{name} = "))
        assert lines[place - 1].startswith("# it"), name
    document = tomllib.loads(text)["attributes"]
    assert document["age"]["hierarchy"] == {"widths": [5, 10, 20]}
    assert document["education"]["hierarchy"] == "s-education.csv"
    assert "3;2-3;0-3;*" in (tmp_path / "s-education.csv").read_text().splitlines()
    assert document["visits"]["missing"] == ["N"]
    assert "# '-9' in 2 records of visits may stand for a missing value" in text


def test_codes_of_missing_values_are_given_or_asked_about(evosdc, file, tmp_path, monkeypatch):
    assert evosdc("init", file, "-o", "a.toml", "--missing", "visits=-9").status == 0
    assert tomllib.loads((tmp_path / "a.toml").read_text())["attributes"]["visits"]["missing"] == ["N", "-9"]
    assert (
        evosdc("init", file, "-o", "c.toml", "--missing", 'visits=-9,"k.A., or none"', "--missing", "age=99").status
        == 0
    )
    found = tomllib.loads((tmp_path / "c.toml").read_text())["attributes"]
    assert (found["visits"]["missing"], found["age"]["missing"]) == (["N", "-9", "k.A., or none"], ["99"])
    asked = []
    monkeypatch.setattr("click.confirm", lambda question, default: asked.append(question) or True)
    assert evosdc("init", file, "-o", "b.toml", "--ask").status == 0
    assert asked == ["Does '-9', in 2 records of visits, stand for a missing value?"]
    assert tomllib.loads((tmp_path / "b.toml").read_text())["attributes"]["visits"]["missing"] == ["N", "-9"]


def test_a_missing_text_of_an_unknown_column_is_refused(evosdc, file):
    said = evosdc("init", file, "--missing", "visit=-9", "--missing", "none")
    assert said.status == 2
    assert "'visit=-9'" in said.err
    assert "'none'" in said.err


def test_json(evosdc, file):
    said = evosdc("init", file, "--json")
    found = json.loads(said.out)
    assert said.status == 0
    assert found["attributes"]["age"]["role"] == "quasi-identifier"
    assert found["attributes"]["age"]["reason"].startswith("its name is demographic")
    assert found["suspected_missing"] == [{"attribute": "visits", "text": "-9", "records": 2}]
    assert [name.rsplit(".", 1)[1] for name in found["files"]] == ["toml", "csv"]


def test_proposed_rules_are_comments_that_become_rules(evosdc, tmp_path):
    from evosdc.files.source import read_source

    titles = {"IT": ("Developer", "Admin"), "HR": ("Recruiter", "Clerk")}
    rows = [f"{titles[department][k % 2]},{department},{k % 40}" for k in range(60) for department in titles]
    path = tmp_path / "staff.csv"
    path.write_text("\n".join(["title,department,age", *rows]))
    said = evosdc("init", path, "-o", "t.toml", "--json")
    document = json.loads(said.out)
    assert {"department": "HR", "title": "Developer"} in document["edit_rules"]
    assert any("Never together" in remark for remark in document["remarks"])
    text = (tmp_path / "t.toml").read_text()
    assert read_source(path, tmp_path / "t.toml").table.schema.edit_rules == ()
    before, after = text.split("# Never together in this file")
    active = "\n".join(line.removeprefix("# ") for line in after.splitlines()[1:])
    (tmp_path / "t.toml").write_text(before + active)
    assert len(read_source(path, tmp_path / "t.toml").table.schema.edit_rules) == len(document["edit_rules"])


def test_a_schema_with_dates_reads_the_file_of_the_next_year(evosdc, tmp_path) -> None:
    for year in (2023, 2024):
        days = pd.date_range(f"{year}-01-01", f"{year}-12-28", periods=60).strftime("%d.%m.%Y")
        frame = pd.DataFrame({"admission date": days, "sex": ["f", "m"] * 30, "age": range(20, 80)})
        frame.to_csv(tmp_path / f"{year}.csv", index=False)
    schema = tmp_path / "s.toml"
    assert evosdc("init", tmp_path / "2023.csv", "-o", schema).status == 0
    assert "dates = [" in schema.read_text()
    answer = evosdc("risk", tmp_path / "2024.csv", "--schema", schema)
    assert answer.status == 0, answer.err
