"""CASC reference file Census: 1080 persons of the Current Population Survey 1995.

All 13 numeric attributes are quasi-identifiers. The final weight afnlwgt is one of them, as in the literature.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.casc import load_casc
from evosdc.datasets.loading import numeric
from evosdc.files.source import Source
from evosdc.table.schema import Role

_NAMES = "afnlwgt agi emcontrb fedtax ptotval statetax taxinc pothval intval pearnval fica wsalval ernval"
ATTRIBUTES = tuple(numeric(name, Role.QUASI_IDENTIFIER) for name in _NAMES.split())


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``CASCrefmicrodata.csv``."""
    return load_casc("census", ATTRIBUTES, paths["CASCrefmicrodata.csv"])
