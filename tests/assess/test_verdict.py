"""The verdict: what forbids to publish a file, what is a condition, and what an analyst is told."""

import re

import numpy as np
import pandas as pd
import pytest

from evosdc.api.tables import as_table
from evosdc.assess.background import unchanged_columns, unchanged_together
from evosdc.assess.data_check import given_away_sentences
from evosdc.assess.intruder import (
    ACCEPTED,
    LIKELY,
    LISTED,
    audience_of,
    bound_of,
    found_by_intruder,
    found_by_value,
    measured_by,
    strictest_bound,
    two_way_of,
)
from evosdc.assess.utility import analyses, named, shown, trust
from evosdc.assess.verdict import DOSSIER, NOT_YET, Evidence, known_words, together_words, verdict_meets, verdict_of
from evosdc.experiment.release import _with_opinion
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.runs.result import SecondOpinion
from evosdc.table.dependence import Determination, determinations
from evosdc.table.exact_values import known_of
from evosdc.table.row_positions import position_sentences
from evosdc.table.schema import Role
from evosdc.table.table import assign_role


def intruder(percent):
    return {"measure": "m", "percent": percent, "original_percent": 80.0, "expected": percent * 10, "records": 1000}


GOOD = {"intruder": intruder(2.0), "holds": True, "changed": 500, "cells": 1000}


def verdict(**evidence):
    return verdict_of(Evidence(**{**GOOD, **evidence})).model_dump()


def test_a_file_that_nothing_speaks_against_is_publishable():
    told = verdict()
    assert (told["publishable"], told["headline"], told["conditions"]) == (True, "publishable", [])
    assert any("2.0 %" in text for text in told["reasons"])


def test_an_original_that_is_within_the_bound_needs_no_masking():
    told = verdict(intruder=intruder(4.0) | {"original_percent": 4.0}, idle=True, changed=0)
    assert told["publishable"] is True
    assert "these columns need no masking for this audience" in " ".join(told["reasons"])
    assert verdict(intruder=intruder(4.0) | {"original_percent": 9.5}, idle=True, changed=0)["publishable"] is False


def test_an_attack_that_finds_more_than_claimed_but_no_more_than_the_bound_forbids_nothing():
    told = verdict(holds=None, corrected="an intruder links three times as many (6.8 % against 2 %).")
    assert (told["publishable"], told["conditions"]) == (True, [])
    assert "An intruder links three times as many (6.8 % against 2 %): within 9 % still." in told["reasons"]


@pytest.mark.parametrize(
    ("family", "value", "holds"), [("linkage", 6.8, None), ("linkage", 9.2, False), ("guess", 1.0, False)]
)
def test_what_judges_find_is_compared_with_the_bound(family, value, holds):
    found = {"exceeds": True, "family": family, "value": value}
    opinion = SecondOpinion(holds=False, text="Does not hold: an intruder links more.", best={"judges": {"j": found}})
    evidence = _with_opinion(Evidence(**GOOD), opinion)
    assert evidence.holds is holds
    assert (evidence.corrected or evidence.contradiction) == "an intruder links more."


def test_people_found_are_told_with_and_without_protection_and_for_whom():
    told = verdict(intruder=intruder(15.0), bound=20.0, audience="researchers")
    assert (told["people_found"], told["people_found_without_protection"]) == (15.0, 80.0)
    assert told["audience"] == "researchers"
    assert "within the 20 % accepted for researchers under contract" in told["reasons"][0]
    assert [audience_of(bound) for bound in (9.0, 20.0, 33.0, 34.0)] == ["public", "researchers", "safe-room", ""]


