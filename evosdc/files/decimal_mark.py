"""Telling the decimal mark of a text file from its columns."""

import re
from collections.abc import Sequence

from evosdc.files.column import Column
from evosdc.table.numerals import number

_COMMA_NUMERAL = re.compile(r"[+-]?[0-9]*,[0-9]+")


def decimal_mark(columns: Sequence[Column], separator: str) -> str:
    """Return "," if some column holds decimal commas and no other numbers with a point, else "."."""
    if separator == ",":
        return "."
    commas = False
    for column in columns:
        with_comma, others, with_point = _signs(column)
        if 2 * with_comma > others:
            commas = True
        elif with_point:
            return "."
    return "," if commas else "."


def _signs(column: Column) -> tuple[int, int, bool]:
    """Return how many texts are numbers with a comma, how many are not of digits alone, and if any has a point."""
    held = None
    if column.held is not None:
        from evosdc.files.cell_texts import CellTexts
        from evosdc.files.record_texts import RecordTexts

        held = column.held if isinstance(column.held, CellTexts | RecordTexts) else None
    texts = column.texts if held is None else held.words
    others = [text for text in texts if text and not text.lstrip("+-").isdigit()]
    with_comma = sum(bool(_COMMA_NUMERAL.fullmatch(text)) for text in others)
    with_point = any("." in text and number(text) is not None for text in texts)
    if held is None:
        return with_comma, len(others), with_point
    return with_comma + held.with_comma, len(others) + held.not_whole, with_point or held.with_point
