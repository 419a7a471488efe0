"""Files that evosdc wrote itself and nobody has changed since: a command that is given again may write them anew."""

import hashlib
import json
from pathlib import Path
from typing import Any

# how the head of every page that evosdc writes begins to name what made it
GENERATOR = '<meta name="generator" content="evosdc'

_HEAD = 4096


def written_by_evosdc(path: Path) -> bool:
    """Return whether a file that exists is a page, a manifest, or a file that a manifest beside it accounts for."""
    # A data file only while it has the digest of its manifest; a companion while the manifest names it.
    if not path.is_file():
        return False
    try:
        if path.suffix == ".html":
            with path.open("rb") as file:
                return GENERATOR.encode() in file.read(_HEAD)
        if path.name.endswith(".manifest.json"):
            return bool(_output(_manifest(path)).get("sha256"))
        stems = {path.stem, path.name.rsplit(".", 2)[0]}
        manifests = [_manifest(path.with_name(f"{stem}.manifest.json")) for stem in sorted(stems)]
        if any(manifest.get("companion") == path.name for manifest in manifests):
            return _document(path) is not None
        named = [output for output in map(_output, manifests) if output.get("name") == path.name]
        return any(output.get("sha256") == _sha256(path) for output in named)
    except OSError:
        return False


def _manifest(path: Path) -> dict[str, Any]:
    found = _document(path)
    return found if isinstance(found, dict) else {}


def _document(path: Path) -> Any:
    """Return what a JSON file holds; None where there is none."""
    try:
        return json.loads(path.read_bytes()) if path.is_file() else None
    except ValueError:
        return None


def _output(manifest: dict[str, Any]) -> dict[str, Any]:
    output = manifest.get("output")
    return output if isinstance(output, dict) else {}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