def test_a_search_that_was_kept_to_the_bound_is_given_more_time():
    missed = {"requirement": "m <= 9", "value": 9.1, "met": False, "own": True}
    given = {"intruder": intruder(ACCEPTED + 0.1), "requirements": [missed]}
    (reason,) = verdict(**given, aims=["m <= 9"])["reasons"]
    assert reason.endswith("The search found no such file. Give it more time, or publish fewer categories.")
    turned = given["intruder"] | {"looks_for": "masked record", "other_percent": 4.6}
    (reason,) = verdict(**given | {"intruder": turned}, aims=["m <= 9"])["reasons"]
    assert "From record to person it is 4.6 %" in reason
    assert reason.endswith('Use --require "m <= 4".')
    (reason,) = verdict(**given | {"intruder": turned}, aims=["m <= 9"], two_way="both")["reasons"]
    assert reason.endswith('Use --require "both <= 9".')
    found, beyond = verdict(**given)["reasons"]
    assert "The search was not asked to stay below 9 %." in found
    assert (
        beyond
        == "A limit that evosdc sets is not kept: m <= 9 (it is 9.1). Search longer, or publish fewer categories."
    )


def test_how_many_judges_confirm_is_said():
    attacks = "Independent attacks, unknown to the optimiser,"
    assert f"{attacks} confirm the risk (all 13 answered)." in verdict(answered=13)["reasons"]
    some = (
        f"{attacks} contradict nothing so far (2 of 13 answered, enough for this verdict). Run the others before you "
    )
    assert f"{some}sign: `evosdc judge RUN`." in verdict(answered=2, unasked=11)["reasons"]


@pytest.mark.parametrize(
    ("counts", "provided", "condition"),
    [
        ({}, "independent attacks have not yet run", NOT_YET),
        ({"unasked": 13}, "independent attacks have not yet run", NOT_YET),
        (
            {"answered": 2, "unasked": 11},
            "independent attacks have not yet run",
            f"{NOT_YET} So far 2 of 13 answered.",
        ),
        (
            {"lacking": 13},
            "no independent attack reads such a file",
            f"Not checked: no independent attack reads such a file. {DOSSIER}",
        ),
        (
            {"answered": 2},
            "no independent attack measures the risk that is claimed",
            f"Not checked: the independent attacks that answered measure no risk that the search claims. {DOSSIER}",
        ),
    ],
)
def test_what_was_not_checked_is_never_said_to_be_confirmed(counts, provided, condition):
    told = verdict(holds=None, **counts)
    assert told["headline"] == "publishable on conditions"
    assert (told["provided"], told["conditions"]) == (provided, [condition])
    assert not any("confirm" in text for text in told["reasons"])


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"requirements": [{"requirement": "k >= 3", "value": 1.0, "met": False}]}, "Not met: k >= 3 (it is 1)."),
        (
            {"requirements": [{"requirement": "k >= 3", "value": 1.0, "met": False, "own": True}]},
            "A limit that evosdc sets is not kept: k >= 3 (it is 1).",
        ),
        ({"holds": False, "contradiction": "An intruder links twice as many."}, "links twice as many"),
        ({"intruder": intruder(ACCEPTED + 0.1)}, "expected to re-identify 9.1 %"),
        (
            {"by_value": ("age", 0.0486), "bound": 0.01},
            "The exact value of age alone re-identifies 0.0486 % of the people.",
        ),
        ({"intruder": intruder(0.14), "bound": 0.01, "bound_by": "m <= 0.01"}, "expected to re-identify 0.1"),
        ({"changed": 9}, "Only 9 of 1000"),
        ({"idle": True}, "no better than the unprotected"),
        ({"exchanged": ["sex: exchanged"]}, "Categories were swapped (A published as B)"),
        ({"given_away": position_sentences(["state", "sex"])}, "The order of the rows tells state and sex"),
        (
            {"given_away": given_away_sentences([Determination("age", "born", 0.97, 3.2)])},
            "born (to within 3.2, for 97",
        ),
    ],
)
def test_each_of_these_forbids_to_publish_it(evidence, words):
    told = verdict(**evidence)
    assert told["publishable"] is False
    assert told["headline"] == "not publishable"
    assert words in " ".join(told["reasons"])


