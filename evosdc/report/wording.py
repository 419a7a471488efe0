"""Numbers and settings in words: how the page writes the content of folders."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evosdc.printing import file_name, without_folders

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"

_ABSOLUTE = re.compile(r"(?:~|[A-Za-z]:)?[/\\]\S")

MISSING_RULES = {
    "category": "A missing value counted as a category of its own, different from every other value.",
    "wildcard": "A missing value counted as equal to every value.",
    "error": "Missing values were not allowed, so there were none in the attributes that were searched.",
}

STATES = {
    "done": "The run is complete.",
    "running": "The run had not ended when this page was written; everything below is what there was until then.",
    "failed": "The run failed; everything below is what there was until then.",
    "interrupted": "The run was interrupted; everything below is what there was until then.",
    "out of disk": "The run stopped because the disk was full; everything below is what there was until then.",
    "unknown": "The folder does not tell how the run ended.",
}


def number(value: float | None, digits: int = 2) -> str:
    """Return a figure for reading: thousands set apart, a true minus, a dash where unknown."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{abs(value):,.{digits}f}".replace(",", THIN_SPACE)
    return (MINUS + text) if value < 0 and float(f"{abs(value):.{digits}f}") else text


def count(value: float | None) -> str:
    """Return a whole number for reading."""
    return number(value, 0)


def percent(share: float) -> str:
    """Return a share in percent; one that is not nothing is never printed as 0.0 %."""
    if not math.isfinite(share):
        return NOTHING
    figure = "less than 0.1" if 0 < share < 0.05 else number(share, 1)
    return f"{figure}{THIN_SPACE}%"


def with_error(value: float | None, error: float | None, digits: int = 2) -> str:
    """Return a figure with its standard error, where that is known."""
    known = error is not None and math.isfinite(error)
    return number(value, digits) + (f" {PLUS_MINUS} {number(error, digits)}" if known else "")


def plural(value: float | None, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count(value)} {noun if value == 1 else noun + 's'}"


def duration(seconds: float | None) -> str:
    """Return a time in the unit that fits it."""
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    if seconds < 120:
        return f"{number(seconds, 1 if seconds < 10 else 0)} s"
    if seconds < 7200:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def listing(words: Sequence[str]) -> str:
    """Return words as a list in running text."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def quoted(text: str) -> str:
    """Return a text in quotation marks."""
    return f"\N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, with an ellipsis where it was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def settings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of nested settings as (dotted key, text); settings without a value are left out."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from settings(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        if value and all(isinstance(inner, Mapping) and set(inner) == {"name"} for inner in value):
            yield path, ", ".join(str(inner["name"]) for inner in value)
        elif any(isinstance(inner, Mapping | list) for inner in value):
            for position, inner in enumerate(value, 1):
                yield from settings(inner, f"{path}[{position}]")
        elif value:
            yield path, ", ".join(map(_leaf, value))
    elif value is not None and value != {} and value != "":
        yield path, _leaf(value)


def _leaf(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return file_name(text) if _ABSOLUTE.match(text) else without_folders(text)
