"""Whether runs were about the same data, of which each knows a fingerprint by its own secret key alone."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from evosdc.errors import CheckpointError
from evosdc.runs.layout import RunFolder, is_replicate
from evosdc.runs.published import sha256_of
from evosdc.secret import Key

_SETTING = "setting-"

_OF_THIS_PROCESS = Key.fresh()
"""Hashes of files are told by its fingerprints: nothing that is written of them by mistake can test a guess."""


def data_identity(path: Path, resolved: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    """Return a text that is the same for runs about the same data; empty where a run does not tell.

    Fingerprints by two keys cannot be compared. Where the files still stand where the run found them, and its own key
    says that they are unchanged, the files themselves are compared. Otherwise replicates of one study had the same
    data, and of other runs nobody can say it. The text is another one in every process.

    Parameters
    ----------
    path : Path
        The run folder.
    resolved, environment : mapping
        Its files of these names.
    """
    known, data = environment.get("input"), resolved.get("data")
    if not isinstance(known, Mapping) or not isinstance(data, Mapping):
        return str(environment.get("data") or "")
    parts = dict(_parts(path, known, data))
    return json.dumps(parts, sort_keys=True)


def _parts(path: Path, known: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield, for each part of the input, what tells whether it is that of another run."""
    for part, told in known.items():
        if not isinstance(told, Mapping):
            continue
        fingerprint = told.get("fingerprint")
        if fingerprint is None:  # of a data set that anybody can have, or of a run before there were keys
            yield part, _concealed(str(told.get("sha256") or told.get("name")))
        else:
            file = str(data.get("file" if part == "data" else part))
            yield part, _unchanged(path, Path(file), str(fingerprint)) or _of_study(path, file) or str(fingerprint)


def _unchanged(path: Path, file: Path, fingerprint: str) -> str | None:
    """Return what tells a file that is the one which a run has read; None where that cannot be said."""
    try:
        sha256 = _sha256(file, file.stat().st_mtime_ns)
        same = RunFolder(path).key().fingerprint(bytes.fromhex(sha256)) == fingerprint
    except (OSError, CheckpointError):
        return None
    return _concealed(sha256) if same else None


def _concealed(text: str) -> str:
    return _OF_THIS_PROCESS.fingerprint(text.encode())


@lru_cache(maxsize=16)
def _sha256(file: Path, changed: int) -> str:
    """Return the SHA-256 of a file, read once for all replicates; `changed` is when it was written."""
    return sha256_of(file)


def _of_study(path: Path, file: str) -> str | None:
    """Return the folder of the study that a replicate belongs to, with the path of its file; None of a single run."""
    if not is_replicate(path):
        return None
    above = path.resolve().parent
    return f"{above.parent if above.name.startswith(_SETTING) else above}: {file}"
