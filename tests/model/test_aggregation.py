import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Aggregation
from evosdc.model.constraint import Constraint, Constraints

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


columns = st.lists(st.lists(st.floats(0.0, 100.0), min_size=6, max_size=6), min_size=1, max_size=8)
some = st.lists(st.sampled_from(list(SCORES)), max_size=4, unique=True).map(tuple)
rules = st.sampled_from(["max", "mean"])
bounded = st.tuples(
    st.sampled_from([*SCORES, "il", "dr", "il of a"]), st.sampled_from(["<=", ">="]), st.sampled_from([0.0, 0.5, 30.0])
)


@given(columns, st.tuples(some, some, some), rules, rules, st.lists(bounded, max_size=4), st.booleans())
def test_several_candidates_at_once_are_as_one_by_one(rows, names, rule, risks, bounds, short):
    aggregation = Aggregation(*names, rule, risks)
    known = {*SCORES, "il of a"} | {kind for kind, there in (("il", names[0]), ("dr", any(names[1:]))) if there}
    listed = tuple(Constraint(*bound) for bound in bounds if bound[0] in known)
    listed = tuple(
        Constraint("il", one.operator, one.bound, "a") if one.name == "il of a" else one for one in listed
    )  # fmt: skip
    constraints = Constraints(listed, {"il of a": Aggregation(("dbil", "prl"))})
    each = [dict(zip(SCORES, row, strict=True)) for row in rows]
    if short and listed:
        each = [scores | {listed[0].shortfall_name: scores["ebil"] / 2} for scores in each]
    wanted = [constraints.judge(aggregation.combine(scores)) for scores in each]
    given = {name: np.array([scores[name] for scores in each]) for name in each[0]}
    found = constraints.judge_columns(aggregation.combine_columns(given)) if listed else None
    if found is None:
        found, wanted = aggregation.combine_columns(given), [aggregation.combine(scores) for scores in each]
    assert [
        dict(zip(found, row, strict=True)) for row in zip(*(c.tolist() for c in found.values()), strict=True)
    ] == wanted
    assert all(list(one) == list(found) for one in wanted)
