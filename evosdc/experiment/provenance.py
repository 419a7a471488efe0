"""The origin of a published file: input, versions and time; nothing of the host or the user."""

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from evosdc._version import __version__
from evosdc.datasets.storage import locate, sha256
from evosdc.errors import CheckpointError, Fault
from evosdc.files.atomic import write_text
from evosdc.files.source import WriteReport
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import manifest_path
from evosdc.secret import Key
from evosdc.table.table import Table

PACKAGES = ("deap", "numba", "numpy", "pandas", "pluggy", "pydantic", "scipy", "scoop")


def versions_of(registry: Registry) -> dict[str, Any]:
    """Return the versions of evosdc, Python, packages and plugins, and the kind of system."""
    return {
        "evosdc": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in PACKAGES},
        "plugins": [{"name": p.name, "distribution": p.distribution, "version": p.version} for p in registry.plugins],
    }


def input_account(
    name: str | None, file: Path | None, schema: Path | None, registry: Registry, key: Key | None
) -> dict[str, dict[str, str]]:
    """Return the names of input files, without folders, and fingerprints by which their owner recognises them."""
    # That is a SHA-256 of data sets that anybody can have. Of a user's own files it is a fingerprint by the key: a
    # plain hash would let anyone who knows most of a file guess the rest.
    if name is not None:
        found = locate(registry.spec("dataset", name)) or {}  # type: ignore[arg-type]
        return {"data": {"name": name}, **{part: digest(path) for part, path in sorted(found.items())}}
    parts = {"data": file, "schema": schema}
    return {
        part: {"name": path.name}
        | ({} if key is None else {"fingerprint": key.fingerprint(bytes.fromhex(sha256(path)))})
        for part, path in parts.items()
        if path is not None
    }


def digest(path: Path) -> dict[str, str]:
    """Return the name of a file, without its folder, and the SHA-256 of its bytes."""
    return {"name": path.name, "sha256": sha256(path)}


def today() -> str:
    """Return the time now, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_manifest(
    document: Mapping[str, Any],  # what was done
    written: WriteReport,
    perturbed: Mapping[str, int],  # of `evosdc.assess.changes.perturbed_values`
    read: Mapping[str, Any],  # of `input_account`
    command: str,
    registry: Registry,
) -> dict[str, Any]:
    """Write the manifest of a published file beside it, and return its content: what was done, files, and versions."""
    content = {
        **document,
        "changed": dict(written.changed),
        "perturbed": dict(perturbed),
        "dropped_identifiers": list(written.dropped),
        "formulas": dict(written.formulas),
        "neutralised_formulas": written.neutralised,
        "input": dict(read),
        "output": digest(written.path),
        "command": command,
        "date": today(),
        "versions": versions_of(registry),
    }
    write_text(manifest_path(written.path), json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return content


@cache
def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def data_fingerprint(table: Table, key: Key) -> str:
    """Return the fingerprint of a table's attributes and values."""
    hashed = hashlib.sha256(repr([(a.name, a.scale.value, a.categories) for a in table.schema.attributes]).encode())
    hashed.update(table.codes.astype("<i4").tobytes())
    hashed.update(table.numbers.astype("<f8").tobytes())
    return key.fingerprint(hashed.digest())


def holds_same_data(before: Mapping[str, Any], table: Table, key: Key) -> bool:
    """Whether a table is the one recorded in a run's environment."""
    return before.get("data") == data_fingerprint(table, key)


def require_same_data(before: Mapping[str, Any], table: Table, key: Key) -> None:
    """Raise `CheckpointError` where a table differs from the one recorded in a run's environment."""
    if not holds_same_data(before, table, key):
        given, advice = "not those that the run began with", "Restore the file, or begin a new run."
        raise CheckpointError(Fault("data", given, "the same data", advice))


def read_same_file(before: Mapping[str, Any], file: Path, key: Key) -> bool:
    """Whether a run read a file with the same bytes, perhaps by another schema."""
    known = (before.get("input") or {}).get("data") or {}
    return file.is_file() and known.get("fingerprint") == key.fingerprint(bytes.fromhex(sha256(file)))