def test_a_bound_of_ones_own_takes_the_place_of_the_usual_one():
    met = [{"requirement": "m <= 20", "value": 15.0, "met": True}]
    told = verdict(intruder=intruder(15.0), requirements=met, bound=20.0, bound_by="m <= 20")
    assert told["publishable"] is True
    assert "within the 20 % that you allowed (m <= 20)" in " ".join(told["reasons"])
    assert told["bound"] == {"percent": 20.0, "set_by": "m <= 20"}
    told = verdict(intruder=intruder(21.0), requirements=met, bound=20.0, bound_by="m <= 20")
    assert told["publishable"] is False
    assert "more than the 20 % that you allowed (m <= 20)" in " ".join(told["reasons"])
    usual = verdict(requirements=met)
    assert usual["bound"] == {"percent": ACCEPTED, "set_by": None}
    assert "within the 9 % accepted for public files" in " ".join(usual["reasons"])


def test_who_finds_too_many_is_told_how_the_search_is_kept_to_the_bound():
    (reason,) = verdict(intruder=intruder(12.8))["reasons"]
    measure = intruder(12.8)["measure"]
    assert f'Use --require "{measure} <= {ACCEPTED:g}".' in reason


@pytest.mark.parametrize(
    ("required", "measure", "bound"),
    [
        (["k-anonymity >= 2"], "ranked-linkage", (ACCEPTED, "")),
        (["dr <= 99"], "ranked-linkage", (ACCEPTED, "")),
        (["dbrl <= 50"], "ranked-linkage", (ACCEPTED, "")),
        (["dbrl <= 50"], "dbrl", (50.0, "dbrl <= 50")),
        (["informed-linkage <= 30", "ranked-linkage <= 20"], "prl", (20.0, "ranked-linkage <= 20")),
        (["ranked-linkage of sex <= 50"], "ranked-linkage", (ACCEPTED, "")),
        (["global-risk <= 25"], "global-risk", (25.0, "global-risk <= 25")),
        ([], "", (ACCEPTED, "")),
    ],
)
def test_only_a_requirement_on_the_intruder_sets_another_bound(required, measure, bound):
    assert bound_of(required, measure, default_registry()) == bound


@pytest.mark.parametrize(
    ("required", "bound"),
    [
        ([], ACCEPTED),
        (["dbrl <= 50", "k-anonymity >= 2"], ACCEPTED),
        (["ranked-linkage <= 20"], 20.0),
        (["dbrl <= 5"], 5.0),
        (["ranked-linkage <= 20", "dbrl <= 12"], 12.0),
    ],
)
def test_a_search_keeps_the_strictest_bound_that_the_verdict_may_have(required, bound):
    assert strictest_bound(required, default_registry()) == bound


def counts(**moved):
    """Return analyses of the counts of single attributes, and of one table of two, which is no matter here."""
    single = [
        {"attributes": [name], "moved": off, "average": off / 2, "worst": off / 2, "holds": off <= 2.0, "grouping": {}}
        for name, off in moved.items()
    ]
    pair = {"attributes": ["a", "b"], "moved": 60.0, "average": 12.0, "worst": 30.0, "holds": False, "grouping": {}}
    return {"tables": [*single, pair], "means": [], "correlations": []}


def test_counts_of_single_attributes_that_are_destroyed_are_a_condition():
    told = verdict(analyses=counts(sex=25.5, age=10.0, marital=12.2))
    assert (told["headline"], told["provided"]) == (
        "publishable on conditions",
        "if users are warned that counts of sex and marital are wrong",
    )
    (condition,) = told["conditions"]
    assert condition.startswith(
        "Counts of sex (off by 26 % of the records) and marital (off by 12 % of the records) are wrong. "
    )
    assert verdict(analyses=counts(sex=2.1, age=10.0))["headline"] == "publishable"
    many = verdict(analyses=counts(**dict.fromkeys("abcde", 20.0)))
    assert many["provided"] == "if users are warned that counts of a, b, c and 2 more are wrong"
    assert verdict(analyses=counts(sex=11.0))["conditions"][0].startswith("Counts of sex (off by 11 % ")


def test_dangerous_columns_and_a_missing_second_opinion_are_conditions():
    column = {"attribute": "postcode", "dangerous": True}
    told = verdict(unchanged=[column, {"attribute": "colour", "dangerous": False}], holds=None)
    assert told["headline"] == "publishable on conditions"
    assert "postcode is published unchanged" in told["conditions"][0]
    assert told["conditions"][1] == NOT_YET
    assert told["published_unchanged"] == ["postcode", "colour"]


