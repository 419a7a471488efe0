"""What the values of a column tell of its role, whatever its name: contacts, post codes, free text."""

import re
from collections.abc import Sequence

from evosdc.table.number_texts import NumberTexts

FREE_TEXT_LENGTH = 25
"""Words of this mean length, in characters, are sentences rather than labels."""

FREE_TEXT_WORDS = 4.0
"""As many words in a value, on average, are sentences as well."""

FREE_TEXT_DISTINCT = 20
"""So many distinct sentences are free text; fewer are long labels."""

_MOST = 0.9
_CONTACTS = (
    (re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"), "its values are mail addresses"),
    (re.compile(r"(?:https?://|www\.)\S+"), "its values are web addresses"),
    (re.compile(r"(?:\d{1,3}\.){3}\d{1,3}"), "its values are addresses of computers"),
    (
        re.compile(r"(?=(?:[^0-9]*[0-9]){9,15}[^0-9]*$)[+(]?[0-9]+[ ()/-]+[0-9 ()/-]+"),
        "its values are telephone numbers",
    ),
    (re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"), "its values are written as social security numbers"),
    (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE), "its values are unique identifiers"),
)
_POSTCODES = (
    re.compile(r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}"),
    re.compile(r"[0-9]{5}-[0-9]{4}"),
    re.compile(r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"),
    re.compile(r"[0-9]{4} ?[A-Z]{2}"),
)
_COORDINATE = re.compile(r"-?[0-9]{1,3}\.[0-9]{4,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{4,}")


def contact(texts: Sequence[str]) -> str:
    """Return why the values reach or name a respondent, empty where they do not seem to; dates are no telephones."""
    for pattern, reason in _CONTACTS:
        if _mostly(texts, pattern):
            return reason
    return ""


def place(texts: Sequence[str]) -> str:
    """Return why the values are places, empty where they do not seem to be."""
    if isinstance(texts, NumberTexts) and (not texts.words or len(texts.words) < _MOST * len(texts)):
        return ""  # no number is written as one of these
    if any(_mostly(texts, pattern) for pattern in _POSTCODES):
        return "its values are written as post codes"
    return "its values are positions on a map" if _mostly(texts, _COORDINATE) else ""


def free_text(texts: Sequence[str]) -> str:
    """Return why the values are free text, empty where they do not seem to be."""
    if len(texts) < FREE_TEXT_DISTINCT:
        return ""
    length = sum(map(len, texts)) / len(texts)
    words = sum(len(text.split()) for text in texts) / len(texts)
    if length < FREE_TEXT_LENGTH and words < FREE_TEXT_WORDS:
        return ""
    return f"it is free text, {len(texts)} values of {words:.0f} words on average, which may name people"


def _mostly(texts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return bool(texts) and sum(bool(pattern.fullmatch(text.strip())) for text in texts) >= _MOST * len(texts)
