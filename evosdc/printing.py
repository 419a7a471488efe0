"""Making texts that come from files fit to be printed, and to be read by others than their owner."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from unicodedata import category

_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PATH = re.compile(r"(?<![^\s'\"(=:,;])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'\"]+[/\\])+[^\s/\\'\",;:)]+")


NO_TIME = "no time was left"  # why a judge has not answered yet
NOT_CHECKED = "not checked"  # a risk that no judge can answer
NOT_YET_CHECKED = "not yet checked"  # the judge had no time


def three_digits(number: float) -> str:
    """Return a number rounded to three digits, never with an exponent: 2000 and not 2e+03."""
    return format(Decimal(f"{number:.3g}"), "f")


def four_digits(number: float) -> str:
    """Return a number rounded to four digits, never with an exponent; a whole one as it is."""
    return f"{number:.0f}" if float(number).is_integer() else format(Decimal(f"{number:.4g}"), "f")


def figure_text(value: Any) -> str:
    """Return a figure as text of at most four significant digits; infinite where it has no value."""
    if value is None:
        return "infinite"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def printable(text: str) -> str:
    r"""Return a text with escapes in place of control characters and line breaks."""
    # Control characters, line and paragraph separators, lone surrogates and the marks that turn the direction of
    # writing become ``\n``, ``\x1b``, ``\u202e`` and so on; letters of any script stay.
    if text.isprintable():
        return text
    return "".join(
        sign.encode("unicode_escape").decode("ascii") if category(sign) in _HIDDEN or sign in _TURNING else sign
        for sign in text
    )


def file_name(path: str) -> str:
    """Return the last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or path


def without_folders(text: str) -> str:
    """Return a sentence with absolute paths cut to the names of files; folders may name people and projects."""
    # A path ends at the first blank or quotation mark.
    return _PATH.sub(lambda found: file_name(found[0]), text)


def value_in_words(value: Any) -> str:
    """Return a value of a setting as a user would write it: texts bare, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def values_in_words(values: Mapping[str, Any]) -> str:
    """Return the values of a setting in words: ``genotype.mutations = 2, fitness.name = max``."""
    return ", ".join(f"{key} = {value_in_words(value)}" for key, value in values.items())


def not_applicable_sentences(not_applicable: Mapping[str, str]) -> list[str]:
    """Return a sentence for each reason why judges do not apply, without its full stop."""
    named: dict[str, list[str]] = {}
    for name, reason in not_applicable.items():
        named.setdefault(reason, []).append(name)
    return [
        f"{', '.join(n)}: {NO_TIME}"
        if reason == NO_TIME
        else f"{', '.join(n)} {'do' if n[1:] else 'does'} not apply: {reason}"
        for reason, n in named.items()
    ]


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as the text of a CSV file; None becomes an empty field."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}

EXAMPLES = "60s, 5m, 1.5h"


def seconds_in(text: str) -> float | None:
    """Return the seconds that a text represents; None where it is no time above 0."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    return float(found[1]) * _UNITS[found[2]] or None if found else None