def test_without_anything_to_judge_by_there_is_no_verdict():
    told = verdict(intruder=None, holds=None)
    assert told["publishable"] is None
    assert told["headline"] == "no verdict"


def test_what_can_be_trusted_is_told_with_the_worst_of_it_and_of_the_rest():
    def table(names, worst, holds):
        return {"attributes": names, "moved": worst, "average": worst / 3, "worst": worst, "holds": holds}

    tables = [table(["a"], 0.0, True), table(["a", "b"], 2.9, True), table(["a", "c"], 9.0, False)]
    tables.append(table(["b", "c"], 20.0, False))
    told = trust({"tables": tables, "means": [], "correlations": []})
    assert told["yes"] == [
        "1 of 1 column counts (exactly as they were).",
        "1 of 3 tables of two columns (worst cell 2.9 standard errors off).",
    ]
    assert told["no"] == ["Tables of two columns: b x c and a x c.", "Single records."]
    assert trust({}) == {"yes": [], "no": []}


def test_a_group_that_is_far_off_is_not_hidden_by_the_average():
    rng = np.random.default_rng(8)
    group, pay = np.repeat(np.arange(12), 100), rng.normal(100, 10, 1200)
    frame = pd.DataFrame({"group": pd.Categorical([f"g{g}" for g in group]), "pay": pay})
    shifted = frame.assign(pay=np.where(group == 3, pay + 6.0, pay))
    original, published = as_table(frame), as_table(shifted)
    (overall, by_group) = analyses(original, published, ["pay"])["means"]
    assert by_group["group"] == "g3"
    assert by_group["average"] <= 1.0, "on average the groups hold"
    assert by_group["worst"] > 3.0
    assert not by_group["holds"]
    assert trust({"means": [by_group]}) == {"yes": [], "no": ["Means: pay by group."]}
    assert not overall["holds"]


def test_no_table_holds_of_a_column_whose_own_counts_do_not():
    rng = np.random.default_rng(9)
    a, b = rng.choice(list("pq"), 1000), rng.choice([f"c{n}" for n in range(40)], 1000)
    frame = pd.DataFrame({"a": pd.Categorical(a), "b": pd.Categorical(b)})
    moved = np.where((a == "p") & (np.arange(1000) < 60), "q", a)
    published = as_table(frame.assign(a=pd.Categorical(moved, categories=["p", "q"])))
    single, pair = analyses(as_table(frame), published, ["a"])["tables"]
    assert not single["holds"]
    assert pair["average"] <= 1.0
    assert pair["worst"] <= 3.0
    assert not pair["holds"]


def test_names_and_shares_in_words():
    assert named(["a"]) == "a"
    assert named(["a", "b", "c"]) == "a, b and c"
    assert named(list("abcd"), 3) == "a, b, c and d"
    assert named(list("abcde"), 3) == "a, b, c and 2 more"
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
    assert "value disclosed" in found["illness"].why
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


def test_counts_that_hold_in_classes_alone_are_told():
    table = {"attributes": ["age"], "moved": 3.0, "average": 0.7, "worst": 1.5, "holds": True}
    told = trust({"tables": [table | {"by_value": {"moved": 20.1, "holds": False}}]})
    assert told["yes"] == ["1 of 1 column counts (worst cell 1.5 standard errors off)."]
    assert "Counts by single value of age, which hold in classes alone." in told["no"]


def test_unchanged_columns_that_tell_people_apart_together_are_a_condition():
    together = {"columns": ["town", "job"], "masked": ["sex"], "unique_percent": 98.8, "found_percent": 99.9}
    together |= {"alone_percent": 98.9, "known": [], "known_percent": 0.0, "uncounted": []}
    told = verdict(together=together)
    assert told["headline"] == "publishable on conditions"
    (condition,) = told["conditions"]
    assert condition == (
        "town and job are published unchanged. Make sure that no recipient knows them from elsewhere. Anyone who "
        "knows these unmasked columns is expected to identify 98.9 % of the people. With the masked sex besides, it "
        "is 99.9 %. 98.8 % are unique in them."
    )
    assert told["provided"] == "if no recipient knows town and job from elsewhere"
    assert told["unchanged_together"] == together | {"words": together_words(together)}
    assert "besides" not in together_words(together | {"found_percent": 98.92})
    assert "identifies everybody" in together_words(together | {"alone_percent": 100.0})
    assert verdict(together=together | {"found_percent": 8.0})["headline"] == "publishable"


