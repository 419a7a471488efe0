import pytest

from evosdc.table.schema import Scale
from evosdc.testing import GenotypeConformance
from evosdc_cells import files
from evosdc_cells.cells import Cells


class Conformance(GenotypeConformance):
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    conserves = "genes"


class TestTwoPoint(Conformance):
    def genotype(self, microdata):
        return Cells(Cells.Params(), microdata)


class TestUniformWithSteps(Conformance):
    def genotype(self, microdata):
        return Cells(Cells.Params(crossover="uniform", steps=True, mutations=3), microdata)


class TestOnePoint(Conformance):
    def genotype(self, microdata):
        return Cells(Cells.Params(crossover="one-point", mutations=0), microdata)


class TestInBlocks(Conformance):
    """Files so small are arrays, but for this test."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(files, "WHOLE", 4)
        monkeypatch.setattr(files, "LEAST_RECORDS", 2)

    def genotype(self, microdata):
        return Cells(Cells.Params(mutations=2), microdata)


class Mixed(GenotypeConformance):
    conserves = "genes"
    exact_seeding = False  # numbers are rounded to the decimals of the schema


class TestGray(Mixed):
    def genotype(self, microdata):
        return Cells(Cells.Params(crossover="m-point"), microdata)


class TestNumbersInBlocks(Mixed):
    small = TestInBlocks.small

    def genotype(self, microdata):
        return Cells(Cells.Params(), microdata)


class TestGaussian(Mixed):
    def genotype(self, microdata):
        return Cells(Cells.Params(crossover="attribute-block", numbers="gaussian", mutations=4), microdata)


class TestRecordBlock(Mixed):
    def genotype(self, microdata):
        return Cells(Cells.Params(crossover="record-block"), microdata)


del Mixed, Conformance, GenotypeConformance
