"""The environment of a run: versions, plugins, schema and data; and changes since."""

import hashlib
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evosdc.errors import CheckpointError, Fault, InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.provenance import data_fingerprint, input_account, today, versions_of
from evosdc.experiment.reader import experiment_of, experiment_text, named_in
from evosdc.files.atomic import write_text
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registered import PLUGIN
from evosdc.plugins.registry import Registry
from evosdc.printing import printable
from evosdc.runs.layout import ENVIRONMENT, EXPERIMENT, RESOLVED, RunFolder, object_if_readable
from evosdc.secret import Key
from evosdc.table.schema import Schema

if TYPE_CHECKING:
    from evosdc.experiment.assembly import Assembly

REQUIRED = ("evosdc", "packages", "providers", "data")  # what a resume compares


def environment_of(assembly: "Assembly", key: Key) -> dict[str, Any]:
    """Return versions of Python, packages and plugins, the input, and the data's fingerprint; nothing of the host."""
    # ``start_files`` has a fingerprint of each of the user's own masked files that the search starts from.
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
    """Return the command and the beginning of a run, in UTC."""
    return {"command": command, "date": today()}


def begin(folder: RunFolder, experiment: Experiment, now: dict[str, Any], key: Key, command: str) -> None:
    """Write what a run or a study begins with; last the file that makes its folder one that can be resumed."""
    folder.keep_key(key)
    folder.write_json(ENVIRONMENT, now | begun_by(command))
    write_experiment(folder, experiment_text(experiment))
    folder.write_json(RESOLVED, experiment.to_json())


def begun_as(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment of now that keeps note of how the run began."""
    return {**now, **{key: before[key] for key in ("command", "date", "experiment", "chosen") if key in before}}


def write_experiment(folder: RunFolder, text: str) -> None:
    """Write ``experiment.toml`` of a run, and its digest beside the versions, so that an edit is noticed."""
    write_text(folder.file(EXPERIMENT), text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    folder.write_json(ENVIRONMENT, folder.read_object(ENVIRONMENT) | {"experiment": digest})


def rewrite_experiment(folder: RunFolder, **changes: Any) -> None:
    """Rewrite ``experiment.toml`` of a run with changes, such as the start that the time allowed."""
    write_experiment(folder, experiment_text(experiment_of(folder).model_copy(update=changes)))


def edited_remark(folder: RunFolder) -> Iterator[str]:
    """Yield a sentence where ``experiment.toml`` of a run was edited since it began: a resume does not read it."""
    known = folder.read_object(ENVIRONMENT).get("experiment") if folder.file(ENVIRONMENT).exists() else None
    path = folder.file(EXPERIMENT)
    if known is not None and path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() != known:
        new = shlex.join(["evosdc", "run", str(path), "-o", "NEW"])
        yield (
            f"{EXPERIMENT} was edited since the run began, which changes nothing in it: it goes on as it began. "
            f"For a run with other settings: {new}"
        )


def providers_of(experiment: Experiment, registry: Registry) -> dict[str, str]:
    """Return which plugin of which version gives everything that an experiment uses."""
    return {f"{kind} {name}": registry.provider(kind, name) for kind, name in named_in(experiment, registry)}


def fitness_meaning(fitness: str, registry: Registry) -> str:
    """Return the meaning of a fitness, or of a measure in its place, for reports; empty where there is none."""
    kind = "fitness" if fitness in registry.names("fitness") else "measure"
    return str(getattr(registry.spec(kind, fitness), "meaning", ""))


def require_same_versions(before: Mapping[str, Any], now: Mapping[str, Any], force: bool) -> list[str]:
    """Return changes of evosdc and plugins since a run began; raise `CheckpointError` for them unless forced."""
    changes = [] if before["evosdc"] == now["evosdc"] else [f"evosdc {before['evosdc']} is now {now['evosdc']}"]
    for what in sorted({*before["providers"], *now["providers"]}):
        old, new = (providers.get(what, "not there") for providers in (before["providers"], now["providers"]))
        changes += [f"{what}: {old} is now {new}"] if old != new else []
    if changes and not force:
        advice = "Begin a new run, restore those versions, or go on all the same with `evosdc resume --force`."
        given = f"others than the run began with ({'; '.join(changes)})"
        raise CheckpointError(Fault("versions", given, "the same", advice))
    return changes


SCHEMA = "schema"  # the key of a run's environment


def schema_account(schema: Schema, key: Key) -> dict[str, Any]:
    """Return role and scale of each attribute, and fingerprints of all else that a schema says; no values."""
    return {
        "attributes": {
            a.name: {
                "role": str(a.role),
                "scale": a.scale_word,
                "hierarchy": "" if a.hierarchy is None else _fingerprint(a.hierarchy.content, key),
                "rest": _fingerprint((a.categories, a.decimals, a.missing, a.date_format), key),
            }
            for a in schema.attributes
        },
        "rest": _fingerprint((schema.missing, str(schema.na), schema.edit_rules), key),
    }


def schema_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return, in words, changes between two environments of a run; none where one lacks the information."""
    # What comes from the data as well as from the schema, such as categories, counts where the schema's file is
    # another.
    if SCHEMA not in before or SCHEMA not in now:
        return []
    edited = (before.get("input") or {}).get("schema") != (now.get("input") or {}).get("schema")
    return list(_changes(before[SCHEMA], now[SCHEMA], edited))


def require_same_schema(before: Mapping[str, Any], now: Mapping[str, Any], force: bool) -> list[str]:
    """Return changes of a run's schema since it began; raise `CheckpointError` for them unless forced."""
    # Where the data are then read differently, the run cannot go on.
    changes = schema_changes(before, now)
    same = before.get("data") == now.get("data")
    if changes and not (force and same):
        also = ", or go on all the same with `evosdc resume --force`" if same else ""
        advice = f"Take the changes back (evosdc edit --undo), begin a new run{also}."
        given = f"another one than the run began with ({'; '.join(changes)})"
        raise CheckpointError(Fault("schema", given, "the same schema", advice))
    return changes


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], edited: bool) -> Iterator[str]:
    old, new = before["attributes"], now["attributes"]
    for name in dict.fromkeys((*old, *new)):
        if name not in old or name not in new:
            if edited:
                yield f"{printable(name)}: {'new' if name in new else 'gone'}"
            continue
        was, one = old[name], new[name]
        changes = [
            f"{key} {was[key]} is now {one[key]}" for key in ("role", "scale") if edited and was[key] != one[key]
        ]
        changes += ["another hierarchy"] if was["hierarchy"] != one["hierarchy"] else []
        if edited and not changes and was["rest"] != one["rest"]:
            changes = ["other categories, decimals, missing values or formats"]
        if changes:
            yield f"{printable(name)}: {', '.join(changes)}"
    if edited and before["rest"] != now["rest"]:
        yield "missing values or edit rules are others"


