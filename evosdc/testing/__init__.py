"""Conformance suites for plugin authors: subclass one, say how your object is made, and pytest runs all its tests.

>>> from evosdc.testing import MaskingMethodConformance
>>> class TestShuffle(MaskingMethodConformance):
...     def method(self):
...         return Shuffle(Shuffle.Params())

The tables that the suites use are in `evosdc.testing.tables`. This package, and nothing else in evosdc, needs pytest.
"""

# ruff: noqa: E402 -- pytest must know the modules before they are imported

import pytest

_ASSERTING = (
    "acceptance", "algorithm", "executor", "fitness", "functions", "genomes", "genotype", "genotype_capabilities",
    "genotype_decoding", "genotype_storage", "genotype_subject", "genotype_variation", "limit", "masking", "measure",
    "operator", "privacy", "purity",
)  # fmt: skip
# So that a failing assertion of a suite shows the values, as one in the author's own test file would.
pytest.register_assert_rewrite(*(f"evosdc.testing.{module}" for module in _ASSERTING))

from evosdc.testing.algorithm import AlgorithmConformance
from evosdc.testing.executor import ExecutorConformance
from evosdc.testing.fitness import FitnessConformance
from evosdc.testing.functions import DatasetConformance, FormatConformance, PictureConformance, PortfolioConformance
from evosdc.testing.genotype import GenotypeConformance
from evosdc.testing.limit import LimitConformance
from evosdc.testing.masking import MaskingMethodConformance
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.operator import OperatorConformance
from evosdc.testing.privacy import PrivacyModelConformance, sample_view
from evosdc.testing.tables import SHAPES, TableShape, edited, sample_microdata, sample_table, shuffled

__all__ = [
    "SHAPES", "AlgorithmConformance", "DatasetConformance", "ExecutorConformance", "FitnessConformance",
    "FormatConformance", "GenotypeConformance", "LimitConformance", "MaskingMethodConformance", "MeasureConformance",
    "OperatorConformance", "PictureConformance", "PortfolioConformance", "PrivacyModelConformance", "TableShape",
    "edited", "sample_microdata", "sample_table", "sample_view", "shuffled",
]  # fmt: skip
