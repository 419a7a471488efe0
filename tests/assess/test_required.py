"""Requirements of users, evosdc's own limits, and requirements on the verdict, apart from each other."""

import pytest

from evosdc.assess.verdict import on_publication, unmet
from evosdc.errors import InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.problem import aims_among, aims_of, parse_constraints
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


def test_limits_are_told_from_the_same_constraint_of_a_user():
    text = "worst-relabelling <= 3"
    experiment = Experiment(data={"name": "german"}, constraints=(text, "dr <= 20"), limits=(text,))
    found = parse_constraints(experiment)
    assert [(str(one), one.own) for one in found] == [(text, False), ("dr <= 20", False), (text, True)]


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
    limits = ("worst-relabelling <= 3", "dbrl <= 20", "two-way-linkage <= 20")
    experiment = Experiment(data={"name": "german"}, constraints=("prl <= 4",), limits=limits)
    assert list(map(str, aims_among(parse_constraints(experiment), registry))) == [*limits[1:]]


def test_protect_keeps_the_search_to_the_bound():
    registry, source = default_registry(), {"name": "housing", "first": 80, "protect": ["built", "degree"]}
    experiment = protection(source, registry, ProtectOptions(fitness="max", require=["publishable"]))
    aims = ["dbrl <= 9", "prl <= 9", "two-way-linkage <= 9"]
    assert list(map(str, aims_among(parse_constraints(experiment), registry))) == aims
    assert "prl <= 9" not in protection(source, registry, ProtectOptions(fitness="max")).limits


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
