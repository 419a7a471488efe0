"""Which measures and which portfolio are taken where none is named: those usual for the scales of the attributes."""

from __future__ import annotations

from evosdc.calls.defaults import default_names
from evosdc.experiment.config.experiment import Measures, Named
from evosdc.table.schema import Schema


def default_measures(schema: Schema) -> Measures:
    """Return the default measures of information loss and disclosure risk, for the attributes that are judged."""
    losses, risks = default_names(schema)
    return Measures(il=tuple(Named(name=name) for name in losses), dr=tuple(Named(name=name) for name in risks))


def default_portfolio(schema: Schema) -> str:
    """Return the name of the portfolio that is usual for the scales of the protected attributes."""
    if not schema.numeric:
        return "categorical"
    return "mixed" if schema.categorical else "numeric"
