"""Files with generalised values: measured by the losses made for them, and read by `risk` under any schema."""

import json

import pandas as pd
import pytest

import evosdc

ROWS = [("mf"[i % 2], 18 + i * 7 % 60, ("1011", "1012", "2044", "2055")[i % 4], "xyz"[i % 3]) for i in range(48)]
SCHEMA = """[attributes]
sex = {{ role = "quasi-identifier", scale = "nominal"{sex} }}
age = {{ role = "quasi-identifier", scale = "numeric"{age} }}
zip = {{ role = "quasi-identifier", scale = "nominal"{zip} }}
ill = {{ role = "sensitive", scale = "nominal" }}
"""
PLAIN = {"sex": "", "age": "", "zip": ""}
RULES = {"sex": "", "age": ", hierarchy = { widths = [5, 10, 20] }", "zip": ", hierarchy = { prefix = true }"}
FILES = {
    "sex": ', categories = ["f", "m"]',
    "age": ", hierarchy = { widths = [5, 10, 20] }",
    "zip": ', categories = ["1011", "1012", "2044", "2055"], hierarchy = "zip.csv"',
}


def text(rows):
    return "sex,age,zip,ill\n" + "".join(",".join(f'"{value}"' for value in row) + "\n" for row in rows)


def interval(age):
    low = age // 20 * 20
    return f"[{low}, {low + 20})"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "d.csv").write_text(text(ROWS))
    wide = [
        ("*" if i < 3 else sex, interval(age), code[:2] + "**", ill) for i, (sex, age, code, ill) in enumerate(ROWS)
    ]
    wide[0] = ("*", "*", "*", "x")
    (tmp_path / "g.csv").write_text(text(wide))
    (tmp_path / "zip.csv").write_text("".join(f"{c};{c[:3]}*;{c[:2]}**;*\n" for c in ("1011", "1012", "2044", "2055")))
    return tmp_path


def schema(home, parts):
    (home / "s.toml").write_text(SCHEMA.format(**parts))
    return ("--schema", "s.toml")


@pytest.mark.parametrize("parts", [RULES, FILES], ids=["rules", "files"])
def test_they_are_measured_by_lm_and_dm_unless_told_else(evosdc, home, parts):
    words = ("measure", "d.csv", "g.csv", *schema(home, parts), "--json")
    said = evosdc(*words)
    assert said.status == 0, said.err
    found = json.loads(said.out)
    assert {"lm", "dm"} <= found.keys()
    assert not {"il", "dr", "ctbil", "dbrl"} & found.keys()
    sizes = pd.read_csv(home / "g.csv", dtype=str).iloc[1:].groupby(["sex", "age", "zip"]).size()
    assert found["dm"] == (sizes**2).sum() + 48
    raised = json.loads(evosdc(*words, "--set", "dm.k=3").out)
    small = sizes[sizes < 3].sum()
    assert small > 0
    assert raised["dm"] == (sizes[sizes >= 3] ** 2).sum() + 48 * (1 + small)
    assert (raised["parameters"]["dm"], raised["lm"]) == ({"k": 3}, found["lm"])
    assert evosdc("measure", "d.csv", "d.csv", *schema(home, parts), "--set", "dm.k=3").status == 2
    assert set(json.loads(evosdc(*words, "--measures", "dm", "--set", "dm.k=3").out)) >= {"dm"}


def test_a_label_that_stands_for_nothing_is_still_an_error(evosdc, home):
    (home / "g.csv").write_text((home / "g.csv").read_text().replace("[20, 40)", "young"))
    answer = evosdc("measure", "d.csv", "g.csv", *schema(home, RULES))
    assert (answer.status, "g.csv, age: given" in answer.err) == (2, True), answer


def test_frames_are_measured_likewise():
    frame = pd.DataFrame({"a": [1, 2, 3, 4] * 4, "b": list("pqpq") * 4})
    wide = frame.assign(a=["[1, 2]" if value < 3 else ">= 3" for value in frame["a"]])
    assert set(evosdc.measure(frame, wide)) == {"lm", "dm"}
    assert "lm" not in evosdc.measure(frame, frame)
    assert evosdc.measure(frame, wide, {"dm": {"k": 5}}, protect=["a", "b"])["dm"] == 16 * 16


@pytest.mark.parametrize("parts", [PLAIN, RULES, FILES], ids=["plain", "rules", "files"])
def test_risk_reads_them_under_any_schema(evosdc, home, parts):
    said = evosdc("risk", "g.csv", *schema(home, parts), "--models", "k-anonymity,l-diversity", "--json")
    assert said.status == 0, said.err
    frame = pd.read_csv(home / "g.csv", dtype=str)
    assert json.loads(said.out)["k-anonymity"]["k"] == frame.groupby(["sex", "age", "zip"]).size().min()


REFUSED = {
    "unknown attributes": (("nope",), SCHEMA.format(**PLAIN), None),
    "identifiers": (("sex",), '[attributes]\nsex = { role = "identifier" }\n', None),
    "nothing": ((None,), "", None),
    "no names": (("",), SCHEMA.format(**PLAIN), None),
    "missing values": ((None,), 'na = "error"\n' + SCHEMA.format(**PLAIN), ('"m","18"', '"","18"')),
    "numbers that are none": ((None,), SCHEMA.format(**PLAIN).replace("numeric", "numbers"), None),
    "columns that are not there": ((None,), SCHEMA.format(**PLAIN) + 'other = { role = "sensitive" }\n', None),
    "ragged lines": ((None,), SCHEMA.format(**PLAIN), ('"m","18"', '"m","18","19"')),
}


@pytest.mark.parametrize("name", REFUSED)
def test_risk_refuses_what_mask_refuses(evosdc, home, name):
    (names,), said, change = REFUSED[name]
    (home / "s.toml").write_text(said)
    if change is not None:
        (home / "d.csv").write_text(text(ROWS).replace(*change))
    given = {"risk": "--quasi-identifiers", "mask": "--protect"}
    for words in (("risk", "d.csv"), ("mask", "mdav", "d.csv", "-o", "m.csv")):
        more = () if names is None else (given[words[0]], names)
        answer = evosdc(*words, "--schema", "s.toml", *more)
        assert (answer.status, answer.out) == (2, ""), (words, answer)
    assert not (home / "m.csv").exists()