def _fingerprint(content: object, key: Key) -> str:
    return key.fingerprint(repr(content).encode())


@contextmanager
def naming_plugins(folder: RunFolder, registry: Registry) -> Iterator[None]:
    """Add to names that are unknown in the block which plugin the run in a folder had them from."""
    # A run keeps the names of files with plugins, not their paths, and imports none by itself: the user gives them
    # again.
    try:
        yield
    except InputError as error:
        advice = _advice(folder, registry) if any(map(_unknown, error.faults)) else ""
        if not advice:
            raise
        faults = [replace(fault, advice=advice) if _unknown(fault) else fault for fault in error.faults]
        raise type(error)(faults) from None


def _unknown(fault: Fault) -> bool:
    """Whether a fault is a name that nothing has."""
    return fault.where in KINDS and fault.wanted.startswith(("one of ", "nothing: "))


def _advice(folder: RunFolder, registry: Registry) -> str:
    """Return advice on plugins that the run had and the registry lacks; empty where it has all."""
    had: list[dict[str, Any]] = object_if_readable(folder.file(ENVIRONMENT)).get("plugins", [])
    there = {(plugin.name, plugin.distribution) for plugin in registry.plugins}
    lacking = [one for one in had if (one.get("name"), one.get("distribution")) not in there]
    files = [str(one["distribution"]) for one in lacking if str(one.get("distribution")).endswith(".py")]
    sentences = []
    if files:
        given = " ".join(f"--plugin {file}" for file in files)
        one, it = ("files", "them") if files[1:] else ("file", "it")
        sentences.append(f"The run was made with the plugin {one} {' and '.join(files)}: give {it} again, by {given}.")
    if any(one.get("name") == PLUGIN and not one.get("distribution") for one in lacking):
        sentences.append(
            "The run was made with what a program had registered: register it there before (evosdc.register)."
        )
    others = sorted({str(one["distribution"]) for one in lacking if one.get("distribution")} - {*files})
    if others:
        sentences.append(f"The run was made with {' and '.join(others)}, which is not installed here: install it.")
    return " ".join(sentences)
