"""CASC reference file Tarragona: 834 companies of the Tarragona area, 1995.

All 13 numeric attributes are quasi-identifiers. Negative values are genuine.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.casc import load_casc
from evosdc.datasets.loading import numeric
from evosdc.files.source import Source
from evosdc.table.schema import Role

_NAMES = (
    "fixed-assets current-assets treasury uncommitted-funds paid-up-capital short-term-debt sales labor-costs "
    "depreciation operating-profit financial-outcome gross-profit net-profit"
)
ATTRIBUTES = tuple(numeric(name, Role.QUASI_IDENTIFIER) for name in _NAMES.split())


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``Tarragona.csv``."""
    return load_casc("tarragona", ATTRIBUTES, paths["Tarragona.csv"])
