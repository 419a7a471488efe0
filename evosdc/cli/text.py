"""Lines of text for people."""

from __future__ import annotations

import click

from evosdc.printing import printable


def say(text: str) -> None:
    """Print a line; control characters, which names in a data file may hold, are shown and not obeyed."""
    click.echo(harmless(text))


def harmless(text: str) -> str:
    """Return a text with its control characters, but for line feeds, as visible escapes."""
    return "\n".join(map(printable, text.split("\n")))
