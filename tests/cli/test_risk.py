"""``evosdc risk`` as a user types it."""

from __future__ import annotations

import json
from math import log

import pandas as pd
import pytest

import evosdc
from evosdc.errors import InputError

SCHEMA = """
missing = ["", "?"]
[attributes]
region = { role = "quasi-identifier" }
sex = { role = "quasi-identifier" }
illness = { role = "sensitive" }
weight = { role = "weight", scale = "numeric" }
home = { role = "household" }
"""

MODELS = {
    "k-anonymity",
    "population-frequencies",
    "p-sensitivity",
    "l-diversity",
    "t-closeness",
    "individual-risk",
    "global-risk",
    "household-risk",
    "suda2",
    "delta-presence",
    "local-differential-privacy",
}


@pytest.fixture
def files(tmp_path):
    """A survey of eight people in five homes, its schema, and a population."""
    rows = ["north,f,flu", "north,f,flu", "north,m,none", "north,m,gout", "south,?,flu", "south,f,none", "south,f,flu"]
    body = "".join(f"{row},{10 + i},h{i // 2}\n" for i, row in enumerate([*rows, "east,m,none"]))
    (tmp_path / "data.csv").write_text(f"region,sex,illness,weight,home\n{body}")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    people = "north,f\n" * 4 + "north,m\n" * 2 + "south,f\n" * 9 + "south,m\n" * 2 + "east,m\nwest,f\n"
    (tmp_path / "people.csv").write_text(f"region,sex\n{people}")
    return tmp_path


def test_all_models_as_json(evosdc, files) -> None:
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--population", "people.csv", "--json")
    assert answer.status == 0, answer.err
    found = json.loads(answer.out)
    assert found.keys() | found["not_applicable"].keys() >= MODELS
    assert set(found["not_applicable"]) == {"local-differential-privacy"}
    assert found["k-anonymity"]["k"] == 1
    assert found["k-anonymity"]["unique_records"] == 2
    assert found["population-frequencies"]["smallest"] == 14.0
    assert found["household-risk"]["households"] == 4
    assert found["delta-presence"]["delta"] == 1.0
    assert found["delta-presence"]["delta_min"] == 0.0
    assert found["delta-presence"]["records_unexplained"] == 1
    assert found["missing_rule"] == "category"
    assert (found["records"], found["missing_values"]) == (8, 1)
    assert found["quasi_identifiers"] == ["region", "sex"]


@pytest.mark.parametrize(("rule", "k", "unique"), [("wildcard", 1, 1), ("category", 1, 2), ("never", 1, 2)])
def test_the_rule_for_missing_values_is_chosen_and_stated(evosdc, files, rule, k, unique) -> None:
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--missing-rule", rule, "--json")
    found = json.loads(answer.out)
    assert found["missing_rule"] == rule
    assert (found["k-anonymity"]["k"], found["k-anonymity"]["unique_records"]) == (k, unique)
    assert f"by the rule '{rule}'" in evosdc("risk", "data.csv", "--schema", "schema.toml", "--missing-rule", rule).out


def test_a_generalised_file_is_read_by_the_schema_of_its_original(evosdc, files) -> None:
    rows = "".join(f"{20 + i},{1.5 * i:.1f},{'f' if i % 3 else 'm'}\n" for i in range(12))
    (files / "ages.csv").write_text(f"age,income,sex\n{rows}")
    ages = ", ".join(f'"{20 + i}"' for i in range(12))
    schema = f'[attributes]\nage = {{ role = "quasi-identifier", scale = "ordinal", categories = [{ages}] }}\n'
    schema += 'income = { role = "quasi-identifier", scale = "numeric", decimals = 1 }\n'
    (files / "ages.toml").write_text(schema + 'sex = { role = "quasi-identifier", categories = ["f", "m"] }\n')
    given = ("ages.csv", "--schema", "ages.toml", "--set", "k=3", "--set", "output=interval", "-o", "m.csv")
    assert evosdc("mask", "mondrian", *given).status == 0
    assert "[" in (files / "m.csv").read_text()
    answer = evosdc("risk", "m.csv", "--schema", "ages.toml", "--json")
    assert answer.status == 0, answer.err
    assert json.loads(answer.out)["k-anonymity"]["k"] >= 3


