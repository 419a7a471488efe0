"""Tables of a study: shown on the terminal and written as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table


def publish(target: Path, title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table and write it to `target`; numbers are shown with three digits and written in full."""
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    table = Table(*header, title=f"{title}  ({target.name})", title_justify="left")
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=200).print(table)
