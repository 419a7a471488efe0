"""Whether the file that a run published is still the one that it wrote: its SHA-256 stands in ``release.json``."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evosdc.errors import CheckpointError, Fault
from evosdc.printing import printable
from evosdc.runs.layout import RELEASE, RESULT, read_object, run_folders

_ANEW = "Or move it away and remove result.json: `evosdc resume` then writes both anew from the last checkpoint."
ADVICE = f"Restore it. {_ANEW}"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def published_fault(folder: Path, release: Mapping[str, Any], lacking: bool = True) -> Fault | None:
    """Return what is wrong with the published file of a run folder; None where it is as written, or nothing is known.

    Parameters
    ----------
    folder : Path
    release : mapping
        Of its ``release.json``.
    lacking : bool
        Whether a file that is not there is a fault.
    """
    published = release.get("published")
    known = published if isinstance(published, Mapping) else {}
    name, digest = known.get("name"), known.get("sha256")
    if not isinstance(name, str) or not isinstance(digest, str):
        return None  # a run of a version that did not keep it
    file = folder / Path(name).name  # only the name counts: it may not point outside its folder
    if not file.is_file():
        given = "no file, though the run published one" if lacking else ""
    else:
        given = "" if sha256_of(file) == digest else "a file that is not the one that the run wrote (another SHA-256)"
    return Fault(printable(str(file)), given, "the published file as the run wrote it", ADVICE) if given else None


def published_faults(path: Path) -> Iterator[Fault]:
    """Yield what is wrong with the published files of a run, or of the runs of a study."""
    for folder in run_folders(path):
        if not (folder / RESULT).is_file():
            continue  # the run has not ended, or goes on: the file may just be written
        try:
            found = published_fault(folder, read_object(folder / RELEASE))
        except (OSError, ValueError):
            continue  # nothing is known, or others tell of a damaged file
        if found is not None:
            yield found


def require_published(path: Path) -> None:
    """Raise `CheckpointError` where a published file of a run or study is lacking or not the one that was written."""
    faults = list(published_faults(path))
    if faults:
        raise CheckpointError(faults)