def test_a_file_that_evosdc_masked_is_read_by_the_schema_of_its_original(evosdc, files) -> None:
    """Identifiers are left out of a masked file; what else is missing is still told."""
    rows = "".join(f"Ann {i},{'north' if i % 2 else 'south'},{'f' if i % 3 else 'm'}\n" for i in range(12))
    (files / "named.csv").write_text(f"name,region,sex\n{rows}")
    schema = '[attributes]\nname = { role = "identifier" }\n'
    schema += "".join(f'{name} = {{ role = "quasi-identifier" }}\n' for name in ("region", "sex"))
    (files / "named.toml").write_text(schema)
    assert evosdc("mask", "mdav", "named.csv", "--schema", "named.toml", "--set", "k=3", "-o", "m.csv").status == 0
    answer = evosdc("risk", "m.csv", "--schema", "named.toml", "--json")
    assert answer.status == 0, answer.err
    assert json.loads(answer.out)["k-anonymity"]["k"] >= 3
    (files / "named.toml").write_text(schema + 'age = { role = "quasi-identifier" }\n')
    answer = evosdc("risk", "m.csv", "--schema", "named.toml")
    assert answer.status == 2
    assert "'age', for which the file has no column" in answer.err
    assert "'name'" not in answer.err


def test_a_table_for_people(evosdc, files) -> None:
    few = evosdc("risk", "data.csv", "--schema", "schema.toml").out
    assert few.startswith("Verdict: 2 respondents are unique")
    assert sum(f"│ {name} " in few for name in MODELS) <= 5
    assert "more privacy models: --all shows them." in few
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--all")
    assert answer.status == 0, answer.err
    assert all(name in answer.out for name in MODELS)
    assert "does not apply" in answer.out
    assert "Verdict: 2 respondents are unique" in answer.out


def test_verdicts_follow_the_classes(evosdc, files) -> None:
    (files / "pairs.csv").write_text("a,b\n" + "x,1\n" * 2 + "y,2\n" * 5)
    pairs = evosdc("risk", "pairs.csv", "--quasi-identifiers", "a").out
    assert "nobody is unique, but 2 records" in pairs
    (files / "many.csv").write_text("a\n" + "x\n" * 4)
    assert "every record looks like at least 3 others" in evosdc("risk", "many.csv", "--quasi-identifiers", "a").out


def test_attributes_are_chosen_by_option(evosdc, files) -> None:
    words = ["--quasi-identifiers", "region", "--sensitive", "illness", "--weight", "weight", "--household", "home"]
    answer = evosdc("risk", "data.csv", *words, "--models", "k-anonymity,p-sensitivity,household-risk", "--json")
    found = json.loads(answer.out)
    assert found["k-anonymity"]["unique_records"] == 1
    assert found["sensitive"] == ["illness"]
    assert (found["weight"], found["household"]) == ("weight", "home")
    assert "suda2" not in found


def test_parameters_of_models(evosdc, files) -> None:
    words = ["--set", "l-diversity.form=entropy", "--set", "suda2.max_size=1", "--models", "l-diversity,suda2"]
    found = json.loads(evosdc("risk", "data.csv", "--schema", "schema.toml", *words, "--json").out)
    assert found["l-diversity"]["form"] == "entropy"
    assert found["suda2"]["max_size"] == 1


def test_matrices_have_an_epsilon(evosdc, files) -> None:
    matrix = [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]]
    entry = {"categories": ["a", "b", "c"], "frequencies": [5, 3, 0], "matrix": matrix}
    (files / "transitions.json").write_text(json.dumps({"region": entry}))
    words = ["--transitions", "transitions.json", "--models", "local-differential-privacy"]
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", *words, "--json")
    found = json.loads(answer.out)["local-differential-privacy"]
    assert found["epsilon"] == pytest.approx(log(3))
    table = evosdc("risk", "data.csv", "--schema", "schema.toml", *words)
    assert "epsilon 1.099" in table.out
    assert "Verdict" not in table.out


def test_registered_data_sets_and_numbers_as_keys(evosdc, files) -> None:
    (files / "n.csv").write_text("age,pay\n30,1.5\n30,1.50\n31,\n")
    found = json.loads(evosdc("risk", "n.csv", "--quasi-identifiers", "age,pay", "--json").out)
    assert found["k-anonymity"]["records_below"]["2"] == 1
    assert evosdc("risk", "housing", "--quasi-identifiers", "built,degree", "--json").status == 0


