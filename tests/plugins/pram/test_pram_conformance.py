from evosdc.model import Microdata
from evosdc.table.schema import Scale
from evosdc.testing import GenotypeConformance
from evosdc_pram.pram import PramMatrices

SLOW = ("ordinary", "unused-categories", "missing-values")
"""Tables for what solves a program for each matrix."""


class Conformance(GenotypeConformance):
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    params: dict = {}  # noqa: RUF012 -- never changed

    def genotype(self, microdata):
        return PramMatrices(PramMatrices.Params(**self.params), microdata)


class TestRows(Conformance):
    conserves = "genes"
    params = {"crossovers": ["rows", "attributes"], "swaps": 0.5}  # noqa: RUF012 -- never changed


class TestBlend(Conformance):
    params = {"crossovers": ["blend"], "least": 0.2, "most": 0.9}  # noqa: RUF012 -- never changed


class TestTwoStage(Conformance):
    tables = SLOW
    params = {"invariance": "two-stage", "retained": 0.7, "least": 0.1, "rows": "two-point"}  # noqa: RUF012 -- never changed


class TestFlow(Conformance):
    tables = SLOW
    params = {"invariance": "flow", "grain": 3, "mutations": 0}  # noqa: RUF012 -- never changed

    def microdata(self, table_name):
        """Return three of the attributes: the fourth has a dozen categories, of which programs take longest."""
        table = super().microdata(table_name).original
        return Microdata(table, table.schema.names[:3])


del Conformance, GenotypeConformance
