"""Tables of the study: printed, and written as CSV with the digits that are printed."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

LONGEST = 60
"""Rows that are printed; longer tables are only written."""


def publish(path: Path, title: str, header: Sequence[str], rows: Sequence[Sequence[object]], digits: int = 2) -> None:
    """Write a table, and print it where it is short."""
    shown = [[f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *shown])
    if len(shown) > LONGEST:
        return
    table = Table(*header, title=f"{title}  ({path.name})", title_justify="left")
    for row in shown:
        table.add_row(*row)
    Console(width=200).print(table)
