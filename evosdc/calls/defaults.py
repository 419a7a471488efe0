"""The measures that are taken where none is named: those usual for the scales of the attributes."""

from __future__ import annotations

from evosdc.table.schema import Schema

CATEGORICAL_LOSS = ("dbil", "ctbil", "ebil")
NUMERIC_LOSS = ("il1s", "apil")
MIXED_LOSS = (*CATEGORICAL_LOSS, "il1s")

CATEGORICAL_RISK = ("id", "dbrl", "prl")
NUMERIC_RISK = ("id", "dbrl")
"""Linkage by agreement tells little of numbers, which seldom agree."""


def default_names(schema: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the default measures of information loss, and of those of disclosure risk.

    Parameters
    ----------
    schema : Schema
        Of the attributes that are judged. Of a mixed file, losses judge the attributes of their scale and risks all.
    """
    if not schema.numeric:
        return CATEGORICAL_LOSS, CATEGORICAL_RISK
    return (MIXED_LOSS if schema.categorical else NUMERIC_LOSS), NUMERIC_RISK
