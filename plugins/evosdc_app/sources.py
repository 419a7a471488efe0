"""Data files as the workbench shows them: read once, kept while they do not change."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.datasets.loading import load_dataset
from evosdc.datasets.storage import available
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.formats import Reading
from evosdc.files.source import Source, parsed, source_of
from evosdc.plugins.registry import default_registry
from evosdc.printing import printable
from evosdc.specs import DatasetSpec
from evosdc_app.folder import WorkFolder, reading_of

PAGE = 50  # records on a page
LONGEST = 200  # signs of a value that are shown

_KEPT = 2


@dataclass(frozen=True, eq=False)
class Contents:
    """What is in a file."""

    columns: tuple[Column, ...]
    records: int
    source: Source | None  # of a registered data set, which brings its schema
    original: Any = None  # the file as it was read; None of a data set
    notes: tuple[str, ...] = ()  # what was guessed in reading the file

    def page(self, number: int) -> list[tuple[int, list[str]]]:
        """Return the records of a page, each with its position from 1; pages count from 1."""
        begin = (number - 1) * PAGE
        rows = range(begin, min(begin + PAGE, self.records))
        return [(row + 1, [_text(column, row) for column in self.columns]) for row in rows]

    @property
    def pages(self) -> int:
        """How many pages there are, one at least."""
        return max(1, -(-self.records // PAGE))


class Sources:
    """The files viewed last."""

    def __init__(self, folder: WorkFolder) -> None:
        self.folder = folder
        self._kept: OrderedDict[tuple[Any, ...], Contents] = OrderedDict()
        self._lock = threading.Lock()

    def contents(self, data: str) -> Contents:
        """Return a file's contents; it takes as long as reading it the first time."""
        path = None if is_dataset(data, self.folder) else self.folder.data_file(data)
        reading = Reading() if path is None else reading_of(self.folder.schema_of(data))
        key: tuple[Any, ...] = (data, reading)
        key += () if path is None else (path.stat().st_mtime_ns, path.stat().st_size)
        with self._lock:  # two tabs wait for one reading
            if key not in self._kept:
                self._kept[key] = _read(data, path, reading)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]

    def source(self, data: str, schema: Any) -> Source:
        """Return the file by a description of its schema; raises as `contents`, or where they do not fit."""
        contents = self.contents(data)
        return contents.source or source_of(contents.original, data, schema)


def is_dataset(data: str, folder: WorkFolder) -> bool:
    """Whether this names a registered data set, and no file of the folder."""
    return data in default_registry().names("dataset") and not (folder.root / data).is_file()


def at_hand(name: str) -> DatasetSpec:
    """Return a registered data set whose files are on this computer: nothing is downloaded by a click."""
    spec = default_registry().spec("dataset", name)
    assert isinstance(spec, DatasetSpec)
    if spec.files:
        available(spec, offline=True)
    return spec


def _read(data: str, path: Path | None, reading: Reading) -> Contents:
    if path is None:
        source = load_dataset(at_hand(data), offline=True)
        return Contents(source.original.columns, len(source.table), source)
    original = parsed(path, described=reading)
    columns = original.columns
    return Contents(columns, len(columns[0]) if columns else 0, None, original, original.notes)


def _text(column: Column, row: int) -> str:
    place = int(column.index[row])
    return "" if place == NO_TEXT else cut(column.texts[place])


def cut(text: str) -> str:
    """Return the beginning of a text that is too long for a cell of a page, with signs that act made visible."""
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
