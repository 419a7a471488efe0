from typing import Any, ClassVar

from evosdc.table.schema import Scale
from evosdc.testing import FitnessConformance, GenotypeConformance
from evosdc_equations.genotype import Equations
from evosdc_equations.parsimony import Parsimony


class Conformance(GenotypeConformance):
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    params: ClassVar[dict[str, Any]] = {}

    def genotype(self, microdata):
        return Equations(Equations.Params(**self.params), microdata)


class TestOneForAll(Conformance):
    params: ClassVar[dict[str, Any]] = {"draws": 2}


class TestOneEach(Conformance):
    params: ClassVar[dict[str, Any]] = {"one_each": True, "decoding": "offdiag", "p": 0.2, "draws": 1}


class TestInvariant(Conformance):
    params: ClassVar[dict[str, Any]] = {
        "decoding": "full",
        "two_stage": 0.5,
        "functions": ("+", "/", "if_less"),
        "max_depth": 2,
        "draws": 1,
    }


class TestParsimony(FitnessConformance):
    def fitness(self):
        return Parsimony(Parsimony.Params(of="max", digits=1))


del Conformance, FitnessConformance, GenotypeConformance
