import pytest

from evosdc.model import Aggregation

SCORES = {"dbil": 10.0, "ctbil": 20.0, "ebil": 60.0, "id": 50.0, "dbrl": 10.0, "prl": 30.0}


def test_dr_is_the_mean_of_disclosure_and_the_greatest_linkage():
    combined = Aggregation(("dbil", "ctbil", "ebil"), ("dbrl", "prl"), ("id",)).combine(SCORES)
    assert combined["il"] == pytest.approx(30.0)
    assert combined["dr"] == pytest.approx((50.0 + 30.0) / 2)
    assert {name: combined[name] for name in SCORES} == SCORES


def test_mean_rule_is_the_older_one():
    combined = Aggregation(("dbil",), ("dbrl", "prl"), ("id",), "mean").combine(SCORES)
    assert combined["dr"] == pytest.approx(0.5 * 50.0 + 0.25 * 10.0 + 0.25 * 30.0)


def test_what_is_not_measured_is_not_made_up():
    assert "dr" not in Aggregation(("dbil",)).combine(SCORES)
    assert "il" not in Aggregation((), ("dbrl",)).combine(SCORES)