def test_a_column_whose_exact_values_were_left_finds_people_however_others_were_masked():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"wage": rng.permutation(200) + 0.5, "sex": rng.choice(["f", "m"], 200)})
    original = as_table(frame)
    few = frame.assign(wage=frame["wage"].where(np.arange(200) > 9, 3.25), sex=rng.permutation(frame["sex"]))
    name, percent = found_by_value(original, as_table(few), ["wage", "sex"])
    assert (name, percent) == ("wage", 95.0)
    told = verdict(by_value=(name, percent))
    assert told["publishable"] is False
    assert "The exact value of wage alone re-identifies 95.0 % of the people" in told["reasons"][0]
    assert told["by_value"] == {"attribute": "wage", "percent": 95.0}
    assert verdict(by_value=("wage", 8.9))["publishable"] is True
    assert found_by_value(original, as_table(frame.assign(wage=1.0)), ["wage", "sex"])[1] == pytest.approx(1.0)


def scattered(size=120, seed=3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: pd.Categorical(rng.integers(0, 5, size).astype(str)) for name in ("a", "b", "c", "d")})
    return as_table(frame), rng


def test_who_is_found_with_unchanged_columns_is_what_the_measure_says_with_them():
    original, rng = scattered()
    masked = original.select(["a", "b"]).take(rng.permutation(len(original)))
    published = original.with_columns(masked)
    told = unchanged_together(original, published, ["a", "b"], ["c", "d"])
    names = ["a", "b", "c", "d"]
    measure = default_registry().build("measure", "informed-linkage", {})
    people = measure.fit_in(Microdata(original, tuple(names))).score(published.select(names))
    records = measure.fit_in(Microdata(published, tuple(names))).score(original.select(names))
    assert told.found == pytest.approx(max(people, records))
    rows = pd.Series(list(zip(original.column("c").tolist(), original.column("d").tolist(), strict=True)))
    assert told.unique == pytest.approx(100.0 * (~rows.duplicated(keep=False)).mean())
    assert told.found >= told.unique


def test_columns_that_tell_nobody_apart_are_no_knowledge():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": pd.Categorical(rng.choice(list("xy"), 50)), "empty": np.full(50, np.nan), "one": 7.0})
    frame["b"] = pd.Categorical(rng.choice(list("pq"), 50))
    original = as_table(frame)
    published = original.with_columns(original.select(["a"]).take(rng.permutation(50)))
    assert unchanged_together(original, published, ["a"], ["empty", "one", "b"]).columns == ("b",)
    assert unchanged_together(original, published, ["a"], ["empty", "one"]) is None


@pytest.mark.parametrize("seed", range(4))
def test_who_knows_more_finds_no_fewer(seed):
    original, rng = scattered(seed=seed)
    published = original.with_columns(original.select(["a"]).take(rng.permutation(len(original))))
    told = unchanged_together(assign_role(original, Role.QUASI_IDENTIFIER, "b"), published, ["a"], ["b", "c"])
    assert told.known == ("b",)
    assert told.found >= max(told.alone, told.known_found)
    assert told.known_found >= 100.0 * 5 / len(original)
    least = unchanged_together(original, published, ["a"], ["b", "c"], 99.0)
    assert (least.found, least.known_found) == (99.0, 99.0 if least.known else 0.0)


