"""``evosdc edit`` as a user types it."""

from __future__ import annotations

import json

import pytest

SCHEMA = '[attributes]\nage = { role = "other", scale = "numeric" }\n'


@pytest.fixture
def schema(tmp_path):
    (tmp_path / "s.toml").write_text(SCHEMA)
    return tmp_path / "s.toml"


def test_steps_there_and_back(evosdc, schema) -> None:
    answer = evosdc("edit", "s.toml", "age", "role=quasi-identifier", "hierarchy={widths=[5,10]}")
    assert (answer.status, answer.err) == (0, "")
    assert 'age: role = "quasi-identifier", hierarchy = {"widths": [5, 10]}.' in answer.out
    assert (
        'age = { role = "quasi-identifier", scale = "numeric", hierarchy = { widths = [5, 10] } }' in schema.read_text()
    )
    answer = evosdc("edit", "s.toml", "age", "hierarchy=", "--json")
    assert json.loads(answer.out)["after"] == {"role": "quasi-identifier", "scale": "numeric"}
    assert evosdc("edit", "s.toml", "--undo").status == 0
    assert json.loads(evosdc("edit", "s.toml", "--undo", "--json").out)["after"]["role"] == "other"
    assert schema.read_text() == SCHEMA
    assert "nothing to change" in evosdc("edit", "s.toml", "age", "role=other").out


def test_a_line_for_an_attribute_that_the_schema_did_not_name_is_told(evosdc, schema) -> None:
    assert "said nothing" not in evosdc("edit", "s.toml", "age", "role=sensitive").out
    answer = evosdc("edit", "s.toml", "income", "role=sensitive")
    assert "The schema said nothing of income before; if that is a slip, --undo takes it back." in answer.out
    assert "income: taken out again." in evosdc("edit", "s.toml", "--undo").out
    assert "income = " not in schema.read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("edit", "s.toml"), ("edit", "s.toml", "age"), ("edit", "s.toml", "age", "role"), ("edit", "s.toml", "--undo"),
        ("edit", "s.toml", "age", "role=x"), ("edit", "s.toml", "age", "role=other", "--undo"),
        ("edit", "no.toml", "age", "role=x"),
    ],
)  # fmt: skip
def test_bad_input_is_told(evosdc, schema, words) -> None:
    answer = evosdc(*words)
    assert answer.status == 2
    assert "Error" in answer.err
    assert schema.read_text() == SCHEMA


def test_a_question_about_a_code_is_answered_and_asked_again(evosdc, tmp_path) -> None:
    rows = "".join(f"{'mf'[k % 2]};{20 + k % 9},{k % 10}\n" for k in range(60)) + "m;99,0\n" * 12
    (tmp_path / "d.csv").write_text(f"sex;bmi\n{rows}")
    assert evosdc("init", "d.csv", "-o", "s.toml").status == 0
    asked = (tmp_path / "s.toml").read_text()
    assert "# '99,0' in 12 records of bmi may stand for a missing value" in asked
    answer = evosdc("edit", "s.toml", "bmi", "missing=99,0")
    assert 'missing = ["99", "0"]' in answer.out
    assert "two codes, 99 and 0" in answer.out
    assert "\n# '99,0'" not in (tmp_path / "s.toml").read_text()
    assert evosdc("edit", "s.toml", "--undo").status == 0
    assert (tmp_path / "s.toml").read_text() == asked
    assert 'missing = ["99"]' in evosdc("edit", "s.toml", "bmi", "missing=99.0").out
    answer = evosdc("edit", "s.toml", "sex", "categories=")
    assert "sex: categories taken away." in answer.out
