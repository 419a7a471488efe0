"""Which measures and which portfolio are taken where none is named: those usual for the scales of the attributes."""

from __future__ import annotations

from evosdc.experiment.config.experiment import Measures, Named
from evosdc.table.schema import Schema

CATEGORICAL_LOSS = ("dbil", "ctbil", "ebil")
NUMERIC_LOSS = ("il1s", "apil")
MIXED_LOSS = (*CATEGORICAL_LOSS, "il1s")

CATEGORICAL_RISK = ("id", "dbrl", "prl")
NUMERIC_RISK = ("id", "dbrl")
"""Linkage by agreement tells little of numbers, which seldom agree."""


def default_measures(schema: Schema) -> Measures:
    """Return the default measures of information loss and disclosure risk.

    Parameters
    ----------
    schema : Schema
        Of the attributes that are judged. Of a mixed file, losses judge the attributes of their scale and risks all.
    """
    losses: tuple[str, ...]
    risks: tuple[str, ...]
    if not schema.numeric:
        losses, risks = CATEGORICAL_LOSS, CATEGORICAL_RISK
    elif not schema.categorical:
        losses, risks = NUMERIC_LOSS, NUMERIC_RISK
    else:
        losses, risks = MIXED_LOSS, NUMERIC_RISK
    return Measures(il=tuple(Named(name=name) for name in losses), dr=tuple(Named(name=name) for name in risks))


def default_portfolio(schema: Schema) -> str:
    """Return the name of the portfolio that is usual for the scales of the protected attributes."""
    if not schema.numeric:
        return "categorical"
    return "mixed" if schema.categorical else "numeric"
