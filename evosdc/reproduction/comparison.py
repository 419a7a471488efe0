"""What differs between the figures of two tables."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evosdc.reproduction.tolerance import ANY, Tolerance

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_NAMING = 3
"""Cells that name a row at most."""

Tolerances = Callable[[str], Tolerance]
Grid = list[list[str]]


@dataclass(frozen=True)
class Difference:
    """Something that is not as it was stored.

    Parameters
    ----------
    file : str
        The result, or what else it is about.
    where : str
        Row and column; empty where it is about the whole file.
    said : str
        What differs, and by how much.
    """

    file: str
    where: str
    said: str

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: {self.said}" if self.where else f"{self.file}: {self.said}"


def differences(stored: Path, found: Path, tolerances: Tolerances) -> list[Difference]:
    """Return what differs between a stored table and the same one made anew, row by row.

    Texts have to be the same; the numbers in them, ``12.1 ± 0.3`` for one, near enough. Files other than CSV are
    compared line by line.

    Parameters
    ----------
    stored, found : Path
        Files of the same name.
    tolerances : callable
        Returns the tolerance of a column.
    """
    (header, *before), (new_header, *after) = _grid(stored), _grid(found)
    name = found.name
    if header != new_header:
        gone = [column for column in header if column not in new_header]
        new = [column for column in new_header if column not in header]
        return [Difference(name, "", f"other columns: without {gone or 'none'}, new {new or 'none'}")]
    if len(before) != len(after):
        return [Difference(name, "", f"{len(after)} rows instead of {len(before)}")]
    return list(_of_rows(name, header, before, after, tolerances))


def _of_rows(
    name: str, header: Sequence[str], before: Grid, after: Grid, tolerances: Tolerances
) -> Iterator[Difference]:
    allowed = [tolerances(column) for column in header]
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        for column, tolerance, stored, found in zip(header, allowed, old, new, strict=True):
            if said := difference(stored, found, tolerance):
                yield Difference(name, f"row {number}{_named(old)}, {column}", said)


def difference(stored: str, found: str, tolerance: Tolerance) -> str:
    """Return how two cells differ in words; empty where they are near enough."""
    if stored == found or tolerance == ANY:
        return ""
    if _NUMBER.split(stored) != _NUMBER.split(found):
        return f"{found!r} instead of {stored!r}"
    pairs = [(float(a), float(b)) for a, b in zip(_NUMBER.findall(stored), _NUMBER.findall(found), strict=True)]
    wrong = [(a, b) for a, b in pairs if not tolerance.holds(a, b)]
    if not wrong:
        return ""
    a, b = max(wrong, key=lambda pair: abs(pair[1] - pair[0]))
    share = f" ({100.0 * (b - a) / abs(a):+.2g} %)" if a else ""
    return f"{found} instead of {stored}, off by {b - a:+.6g}{share}; allowed {tolerance}"


def figures(path: Path) -> int:
    """Return how many cells of a table are compared."""
    header, *rows = _grid(path)
    return len(header) * len(rows)


def _grid(path: Path) -> Grid:
    """Return the rows of a table below their header; a ragged row is filled up."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".csv":
        return [["line"], *([line] for line in text.splitlines())]
    rows = list(csv.reader(text.splitlines())) or [[]]
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def _named(row: Sequence[str]) -> str:
    """Return the cells before the first figure with decimals: what a row is about."""
    names = []
    for cell in row[:_NAMING]:
        if re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", cell):
            break
        names.append(cell)
    return f" ({', '.join(names)})" if names else ""
