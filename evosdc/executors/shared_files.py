"""Shared data of all tasks of a problem, as files: published once by its content, memory-mapped by every worker."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import ExecutorError
from evosdc.model.executor import SharedFiles

MANIFEST = "documents.json"


def share(folder: Path, arrays: Mapping[str, NDArray[Any]], documents: Mapping[str, Any]) -> SharedFiles:
    """Write arrays and documents where workers find them: a folder below `folder`, named by their content."""
    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    part = Path(tempfile.mkdtemp(dir=folder, prefix=".", suffix=".part"))
    try:
        digests: dict[str, str] = {}
        for name, array in sorted(arrays.items()):
            np.save(part / f"{name}.npy", array, allow_pickle=False)
            digests[name] = _digest_of(part / f"{name}.npy")
        content = {"arrays": digests, "documents": dict(documents)}
        try:
            text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        except TypeError as error:
            raise ValueError(f"a document is not JSON: {error}") from None
        (part / MANIFEST).write_text(text, encoding="utf-8")
        digest = _digest_of(part / MANIFEST)
        if not (folder / digest).exists():
            part.rename(folder / digest)  # none sees half of it
    finally:
        shutil.rmtree(part, ignore_errors=True)
        _remove_empty(folder)
    return SharedFiles(str(folder), digest)


def read_shared(ref: SharedFiles) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the shared arrays, memory-mapped and read-only, and the documents."""
    folder = Path(ref.folder) / ref.digest
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes()) if _digest_of(folder / MANIFEST) == ref.digest else None
        known = {} if manifest is None else manifest["arrays"]
        if manifest is None or any(_digest_of(folder / f"{name}.npy") != digest for name, digest in known.items()):
            raise ExecutorError(f"the problem's files in {folder} were changed after they were published")
        return {name: _mapped(folder / f"{name}.npy") for name in known}, manifest["documents"]
    except OSError as error:
        raise ExecutorError(f"the problem's files in {folder} cannot be read: {error.strerror}") from None


def withdraw(ref: SharedFiles) -> None:
    """Remove shared files, and the folder once it is empty; arrays that are open stay valid."""
    shutil.rmtree(Path(ref.folder) / ref.digest, ignore_errors=True)
    _remove_empty(Path(ref.folder))


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _mapped(path: Path) -> NDArray[Any]:
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        # Nothing can be mapped where there is nothing: an array without elements.
        mapped = np.load(path, allow_pickle=False)
    plain: NDArray[Any] = np.asarray(mapped)
    plain.flags.writeable = False
    return plain


def _digest_of(path: Path) -> str:
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=20)).hexdigest()
