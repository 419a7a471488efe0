import pytest

from evosdc.plugins.registry import default_registry
from evosdc.testing import GenotypeConformance, MeasureConformance
from evosdc_lattice.lattice import Lattice


class Conformance(GenotypeConformance):
    conserves = "genes"


class TestLattice(Conformance):
    def genotype(self, microdata):
        return Lattice(Lattice.Params(k=1), microdata)

    def measures(self, original):
        return [default_registry().build("measure", name, {}).fit(original) for name in ("dm", "lm", "cavg", "height")]


class TestLatticeWithSuppression(Conformance):
    def genotype(self, microdata):
        return Lattice(Lattice.Params(k=2, suppression=1), microdata)


def conforming(name, most=float("inf")):
    measure = default_registry().build("measure", name, {})
    body = {"kind": "model", "range": (0.0, most), "measure": lambda self: measure}
    return type("TestMeasure", (MeasureConformance,), body)


TestDiscernibility = conforming("dm")
TestLossMetric = conforming("lm", 1.0)
TestLeafShare = conforming("iloss", 1.0)
TestAverageClassSize = conforming("cavg")
TestEntropy = conforming("entropy")
TestImprecision = conforming("precision", 1.0)
TestHeight = conforming("height")


@pytest.mark.parametrize("name", ["dm", "dm-star", "lm", "iloss", "cavg", "aecs", "entropy", "precision", "height"])
def test_specs_are_of_generalisation(name):
    assert default_registry().spec("measure", name).family == "generalisation"
