"""The verdict: what forbids to publish a file, what is a condition, and what an analyst is told."""

import pandas as pd
import pytest

from evosdc.api.tables import as_table
from evosdc.plugins.registry import default_registry
from evosdc.release.intruder import LIKELY, LISTED, found_by_intruder, known_of
from evosdc.release.publication import ACCEPTED, Evidence, named, publication, shown, trust
from evosdc.release.unchanged import unchanged_columns
from evosdc.table.determination import determinations
from evosdc.table.role_assignment import assign_role
from evosdc.table.schema import Role


def intruder(percent):
    return {"measure": "m", "percent": percent, "original_percent": 80.0, "expected": percent * 10, "records": 1000}


GOOD = {"intruder": intruder(2.0), "holds": True, "changed": 500, "cells": 1000}


def verdict(**evidence):
    return publication(Evidence(**{**GOOD, **evidence}))


def test_a_file_that_nothing_speaks_against_is_publishable():
    told = verdict()
    assert (told["publishable"], told["headline"], told["conditions"]) == (True, "publishable", [])
    assert any("2.0 %" in text for text in told["reasons"])


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"requirements": [{"requirement": "k >= 3", "value": 1.0, "met": False}]}, "does not fulfil"),
        ({"holds": False, "contradiction": "An intruder links twice as many."}, "links twice as many"),
        ({"intruder": intruder(ACCEPTED + 0.1)}, "expected to find 9.1 %"),
        ({"changed": 9}, "Only 9 of 1000"),
        ({"idle": True}, "not score better than the unprotected"),
        ({"exchanged": ["sex: exchanged"]}, "Labels were exchanged"),
    ],
)
def test_each_of_these_forbids_to_publish_it(evidence, words):
    told = verdict(**evidence)
    assert told["publishable"] is False
    assert told["headline"] == "not publishable"
    assert words in " ".join(told["reasons"])


def test_a_bound_of_ones_own_takes_the_place_of_the_usual_one():
    met = [{"requirement": "dr <= 20", "value": 15.0, "met": True}]
    told = verdict(intruder=intruder(15.0), requirements=met, bounded=True)
    assert told["publishable"] is True
    assert "the bound that was required" in " ".join(told["reasons"])


def test_dangerous_columns_and_a_missing_second_opinion_are_conditions():
    column = {"attribute": "postcode", "dangerous": True}
    told = verdict(unchanged=[column, {"attribute": "colour", "dangerous": False}], holds=None)
    assert told["headline"] == "publishable on conditions"
    assert "postcode is published unchanged" in told["conditions"][0]
    assert "second opinion" in told["conditions"][1]
    assert told["published_unchanged"] == ["postcode", "colour"]


def test_without_anything_to_judge_by_there_is_no_verdict():
    told = verdict(intruder=None, holds=None)
    assert told["publishable"] is None
    assert told["headline"] == "no verdict"


def test_what_can_be_trusted_is_told_with_the_worst_of_the_rest():
    def table(names, moved, holds):
        return {"attributes": names, "moved": moved, "sampling": 4.0, "holds": holds}

    tables = [table(["a"], 0.0, True), table(["a", "b"], 3.0, True), table(["a", "c"], 9.0, False)]
    tables.append(table(["b", "c"], 20.0, False))
    told = trust({"tables": tables, "means": [], "correlations": []})
    assert told["yes"] == [
        "The counts of single attributes (exactly as they were).",
        "1 of 3 tables of two attributes (at most 3.0 % of the records elsewhere).",
    ]
    assert told["no"][0] == "Tables of two attributes: b x c and a x c."
    assert "Single records" in told["no"][-1]
    assert trust({}) == {"yes": [], "no": []}


def test_names_and_shares_in_words():
    assert named(["a"]) == "a"
    assert named(["a", "b", "c"]) == "a, b and c"
    assert named(list("abcd"), 3) == "a, b, c and 1 more"
    assert (shown(0.01), shown(0.0), shown(12.34)) == ("less than 0.1", "0.0", "12.3")


def people():
    size = 60
    frame = pd.DataFrame(
        {
            "sex": pd.Categorical(["f", "m"] * 30),
            "age": pd.Categorical([str(n % 20) for n in range(size)], categories=[str(n) for n in range(20)]),
            "code": pd.Categorical([f"code {n}" for n in range(size)]),
            "illness": pd.Categorical(["flu", "none", "gout"] * 20),
            "colour": pd.Categorical(["red", "blue", "red", "red"] * 15),
        }
    )
    return assign_role(as_table(frame), Role.SENSITIVE, "illness")


def test_columns_published_unchanged_say_why_they_may_be_dangerous():
    table = people()
    found = {
        column.attribute: column for column in unchanged_columns(table, ["sex", "age"], changed={"sex": 0, "age": 9})
    }
    assert set(found) == {"sex", "code", "illness", "colour"}
    assert found["code"].dangerous
    assert (found["code"].single, found["code"].distinct) == (100.0, 60)
    assert "100 % of the records have a value that no other one has" in found["code"].why
    assert found["sex"].dangerous
    assert "no value was changed" in found["sex"].why
    assert not found["colour"].dangerous
    assert "whoever is found" in found["illness"].why
    assert not [c for c in unchanged_columns(table, ["sex"], dropped=["code"]) if c.attribute == "code"]


def test_a_column_that_gives_a_masked_one_away_is_told():
    frame = pd.DataFrame(
        {"city": pd.Categorical(["x", "y", "z", "w"] * 20), "land": pd.Categorical(["n", "n", "s", "s"] * 20)}
    )
    table = as_table(frame)
    (column,) = unchanged_columns(table, ["land"], given_away=determinations(table, ["land"]))
    assert "land can be read off it" in column.why


def test_an_unprotected_file_is_found_and_its_records_are_listed_by_position_alone():
    table = people()
    names = ["sex", "age"]
    found = found_by_intruder(table, table.select(names), names, default_registry())
    classes = pd.Series(list(zip(*(table.column(n).tolist() for n in names), strict=True))).value_counts()
    assert found.percent == pytest.approx(100.0 * len(classes) / len(table))
    assert found.expected == pytest.approx(len(classes))
    assert found.chances.sum() == pytest.approx(found.expected)
    document = found.to_json()
    assert document["likely"] == int((found.chances >= LIKELY).sum())
    assert len(document["at_risk"]) <= LISTED
    assert all(set(entry) == {"record", "chance"} for entry in document["at_risk"])


def test_a_constant_file_tells_nothing_but_chance():
    table = people()
    names = ["sex", "age"]
    masked = table.select(names)
    blank = type(masked)(masked.schema, masked.codes * 0, masked.numbers)
    found = found_by_intruder(table, blank, names, default_registry())
    assert found.percent <= 100.0 * 2 / len(table)
    assert found.original > found.percent


def test_sensitive_attributes_are_not_known_to_the_intruder():
    table = people()
    assert known_of(table, ["sex", "illness"]) == ("sex",)
    assert known_of(table, ["illness"]) == ("illness",)
