"""What a run was made with: versions, and a fingerprint of the data."""

import shlex
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from evosdc.errors import CheckpointError, Fault
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.config.resolution import named_in
from evosdc.experiment.run.provenance import input_account, today, versions_of
from evosdc.experiment.run.schema_changes import SCHEMA, schema_account
from evosdc.files.atomic import write_text
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, EXPERIMENT, RunFolder
from evosdc.secret import Key
from evosdc.table.table import Table

REQUIRED = ("evosdc", "packages", "providers", "data")
"""What a resume compares."""


def environment_of(assembly: Assembly, key: Key) -> dict[str, Any]:
    """Return versions of Python, packages and plugins, what was read, and the data's fingerprint; nothing of the host.

    ``start_files`` has a fingerprint of each of the user's own masked files that the search starts from.
    """
    registry = assembly.registry
    data = assembly.experiment.data
    return versions_of(registry) | {
        "input": input_account(data.name, data.file, data.schema_file, registry, key),
        "providers": providers_of(assembly.experiment, registry),
        "meaning": fitness_meaning(assembly.experiment.fitness.name, registry),
        "data": data_fingerprint(assembly.source.table, key),
        SCHEMA: schema_account(assembly.source.table.schema, key),
        "start_files": [data_fingerprint(file, key) for file in assembly.plan.files],
    }


def begun_by(command: str) -> dict[str, str]:
    """Return what was typed and when a run began, by UTC."""
    return {"command": command, "date": today()}


def begun_as(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment of now that keeps note of how the run began."""
    return {**now, **{key: before[key] for key in ("command", "date", "experiment", "chosen") if key in before}}


def write_experiment(folder: RunFolder, text: str) -> None:
    """Write ``experiment.toml`` of a run, and its digest beside the versions, so that an edit is noticed."""
    write_text(folder.file(EXPERIMENT), text)
    digest = sha256(text.encode()).hexdigest()
    folder.write_json(ENVIRONMENT, folder.read_object(ENVIRONMENT) | {"experiment": digest})


def restore_experiment(folder: RunFolder, text: str) -> None:
    """Write ``experiment.toml`` of a run anew where it was lost or is empty; `text` is that of ``resolved.json``."""
    path = folder.file(EXPERIMENT)
    if folder.file(ENVIRONMENT).exists() and (not path.exists() or not path.stat().st_size):
        write_experiment(folder, text)


def edited_remark(folder: RunFolder) -> Iterator[str]:
    """Yield a sentence where ``experiment.toml`` of a run was edited since it began: a resume does not read it."""
    known = folder.read_object(ENVIRONMENT).get("experiment") if folder.file(ENVIRONMENT).exists() else None
    path = folder.file(EXPERIMENT)
    if known is not None and path.exists() and sha256(path.read_bytes()).hexdigest() != known:
        new = shlex.join(["evosdc", "run", str(path), "-o", "NEW"])
        yield (
            f"{EXPERIMENT} was edited since the run began, which changes nothing in it: it goes on as it began. "
            f"For a run with other settings: {new}"
        )


def providers_of(experiment: Experiment, registry: Registry) -> dict[str, str]:
    """Return which plugin of which version gives everything that an experiment uses."""
    return {f"{kind} {name}": registry.provider(kind, name) for kind, name in named_in(experiment, registry)}


def data_fingerprint(table: Table, key: Key) -> str:
    """Return the fingerprint of a table's attributes and values."""
    hashed = sha256(repr([(a.name, a.scale.value, a.categories) for a in table.schema.attributes]).encode())
    hashed.update(table.codes.astype("<i4").tobytes())
    hashed.update(table.numbers.astype("<f8").tobytes())
    return key.fingerprint(hashed.digest())


def require_same_data(before: Mapping[str, Any], table: Table, key: Key) -> None:
    """Raise `CheckpointError` where a table is not the one that a run's environment tells of."""
    if before.get("data") != data_fingerprint(table, key):
        given, advice = "not those that the run began with", "Restore the file, or begin a new run."
        raise CheckpointError(Fault("data", given, "the same data", advice))


def fitness_meaning(fitness: str, registry: Registry) -> str:
    """Return what a fitness, or a measure in its place, stands for, in words for reports; empty where nothing says."""
    kind = "fitness" if fitness in registry.names("fitness") else "measure"
    return str(getattr(registry.spec(kind, fitness), "meaning", ""))


def changes_since(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return, in words, what of a run's environment has changed so that its result would no longer be its own."""
    changes = [] if before["evosdc"] == now["evosdc"] else [f"evosdc {before['evosdc']} is now {now['evosdc']}"]
    for what in sorted({*before["providers"], *now["providers"]}):
        old, new = (providers.get(what, "not there") for providers in (before["providers"], now["providers"]))
        if old != new:
            changes.append(f"{what}: {old} is now {new}")
    return changes
