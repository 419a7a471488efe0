"""What is kept of a study beside its stored results: ``stored.json``."""

import io
import json
import os
import platform
import tokenize
from ast import Constant, Expr, parse, walk
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evosdc._version import __version__
from evosdc.errors import ExperimentError, Fault
from evosdc.reproduction.declaration import DECLARATION, PROFILES, ProfileName
from evosdc.reproduction.rerun import Rerun
from evosdc.reproduction.studies import Study

RECORD = "stored.json"
QUICK = "quick"
"""Folder of the quick results, below the study's own, which has the full ones."""
_NO_SOURCES = {"README.md", DECLARATION, RECORD}
_SETTINGS = {".py", ".toml", ".csv", ".json", ".graphml"}
_PACKAGES = ("numpy", "scipy", "numba", "pandas")


def read_record(study: Study) -> dict[str, Any] | None:
    """Return what is kept of a study; None where nothing is stored.

    Raises
    ------
    ExperimentError
        The file is damaged.
    """
    path = study.folder / RECORD
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        whole = isinstance(found["sources"], dict) and all(
            isinstance(found[name]["results"], dict) for name in PROFILES
        )
    except (json.JSONDecodeError, KeyError, TypeError):
        whole = False
    if not whole:
        advice = f"Type evosdc reproduce {study.name} --store."
        raise ExperimentError(Fault(str(path), "a damaged file", "the record of a stored study", advice))
    return found


def record_of(quick: Rerun, full: Rerun) -> dict[str, Any]:
    """Return what is to be kept of the quick and the full run of a study."""
    kept: dict[str, Any] = {}
    for made in (quick, full):
        kept[made.profile] = {
            "commands": list(made.study.declaration.profile(made.profile).commands),
            "statuses": list(made.statuses),
            "processor seconds": made.seconds,
            "date": datetime.now(UTC).date().isoformat(),
            "evosdc": __version__,
            "machine": machine(),
            "results": {name: digest(path) for name, path in made.results.items()},
        }
    return kept | {"sources": sources(full.study, full.results)}


def stored_folder(study: Study, profile: ProfileName) -> Path:
    """Return where the stored results of a profile are."""
    return study.folder / QUICK if profile == "quick" else study.folder


def machine() -> str:
    """Return what besides evosdc has a say in the last bits of a figure, and in times."""
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, {packages}"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def sources(study: Study, results: Iterable[str]) -> Mapping[str, str]:
    """Return the digests of the scripts, experiments and inputs of a study by their paths from its folder.

    Comments and docstrings of scripts have no say in results and none in these.
    """
    made = set(results)
    own = [path for path in study.folder.iterdir() if path.name not in _NO_SOURCES | made and path.suffix in _SETTINGS]
    further = [study.folder / name for name in study.declaration.sources]
    return {
        Path(os.path.relpath(path, study.folder)).as_posix(): source_digest(path) for path in sorted([*own, *further])
    }


def source_digest(path: Path) -> str:
    """Return the SHA-256 of a file; of a script without its comments, docstrings and empty lines."""
    raw = path.read_bytes()
    return sha256(bare(raw.decode("utf-8")).encode() if path.suffix == ".py" else raw).hexdigest()


def bare(script: str) -> str:
    """Return a script without comments, docstrings and empty lines."""
    lines = script.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(script).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in walk(parse(script)):
        if isinstance(node, Expr) and isinstance(node.value, Constant) and isinstance(node.value.value, str):
            assert node.end_lineno is not None
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())
