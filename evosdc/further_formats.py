"""Formats of data files that plugins offer, as the room sees them that reads files and knows no plugins."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class FurtherFormat(NamedTuple):
    """A format that is offered."""

    suffixes: tuple[str, ...]  # endings of the names of its files
    # From bytes and the place for messages to the file, or None where it is of another format; see
    # `evosdc.specs.FormatSpec`.
    parse: Callable[[bytes, str], Any]


def _all() -> Sequence[FurtherFormat]:
    return ()


def found_by(find: Callable[[], Sequence[FurtherFormat]]) -> None:
    """Have formats found by a function from now on; called once, when evosdc is imported."""
    global _all
    _all = find


def further_formats(suffix: str) -> list[FurtherFormat]:
    """Return the formats of files with this ending."""
    return [form for form in _all() if suffix in form.suffixes]
