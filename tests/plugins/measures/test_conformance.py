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


def conforming(name, params=None, **declared):
    measure = CLASSES[name]
    body = {"measure": lambda self: measure(measure.Params(**(params or {})))}
    return type("TestMeasure", (MeasureConformance,), body | declared)


LOSS, KNOWN, RISK = {"identity": 0.0}, {"kind": "dr", "identity": 100.0}, {"kind": "dr"}
TestDistanceBasedLoss = conforming("dbil", **LOSS)
TestContingencyTableLoss = conforming("ctbil", **LOSS)
TestContingencyTableLossOfThree = conforming("ctbil", {"K": 3}, **LOSS)
TestEntropyBasedLoss = conforming("ebil", **LOSS)
TestIntervalDisclosure = conforming("id", **KNOWN)
TestIntervalDisclosureByFrequency = conforming("id", {"nominal": "frequency", "percents": (0, 15)}, **KNOWN)
TestDistanceBasedLinkage = conforming("dbrl", **RISK)
TestDistanceBasedLinkageBackward = conforming("dbrl", {"direction": "original-to-masked"}, **RISK)
TestProbabilisticLinkage = conforming("prl", **RISK)


class TestMean(FitnessConformance):
    def fitness(self):
        return Mean(Mean.Params())


class TestMax(FitnessConformance):
    def fitness(self):
        return Max(Max.Params())


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
