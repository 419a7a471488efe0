"""Edit rules as users write them: their meaning, their faults, and their way through documents."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.edit_rules import edit_rule_faults, edit_rules_of, edit_rules_to_json, read_edit_rules
from evosdc.table.schema import Attribute, Scale, Schema
from tests.table.rules import breaks_rule, files, label

RULES = (
    {"a": "k", "c": ("u", "v")},
    {"b": (2, 3), "x": (0, 10)},
    {"x": (5.0, 20.0), "y": (0, 3), "a": ("l", "m")},
    {"b": 3.0, "c": "w"},
)


@given(files(missing=True), st.sampled_from(RULES))
def test_a_rule_is_broken_where_all_its_conditions_are_met(table, written):
    (rule,) = edit_rules_of([written])
    records = [{name: label(table, name, row) for name in table.schema.names} for row in range(len(table))]
    assert rule.broken(table).tolist() == [breaks_rule(record, rule, table.schema) for record in records]


@given(files())
def test_everything_wrong_is_told_at_once(table):
    faults = edit_rule_faults(
        edit_rules_of([{"aa": "k"}, {"a": ("k", "zz", "yy")}, {"x": "old"}, {"y": (3, 1)}, {}]), table.schema
    )
    said = "\n".join(map(str, faults))
    for words in ("'aa'", "'zz'", "'yy'", "rule 3", "the least number first", "rule 5"):
        assert words in said


def test_an_interval_of_ordinal_categories_passes_over_those_that_are_no_numbers():
    schema = Schema((Attribute("children", scale=Scale.ORDINAL, categories=("N", "0", "1", "2")),))
    ((_, meant),) = edit_rules_of([{"children": (1, 9)}])[0].meant(schema)
    assert meant.tolist() == [False, False, True, True, False]


def test_documents_round_trip_and_their_faults_are_collected():
    faults = []
    rules = edit_rules_of(RULES)
    assert read_edit_rules(edit_rules_to_json(rules), "here", faults) == rules
    assert faults == []
    assert read_edit_rules({"a": 1}, "here", faults) == ()
    read_edit_rules([{"a": ["k", 1]}, {"b": []}, {"c": True}], "here", faults)
    assert len(faults) == 4


def test_a_schema_keeps_the_rules_of_the_attributes_that_are_chosen():
    schema = Schema(tuple(Attribute(n, scale=Scale.NOMINAL, categories=("1",)) for n in "abc"))
    schema = replace(schema, edit_rules=edit_rules_of([{"a": "1", "b": "1"}, {"c": "1"}]))
    assert [rule.names for rule in schema.select(["b", "a"]).edit_rules] == [("a", "b")]
    assert schema.select(["c"]).edit_rules == schema.edit_rules[1:]
    assert [rule.text for rule in schema.edit_rules] == ["a = 1, b = 1", "c = 1"]


def test_a_rule_without_the_attribute_it_names_is_refused():
    schema = Schema((Attribute("sex", scale=Scale.NOMINAL, categories=("male",)),))
    with pytest.raises(ParameterError, match="Did you mean"):
        edit_rules_of([{"sexx": "male"}])[0].meant(schema)
