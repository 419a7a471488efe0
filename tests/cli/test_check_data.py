"""``evosdc check --data``: broken rules, structural zeros, and what gives masked attributes away."""

import json

import pytest

import evosdc as package
from evosdc.assess.data_check import zeros_sentence
from evosdc.table.structural_zeros import StructuralZeros


@pytest.fixture
def people(tmp_path):
    pairs = [("young", "single", 1)] * 30 + [("old", "single", 2)] * 25 + [("old", "married", 2)] * 25
    pairs += [("young", "married", 1)] * 0
    (tmp_path / "p.csv").write_text("\n".join(["age,status,code", *(f"{a},{s},{c}" for a, s, c in pairs), ""]))
    (tmp_path / "s.toml").write_text(
        '[attributes]\nage = { role = "quasi-identifier", scale = "nominal" }\n'
        'status = { role = "quasi-identifier", scale = "nominal" }\ncode = { role = "other", scale = "nominal" }\n'
        '[[edit_rules]]\nage = "old"\nstatus = "single"\ncode = ["2"]\n'
    )
    (tmp_path / "e.toml").write_text('data = { file = "p.csv", schema = "s.toml" }\nstop = { generations = 1 }\n')
    return tmp_path


def test_the_records_of_a_file_are_checked(evosdc, people):
    said = evosdc("check", "--data", "p.csv", "--schema", "s.toml")
    assert said.status == 0
    words = " ".join(said.out.split())
    assert "edit rule age = old, status = single, code = [2]: broken by 25 of 80 records (31.25 %)" in words
    # Young and married; and, since the code goes with the age, both of the code with the wrong age.
    assert "Structural zeros: 4 combinations in 3 pairs of attributes" in words
    assert "age is masked, but follows from unmasked columns: code (for 100.0 % of the records)" in words
    document = json.loads(evosdc("check", "--data", "p.csv", "--schema", "s.toml", "--json", "--threshold", "10").out)
    assert document["structural_zeros"]["threshold"] == 10.0
    assert document["edit_rules"][0]["records"] == 25
    assert document["protect"] == ["age", "status"]
    same = package.check_records(package.read_table(people / "p.csv", schema=people / "s.toml"), threshold=10)
    of_file = ("protect", "told_by_order_of_left_out")
    assert same == {key: value for key, value in document.items() if key not in of_file}


def test_rows_in_the_order_of_an_identifier_are_told_of_before_anything_is_protected(evosdc, tmp_path):
    rows = "".join(f"{1000 + 7 * at},{20 + at % 9},{'mf'[at % 2]}\n" for at in range(60))
    (tmp_path / "o.csv").write_text(f"idno,agea,sex\n{rows}")
    (tmp_path / "o.toml").write_text(
        'data = { file = "o.csv", schema = "o.schema.toml" }\nstop = { generations = 1 }\n'
    )
    assert evosdc("init", "o.csv", "-o", "o.schema.toml", "--no-ask").status == 0
    for words in (("--data", "o.csv", "--schema", "o.schema.toml"), ("o.toml", "--data")):
        said = evosdc("check", *words)
        assert said.status == 0, said.err
        assert "The rows are in the order of idno, left out of the file" in " ".join(said.out.split())
    document = json.loads(evosdc("check", "--data", "o.csv", "--schema", "o.schema.toml", "--json").out)
    assert document["told_by_order_of_left_out"] == ["idno"]


def test_ordinal_words_in_alphabetical_order_are_told_of(evosdc, tmp_path):
    rows = "".join(f"{('low', 'mid', 'high')[at % 3]},{'ABC'[at % 3]}\n" for at in range(60))
    (tmp_path / "w.csv").write_text(f"level,grade\n{rows}")
    line = '{name} = {{ role = "quasi-identifier", scale = "ordinal"{more} }}\n'

    def told(more=""):
        text = "[attributes]\n" + line.format(name="level", more=more) + line.format(name="grade", more="")
        (tmp_path / "w.toml").write_text(text)
        words = ("check", "--data", "w.csv", "--schema", "w.toml")
        return json.loads(evosdc(*words, "--json").out)["alphabetical"], " ".join(evosdc(*words).out.split())

    names, said = told()
    assert names == ["level"]
    assert "level is ordinal, and its categories stand in alphabetical order" in said
    assert told(', categories = ["low", "mid", "high"]')[0] == []


def test_the_data_of_an_experiment_are_checked_too(evosdc, people):
    said = evosdc("check", "e.toml", "--data")
    assert said.status == 0
    assert "is valid" in said.out
    assert "Structural zeros: 4" in said.out
    assert "data" not in json.loads(evosdc("check", "e.toml", "--json").out)
    assert json.loads(evosdc("check", "e.toml", "--json", "--data").out)["data"]["structural_zeros"]["count"] == 4


def test_what_does_not_go_together_is_refused(evosdc, people):
    assert evosdc("check").status == 2
    assert evosdc("check", "--data", "p.csv", "--set", "seed=1").status == 2
    assert evosdc("check", "e.toml", "--data", "p.csv").status == 2
    assert evosdc("check", "--data", "p.csv", "--protect", "nobody").status == 2
    with pytest.raises(package.InputError, match="threshold"):
        package.check_records(package.read_table(people / "p.csv"), ["age"], threshold=0)


def test_mistakes_in_the_rules_of_a_schema_are_told_all_at_once(evosdc, people):
    text = (people / "s.toml").read_text()
    (people / "s.toml").write_text(text + '[[edit_rules]]\nage = "youn"\nstatuss = "single"\n')
    said = evosdc("check", "--data", "p.csv", "--schema", "s.toml")
    assert said.status == 2
    assert "'youn'" in said.err
    assert "'statuss'" in said.err


def test_protect_keeps_impossible_combinations_out(evosdc, people):
    short = ("--time", "0.3s", "--executor", "serial", "--quiet", "--json", "--no-second-opinion", "--no-tune")
    for flag, holds in (("--structural-zeros", True), ("--no-structural-zeros", False)):
        said = evosdc("protect", "p.csv", "--schema", "s.toml", flag, *short, "-o", f"run{holds}")
        notes = json.loads(said.out)["notes"]
        assert any("Structural zeros" in note for note in notes) == holds
    said = evosdc("measure", "runTrue", "--measures", "impossible-records", "--json")
    assert json.loads(said.out)["impossible-records"] == 0.0


def test_a_file_without_structural_zeros_is_told_so_in_words():
    assert zeros_sentence(StructuralZeros({}, (), 5.0)) == "Structural zeros: none were found."
