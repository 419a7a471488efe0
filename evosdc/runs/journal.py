"""The journal: one line of JSON a generation, appended while the search runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from evosdc.files.atomic import OWNER_FILE, write_text


class Journal:
    """An append-only file that can be read at any time.

    Parameters
    ----------
    path : Path
        Created when it does not exist.
    """

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, OWNER_FILE)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8")

    def write(self, record: dict[str, Any]) -> None:
        """Append one record."""
        self._file.write(json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n")

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Flush and close."""
        self._file.close()


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the records of a journal; a last line that was cut off in the middle is left out."""
    records: list[dict[str, Any]] = []
    if not path.exists():
        return records
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return records


def journal_tail(path: Path, size: int = 1 << 18) -> list[dict[str, Any]]:
    """Return the last records of a journal, those that end in its last `size` bytes; while a run writes to it, too.

    What was cut off, at either end, is left out; at least the last record is returned where there is one.
    """
    try:
        with path.open("rb") as file:
            length = file.seek(0, os.SEEK_END)
            while True:
                begin = max(0, length - size)
                file.seek(begin)
                lines = file.read(length - begin).split(b"\n")
                records = _whole(lines[:-1] if begin == 0 else lines[1:-1])
                if records or begin == 0:
                    return records
                size *= 4
    except OSError:
        return []


def _whole(lines: list[bytes]) -> list[dict[str, Any]]:
    records = []
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("generation"), int):
            records.append(record)
    return records


def cut_journal(path: Path, generation: int) -> None:
    """Drop the records after a generation: those that a resumed run will write again.

    The search observes its state at generation 0 itself, resumed or not, so that record goes too.
    """
    kept = [record for record in read_journal(path) if 0 < generation >= record["generation"]]
    write_text(path, "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in kept))