@pytest.mark.parametrize(
    ("header", "row", "times", "k"),
    [
        ("größe,naïve", "é,日本", 1, 1),
        ("a,b", "?,?", 6, 6),
        (",".join(f"c{i}" for i in range(100)), "x," * 99 + "y", 3, 3),
    ],
    ids=["one row, not ASCII", "all missing", "100 columns"],
)
def test_unusual_files(evosdc, files, header, row, times, k) -> None:
    (files / "odd.csv").write_text(f"{header}\n" + f"{row}\n" * times, encoding="utf-8")
    names = ", ".join(f'{name} = {{ role = "quasi-identifier" }}' for name in map(json.dumps, header.split(",")))
    schema = 'missing = ["?"]\n' + f"attributes = {{ {names} }}\n"
    (files / "odd.toml").write_text(schema, encoding="utf-8")
    for words in ((), ("--missing-rule", "wildcard")):
        answer = evosdc("risk", "odd.csv", "--schema", "odd.toml", *words, "--json")
        assert answer.status == 0, answer.err
        assert json.loads(answer.out)["k-anonymity"]["k"] == k
        assert evosdc("risk", "odd.csv", "--schema", "odd.toml", *words).status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--quasi-identifiers", "regoin"], "Did you mean 'region'?"),
        (["--sensitive", "region", "--quasi-identifiers", "region"], "a quasi-identifier as well"),
        (["--models", "k-anonimity"], "Did you mean 'k-anonymity'?"),
        (["--set", "suda2.max=3"], "an unknown key"),
        (["--set", "nothing.max=3"], "'nothing'"),
        (["--weight", "illness"], "numeric weights"),
        (["--household", "house"], "house"),
        (["--population", "nowhere.csv"], "nowhere.csv"),
        (["--transitions", "nowhere.json"], "nowhere.json"),
        (["--missing-rule", "maybe"], "maybe"),
    ],
)
def test_bad_input_is_told_in_words(evosdc, files, words, told) -> None:
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", *words)
    assert answer.status == 2
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_all_faults_are_told_at_once(evosdc, files) -> None:
    words = ["--quasi-identifiers", "regoin", "--models", "k-anonimity", "--household", "house"]
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", *words)
    assert answer.err.count("Error:") == 3


def test_a_schema_that_forbids_missing_values_asks_for_a_rule(evosdc, files) -> None:
    (files / "strict.toml").write_text('na = "error"\n' + SCHEMA)
    refused = evosdc("risk", "data.csv", "--schema", "strict.toml")
    assert refused.status == 2
    assert "sex: given 1 missing values" in refused.err
    assert evosdc("risk", "data.csv", "--schema", "strict.toml", "--missing-rule", "never").status == 0


def test_a_population_without_the_attributes_is_told(evosdc, files) -> None:
    (files / "part.csv").write_text("region\nnorth\n")
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--population", "part.csv")
    assert answer.status == 2
    assert "'sex'" in answer.err


def test_a_population_smaller_than_the_file_is_refused(evosdc, files) -> None:
    lines = (files / "people.csv").read_text().splitlines(keepends=True)
    (files / "few.csv").write_text("".join(lines[:4]))
    answer = evosdc("risk", "data.csv", "--schema", "schema.toml", "--population", "few.csv")
    assert answer.status == 2
    assert "population: given 3 records, of which the 8 of the file cannot be a part; wanted" in answer.err
    assert answer.out == ""


def test_no_quasi_identifier_is_declared(evosdc, files) -> None:
    (files / "plain.toml").write_text('[attributes]\nregion = { role = "other" }\n')
    answer = evosdc("risk", "data.csv", "--schema", "plain.toml")
    assert answer.status == 2
    assert "quasi-identifier" in answer.err


