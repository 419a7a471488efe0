import numpy as np
import pytest
from pydantic import ValidationError

from evosdc.errors import ParameterError
from evosdc.model.fitness import SingleMeasure
from evosdc.testing.fitness import FitnessConformance
from evosdc_measures.fitness import Max, Mean, Pareto, Weighted

SCORES = {"il": 10.0, "dr": 40.0, "dbil": 4.0, "prl": 8.0, "accuracy": 70.0}
DIRECTIONS = {"dbil": "minimise", "prl": "minimise", "accuracy": "maximise"}


class TestMax(FitnessConformance):
    def fitness(self):
        return Max(Max.Params())


class TestMean(FitnessConformance):
    def fitness(self):
        return Mean(Mean.Params())


class TestSingleMeasure(FitnessConformance):
    def fitness(self):
        return SingleMeasure("dbil")


class TestWeighted(FitnessConformance):
    def fitness(self):
        return Weighted(Weighted.Params(il=1, dr=3))


class TestWeightedMeasures(FitnessConformance):
    def fitness(self):
        return Weighted(Weighted.Params(measures={"dbil": 2, "dbrl": 1}))


class TestPareto(FitnessConformance):
    def fitness(self):
        return Pareto(Pareto.Params())


class TestParetoOfMeasures(FitnessConformance):
    def fitness(self):
        return Pareto(Pareto.Params(objectives="measures")).bound({"dbil": "minimise", "dbrl": "minimise"})


def test_who_combines_otherwise_than_its_parent_is_asked_about_each():
    class Root(Weighted):
        def combine(self, scores):
            return (int(scores["dbil"]),)

    class Same(Root):
        pass

    class Twice(Root):
        def combine_columns(self, scores):
            return (2.0 * scores["dbil"],)

    class Rounding:
        def combine(self, scores):
            return (round(super().combine(scores)[0], -1),)

    class Mixed(Rounding, Weighted):
        pass

    class Again(Mixed):
        pass

    columns = {name: np.array([value, 1.0]) for name, value in SCORES.items()}
    rounded = ((Mixed, [20.0, 0.0]), (Again, [20.0, 0.0]))
    for kind, wanted in (
        (Weighted, [25.0, 1.0]), (Root, [4.0, 1.0]), (Same, [4.0, 1.0]), (Twice, [8.0, 2.0]), *rounded
    ):  # fmt: skip
        (found,) = kind(kind.Params()).combine_columns(columns)
        assert found.tolist() == wanted


def test_what_is_read_is_known_of_who_combines_as_its_parent_does():
    class Other(Weighted):
        def combine(self, scores):
            return (scores["prl"],)

    class Told(Other):
        @property
        def reads(self):
            return ("prl",)

    def read(fitness):
        return None if fitness.reads is None else sorted(fitness.reads)

    assert [read(kind(kind.Params())) for kind in (Mean, Max, Weighted, Pareto)] == [["dr", "il"]] * 4
    assert [read(kind(kind.Params())) for kind in (Other, Told)] == [None, ["prl"]]
    assert read(Weighted(Weighted.Params(measures={"prl": 1, "dbil": 2}))) == ["dbil", "prl"]
    assert read(pareto("measures")) == ["accuracy", "dbil", "prl"]
    assert read(SingleMeasure("prl")) == ["prl"]


def test_the_order_of_weights_does_not_matter():
    given = {"prl": 0.3, "id": 0.7, "dbil": 1.1, "ctbil": 0.9, "dbrl": 0.37}
    one, other = (Weighted(Weighted.Params(measures=dict(order))) for order in (given.items(), sorted(given.items())))
    rng = np.random.default_rng(0)
    for scores in (dict(zip(given, rng.random(5) * 100.0, strict=True)) for _ in range(50)):
        assert one.combine(scores) == other.combine(scores)


def weighted(**params):
    return Weighted(Weighted.Params(**params)).bound(DIRECTIONS)


def pareto(objectives):
    return Pareto(Pareto.Params(objectives=objectives)).bound(DIRECTIONS)


def test_weights_are_shares():
    assert weighted().combine(SCORES) == (25.0,)
    assert weighted(il=1, dr=3).combine(SCORES) == (32.5,)
    assert weighted(il=0.1, dr=0.3).combine(SCORES) == pytest.approx((32.5,))
    assert weighted(measures={"dbil": 1, "prl": 3}).combine(SCORES) == (7.0,)
    assert weighted(il=1, measures={"prl": 1}).combine(SCORES) == (9.0,)
    assert weighted(il=0).combine(SCORES) == (40.0,)


def test_what_has_no_weight_is_not_needed():
    assert weighted(il=0).needs == ("dr",)
    assert weighted(measures={"dbil": 1}).needs == ("dbil",)


def test_what_is_better_when_greater_counts_with_the_other_sign():
    assert weighted(measures={"accuracy": 1, "dbil": 1}).combine(SCORES) == (-33.0,)
    assert pareto(["accuracy", "il"]).combine(SCORES) == (-70.0, 10.0)


def test_objectives_of_a_front():
    assert pareto("il-dr").combine(SCORES) == (10.0, 40.0)
    assert pareto("measures").combine(SCORES) == (4.0, 8.0, -70.0)
    assert pareto("measures").objectives == 3
    assert pareto(["prl", "dr"]).combine(SCORES) == (8.0, 40.0)


@pytest.mark.parametrize("params", [{"il": 0, "dr": 0}, {"il": -1}, {"measures": {"dbil": 0}}])
def test_weights_that_weigh_nothing_are_refused(params):
    with pytest.raises(ValidationError):
        Weighted.Params(**params)


@pytest.mark.parametrize("objectives", [(), ("il", "il")])
def test_objectives_are_named_once_each(objectives):
    with pytest.raises(ParameterError, match="each once"):
        Pareto(Pareto.Params(objectives=objectives))
