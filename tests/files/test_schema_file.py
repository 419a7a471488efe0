from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import InputError, SchemaError
from evosdc.files.schema.description import AttributeDescription, describe
from evosdc.files.schema.schema_file import dump_schema, load_schema, schema_from_json, schema_to_json, text
from evosdc.files.source import read_source
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.hierarchy import number_intervals, prefix_hierarchy
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema

from .build import column, nominal, numeric, ordinal, schema, write


def test_the_form_of_the_manual(tmp_path):
    write(tmp_path, "30;30-39;*\n48;40-49;*\n", "age.csv")
    path = write(
        tmp_path,
        """
        missing = ["", "?"]
        [attributes]
        education = { role = "quasi-identifier", scale = "ordinal", categories = ["Preschool", "1st-4th"] }
        age       = { role = "quasi-identifier", scale = "numeric", hierarchy = "age.csv" }
        salary    = { role = "sensitive", scale = "nominal" }
        weight    = { role = "weight" }
        """,
        "schema.toml",
    )
    data = write(tmp_path, "age,education,salary,weight,more\n30,1st-4th,>50K,1.25,b\n48,?,<=50K,2,a\n")
    found = read_source(data, path).table.schema
    assert found.missing == ("", "?")
    assert found.na is MissingRule.CATEGORY
    assert found["education"] == ordinal("education", "Preschool", "1st-4th", role=Role.QUASI_IDENTIFIER)
    assert found["age"] == numeric("age", role=Role.QUASI_IDENTIFIER)
    assert found["age"].hierarchy is not None
    assert found["salary"] == nominal("salary", "<=50K", ">50K", role=Role.SENSITIVE)
    assert found["weight"] == numeric("weight", 2, role=Role.WEIGHT)
    assert found["more"] == nominal("more", "a", "b")


def test_an_empty_file_says_nothing(tmp_path):
    described = load_schema(write(tmp_path, "", "s.toml"))
    assert described.attributes == {}
    assert described.missing == ("",)


def test_crlf_and_byte_order_mark(tmp_path):
    described = load_schema(write(tmp_path, b'\xef\xbb\xbfna = "wildcard"\r\n[attributes]\r\na = {}\r\n', "s.toml"))
    assert described.na is MissingRule.WILDCARD
    assert described.attributes == {"a": AttributeDescription()}


def test_numbers_may_be_listed_as_categories(tmp_path):
    described = load_schema(write(tmp_path, '[attributes]\na = { scale = "ordinal", categories = [1, 2, 10] }\n', "s"))
    assert described.attributes["a"].categories == ("1", "2", "10")


def test_categories_that_are_not_listed_are_those_found():
    described = describe(schema(nominal("a")))
    said = AttributeDescription(Role.SENSITIVE, Scale.ORDINAL)
    found = type(described)({"a": said}).resolve([column("a", ["10", "9", "", "1"])])
    assert found["a"].categories == ("1", "9", "10")


def test_a_hierarchy_must_hold_the_listed_categories(tmp_path):
    attribute = Attribute("zip", Role.OTHER, Scale.NOMINAL, ("43", "44", "55"), prefix_hierarchy(["43", "44"]))
    with pytest.raises(SchemaError, match="no line for the category '55'"):
        describe(Schema((attribute,))).resolve([column("zip", ["43"])])


LABEL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r!"), min_size=1, max_size=8)


@st.composite
def schemas(draw):
    names = draw(st.lists(LABEL, min_size=1, max_size=5, unique=True))
    attributes = []
    own = st.sampled_from([(), ("N/A!",), ("-9!", ".!")])
    for name in names:
        scale = draw(st.sampled_from(Scale))
        roles = [r for r in Role if r.published and (r is not Role.WEIGHT or scale is Scale.NUMERIC)]
        role = draw(st.sampled_from(roles))
        if scale is Scale.NUMERIC:
            attributes.append(Attribute(name, role, scale, (), None, draw(st.integers(0, 15)), draw(own)))
        else:
            labels = draw(st.lists(LABEL.filter(lambda label: label != "NA"), max_size=6, unique=True))
            attributes.append(Attribute(name, role, scale, tuple(labels), None, 0, draw(own)))
    return Schema(tuple(attributes), draw(st.sampled_from([("",), ("", "NA"), ()])), draw(st.sampled_from(MissingRule)))


@given(schemas(), st.lists(st.text(max_size=20), max_size=3))
def test_schemas_are_written_and_read(tmp_path_factory, written, notes):
    path = tmp_path_factory.mktemp("s") / "schema.toml"
    dump_schema(written, path, notes)
    columns = [column(a.name, list(a.categories)) for a in written.attributes]
    assert load_schema(path).resolve(columns) == written


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_toml_strings(value):
    assert tomllib.loads(f"a = {text(value)}")["a"] == value


