"""Editing single lines of a schema file, and taking steps back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import SchemaError
from evosdc.files.schema.schema_edits import edit_schema, reasons_told, schema_steps, undo_edit
from evosdc.files.schema.schema_file import load_schema
from evosdc.table.schema import Role, Scale

SCHEMA = """# What evosdc may take the attributes of a file for.
missing = ["", "?"]  # texts

[attributes]
# its name is demographic
sex = { role = "quasi-identifier", scale = "nominal" }
# it has 30 values
age = { role = "quasi-identifier", scale = "ordinal", categories = ["1", "2"] }
"the \\"town\\"" = { role = "other", scale = "nominal" }  # mine

[[edit_rules]]
sex = "m"
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(SCHEMA)
    return path


def test_one_line_changes_and_all_others_stay(path) -> None:
    step = edit_schema(path, "sex", {"role": "sensitive"})
    assert step.changes == {"role": "sensitive"}
    lines = path.read_text().splitlines()
    assert (
        lines[: len(SCHEMA.splitlines())]
        == SCHEMA.replace('sex = { role = "quasi-identifier"', 'sex = { role = "sensitive"').splitlines()
    )
    assert load_schema(path).attributes["sex"].role is Role.SENSITIVE


def test_a_new_scale_takes_along_what_does_not_go_with_it(path) -> None:
    edit_schema(path, "age", {"scale": "numeric"})
    said = load_schema(path).attributes["age"]
    assert (said.scale, said.categories) == (Scale.NUMERIC, None)
    edit_schema(path, "age", {"decimals": 2})
    edit_schema(path, "age", {"scale": "ordinal"})
    assert load_schema(path).attributes["age"].decimals is None


def test_an_attribute_without_a_line_gets_one(path) -> None:
    step = edit_schema(path, "new one", {"role": "weight", "scale": "numeric"})
    assert step.before is None
    assert load_schema(path).attributes["new one"].role is Role.WEIGHT
    assert [one.before for one in schema_steps(path)] == [None]
    undo_edit(path)
    assert path.read_text() == SCHEMA


def test_a_key_is_taken_away(path) -> None:
    edit_schema(path, "age", {"hierarchy": {"merge": [2]}})
    assert load_schema(path).attributes["age"].rule is not None
    edit_schema(path, "age", {"hierarchy": None})
    assert load_schema(path).attributes["age"].rule is None


@pytest.mark.parametrize(
    ("attribute", "changes", "told"),
    [
        ("sex", {"role": "secret"}, "one of identifier"),
        ("sex", {"rôle": "other"}, "one of role"),
        ("sex", {"hierarchy": "nowhere.csv"}, "nowhere.csv"),
        ("age", {"hierarchy": {"width": [5]}}, "widths"),
    ],
)
def test_what_is_refused_changes_nothing(path, attribute, changes, told) -> None:
    with pytest.raises(SchemaError, match=told):
        edit_schema(path, attribute, changes)
    assert path.read_text() == SCHEMA
    assert [other.name for other in path.parent.iterdir()] == [path.name]


def test_other_forms_are_left_to_people(tmp_path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('[attributes.sex]\nrole = "other"\n')
    with pytest.raises(SchemaError, match="by hand"):
        edit_schema(path, "sex", {"role": "sensitive"})


def test_nothing_to_change_is_no_step(path) -> None:
    edit_schema(path, "sex", {"role": "quasi-identifier"})
    assert path.read_text() == SCHEMA
    with pytest.raises(SchemaError, match="no step"):
        undo_edit(path)


def test_reasons_are_the_comments_above(path) -> None:
    assert reasons_told(path) == {"sex": "its name is demographic", "age": "it has 30 values"}


@pytest.mark.parametrize(
    ("given", "texts"),
    [(-9, ("-9",)), ("99998,99999", ("99998", "99999")), ('"a,b",c', ("a,b", "c")), ([99, "x"], ("99", "x"))],
)
def test_codes_of_missing_values_are_a_list_however_they_are_typed(path, given, texts) -> None:
    edit_schema(path, "age", {"missing": given})
    assert load_schema(path).attributes["age"].missing == texts


def test_a_slip_is_asked_about_and_a_new_column_is_not(path) -> None:
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        edit_schema(path, "agge", {"role": "other"})
    assert path.read_text() == SCHEMA
    edit_schema(path, "income", {"role": "other"})
    assert load_schema(path).attributes["income"].role is Role.OTHER


NAMES = st.sampled_from(["sex", "age", 'the "town"', "über = [x]", "#", "[attributes]", "a.b"])
CHANGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["other", "sensitive", "identifier"])},
    optional={"missing": st.lists(st.text(max_size=5), max_size=3, unique=True)},
)


@pytest.mark.endurance
@given(steps=st.lists(st.tuples(NAMES, CHANGES), max_size=4))
def test_all_steps_can_be_told_and_taken_back(tmp_path_factory, steps) -> None:
    path = tmp_path_factory.mktemp("steps") / "s.toml"
    path.write_text(SCHEMA)
    texts, made = [SCHEMA], []
    for name, changes in steps:
        try:
            step = edit_schema(path, name, changes)
        except SchemaError:  # a text that is a category, too
            assert path.read_text() == texts[-1]
            continue
        if step.changes:
            made.append(step)
            texts.append(path.read_text())
        said = load_schema(path).attributes[name]
        assert said.role == changes["role"]
        assert list(said.missing) == changes.get("missing", list(said.missing))
    assert schema_steps(path) == made
    for text in texts[-2::-1]:
        assert undo_edit(path) == made.pop()
        assert path.read_text() == text
