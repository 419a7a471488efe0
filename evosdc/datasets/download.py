"""Downloading published files by pooch: each address in turn, checked by SHA-256 before the file gets its name.

A transfer that broke off begins anew: pooch does not resume, and the largest file takes seconds.
"""

import logging
from collections.abc import Callable
from pathlib import Path

from evosdc.errors import DatasetError, Fault
from evosdc.specs import RemoteFile

Progress = Callable[[str, int, int | None], None]  # told the file's name, bytes at hand, and bytes in all if known

_TIMEOUT = 30.0


class _Bar:
    """What pooch takes for a progress bar; it sets `total` and calls the methods."""

    def __init__(self, name: str, progress: Progress) -> None:
        self.total: int | None = None
        self._name, self._progress, self._done = name, progress, 0

    def update(self, count: int) -> None:
        self._done += count
        self._progress(self._name, self._done, self.total or None)

    def reset(self) -> None:
        """Begin anew: pooch counts all bytes once more when the transfer is complete."""
        self._done = 0

    def close(self) -> None:
        return


def download(file: RemoteFile, folder: Path, progress: Progress | None = None, timeout: float = _TIMEOUT) -> Path:
    """Download a file into a folder and return its path."""
    import pooch
    import requests

    pooch.get_logger().setLevel(logging.WARNING)
    faults = []
    for url in file.urls:
        if not url.startswith(("https://", "http://")):
            faults.append(Fault(url, "an address of another kind", "an address that begins with https://"))
            continue
        bar = _Bar(file.name, progress) if progress is not None else False
        downloader = pooch.HTTPDownloader(progressbar=bar, timeout=timeout)
        try:
            return Path(pooch.retrieve(url, f"sha256:{file.sha256}", file.name, folder, downloader=downloader))
        except requests.RequestException as error:
            faults.append(Fault(url, _reason(error), "the file", "Check the connection and try again."))
        except ValueError:  # pooch's answer to another content; it has removed the file
            advice = "The publisher may have changed the file."
            faults.append(Fault(url, "another content than was published", f"SHA-256 {file.sha256}", advice))
    raise DatasetError(faults)


def _reason(error: Exception) -> str:
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"HTTP status {error.response.status_code} ({error.response.reason})"
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "a transfer that broke off"
    return f"no connection ({type(error).__name__})"
