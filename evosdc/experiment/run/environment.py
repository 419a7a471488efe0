"""What a run was made with: versions, and a digest of the data."""

import platform
from collections.abc import Mapping
from hashlib import sha256
from importlib import metadata
from typing import Any

from evosdc._version import __version__
from evosdc.errors import CheckpointError
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.config.resolution import named_in
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table

PACKAGES = ("deap", "numba", "numpy", "pandas", "pluggy", "pydantic", "scipy", "scoop")


def environment_of(assembly: Assembly) -> dict[str, Any]:
    """Return versions of Python, packages and plugins, and the digest of the data; nothing of the host or user.

    ``start_files`` has a digest of each of the user's own masked files that the search starts from.
    """
    registry = assembly.registry
    return {
        "evosdc": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in PACKAGES},
        "plugins": [{"name": p.name, "distribution": p.distribution, "version": p.version} for p in registry.plugins],
        "providers": providers_of(assembly.experiment, registry),
        "meaning": fitness_meaning(assembly.experiment.fitness.name, registry),
        "data": data_digest(assembly.source.table),
        "start_files": [data_digest(file) for file in assembly.plan.files],
    }


def providers_of(experiment: Experiment, registry: Registry) -> dict[str, str]:
    """Return which plugin of which version gives everything that an experiment uses."""
    return {f"{kind} {name}": registry.provider(kind, name) for kind, name in named_in(experiment, registry)}


def data_digest(table: Table) -> str:
    """Return a SHA-256 of a table's attributes and values, as hexadecimal text."""
    hashed = sha256(repr([(a.name, a.scale.value, a.categories) for a in table.schema.attributes]).encode())
    hashed.update(table.codes.astype("<i4").tobytes())
    hashed.update(table.numbers.astype("<f8").tobytes())
    return hashed.hexdigest()


def require_same_data(before: Mapping[str, Any], table: Table) -> None:
    """Raise `CheckpointError` where a table is not the one that a run's environment tells of."""
    if before.get("data") != data_digest(table):
        raise CheckpointError("the data are not those that the run began with; restore the file or begin a new run")


def fitness_meaning(fitness: str, registry: Registry) -> str:
    """Return what a fitness, or a measure in its place, stands for, in words for reports; empty where nothing says."""
    kind = "fitness" if fitness in registry.names("fitness") else "measure"
    return str(getattr(registry.spec(kind, fitness), "meaning", ""))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def changes_since(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return, in words, what of a run's environment has changed so that its result would no longer be its own."""
    changes = [] if before["evosdc"] == now["evosdc"] else [f"evosdc {before['evosdc']} is now {now['evosdc']}"]
    for what in sorted({*before["providers"], *now["providers"]}):
        old, new = (providers.get(what, "not there") for providers in (before["providers"], now["providers"]))
        if old != new:
            changes.append(f"{what}: {old} is now {new}")
    return changes
