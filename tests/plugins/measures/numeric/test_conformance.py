"""The suite that every measure has to pass, for numbers and for numbers with categories."""

from typing import ClassVar

import pytest

from evosdc.table.schema import Scale
from evosdc.testing.measure import MeasureConformance
from tests.plugins.measures.numeric.cases import SPECS, made

NUMBERS = frozenset({Scale.NUMERIC})


class _Made(MeasureConformance):
    name = ""
    params: ClassVar[dict] = {}

    def measure(self):
        return made(self.name, **self.params)


def _suite(title, name, params=None, **declared):
    """Return a suite of one measure as its spec declares it."""
    spec = SPECS[name]
    body = {"name": name, "params": params or {}, "kind": spec.kind, "range": spec.range}
    return type(f"Test{title}", (_Made,), body | declared)


TestStandardisedLoss = _suite("StandardisedLoss", "il1s", identity=0.0)
TestAverageProbabilisticLoss = _suite("AverageProbabilisticLoss", "apil", identity=0.0)
TestLossByNormal = _suite("LossByNormal", "apil", {"density": "normal"}, identity=0.0)
TestEstimates = _suite("Estimates", "estimates", identity=0.0)
TestQuantileTables = _suite("QuantileTables", "quantile-tables", identity=0.0, scales=NUMBERS)
TestMeanVariation = _suite("MeanVariation", "mean-variation", identity=0.0)
TestEigenvalues = _suite("Eigenvalues", "eigenvalues-discrepancy", identity=0.0)
TestDataDiscrepancy = _suite("DataDiscrepancy", "data-discrepancy", {"error": "mse"}, identity=0.0)
TestIntervalOfNumbers = _suite("IntervalOfNumbers", "id", identity=100.0, scales=NUMBERS)
TestIntervalByDeviation = _suite(
    "IntervalByDeviation", "id", {"interval": "deviation", "every_attribute": True}, identity=100.0
)
TestDistanceLinkageOfNumbers = _suite("DistanceLinkageOfNumbers", "dbrl", {"standardise": "each"}, scales=NUMBERS)
TestMahalanobis = _suite("Mahalanobis", "dbrl", {"distance": "mahalanobis"}, scales=NUMBERS)
TestKernel = _suite("Kernel", "dbrl", {"distance": "kernel"}, scales=NUMBERS)
TestCorrelationLoss = _suite("CorrelationLoss", "il-correl", identity=0.0)
TestVariablesLoss = _suite("VariablesLoss", "il-variables", identity=0.0)
# Robust covariances take it twenty times as long as the others.
TestRobustEigenvalues = pytest.mark.endurance(
    _suite("RobustEigenvalues", "robust-eigenvalues-discrepancy", identity=0.0)
)
TestImpossibleRecords = _suite("ImpossibleRecords", "impossible-records")
TestGower = _suite("Gower", "dbrl", {"distance": "gower"})
TestRaw = _suite("Raw", "dbrl", {"distance": "raw"}, scales=NUMBERS)
TestRobustInterval = _suite("RobustInterval", "robust-interval", scales=NUMBERS)
TestBackward = _suite("Backward", "dbrl", {"direction": "original-to-masked"})
TestAssignment = _suite("Assignment", "dbrl", {"one_to_one": True})
TestProbabilisticLinkageOfNumbers = _suite("ProbabilisticLinkageOfNumbers", "prl", {"bins": 3}, scales=NUMBERS)
TestRankSwappingLinkage = _suite("RankSwappingLinkage", "rsrl")
TestRankSwappingLinkageOfNumbers = _suite("RankSwappingLinkageOfNumbers", "rsrl", {"p": 3}, scales=NUMBERS)

CATEGORIES = frozenset({Scale.NOMINAL, Scale.ORDINAL})
TestDistanceLinkageOfCategories = _suite("DistanceLinkageOfCategories", "dbrl", scales=CATEGORIES)
TestProbabilisticLinkageOfCategories = _suite("ProbabilisticLinkageOfCategories", "prl", scales=CATEGORIES)
TestIntervalOfCategories = _suite("IntervalOfCategories", "id", identity=100.0, scales=CATEGORIES)
