"""Downloading published files: each address in turn, resumed where a transfer broke off, checked by SHA-256."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from evosdc.errors import DatasetError, Fault
from evosdc.specs import RemoteFile

Progress = Callable[[str, int, int | None], None]
"""Told the file's name, bytes at hand, and bytes in all if known."""

_TIMEOUT = 30.0
_CHUNK = 1 << 16
_PARTIAL_CONTENT = 206
_RANGE_NOT_SATISFIABLE = 416


def download(file: RemoteFile, folder: Path, progress: Progress | None = None, timeout: float = _TIMEOUT) -> Path:
    """Download a file into a folder and return its path.

    Bytes arrive in ``NAME.part``, which a later call goes on with; the file gets its name once its SHA-256 is right.

    Parameters
    ----------
    file : RemoteFile
    folder : Path
        Exists.
    progress : callable, optional
    timeout : float
        Seconds without a byte after which an address is given up.

    Raises
    ------
    DatasetError
        One fault for each address that failed.
    """
    partial = folder / f"{file.name}.part"
    faults = []
    for url in file.urls:
        if not url.startswith(("https://", "http://")):
            faults.append(Fault(url, "an address of another kind", "an address that begins with https://"))
            continue
        begun = partial.exists()
        try:
            _transfer(url, partial, file.name, progress, timeout)
            found = _sha256(partial)
            if found != file.sha256 and begun:
                # What was there may be part of another version: once more from the start.
                partial.unlink()
                _transfer(url, partial, file.name, progress, timeout)
                found = _sha256(partial)
        except (OSError, http.client.HTTPException) as error:
            faults.append(Fault(url, _reason(error), "the file", "Check the connection and try again; it resumes."))
            continue
        if found == file.sha256:
            target = folder / file.name
            partial.replace(target)
            return target
        partial.unlink()
        advice = "The publisher may have changed the file."
        faults.append(Fault(url, f"content with SHA-256 {found}", f"SHA-256 {file.sha256}", advice))
    raise DatasetError(faults)


def _transfer(url: str, partial: Path, name: str, progress: Progress | None, timeout: float) -> None:
    """Append what is lacking to the partial file."""
    have = partial.stat().st_size if partial.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "evosdc", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        if have and error.code == _RANGE_NOT_SATISFIABLE:
            return  # the remainder is empty: all bytes are here, right or wrong
        raise
    with response:
        resumed = have > 0 and response.status == _PARTIAL_CONTENT
        length = response.headers.get("Content-Length")
        done = have if resumed else 0
        total = done + int(length) if length and length.isdigit() else None
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if resumed else os.O_TRUNC), 0o600)
        with os.fdopen(descriptor, "ab" if resumed else "wb") as stream:
            while chunk := response.read(_CHUNK):
                stream.write(chunk)
                done += len(chunk)
                if progress is not None:
                    progress(name, done, total)
    if total is not None and done < total:
        raise http.client.IncompleteRead(b"", total - done)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _reason(error: BaseException) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP status {error.code} ({error.reason})"
    if isinstance(error, http.client.IncompleteRead):
        return "a transfer that broke off"
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return f"no connection ({cause})"