class TestPython:
    FRAME = pd.DataFrame({"a": ["x", "x", "y"], "b": [1.0, 1.0, 2.0], "w": [4, 5, 6]}, index=[9, 9, 9])

    def test_a_frame_is_judged_by_all_it_holds(self) -> None:
        found = evosdc.risk(self.FRAME, weight="w")
        assert found["quasi_identifiers"] == ["a", "b"]
        assert found["k-anonymity"]["unique_records"] == 1
        assert found["population-frequencies"]["smallest"] == 6.0

    def test_a_frame_and_a_table_give_the_same(self, files) -> None:
        table = evosdc.read_table(files / "data.csv", files / "schema.toml")
        frame = pd.read_csv(files / "data.csv", na_values="?")
        words = {
            "quasi_identifiers": ["region", "sex"],
            "sensitive": "illness",
            "weight": "weight",
            "household": "home",
        }
        assert evosdc.risk(frame, **words) == evosdc.risk(table)

    def test_populations_of_frames_and_tables_agree(self, files) -> None:
        people = pd.read_csv(files / "people.csv")
        table = evosdc.read_table(files / "data.csv", files / "schema.toml")
        read = evosdc.read_table(files / "people.csv")
        by_frame, by_table = (evosdc.risk(table, "delta-presence", population=p) for p in (people, read))
        assert by_frame == by_table
        assert by_frame["delta-presence"]["population_records"] == 19

    def test_models_and_parameters(self) -> None:
        found = evosdc.risk(self.FRAME, {"suda2": {"max_size": 1}}, quasi_identifiers=["a", "b"])
        assert found["suda2"]["msu_by_size"] == {"1": 2}

    @pytest.mark.parametrize("words", [{"missing": "maybe"}, {"models": "x"}, {"population": pd.DataFrame({"q": [1]})}])
    def test_bad_input(self, words) -> None:
        with pytest.raises(InputError):
            evosdc.risk(self.FRAME, **words)


def test_records_are_told_by_position(evosdc, files) -> None:
    words = (
        "risk",
        "data.csv",
        "--schema",
        "schema.toml",
        "--population",
        "people.csv",
        "--record-figures",
        "risks.csv",
    )
    answer = evosdc(*words)
    assert answer.status == 0, answer.err
    told = pd.read_csv(files / "risks.csv")
    assert told["record"].tolist() == list(range(1, 9))
    assert told["k-anonymity"].tolist() == [2, 2, 2, 2, 1, 2, 2, 1]
    assert {"individual-risk", "suda2", "k-map", "l-diversity", "delta-presence"} <= set(told.columns)
    assert "north" not in (files / "risks.csv").read_text()
    again = evosdc(*words)
    assert again.status == 2
    assert "force" in again.err
    assert evosdc(*words, "--force").status == 0
    assert evosdc(*words[:-1], "data.csv", "--force").status == 2


def test_records_under_wildcards_have_their_diversity(evosdc, tmp_path) -> None:
    # Worked out by hand: a missing key equals any other, and a missing illness is a value of its own or none.
    rows = "m,a,flu\nm,,cold\n,a,flu\nf,b,\nf,b,cold\nf,,flu\n"
    (tmp_path / "d.csv").write_text(f"sex,occupation,illness\n{rows}")
    words = ["risk", "d.csv", "--quasi-identifiers", "sex,occupation", "--sensitive", "illness"]
    # The former names of these options still work.
    words += ["--models", "l-diversity", "--missing", "wildcard", "--records"]
    for file, further, expected in (
        ("a.csv", (), [2, 2, 2, 3, 3, 3]),
        ("b.csv", ("--set", "l-diversity.missing=left-out"), [2, 2, 2, 2, 2, 2]),
    ):
        answer = evosdc(*words, file, *further)
        assert answer.status == 0, answer.err
        assert pd.read_csv(tmp_path / file)["l-diversity"].tolist() == expected
        assert ("left out" in " ".join(answer.out.split())) is bool(further)


def test_the_record_of_changes_of_another_file_does_not_count(evosdc, tmp_path) -> None:
    (tmp_path / "d.csv").write_text("age,sex\n" + "".join(f"{20 + k % 40},{'fm'[k % 2]}\n" for k in range(80)))
    answer = evosdc("mask", "rank-swapping", "d.csv", "--protect", "age", "--set", "p=20", "-o", "m.csv")
    assert answer.status == 0, answer.err
    (tmp_path / "m.tsv").write_text((tmp_path / "d.csv").read_text().replace(",", "\t"))
    words = ("--quasi-identifiers", "age,sex", "--models", "k-anonymity")
    assert "perturbed" in evosdc("risk", "m.csv", *words).out
    assert "perturbed" not in evosdc("risk", "m.tsv", *words).out


def test_records_from_python() -> None:
    frame = pd.DataFrame({"sex": ["f", "f", "m"], "age": ["old", "old", "old"]})
    found = evosdc.risk(frame, ["k-anonymity"], quasi_identifiers=["sex", "age"], record_figures=True)
    assert found["record_figures"] == {"k-anonymity": [2.0, 2.0, 1.0]}
