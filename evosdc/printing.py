"""Making texts that come from files fit to be printed, and to be read by others than their owner."""

from __future__ import annotations

import re
from unicodedata import category

_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PATH = re.compile(r"(?<![^\s'\"(=:,;])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'\"]+[/\\])+[^\s/\\'\",;:)]+")


def printable(text: str) -> str:
    r"""Return a text with escapes in place of what would act on a terminal or break a line.

    Control characters, line and paragraph separators, lone surrogates and the marks that turn the direction of
    writing become ``\n``, ``\x1b``, ``\u202e`` and so on; letters of any script stay.
    """
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
    """Return a sentence whose absolute paths are cut to the names of the files; folders may name people and projects.

    A path ends at the first blank or quotation mark.
    """
    return _PATH.sub(lambda found: file_name(found[0]), text)