def test_hierarchies_are_written_beside_the_schema(tmp_path):
    age = Attribute("age", Role.OTHER, Scale.NUMERIC, (), number_intervals(range(5), (5,)))
    first = Attribute("a b", Role.OTHER, Scale.NOMINAL, ("x", "y"), prefix_hierarchy(["x", "y"]))
    second = Attribute("a/b", Role.OTHER, Scale.NOMINAL, ("x", "y"), prefix_hierarchy(["x", "y"]))
    files = dump_schema(Schema((age, first, second)), tmp_path / "s.toml")
    assert [file.name for file in files] == ["s.toml", "s-age.csv", "s-a-b.csv", "s-a-b-2.csv"]
    back = load_schema(tmp_path / "s.toml")
    assert back.attributes["age"].hierarchy is not None
    assert back.attributes["age"].hierarchy.levels == age.hierarchy.levels


def test_values_of_identifiers_are_not_written(tmp_path):
    ids = nominal("id", *(f"secret{i}" for i in range(9)), role=Role.IDENTIFIER)
    long = nominal("town", *sorted(f"town{i}" for i in range(200)))
    odd = ordinal("step", *(f"s{i}" for i in range(200)))
    dump_schema(schema(ids, long, odd), tmp_path / "s.toml")
    content = (tmp_path / "s.toml").read_text()
    assert "secret" not in content
    assert "town7" not in content
    assert "s199" in content


def test_what_init_writes_can_be_used_at_once(tmp_path, data_sets):
    for name in ("adult/arx/adult.csv", "casc_eia/EIA.csv", "ihsn_testdata/testdata.csv"):
        path = data_sets.path(name)
        source = read_source(path)
        dump_schema(source.table.schema, tmp_path / "s.toml", source.notes)
        again = read_source(path, tmp_path / "s.toml")
        assert again.table.schema == source.table.schema
        assert again.table.same_records(source.table)


def test_hierarchies_are_made_by_rules_in_the_schema(tmp_path):
    (tmp_path / "x.csv").write_text("age,zip,size\n17,4320,s\n18,4321,m\n39,5520,l\n")
    (tmp_path / "x.toml").write_text(
        "[attributes]\n"
        'age = { scale = "numeric", hierarchy = { widths = [10, 20] } }\n'
        'zip = { scale = "nominal", hierarchy = { prefix = [1, 3] } }\n'
        'size = { scale = "ordinal", categories = ["s", "m", "l"], hierarchy = { merge = [2] } }\n'
    )
    schema = read_source(tmp_path / "x.csv", tmp_path / "x.toml").table.schema
    assert schema["age"].hierarchy.path("17") == ("17", "10-19", "0-19", "*")
    assert schema["zip"].hierarchy.path("4321") == ("4321", "432*", "4***", "*")
    assert (
        schema["size"].hierarchy.generalise(["s", "m", "l"], 1)[0] == schema["size"].hierarchy.generalise(["m"], 1)[0]
    )


def test_rules_that_are_wrong_are_refused_with_all_faults_at_once(tmp_path):
    (tmp_path / "x.toml").write_text(
        "[attributes]\n"
        "age = { hierarchy = { width = [10] } }\n"
        "zip = { hierarchy = { prefix = [1], merge = [2] } }\n"
        "size = { hierarchy = 7 }\n"
    )
    with pytest.raises(SchemaError) as caught:
        load_schema(tmp_path / "x.toml")
    said = str(caught.value)
    assert "'width'" in said
    assert "one of widths" in said
    assert "the path of a CSV file, or a rule" in said


def test_a_rule_that_does_not_fit_the_values_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("zip\nab\ncd\n")
    (tmp_path / "x.toml").write_text("[attributes]\nzip = { hierarchy = { widths = [5] } }\n")
    with pytest.raises(InputError, match="zip: widths: given the category 'ab' and 1 more"):
        read_source(tmp_path / "x.csv", tmp_path / "x.toml")


def test_edit_rules_are_written_and_read_again(tmp_path):
    rules = edit_rules_of([{"s p": 'ma"le', "age": (0, 14)}, {"age": 3.5, "s p": ("female", 'ma"le')}])
    sex = Attribute("s p", scale=Scale.NOMINAL, categories=("female", 'ma"le'))
    attributes = (sex, Attribute("age", scale=Scale.NUMERIC))
    path = tmp_path / "s.toml"
    dump_schema(Schema(attributes, edit_rules=rules), path)
    assert load_schema(path).edit_rules == rules
    assert schema_from_json(schema_to_json(Schema(attributes, edit_rules=rules))).edit_rules == rules
