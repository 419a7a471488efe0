"""Lines of text for people."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from evosdc.printing import printable

if TYPE_CHECKING:
    from rich.table import Table

MOST_WIDE = 500
"""Columns of text that a table takes at most."""


def say(text: str, err: bool = False) -> None:
    """Print a line; control characters, which names in a data file may hold, are shown and not obeyed."""
    click.echo(harmless(text), err=err)


def warn(sentences: Iterable[str]) -> None:
    """Print what has to be known before a file is released, on standard error."""
    for sentence in sentences:
        click.secho(harmless(f"Warning: {sentence}"), fg="yellow", bold=True, err=True)


def print_table(table: "Table") -> None:
    """Print a table; where the output is no terminal, whose width is known, as wide as its columns need."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        needed = console.measure(table, options=console.options.update(max_width=MOST_WIDE)).minimum
        console.width = max(console.width, needed)
    console.print(table)


def harmless(text: str) -> str:
    """Return a text with its control characters, but for line feeds, as visible escapes."""
    return "\n".join(map(printable, text.split("\n")))


def scores_in_words(best: Mapping[str, Any]) -> str:
    """Return fitness, IL and DR of a candidate in words."""
    fitness = " ".join(f"{value:.3f}" for value in best.get("fitness", ()))
    pair = ", ".join(f"{name.upper()} {best[name]:.2f}" for name in ("il", "dr") if name in best)
    return fitness + (f" ({pair})" if pair else "")
