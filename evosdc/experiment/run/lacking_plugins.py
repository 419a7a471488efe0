"""Plugins that a run was made with and that are not there when it is opened again: which, and how to give them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from evosdc.errors import Fault, InputError
from evosdc.experiment.build.assembly import Assembly, assemble
from evosdc.experiment.config.reader import experiment_of
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registered import PLUGIN
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, RunFolder, read_object


def opened(folder: RunFolder, registry: Registry) -> Assembly:
    """Return everything that the run in a folder needs.

    Raises
    ------
    InputError
        As `assemble`; of names that nothing has any more with the plugin that the run had them from.
    CheckpointError
        As `experiment_of`.
    """
    with told_of_plugins(folder, registry):
        experiment = experiment_of(folder)
        return assemble(experiment, registry, folder.seed(experiment.seed))


@contextmanager
def told_of_plugins(folder: RunFolder, registry: Registry) -> Iterator[None]:
    """Add to names that are unknown in the block which plugin the run in a folder had them from.

    A run keeps the names of files with plugins, not their paths, and imports none by itself: the user gives them again.
    """
    try:
        yield
    except InputError as error:
        advice = _advice(folder, registry) if any(map(_unknown, error.faults)) else ""
        if not advice:
            raise
        told = [replace(fault, advice=advice) if _unknown(fault) else fault for fault in error.faults]
        raise type(error)(told) from None


def _unknown(fault: Fault) -> bool:
    """Whether a fault is a name that nothing has."""
    return fault.where in KINDS and fault.wanted.startswith(("one of ", "nothing: "))


def _advice(folder: RunFolder, registry: Registry) -> str:
    """Return what to do about plugins that the run had and the registry has not; empty where it has all."""
    try:
        had: list[dict[str, Any]] = read_object(folder.file(ENVIRONMENT)).get("plugins", [])
    except (OSError, ValueError):
        return ""
    there = {(plugin.name, plugin.distribution) for plugin in registry.plugins}
    lacking = [one for one in had if (one.get("name"), one.get("distribution")) not in there]
    files = [str(one["distribution"]) for one in lacking if str(one.get("distribution")).endswith(".py")]
    told = []
    if files:
        given = " ".join(f"--plugin {file}" for file in files)
        one, it = ("files", "them") if files[1:] else ("file", "it")
        told.append(f"The run was made with the plugin {one} {' and '.join(files)}: give {it} again, by {given}.")
    if any(one.get("name") == PLUGIN and not one.get("distribution") for one in lacking):
        told.append("The run was made with what a program had registered: register it there before (evosdc.register).")
    others = sorted({str(one["distribution"]) for one in lacking if one.get("distribution")} - {*files})
    if others:
        told.append(f"The run was made with {' and '.join(others)}, which is not installed here: install it.")
    return " ".join(told)
