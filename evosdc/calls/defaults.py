"""What is taken where users name nothing: the measures and the portfolio that plugins offer for a file's attributes."""

from __future__ import annotations

from evosdc.plugins.registry import Registry
from evosdc.table.schema import Schema


def composition(schema: Schema) -> str:
    """Return the occasion (`evosdc.specs.OCCASIONS`) that a file is: ``categorical``, ``numeric`` or ``mixed``."""
    if not schema.numeric:
        return "categorical"
    return "mixed" if schema.categorical else "numeric"


def default_measures(schema: Schema, registry: Registry) -> dict[str, tuple[str, ...]]:
    """Return the names of the default measures of information loss (``il``) and disclosure risk (``dr``).

    Parameters
    ----------
    schema : Schema
        Of the attributes that are judged. Of a mixed file, losses judge the attributes of their scale and risks all.
    registry : Registry
    """
    names = registry.defaults("measure", composition(schema))
    kinds = {name: getattr(registry.spec("measure", name), "kind", "") for name in names}
    return {kind: tuple(name for name in names if kinds[name] == kind) for kind in ("il", "dr")}


def default_portfolio(schema: Schema, registry: Registry) -> str:
    """Return the name of the portfolio that is usual for the scales of the protected attributes.

    Raises
    ------
    InputError
        No plugin offers one, or several do.
    """
    return registry.default("portfolio", composition(schema))
