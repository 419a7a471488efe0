"""What all tasks of a problem share, as files named by their content: published once, memory-mapped by every worker."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import ExecutorError
from evosdc.model.executor import SharedFiles

_PREFIX = "context-"


def share(folder: Path, arrays: Mapping[str, NDArray[Any]], documents: Mapping[str, Any]) -> SharedFiles:
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
    SharedFiles
        The same content gives the same digest, whoever publishes it and wherever.

    Raises
    ------
    ValueError
        An array of objects, which could only be pickled, or a document that is not JSON.
    OSError
        The disk is full, or the folder cannot be written; what had been written is removed again.
    """
    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    written: dict[str, str] = {}
    try:
        for name, array in sorted(arrays.items()):
            written[name] = _publish_array(folder, array)
        try:
            text = json.dumps(
                {"arrays": written, "documents": dict(documents)}, sort_keys=True, separators=(",", ":")
            ).encode()
        except TypeError as error:
            raise ValueError(f"a document is not JSON: {error}") from None
        digest = _digest_of(text)
        with _temporary(folder) as path:
            path.write_bytes(text)
            path.replace(_manifest(folder, digest))
    except BaseException:
        _remove(folder, set(written.values()))
        raise
    return SharedFiles(str(folder), digest)


def read_shared(ref: SharedFiles) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the shared arrays and documents.

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


def withdraw(ref: SharedFiles) -> None:
    """Remove shared files, save those that others of the folder are made of too, and the folder once empty.

    Arrays that are open stay valid where the system allows to remove files in use. To withdraw twice is no error.
    """
    folder = Path(ref.folder)
    path = _manifest(folder, ref.digest)
    if not path.exists():
        return
    own = set(json.loads(path.read_bytes())["arrays"].values())
    path.unlink()
    _remove(folder, own)


def _remove(folder: Path, own: set[str]) -> None:
    """Remove arrays that nothing in the folder is made of, and the folder once it is empty."""
    for other in folder.glob(f"{_PREFIX}*.json"):
        own -= set(json.loads(other.read_bytes())["arrays"].values())
    for digest in own:
        _array(folder, digest).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def _publish_array(folder: Path, array: NDArray[Any]) -> str:
    with _temporary(folder) as path:
        with path.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        digest = _digest_of_file(path)
        path.replace(_array(folder, digest))
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


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """Give a new file of mode 0600 in the folder, to be filled and renamed in the block: none sees half of it.

    It is removed where the block fails, on a full disk for one.
    """
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    os.close(descriptor)
    try:
        yield Path(name)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _manifest(folder: Path, digest: str) -> Path:
    return folder / f"{_PREFIX}{digest}.json"


def _array(folder: Path, digest: str) -> Path:
    return folder / f"{digest}.npy"


def _digest_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def _digest_of_file(path: Path) -> str:
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=20)).hexdigest()
