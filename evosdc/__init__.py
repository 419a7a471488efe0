"""evosdc: evolutionary search for the best way to publish confidential microdata.

The names below are imported when they are first used, so that starting the command line costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evosdc._version import __version__

if TYPE_CHECKING:
    from evosdc.api import check_records, judge, limit, mask, measure, protect, read_table, risk, run, tune
    from evosdc.errors import EvosdcError, InputError, RunError
    from evosdc.experiment.config.experiment import Experiment
    from evosdc.hookspecs import hookimpl
    from evosdc.randomisation.table_estimation import estimate_after_pram
    from evosdc.table.schema import Attribute, Role, Scale, Schema
    from evosdc.table.table import Table

_HOMES = {
    "check_records": "evosdc.api",
    "judge": "evosdc.api",
    "limit": "evosdc.api",
    "mask": "evosdc.api",
    "measure": "evosdc.api",
    "protect": "evosdc.api",
    "read_table": "evosdc.api",
    "risk": "evosdc.api",
    "run": "evosdc.api",
    "tune": "evosdc.api",
    "estimate_after_pram": "evosdc.randomisation.table_estimation",
    "Attribute": "evosdc.table.schema",
    "Role": "evosdc.table.schema",
    "Scale": "evosdc.table.schema",
    "Schema": "evosdc.table.schema",
    "Table": "evosdc.table.table",
    "EvosdcError": "evosdc.errors",
    "InputError": "evosdc.errors",
    "RunError": "evosdc.errors",
    "Experiment": "evosdc.experiment.config.experiment",
    "hookimpl": "evosdc.hookspecs",
}

__all__ = [
    "Attribute",
    "EvosdcError",
    "Experiment",
    "InputError",
    "Role",
    "RunError",
    "Scale",
    "Schema",
    "Table",
    "__version__",
    "check_records",
    "estimate_after_pram",
    "hookimpl",
    "judge",
    "limit",
    "mask",
    "measure",
    "protect",
    "read_table",
    "risk",
    "run",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'evosdc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
