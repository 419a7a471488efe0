"""Lines and tables of text for people, and JSON for programs."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from evosdc.printing import printable

if TYPE_CHECKING:
    from rich.table import Table

    from evosdc.options.shared import JsonOptions

MOST_WIDE = 500  # columns of text that a table takes at most


def say(text: str, err: bool = False) -> None:
    """Print a line; control characters, which names in a data file may hold, are shown and not obeyed."""
    click.echo(harmless(text), err=err)


def warn(sentences: Iterable[str]) -> None:
    """Print warnings before the release of a file, on standard error."""
    for sentence in sentences:
        click.secho(harmless(f"Warning: {sentence}"), fg="yellow", bold=True, err=True)


def print_json(data: Any) -> None:
    """Print one JSON object and nothing else."""
    click.echo(json.dumps(data, ensure_ascii=False, allow_nan=False))


def answer(options: "JsonOptions", document: Any, lines: Iterable[str]) -> None:
    """Print the result of a command: one JSON object where that is wanted, else lines for people."""
    if options.as_json:
        print_json(document)
    else:
        for line in lines:
            say(line)


def print_rows(
    columns: Mapping[str, str],
    rows: Iterable[Sequence[str]],
    title: str = "",
    styles: Sequence[str] = (),
    box: bool = True,
) -> None:
    """Print a table; `columns` says of each heading whether it stands left, right or whole, which is never wrapped."""
    from rich.box import HEAVY_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=HEAVY_HEAD if box else None, pad_edge=box)
    listed = list(rows)
    for at, (heading, how) in enumerate(columns.items()):
        widest = max(map(len, [heading, *(row[at] for row in listed)]))
        # A terminal cuts the last column where that is never wrapped; a file has it whole.
        cut = how == "left" or (how == "whole" and at == len(columns) - 1 and sys.stdout.isatty())
        table.add_column(
            heading, justify="right" if how == "right" else "left", no_wrap=how != "left",
            overflow="fold" if how == "left" else "ellipsis", min_width=None if cut else widest,
        )  # fmt: skip
    for place, row in enumerate(listed):
        table.add_row(*(Text(harmless(cell)) for cell in row), style=styles[place] if styles else None)
    print_table(table)


def print_table(table: "Table") -> None:
    """Print a table; where the output is no terminal, whose width is known, as wide as its columns need."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        needed = console.measure(table, options=console.options.update(max_width=MOST_WIDE)).minimum
        console.width = max(console.width, needed)
    console.print(table)


def numbers(values: Iterable[float]) -> str:
    """Return the numbers of a fitness as text."""
    return " ".join(f"{value:.3f}" for value in values)


def harmless(text: str) -> str:
    """Return a text with its control characters, except line feeds, as visible escapes."""
    return "\n".join(map(printable, text.split("\n")))
