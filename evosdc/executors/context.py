"""What all tasks of a problem share, as files named by their content: published once, memory-mapped by every worker."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import ExecutorError
from evosdc.model.executor import ContextRef

_PREFIX = "context-"


def publish(folder: Path, arrays: Mapping[str, NDArray[Any]], documents: Mapping[str, Any]) -> ContextRef:
    """Write arrays and documents where workers find them.

    Parameters
    ----------
    folder : Path
        Created if need be, and made accessible to its owner alone. Several contexts may share it.
    arrays : mapping of str to ndarray
        Of any dtype but objects.
    documents : mapping of str to object
        Whatever JSON can hold.

    Returns
    -------
    ContextRef
        The same content gives the same digest, whoever publishes it and wherever.

    Raises
    ------
    ValueError
        An array of objects, which could only be pickled, or a document that is not JSON.
    """
    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    manifest = {
        "arrays": {name: _publish_array(folder, array) for name, array in sorted(arrays.items())},
        "documents": dict(documents),
    }
    try:
        text = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    except TypeError as error:
        raise ValueError(f"a document is not JSON: {error}") from None
    digest = _digest_of(text)
    with _temporary(folder) as file:
        file.write(text)
    Path(file.name).replace(_manifest(folder, digest))
    return ContextRef(str(folder), digest)


def open_context(ref: ContextRef) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and documents of a context.

    Returns
    -------
    arrays : dict of str to ndarray
        Memory-mapped and read-only: pages are shared by all processes of a host.
    documents : dict of str to object

    Raises
    ------
    ExecutorError
        The files are missing, or they are not what was published.
    """
    folder = Path(ref.folder)
    try:
        text = _manifest(folder, ref.digest).read_bytes()
        if _digest_of(text) != ref.digest:
            raise ExecutorError(f"the problem's files in {folder} were changed after they were published")
        manifest = json.loads(text)
        arrays = {name: _open_array(folder, digest) for name, digest in manifest["arrays"].items()}
    except OSError as error:
        raise ExecutorError(f"the problem's files in {folder} cannot be read: {error.strerror}") from None
    return arrays, manifest["documents"]


def withdraw(ref: ContextRef) -> None:
    """Remove a context: its files, save those that another context of the folder holds too, and the folder once empty.

    Arrays that are open stay valid where the system allows to remove files in use. To withdraw twice is no error.
    """
    folder = Path(ref.folder)
    path = _manifest(folder, ref.digest)
    if not path.exists():
        return
    own = set(json.loads(path.read_bytes())["arrays"].values())
    path.unlink()
    for other in folder.glob(f"{_PREFIX}*.json"):
        own -= set(json.loads(other.read_bytes())["arrays"].values())
    for digest in own:
        _array(folder, digest).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def _publish_array(folder: Path, array: NDArray[Any]) -> str:
    with _temporary(folder) as file:
        try:
            np.save(file, array, allow_pickle=False)
        except BaseException:
            Path(file.name).unlink()
            raise
    written = Path(file.name)
    digest = _digest_of_file(written)
    written.replace(_array(folder, digest))
    return digest


def _open_array(folder: Path, digest: str) -> NDArray[Any]:
    path = _array(folder, digest)
    if _digest_of_file(path) != digest:
        raise ExecutorError(f"the problem's files in {folder} were changed after they were published")
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        # Nothing can be mapped where there is nothing: an array without elements.
        mapped = np.load(path, allow_pickle=False)
    plain: NDArray[Any] = np.asarray(mapped)
    plain.flags.writeable = False
    return plain


def _temporary(folder: Path) -> IO[bytes]:
    """Return a new file of mode 0600 in the folder, for the caller to rename: a reader never sees half of it."""
    return tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".part", delete=False)


def _manifest(folder: Path, digest: str) -> Path:
    return folder / f"{_PREFIX}{digest}.json"


def _array(folder: Path, digest: str) -> Path:
    return folder / f"{digest}.npy"


def _digest_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def _digest_of_file(path: Path) -> str:
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=20)).hexdigest()