def test_few_people_are_asked_about_where_many_are_alike_and_it_is_said(monkeypatch):
    original, rng = scattered(3000)
    places = np.arange(3000)
    places[: 3000 // 2] = rng.permutation(3000 // 2)
    published = original.with_columns(original.select(["a", "b"]).take(places))
    exact = unchanged_together(original, published, ["a", "b"], ["c"])
    monkeypatch.setattr("evosdc.assess.background.PAIRS", 1000)
    estimated = unchanged_together(original, published, ["a", "b"], ["c"])
    assert (exact.asked, estimated.asked) == (None, 2000)
    assert estimated.found == pytest.approx(exact.found, abs=1.0)
    assert "(estimated from 2,000 records)" in together_words(estimated.to_json())
    assert "estimated" not in together_words(exact.to_json())


def test_sensitive_columns_count_as_a_condition_and_weights_are_told_to_be_left_out():
    table = assign_role(people(), Role.WEIGHT, "colour")
    told = unchanged_together(table, table, ["sex", "age"], ["illness", "colour"])
    assert (told.columns, told.known, told.uncounted) == (("illness",), (), ("colour",))
    assert told.unique == 0.0
    assert told.alone == pytest.approx(100.0 * 3 / 60)
    keys = pd.Series(list(zip(*(table.column(n).tolist() for n in ("sex", "age", "illness")), strict=True)))
    assert told.found == pytest.approx(100.0 * keys.nunique() / 60)
    assert unchanged_together(table, table, ["sex", "age"], ["colour"]) is None
    told = unchanged_together(table, table, ["sex", "age"], ["code", "illness"])
    assert (told.columns, told.unique, told.found) == (("code", "illness"), 100.0, 100.0)


def test_quasi_identifiers_that_are_published_unchanged_count_as_known():
    table = assign_role(people(), Role.QUASI_IDENTIFIER, "code")
    told = unchanged_together(table, table.with_columns(table.select(["sex"])), ["sex"], ["code", "illness"])
    assert (told.known, told.known_found) == (("code",), 100.0)
    against = verdict(together=told.to_json())
    assert against["headline"] == "not publishable"
    assert "code is published unchanged, and an intruder is taken to know it" in against["reasons"][0]
    few = told.to_json() | {"known_percent": 8.0, "found_percent": 8.5}
    column = {"attribute": "code", "dangerous": True}
    within = verdict(together=few, unchanged=[column])
    assert (within["headline"], within["conditions"], within["provided"]) == ("publishable", [], "")
    assert "with it 8.0 % of the people are re-identified." in within["reasons"][-1]
    own = verdict(together=told.to_json(), bound=100.0, bound_by="m <= 100")
    assert own["publishable"] is True


def test_columns_that_follow_from_quasi_identifiers_count_as_known():
    rng = np.random.default_rng(2)
    years = rng.integers(0, 20, 300)
    frame = pd.DataFrame(
        {"years": years.astype(str), "level": (years // 5).astype(str), "free": rng.integers(0, 9, 300)}
    )
    table = assign_role(as_table(frame), Role.QUASI_IDENTIFIER, "years")
    told = unchanged_together(table, table, ["years"], ["level", "free"])
    assert (told.known, dict(told.derived)) == (("level",), {"level": "years"})
    words = known_words(told.to_json() | {"known_percent": 20.0}, "the 9 % accepted")
    assert "level follows from years. Protect it too, or drop it." in words


@pytest.mark.parametrize(
    ("headline", "strict", "lenient"),
    [
        ("publishable", True, True),
        ("publishable on conditions", False, True),
        ("not publishable", False, False),
        ("no verdict", False, False),
    ],
)
def test_conditions_are_accepted_only_where_that_is_said(headline, strict, lenient):
    assert verdict_meets(headline, "publishable") is strict
    assert verdict_meets(headline, "publishable on conditions") is lenient
    assert verdict_meets(headline, "") is True


def test_what_evosdc_requires_itself_is_not_said_to_be_required():
    own = {"h <= 3": True, "k-anonymity >= 3": False}
    entries = [{"requirement": text, "value": 1.0, "met": True, "own": is_own} for text, is_own in own.items()]
    told = verdict(requirements=entries[:1])
    assert not any("required" in text for text in told["reasons"])
    told = verdict(requirements=entries)
    assert told["reasons"][0] == "All requirements are met: k-anonymity >= 3."


def test_a_requirement_that_is_met_in_the_other_direction_alone_says_so():
    found = intruder(12.5) | {"looks_for": "masked record", "other_percent": 8.94}
    met = [{"requirement": "m <= 9", "value": 8.94, "met": True}]
    told = verdict(intruder=found, requirements=met, bound=9.0, bound_by="m <= 9")
    assert told["publishable"] is False
    (reason,) = told["reasons"]
    assert "From record to person it is 8.9 %; the attack from person to record succeeds more often." in reason
    assert reason.endswith('Use --require "m <= 6".')
    (reason,) = verdict(intruder=found, requirements=met, bound=9.0, bound_by="m <= 9", two_way="both")["reasons"]
    assert reason.endswith('Use --require "both <= 9".')


def test_the_other_direction_is_tried_for_the_most_successful_intruder():
    original, rng = scattered(seed=5)
    names = ("a", "b", "c", "d")
    moved = rng.permutation(len(original))
    moved[20:] = np.arange(20, len(original))
    masked = original.select(names).take(moved)
    registry = default_registry()
    found = found_by_intruder(original, masked, names, registry)
    scores = {}
    for name in registry.defaults("measure", "identity"):
        for backwards, (whole, searched) in {False: (original, masked), True: (masked, original)}.items():
            fitted = registry.build("measure", name, {}).fit_in(Microdata(whole, names))
            scores[name, backwards] = fitted.score(searched.select(names))
    forwards = max(value for (_, backwards), value in scores.items() if not backwards)
    best = [name for (name, backwards), value in scores.items() if not backwards and value == forwards][-1]
    assert found.measure == best
    assert found.percent == pytest.approx(max(forwards, scores[best, True]))
    assert found.backwards == (scores[best, True] > forwards)
    built = [registry.build("measure", name, {}) for name in registry.defaults("measure", "identity")]
    own = [one.fit_in(Microdata(original, names)).score(original.select(names)) for one in built]
    assert found.original == max(own), "whoever finds most in the file as it is, tells what protection is for"
    assert found.to_json()["looks_for"] == ("masked record" if found.backwards else "person")
    assert found.other == pytest.approx(min(forwards, scores[best, True]))


def test_a_share_that_is_not_the_score_of_its_measure_says_so():
    told = {"measure": "ranked-linkage", "looks_for": "person", "other_percent": 2.0}
    assert measured_by(told) == "ranked-linkage"
    words = measured_by(told | {"looks_for": "masked record", "other_percent": 3.066})
    assert words == "ranked-linkage, attack from person to record; from record to person 3.07 %"


def test_whoever_knows_more_than_was_masked_is_a_condition():
    one = {"measure": "m", "knows": "the neighbours of people", "columns": ["neighbours"], "percent": 100.0}
    told = verdict(further=[one])
    assert (told["headline"], told["further"]) == ("publishable on conditions", [one])
    assert told["provided"] == "if no recipient knows the neighbours of people from elsewhere"
    known = "anyone who knows the neighbours of people is expected to re-identify 100.0 % of the people"
    assert known in told["conditions"][0]
    few = verdict(further=[one | {"percent": 2.0}])
    assert few["headline"] == "publishable"
    assert any("re-identify 2.0 % of the people (m), within 9 %" in text for text in few["reasons"])
    unknown = verdict(further=[one | {"percent": None}])
    assert "could not be measured" in unknown["conditions"][0]


def test_what_came_out_unchanged_is_not_told_to_be_protected():
    told = {"known": ["club", "age"], "masked": ["x"], "known_percent": 50.0, "meant": ["club"], "derived": {}}
    words = known_words(told, "the 9 % accepted")
    assert "club came out unchanged: search longer" in words
    assert "Protect it too, or give it another role" in words
    assert "Protect" not in known_words(told | {"known": ["club"]}, "the 9 % accepted")


def test_the_measure_of_both_directions_has_an_occasion_of_its_own():
    assert two_way_of(default_registry()) == "two-way-linkage"


def test_a_column_in_which_all_are_alike_is_no_danger():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"sex": ["f"] * 60, "age": rng.integers(20, 40, 60), "job": rng.choice(["a", ""], 60)})
    frame["job"] = frame["job"].replace("", None)
    table = as_table(frame)
    for name in ("sex", "job"):
        table = assign_role(table, Role.QUASI_IDENTIFIER, name)
    told = {column.attribute: column for column in unchanged_columns(table, ["age"])}
    assert not told["sex"].dangerous
    assert "tells nobody apart" in told["sex"].why
    assert told["job"].dangerous, "who has none is told from who has one"


def test_a_column_with_a_single_value_left_is_named_so():
    table = {"attributes": ["income"], "moved": 90.0, "holds": False, "average": 9.0, "worst": 9.0}
    (condition,) = verdict(analyses={"tables": [table]}, single_valued=["income"])["conditions"]
    assert "income (a single value is left)" in condition


def test_a_limit_of_evosdc_is_explained_with_its_figure():
    missed = {"requirement": "m <= 2", "value": 2.183, "met": False, "own": True, "meaning": "Values looked up"}
    (reason,) = verdict(requirements=[missed])["reasons"]
    assert "m <= 2 (it is 2.18; values looked up)" in reason


def test_each_reason_and_condition_has_a_title_and_says_what_to_do():
    own = {"requirement": "guess-gain <= 9", "value": 14.0, "met": False, "own": True}
    told = verdict(
        intruder=intruder(12.0), holds=False, contradiction="a learner links 20 %", public_seed=True, exchanged=["A."],
        requirements=[{"requirement": "dr <= 3", "value": 4.0, "met": False}, own],
        by_value=("wage", 30.0), changed=1, idle=True, tails={"surest-matches": {"value": 60.0}}, given_away=["A. Do."],
        members={"not_checked": "fewer than 100 records"}, tried=["Tried: a file keeps the bounds without wage."],
    )  # fmt: skip
    assert told["publishable"] is False
    sentences = told["reasons"] + told["conditions"]
    assert len(told["titles"]) == len(sentences) > 9
    assert "not kept: guess-gain <= 9" in told["titles"]
    assert all(0 < len(title) < 60 for title in told["titles"])
    helps = re.compile(r"Search longer|Use --require|Publish|Keep|Leave out|Do\.|Write|Run|Make sure")
    assert [text for text in sentences if not helps.search(text)] == []
    assert told["advice"] == ["Tried: a file keeps the bounds without wage."]


def test_what_speaks_for_a_file_has_no_titles():
    assert verdict()["titles"] == []


@pytest.mark.parametrize("named", [False, True])
def test_runs_that_were_not_named_are_named_with_how_to_leave_them_out(named):
    both = {"value": 30.0, "details": {"alone": 3.0, "attribute": 8.0}}
    for history in (None, both, {"value": 4.0, "details": {"alone": 3.0, "attribute": 0.0}}):
        told = verdict(earlier=["runs/a", "runs/b"], earlier_named=named, history=history)
        text = " ".join(told["reasons"] + told["conditions"])
        assert "runs/a and runs/b" in text
        said = "runs/a and runs/b count as a publishable run of the same data in the same folder."
        assert text.count(said) == (0 if named else 1), history
        assert text.count("`evosdc judge RUN --earlier none`") == (0 if named else 1)
    assert verdict(earlier=[], earlier_named=True)["conditions"] == []


def test_surest_matches_above_their_bound_are_one_reason():
    missed = {"requirement": "surest-matches <= 33", "value": 60.0, "met": False, "own": True}
    told = verdict(requirements=[missed], tails={"surest-matches": {"value": 60.0}})
    assert told["titles"] == ["singling out"]
    assert verdict(requirements=[missed], tails={"surest-matches": {"value": 20.0}})["titles"] == [
        "not kept: surest-matches <= 33"
    ]


def test_a_bound_of_the_user_is_not_called_that_of_an_audience():
    (reason,) = verdict(intruder=intruder(2.0), bound=0.5)["reasons"]
    assert "the 0.5 % that you allowed" in reason
    assert "accepted for public files" in verdict()["reasons"][0]
