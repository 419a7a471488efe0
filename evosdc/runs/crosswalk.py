"""Which record of a shuffled file is which of the original: its owner's secret."""

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.files.atomic import write_text
from evosdc.printing import printable

_HEAD = ["published", "original"]


def write_crosswalk(path: Path, rows: NDArray[np.intp]) -> None:
    """Write a crosswalk, readable by its owner alone; records are counted from 1 in both files.

    Parameters
    ----------
    path : Path
    rows : ndarray of intp
        By published record, the position of the original one, from 0.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    writer.writerows((published, original + 1) for published, original in enumerate(rows.tolist(), 1))
    write_text(path, text.getvalue())


def read_crosswalk(path: Path, published: int, originals: int) -> NDArray[np.intp]:
    """Return by published record the position of the original one, from 0.

    Originals of which no record was published are in no line of a crosswalk.

    Parameters
    ----------
    path : Path
    published, originals : int
        Records of the published file, and of the original.

    Raises
    ------
    DataError
        The file cannot be read, is no crosswalk, or is one of other files.
    """
    where, wanted = f"crosswalk {printable(path.name)}", "the crosswalk that was written with the masked file"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head, *lines = (line for line in csv.reader(file) if line)
        pairs = np.array([_pair(line) for line in lines], dtype=np.intp).reshape(-1, 2) - 1
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


def _pair(line: list[str]) -> tuple[int, int]:
    published, original = line
    return int(published), int(original)
