"""The numbers that a text writes, one by one."""

import re
from math import isinf

NUMERAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMERAL = re.compile(NUMERAL)


def with_point(text: str, mark: str) -> str:
    """Return a text with a point for its decimal mark."""
    # With a decimal comma a point would be a thousands separator, which is not read as a number.
    return text if mark == "." else text.replace(".", "\0").replace(mark, ".")


def is_numeral(plain: str) -> bool:
    """Whether a text writes a number with a point, if only one that is too large."""
    return _NUMERAL.fullmatch(plain) is not None


def number(text: str, mark: str = ".") -> float | None:
    """Return the finite number that a text writes, or None when it writes none.

    Parameters
    ----------
    text : str
    mark : {".", ","}
        The decimal mark. Thousands separators, ``inf``, ``nan`` and underscores are no numbers.
    """
    plain = with_point(text, mark)
    if not is_numeral(plain):
        return None
    value = float(plain)
    return None if isinf(value) else value
