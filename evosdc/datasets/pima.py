"""Pima Indians diabetes: 768 women.

All eight numeric attributes are quasi-identifiers, the test result is sensitive. Zeros of glucose, pressure, triceps,
insulin and bmi are physiologically impossible and stand for missing values; they are left as published.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.loading import lines_of, nominal, numeric, source_from_lines
from evosdc.files.source import Source
from evosdc.table.schema import Role

_PROTECTED = Role.QUASI_IDENTIFIER

ATTRIBUTES = (
    numeric("pregnant", _PROTECTED),
    numeric("glucose", _PROTECTED),
    numeric("pressure", _PROTECTED),
    numeric("triceps", _PROTECTED),
    numeric("insulin", _PROTECTED),
    numeric("bmi", _PROTECTED, decimals=1),
    numeric("pedigree", _PROTECTED, decimals=3),
    numeric("age", _PROTECTED),
    nominal("class", "0 1", Role.SENSITIVE),
)


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``pima-indians-diabetes.data``."""
    return source_from_lines("pima", ATTRIBUTES, lines_of(paths["pima-indians-diabetes.data"], ","))
