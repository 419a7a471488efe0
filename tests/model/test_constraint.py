import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ExperimentError
from evosdc.model import Aggregation
from evosdc.model.constraint import GREATEST, Constraint, Constraints


@pytest.mark.parametrize(
    ("text", "expected", "shown"),
    [
        ("k-anonymity >= 3", Constraint("k-anonymity", ">=", 3.0), "k-anonymity >= 3"),
        ("dr<=20", Constraint("dr", "<=", 20.0), "dr <= 20"),
        ("  il of education <= 5 ", Constraint("il", "<=", 5.0, "education"), "il of education <= 5"),
        ("dbil of my job >= 1e-1", Constraint("dbil", ">=", 0.1, "my job"), "dbil of my job >= 0.1"),
        ("dr <= 20 %", Constraint("dr", "<=", 20.0), "dr <= 20"),
    ],
)
def test_a_constraint_is_read_and_shown(text, expected, shown):
    assert Constraint.parse(text) == expected
    assert str(expected) == shown
    assert Constraint.parse(shown) == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("dr", "no comparison"),
        ("", "no comparison"),
        ("1 <= dr <= 20", "more than one"),
        ("dr < 20", "the comparison <"),
        ("k-anonymity = 3", "the comparison ="),
        ("dr <= low", "a number on the right"),
        ("dr <= inf", "a number on the right"),
        ("dr <=", "a number on the right"),
        ("<= 20", "no single name"),
        ("dr education <= 20", "no single name"),
    ],
)
def test_what_is_none_has_one_clear_fault(text, word):
    with pytest.raises(ExperimentError) as caught:
        Constraint.parse(text)
    (fault,) = caught.value.faults
    assert word in str(fault)
    assert "k-anonymity >= 3" in fault.advice


@given(st.floats(0, 100), st.floats(allow_nan=False, allow_infinity=True))
def test_a_excess_is_finite_and_zero_where_the_constraint_holds(bound, value):
    for constraint, holds in (
        (Constraint("dr", "<=", bound), value <= bound),
        (Constraint("dr", ">=", bound), value >= bound),
    ):
        excess = constraint.excess(value)
        assert 0.0 <= excess <= GREATEST
        assert (excess == 0.0) == holds


def test_excesss_are_in_units_of_the_bound_and_added_up():
    constraints = Constraints(
        (Constraint("dr", "<=", 20.0), Constraint("k-anonymity", ">=", 3.0), Constraint("il", "<=", 5.0, "age")),
        {"il of age": Aggregation(("a of age", "b of age"))},
    )
    scores = {"dr": 30.0, "k-anonymity": 2.0, "a of age": 4.0, "b of age": 8.0}
    judged = constraints.judge(scores)
    assert judged["il of age"] == 6.0
    assert judged["infeasibility"] == pytest.approx(10 / 20 + 1 / 3 + 1 / 5)
    assert scores == {"dr": 30.0, "k-anonymity": 2.0, "a of age": 4.0, "b of age": 8.0}
    fine = constraints.judge(scores | {"dr": 20.0, "k-anonymity": 3.0, "b of age": 6.0})
    assert fine["infeasibility"] == 0.0


def test_the_share_of_records_that_fall_short_leads_where_it_is_known():
    constraint = Constraint("k-anonymity", ">=", 3.0)
    constraints = Constraints((constraint,))
    assert constraint.shortfall_name == "records short of k-anonymity >= 3"
    worse, better = ({"k-anonymity": 1.0, constraint.shortfall_name: percent} for percent in (40.0, 0.1))
    assert constraints.judge(worse)["infeasibility"] == pytest.approx(0.4)
    assert constraints.judge(better)["infeasibility"] == pytest.approx(0.001)
    assert constraints.judge({"k-anonymity": 3.0, constraint.shortfall_name: 0.0})["infeasibility"] == 0.0
