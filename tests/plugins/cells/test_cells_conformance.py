"""Cells against the suite for plugin authors, with operators of all kinds."""

import pytest

from evosdc.table.schema import Scale
from evosdc.testing import GenotypeConformance
from evosdc_cells import files
from evosdc_cells.cells import Cells

CATEGORICAL = {"scales": frozenset({Scale.NOMINAL, Scale.ORDINAL})}
MIXED = {"exact_seeding": False}
"""Numbers are rounded to the decimals of the schema."""


@pytest.fixture(autouse=True)
def in_blocks(self, monkeypatch):
    """Files so small are arrays, but for suites that have this."""
    monkeypatch.setattr(files, "WHOLE", 4)
    monkeypatch.setattr(files, "LEAST_RECORDS", 2)


def conforming(declared, **params):
    body = {"conserves": "genes", "genotype": lambda self, microdata: Cells(Cells.Params(**params), microdata)}
    return type("TestCells", (GenotypeConformance,), body | declared)


TestTwoPoint = conforming(CATEGORICAL)
TestUniformWithSteps = conforming(CATEGORICAL, crossover="uniform", steps=True, mutations=3)
TestOnePoint = conforming(CATEGORICAL, crossover="one-point", mutations=0)
TestInBlocks = conforming({"small": in_blocks}, mutations=2)
TestGray = conforming(MIXED, crossover="m-point")
TestNumbersInBlocks = conforming(MIXED | {"small": in_blocks})
TestGaussian = conforming(MIXED, crossover="attribute-block", numbers="gaussian", mutations=4)
TestRecordBlock = conforming(MIXED, crossover="record-block")

del in_blocks  # else it would be in force for all of them
