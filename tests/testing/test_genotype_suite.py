"""What passes the genotype suite."""

from __future__ import annotations

from evosdc.table.schema import Scale
from evosdc.testing import GenotypeConformance
from tests.testing.genotypes import Copies, Levels, Swaps

CATEGORICAL = frozenset({Scale.NOMINAL, Scale.ORDINAL})


class TestSwaps(GenotypeConformance):
    conserves = "genes"

    def genotype(self, microdata):
        return Swaps(Swaps.Params(), microdata)


class TestLevels(GenotypeConformance):
    scales = CATEGORICAL
    conserves = "genes"

    def genotype(self, microdata):
        return Levels(Levels.Params(), microdata)


class TestLevelsAmongNumericAttributes(TestLevels):
    scales = frozenset(Scale)


class TestCopies(GenotypeConformance):
    scales = CATEGORICAL
    conserves = "genes"

    def genotype(self, microdata):
        return Copies(Copies.Params(), microdata)
