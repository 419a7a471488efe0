"""The journal: one line of JSON a generation, appended while the search runs."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evosdc.files.atomic import OWNER_FILE, write_text

# Kept, since to make one takes as long as a third of a line; records are no circles.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)


class Journal:
    """An append-only file that can be read at any time."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, OWNER_FILE)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8")

    def write(self, record: dict[str, Any]) -> None:
        """Append one record."""
        self._file.write(_ENCODER.encode(record) + "\n")

    def flush(self) -> None:
        """Flush written lines to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Flush and close."""
        self._file.close()


def parse_journal(lines: Iterable[bytes]) -> tuple[list[dict[str, Any]], int]:
    """Return the records in lines of a journal, and how many lines are none, as a killed run leaves behind."""
    # Records are in order of generations. A resumed run may repeat generations: the later line stands.
    records: dict[int, dict[str, Any]] = {}
    unreadable = 0
    for line in filter(bytes.strip, lines):
        try:
            record = json.loads(line)
            records[int(record["generation"])] = record
        except (ValueError, TypeError, KeyError):
            unreadable += 1
    return [records[generation] for generation in sorted(records)], unreadable


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the records of a journal, also while a run writes to it; none where there is no file."""
    if not path.is_file():
        return []
    with path.open("rb") as lines:
        return parse_journal(lines)[0]


def journal_tail(path: Path, size: int = 1 << 18) -> list[dict[str, Any]]:
    """Return the records in the last `size` bytes of a journal, also while a run writes to it."""
    # At least the last record is returned where there is one.
    try:
        with path.open("rb") as file:
            length = file.seek(0, os.SEEK_END)
            while True:
                begin = max(0, length - size)
                file.seek(begin)
                lines = file.read(length - begin).split(b"\n")
                # The first line may have lost its beginning.
                records, _ = parse_journal(lines[1:] if begin else lines)
                if records or begin == 0:
                    return records
                size *= 4
    except OSError:
        return []


def cut_journal(path: Path, generation: int) -> None:
    """Drop the records after a generation: those that a resumed run will write again."""
    # The search observes its state at generation 0 itself, resumed or not, so that record goes too.
    kept = [record for record in read_journal(path) if 0 < generation >= record["generation"]]
    write_text(path, "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in kept))
