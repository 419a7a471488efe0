"""The suites that every plugin has to pass, and the hooks."""

import subprocess
import sys

import pytest

import evosdc_measures
from evosdc.model import Fitness, Measure
from evosdc.testing.fitness import FitnessConformance
from evosdc.testing.measure import MeasureConformance
from evosdc_measures.fitness import Max, Mean
from tests.plugins.measures.cases import CLASSES


class _Made(MeasureConformance):
    name = ""
    params: dict = {}  # noqa: RUF012 -- never changed

    def measure(self):
        measure = CLASSES[self.name]
        return measure(measure.Params(**self.params))


class TestDistanceBasedLoss(_Made):
    name, identity = "dbil", 0.0


class TestContingencyTableLoss(_Made):
    name, identity = "ctbil", 0.0


class TestContingencyTableLossOfThree(_Made):
    name, identity, params = "ctbil", 0.0, {"K": 3}


class TestEntropyBasedLoss(_Made):
    name, identity = "ebil", 0.0


class TestIntervalDisclosure(_Made):
    name, identity, kind = "id", 100.0, "dr"


class TestIntervalDisclosureByFrequency(_Made):
    name, identity, kind = "id", 100.0, "dr"
    params = {"nominal": "frequency", "percents": (0, 15)}  # noqa: RUF012


class TestDistanceBasedLinkage(_Made):
    name, kind = "dbrl", "dr"


class TestDistanceBasedLinkageBackward(_Made):
    name, kind, params = "dbrl", "dr", {"direction": "original-to-masked"}


class TestProbabilisticLinkage(_Made):
    name, kind = "prl", "dr"


class TestMean(FitnessConformance):
    def fitness(self):
        return Mean(Mean.Params())


class TestMax(FitnessConformance):
    def fitness(self):
        return Max(Max.Params())


del _Made


def test_fitnesses_follow_the_equations():
    scores = {"il": 20.0, "dr": 50.0, "dbil": 99.0}
    assert Mean(Mean.Params()).combine(scores) == (35.0,)
    assert Max(Max.Params()).combine(scores) == (50.0,)


def _implementation(spec):
    module, _, name = spec.implementation.partition(":")
    return getattr(__import__(module, fromlist=[name]), name)


def test_offers_name_their_implementations():
    measures = {spec.name: spec for spec in evosdc_measures.evosdc_measures()}
    assert {name: _implementation(spec) for name, spec in measures.items() if name in CLASSES} == CLASSES
    for spec in measures.values():
        assert issubclass(_implementation(spec), Measure)
        assert set(spec.scales) == {str(scale) for scale in _implementation(spec).supports}
    for spec in evosdc_measures.evosdc_fitnesses():
        assert issubclass(_implementation(spec), Fitness)


def test_kinds_and_families():
    measures = {spec.name: spec for spec in evosdc_measures.evosdc_measures()}
    assert [measures[name].kind for name in CLASSES] == ["il", "il", "il", "dr", "dr", "dr"]
    assert [measures[name].family for name in ("id", "dbrl", "prl")] == ["interval", "linkage", "linkage"]


@pytest.mark.parametrize("heavy", ["numpy", "numba", "pandas", "pydantic"])
def test_hooks_import_nothing_heavy(heavy):
    code = f"import sys, evosdc_measures; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
