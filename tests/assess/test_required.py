"""Requirements of users, evosdc's own limits, and requirements on the verdict, apart from each other."""

import pytest

from evosdc.assess.verdict import on_publication, unmet
from evosdc.errors import InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.problem import aims_among, aims_of, parse_constraints, with_origins
from evosdc.experiment.protection import protection
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry
from evosdc.runs.result import Verdict


def entry(requirement: str, met: bool = True, own: bool = False, value: float = 2.0) -> dict[str, object]:
    return {"requirement": requirement, "value": value, "met": met, "own": own}


@pytest.mark.parametrize(
    ("given", "kept", "wanted"),
    [
        ((), (), ""),
        (("dr <= 20", "Publishable  on conditions"), ("dr <= 20",), "publishable on conditions"),
        (("publishable on conditions", "PUBLISHABLE"), (), "publishable"),
    ],
)
def test_what_is_required_of_the_verdict_is_no_constraint(given, kept, wanted):
    assert without_publishable(given) == (kept, wanted)


def test_an_experiment_may_require_the_verdict():
    experiment = Experiment(data={"name": "german"}, constraints=("dr <= 20", "publishable"))
    assert [str(constraint) for constraint in parse_constraints(experiment)] == ["dr <= 20"]


def test_own_limits_are_told_from_the_same_of_a_user():
    registry = default_registry()
    judged = [entry("worst-relabelling <= 3"), entry("dr <= 20"), entry("worst-relabelling <= 3")]
    assert [found["own"] for found in with_origins(judged, registry)] == [False, False, True]
    assert [found["own"] for found in with_origins([entry("worst-relabelling <= 5")], registry, 5.0)] == [True]
    assert [found["own"] for found in with_origins([entry("worst-relabelling <= 5")], registry)] == [False]


@pytest.mark.parametrize(
    ("require", "aims"),
    [
        ((), {}),
        (("dr <= 20",), {}),
        (("publishable",), {"dbrl": 9.0, "two-way-linkage": 9.0}),
        (("publishable on conditions", "dr <= 20"), {"dbrl": 9.0, "two-way-linkage": 9.0}),
        (("publishable", "two-way-linkage <= 20"), {"dbrl": 20.0}),
        (("publishable", "informed-linkage <= 4"), {"dbrl": 4.0, "two-way-linkage": 4.0}),
        (("publishable", "dbrl >= 1"), {"dbrl": 9.0, "two-way-linkage": 9.0}),
    ],
)
def test_a_required_verdict_keeps_the_search_to_its_bound(require, aims):
    assert aims_of(require, default_registry(), ("ctbil", "id", "dbrl", "two-way-linkage")) == aims


def test_an_audience_keeps_the_search_to_its_bound_without_a_required_verdict():
    registry, judged = default_registry(), ("ctbil", "dbrl", "two-way-linkage")
    assert aims_of((), registry, judged, 20.0) == {"dbrl": 20.0, "two-way-linkage": 20.0}
    assert aims_of(("dbrl <= 5",), registry, judged, 33.0) == {"two-way-linkage": 5.0}
    constraints = ("k-anonymity >= 2", "worst-relabelling <= 3", "dbrl <= 20", "two-way-linkage <= 20")
    assert aims_among(constraints, registry, 20.0) == ["dbrl <= 20", "two-way-linkage <= 20"]
    assert aims_among(constraints, registry) == []


def test_limits_for_a_verdict_are_evosdcs_own():
    judged = [entry("informed-linkage <= 9"), entry("dr <= 20")]
    registry = default_registry()
    assert [found["own"] for found in with_origins(judged, registry)] == [False, False]
    assert [found["own"] for found in with_origins(judged, registry, aims=["informed-linkage <= 9"])] == [True, False]


@pytest.mark.parametrize(
    ("constraints", "aims"),
    [
        (("informed-linkage <= 9",), []),
        (("informed-linkage <= 9", "publishable"), []),
        (("dr <= 20", "publishable", "dbrl <= 9", "worst-relabelling <= 3"), ["dbrl <= 9"]),
        (("prl <= 4", "publishable", "dbrl <= 9", "dbrl <= 4"), ["dbrl <= 4"]),
        (("two-way-linkage <= 4", "publishable", "dbrl <= 4", "prl <= 9"), ["dbrl <= 4"]),
    ],
)
def test_limits_for_a_verdict_stand_behind_it(constraints, aims):
    assert aims_among(constraints, default_registry()) == aims


def test_protect_keeps_the_search_to_the_bound():
    registry, source = default_registry(), {"name": "housing", "first": 80, "protect": ["built", "degree"]}
    experiment = protection(source, registry, ProtectOptions(fitness="max", require=["publishable"]))
    aims = ["dbrl <= 9", "prl <= 9", "two-way-linkage <= 9"]
    assert aims_among(experiment.constraints, registry) == aims
    assert "ranked-linkage <= 9" not in protection(source, registry, ProtectOptions(fitness="max")).constraints


@pytest.mark.parametrize(
    ("headline", "wanted", "met"),
    [
        ("publishable", "publishable", True),
        ("publishable on conditions", "publishable", False),
        ("publishable on conditions", "publishable on conditions", True),
        ("no verdict", "publishable on conditions", False),
    ],
)
def test_the_verdict_is_among_the_requirements(headline, wanted, met):
    verdict = Verdict(headline=headline)
    told = on_publication(verdict, ["dr <= 20", wanted])
    assert told == [{"requirement": wanted, "value": float(met), "met": met, "own": False, "verdict": headline}]
    assert on_publication(verdict, ["dr <= 20"]) == []


def test_only_what_the_user_required_decides_the_exit_status():
    kept = [entry("h <= 3", met=False, own=True), entry("dr <= 20")]
    assert unmet({"requirements": kept}) == []
    missed = entry("il <= 1", met=False)
    assert unmet({"requirements": [*kept, missed]}) == [missed]
    assert unmet({"requirements": kept}, limits=True) == kept[:1]


def test_fresh_draws_decide_for_a_randomised_file():
    fresh = {"requirements": [entry("dr <= 20")]}
    assert unmet({"requirements": [entry("dr <= 20", met=False)], "fresh": fresh}) == []
    verdict = entry("publishable", met=False)
    assert unmet({"requirements": [verdict], "fresh": fresh}) == [verdict]


@pytest.mark.parametrize("text", ["publishable on condition", "Publishable <= 9", "publishable!"])
def test_a_slip_in_a_verdict_is_told_what_verdicts_there_are(text):
    with pytest.raises(InputError, match="to require a verdict"):
        Constraint.parse(text)
