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


class Measured(MeasureConformance):
    kind = "model"
    range = (0.0, float("inf"))
    name = ""

    def measure(self):
        return default_registry().build("measure", self.name, {})


class TestDiscernibility(Measured):
    name = "dm"


class TestLossMetric(Measured):
    name = "lm"
    range = (0.0, 1.0)


class TestLeafShare(Measured):
    name = "iloss"
    range = (0.0, 1.0)


class TestAverageClassSize(Measured):
    name = "cavg"


class TestEntropy(Measured):
    name = "entropy"


class TestImprecision(Measured):
    name = "precision"
    range = (0.0, 1.0)


class TestHeight(Measured):
    name = "height"


@pytest.mark.parametrize("name", ["dm", "dm-star", "lm", "iloss", "cavg", "aecs", "entropy", "precision", "height"])
def test_specs_are_of_generalisation(name):
    assert default_registry().spec("measure", name).family == "generalisation"


del Conformance, GenotypeConformance, Measured, MeasureConformance
