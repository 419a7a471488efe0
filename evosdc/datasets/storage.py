"""Finding the files of a data set: in the folder ``EVOSDC_DATA``, in the user's cache, or at their publisher."""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from evosdc.errors import DatasetError, Fault
from evosdc.files.atomic import make_folder
from evosdc.specs import DatasetSpec, RemoteFile

Progress = Callable[[str, int, int | None], None]  # receives the file's name, bytes at hand, and bytes in all if known

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
        """Restart the count: pooch counts all bytes once more when the transfer is complete."""
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


VARIABLE = "EVOSDC_DATA"  # environment variable that names a folder with data sets


def cache_folder(spec: DatasetSpec) -> Path:
    """Return where downloads of a data set are kept."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("evosdc", appauthor=False)) / "datasets" / spec.name


def data_folder() -> Path | None:
    """Return the folder named by ``EVOSDC_DATA``, or None when it is not set."""
    named = os.environ.get(VARIABLE, "")
    return Path(named).expanduser() if named else None


def locate(spec: DatasetSpec) -> Mapping[str, Path] | None:
    """Return the paths of a data set's files by name, or None when some of them are not at hand."""
    paths = {}
    faults = []
    for file in spec.files:
        for path in _places(spec, file):
            if path.is_file():
                found = sha256(path)
                if found == file.sha256:
                    paths[file.name] = path
                else:
                    faults.append(_altered(spec, file, path, found))
                break
    if faults:
        raise DatasetError(faults)
    return paths if len(paths) == len(spec.files) else None


def fetch(spec: DatasetSpec, progress: Progress | None = None) -> Mapping[str, Path]:
    """Return the paths of a data set's files by name, after downloading those that are not at hand."""
    paths = dict(locate(spec) or {})
    faults: list[Fault] = []
    for file in spec.files:
        if file.name in paths:
            continue
        present = next((path for path in _places(spec, file) if path.is_file()), None)
        if present is not None:
            paths[file.name] = present
        elif not file.urls:
            faults.append(_by_hand(spec, file))
        else:
            folder = cache_folder(spec)
            try:
                make_folder(folder)
                paths[file.name] = download(file, folder, progress)
            except DatasetError as error:
                faults += [_with_advice(fault, file) for fault in error.faults]
            except OSError as error:
                given = f"a cache that cannot be written ({error.strerror or error})"
                advice = f"Or set {VARIABLE} to a folder with the file."
                faults.append(Fault(str(folder), given, "a writable folder", advice))
    if faults:
        raise DatasetError(faults)
    return paths


def available(spec: DatasetSpec, offline: bool = False) -> Mapping[str, Path]:
    """Return the paths of a data set's files, downloading them if allowed."""
    paths = locate(spec)
    if paths is None and offline:
        raise DatasetError(
            Fault(
                f"data set {spec.name}",
                "no files at hand, and downloading is switched off",
                "its files in the cache or in a folder",
                f"Run `evosdc datasets fetch {spec.name}`, or set {VARIABLE} to a folder that has "
                f"{', '.join(file.folders[0] if file.folders else file.name for file in spec.files)}.",
            )
        )
    return fetch(spec) if paths is None else paths


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _places(spec: DatasetSpec, file: RemoteFile) -> Iterator[Path]:
    folder = data_folder()
    if folder is not None:
        for below in (*file.folders, f"{spec.name}/{file.name}", file.name):
            yield folder / below
    yield cache_folder(spec) / file.name


def _altered(spec: DatasetSpec, file: RemoteFile, path: Path, found: str) -> Fault:
    return Fault(
        str(path),
        f"content with SHA-256 {found}",
        f"the file as published, SHA-256 {file.sha256}",
        "Replace it by the publisher's file (line ends may have been converted), or remove it"
        + (f" and run `evosdc datasets fetch {spec.name}`." if file.urls else "."),
    )


def _by_hand(spec: DatasetSpec, file: RemoteFile) -> Fault:
    place = file.folders[0] if file.folders else file.name
    how = (
        "The R package sdcMicro on CRAN holds the table as an .rda file; read it with pyreadr and write it with "
        "DataFrame.to_csv(index=False). "
        if "sdcMicro" in spec.licence
        else ""
    )
    return Fault(
        f"data set {spec.name}",
        f"no file {file.name} at hand, and no publisher that serves it",
        f"{place} in the folder named by {VARIABLE}, SHA-256 {file.sha256}",
        f"{how}Put the file there and set {VARIABLE}.",
    )


def _with_advice(fault: Fault, file: RemoteFile) -> Fault:
    place = file.folders[0] if file.folders else file.name
    advice = f"{fault.advice} Or put the file as {place} in a folder and set {VARIABLE}."
    return replace(fault, advice=advice)
