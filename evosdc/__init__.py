"""evosdc: evolutionary search for the best way to publish confidential microdata.

The names below are imported when they are first used, so that starting the command line costs next to nothing. Plugins
add functions by the entry-point group ``evosdc.functions``.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from evosdc._version import __version__
from evosdc.further_formats import FurtherFormat, found_by

if TYPE_CHECKING:
    from evosdc.api.clustering import cluster
    from evosdc.api.inspection import check_records, judge, limit, measure, risk
    from evosdc.api.masking import mask
    from evosdc.api.protection import apply, explain, protect
    from evosdc.api.protector import Protector
    from evosdc.api.runs import choose, compare, dossier, finish, member, run, study_report
    from evosdc.api.search import Candidate, Search
    from evosdc.api.tables import neutralise_formulas, read_table
    from evosdc.api.tuning import tune
    from evosdc.errors import EvosdcError, InputError, RunError
    from evosdc.experiment.experiment import Experiment
    from evosdc.hookspecs import hookimpl
    from evosdc.plugins.registered import register, unregister
    from evosdc.randomisation.estimation import estimate_after_pram
    from evosdc.table.schema import Attribute, Role, Scale, Schema
    from evosdc.table.table import Table

_MODULES = {
    "evosdc.api.clustering": ("cluster",),
    "evosdc.api.inspection": ("check_records", "judge", "limit", "measure", "risk"),
    "evosdc.api.masking": ("mask",),
    "evosdc.api.protection": ("apply", "explain", "protect"),
    "evosdc.api.runs": ("choose", "compare", "dossier", "finish", "member", "run", "study_report"),
    "evosdc.api.tables": ("neutralise_formulas", "read_table"),
    "evosdc.api.tuning": ("tune",),
    "evosdc.api.protector": ("Protector",),
    "evosdc.api.search": ("Candidate", "Search"),
    "evosdc.errors": ("EvosdcError", "InputError", "RunError"),
    "evosdc.experiment.experiment": ("Experiment",),
    "evosdc.hookspecs": ("hookimpl",),
    "evosdc.plugins.registered": ("register", "unregister"),
    "evosdc.randomisation.estimation": ("estimate_after_pram",),
    "evosdc.table.schema": ("Attribute", "Role", "Scale", "Schema"),
    "evosdc.table.table": ("Table",),
}  # fmt: skip

__all__ = [
    "Attribute", "Candidate", "EvosdcError", "Experiment", "InputError", "Protector", "Role", "RunError", "Scale",
    "Schema", "Search", "Table", "__version__", "apply", "check_records", "choose", "cluster", "compare",
    "dossier", "estimate_after_pram", "explain", "finish", "hookimpl", "judge", "limit", "mask", "measure", "member",
    "neutralise_formulas", "protect", "read_table", "register", "risk", "run", "study_report", "tune",
    "unregister",
]  # fmt: skip


def _further_formats() -> Sequence[FurtherFormat]:
    from evosdc.plugins.registry import default_registry

    return default_registry().formats()


found_by(_further_formats)


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    for entry in () if name.startswith("_") else entry_points(group="evosdc.functions", name=name):
        return entry.load()
    from evosdc.errors import did_you_mean

    advice = "Did you mean 'read_table'?" if name.startswith("read_") else did_you_mean(name, __all__)
    raise AttributeError(f"module 'evosdc' has no attribute {name!r}. {advice}".rstrip(". "))


def __dir__() -> list[str]:
    return sorted(__all__)
