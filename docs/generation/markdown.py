"""Markdown as the generated pages write it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: object) -> str:
    """Return a text as the cell of a table: one line, without signs that would end it."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with one line a row."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def contents(pages: Iterable[str], depth: int = 1, hidden: bool = False) -> str:
    """Return a table of contents of pages, named by their paths without endings."""
    listed = list(pages)
    options = [f":maxdepth: {depth}", *[":hidden:"] * hidden, *[":glob:"] * any("*" in page for page in listed)]
    return "\n".join(["```{toctree}", *options, "", *listed, "```", ""])


def python(directive: str, name: str, *options: str) -> str:
    """Return what shows the docstring of a Python object."""
    lines = "".join(f"   :{option}:\n" for option in options)
    return f"```{{eval-rst}}\n.. {directive}:: {name}\n{lines}```\n"
