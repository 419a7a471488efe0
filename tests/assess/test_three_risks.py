"""The three lines of a verdict: each says the measure, the bound, its reason, the mean and the worst."""

import numpy as np
import pytest

from evosdc.assess.intruder import found_by_intruder
from evosdc.assess.three_risks import reason_of, three_risks
from evosdc.assess.verdict import Evidence, verdict_of
from evosdc.plugins.registry import default_registry
from evosdc.printing import NO_TIME
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

FOUND = {"measure": "two-way-linkage", "percent": 6.0, "original_percent": 80.0, "expected": 60.0, "records": 1000}
TAILS = {"surest-matches": {"value": 30.0, "details": {"surest_tenth": 12.0, "most_isolated_tenth": 20.0}}}


def members(value=1.0, low=-1.0, surest=3.0, surest_low=-4.0):
    details = {"members": 50.0 + value, "others": 50.0, "surest_tenth": surest, "surest_tenth_low": surest_low}
    return {
        "judges": {
            "members-inference": {"family": "excess", "value": value, "low": low, "high": 9.0, "details": details}
        }
    }


def verdict(tails=TAILS, plan=None, **changed):
    return verdict_of(Evidence(FOUND | changed, holds=True, tails=tails, members=plan or members()))


def test_each_line_has_its_figures_its_bound_and_why():
    singling, linkability, inference = verdict().risks
    assert (singling.measure, singling.mean, singling.worst, singling.bound) == ("surest-matches", 12.0, 30.0, 33.0)
    assert (linkability.mean, linkability.worst, linkability.bound, linkability.worst_bound) == (6.0, 20.0, 9.0, 33.0)
    assert (inference.measure, inference.mean, inference.worst) == ("members-inference", 1.0, 3.0)
    assert all(line.kept and line.reason and line.worst_of for line in verdict().risks)
    assert verdict().publishable


@pytest.mark.parametrize(
    ("place", "verdict"),
    [
        (0, verdict({"surest-matches": {"value": 34.0, "details": {"surest_tenth": 12.0}}})),
        (1, verdict(percent=9.5)),
        (1, verdict({"surest-matches": {"value": 30.0, "details": {"most_isolated_tenth": 40.0}}})),
        (2, verdict(plan=members(5.5))),
        (2, verdict(plan=members(4.0, 2.5))),
        (2, verdict(plan=members(surest=30.0, surest_low=6.0))),
    ],
)
def test_one_line_above_its_bound_forbids_to_publish(place, verdict):
    assert [line.kept for line in verdict.risks] == [at != place for at in range(3)]
    assert verdict.publishable is False


def test_what_nobody_measured_is_not_checked():
    lines = three_risks(None, 9.0, "", {}, {"not_checked": "no time"})
    assert [line.kept for line in lines] == [None, None, None]
    assert [line.words for line in lines] == ["not checked", "not checked", "not checked (no time)"]
    assert three_risks(FOUND, 9.0, "", {}, None, sensitive=False)[2].words.startswith("does not apply")
    late = {"not_checked": NO_TIME}
    waiting = verdict_of(Evidence(FOUND, holds=True, answered=3, unasked=2, members=late))
    assert waiting.headline == "publishable on conditions"
    assert any("Singling out" in text for text in waiting.conditions)
    assert [line.words for line in waiting.risks[::2]] == ["not yet checked", f"not yet checked ({NO_TIME})"]
    assert waiting.conditions[-1].startswith("Inference is not yet checked")
    assert waiting.conditions[-1].endswith("Run `evosdc judge RUN`.")
    assert verdict_of(Evidence(FOUND)).risks[0].words == "not yet checked", "no judge was asked"
    never = verdict(plan={"not_checked": "given 60 records; wanted 100"})
    assert (never.provided, "Run" in never.conditions[-1]) == ("inference is not checked", False)


def test_coarser_files_are_judged_by_what_can_be_restored():
    found = {"downcoding": {"family": "minimality", "value": 12.0}}
    refused, kept = verdict(found), verdict({"downcoding": found["downcoding"] | {"value": 0.4}})
    assert (refused.risks[0].measure, refused.risks[0].bound, refused.publishable) == ("downcoding", 9.0, False)
    assert any("can be restored" in reason for reason in refused.reasons)
    assert kept.risks[0].kept
    assert kept.publishable


def test_who_finds_one_member_finds_the_household():
    """Of 100 homes of two, one member of each is published with an age of their own, the others all alike."""
    home = Attribute("home", Role.HOUSEHOLD, Scale.NOMINAL, tuple(f"h{i}" for i in range(100)))
    age = Attribute("age", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple(map(str, range(101))))
    codes = np.array([[i // 2, i // 2 if i % 2 else 100] for i in range(200)], dtype=np.int32)
    original = Table(Schema((home, age)), codes, np.empty((200, 0)))
    found = found_by_intruder(original, original.select(["age"]), ["age"], default_registry())
    assert found.percent == pytest.approx(50.5)  # and 1 / 100 of those who are all alike
    assert found.homes == pytest.approx(100.0)
    apart = Table(Schema((age,)), codes[:, 1:], np.empty((200, 0)))
    assert found_by_intruder(apart, apart, ["age"], default_registry()).homes is None
    found = verdict(percent=4.0, homes_percent=12.0)
    assert "12.0 % with the others of their households" in found.risks[1].words
    assert "if no recipient knows who lives with whom" in found.provided
    assert any("12.0 %" in condition for condition in found.conditions)
    assert verdict(percent=4.0, homes_percent=8.0).headline == "publishable"


def test_bounds_say_where_they_come_from():
    assert "European Medicines Agency" in reason_of(9.0)
    assert reason_of(20.0) == "the risk in groups of 5 people"
    assert reason_of(33.0) == "the risk in groups of 3 people"
    assert reason_of(12.0, "two-way-linkage <= 12") == "required by two-way-linkage <= 12"
