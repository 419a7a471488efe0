"""Marks of published files, which reveal later changes, and the key file that maps their records."""

import csv
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import CheckpointError, DataError, Fault
from evosdc.files.atomic import write_text
from evosdc.files.source import Source
from evosdc.printing import csv_text, printable
from evosdc.runs.layout import RELEASE, RESULT, read_object, run_folders

_REWRITE = "Or move it away and remove result.json: `evosdc resume` then writes both again from the last checkpoint."
ADVICE = f"Restore it. {_REWRITE}"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def published_fault(folder: Path, release: Mapping[str, Any], lacking: bool = True) -> Fault | None:
    """Return the fault of the published file of a run; None where it is as written, or unknown."""
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
    """Yield the faults of the published files of a run, or of the runs of a study."""
    for folder in run_folders(path):
        if not (folder / RESULT).is_file():
            continue  # the run has not ended, or goes on: the file may just be written
        try:
            found = published_fault(folder, read_object(folder / RELEASE))
        except (OSError, ValueError):
            continue  # nothing is known, or other checks report a damaged file
        if found is not None:
            yield found


def require_published(path: Path) -> None:
    """Raise `CheckpointError` where a published file of a run or study is lacking or not the one that was written."""
    faults = list(published_faults(path))
    if faults:
        raise CheckpointError(faults)


_HEAD = ["published", "original"]


def write_crosswalk(path: Path, rows: NDArray[np.intp]) -> None:
    """Write a crosswalk, readable by its owner alone; records are counted from 1 in both files."""
    write_text(path, csv_text([_HEAD, *((place, row + 1) for place, row in enumerate(rows.tolist(), 1))]))


def read_crosswalk(path: Path, published: int, originals: int) -> NDArray[np.intp]:
    """Return by published record the position of the original one, from 0."""
    # Originals of which no record was published are in no line of a crosswalk.
    where, wanted = f"crosswalk {printable(path.name)}", "the crosswalk that was written with the masked file"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head, *lines = (line for line in csv.reader(file) if line)
        pairs = np.array([(int(masked), int(own)) for masked, own in lines], dtype=np.intp).reshape(-1, 2) - 1
    except OSError as error:
        raise DataError(Fault(where, error.strerror or "unreadable", wanted)) from None
    except (ValueError, OverflowError, csv.Error):
        raise DataError(Fault(where, "a file that is no crosswalk", wanted)) from None
    if head != _HEAD:
        raise DataError(Fault(where, "a file that is no crosswalk", wanted))
    rows = np.full(published, -1, dtype=np.intp)
    inside = bool((pairs >= 0).all() and (pairs < [published, originals]).all())
    if inside and len(pairs) == published:
        rows[pairs[:, 0]] = pairs[:, 1]
    if (rows < 0).any() or len(np.unique(rows)) < published:
        given = f"one of other files: it has {len(pairs)} lines"
        wanted = f"a line for each of the {published} masked records, each with another one of {originals} originals"
        raise DataError(Fault(where, given, wanted))
    return rows


def published_places(file: Path, source: Source, published: int) -> NDArray[np.intp]:
    """Return by published record of a run the position of its original in the run's data, by a crosswalk."""
    if not file.exists():
        return np.arange(published, dtype=np.intp)
    rows = read_crosswalk(file, published, int(source.rows[-1]) + 1)
    if not np.isin(rows, source.rows).all():
        given, wanted = "one of another file: it has other records", "the crosswalk that the run wrote"
        raise DataError(Fault(printable(str(file)), given, wanted))
    return np.searchsorted(source.rows, rows).astype(np.intp)
