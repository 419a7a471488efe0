"""How the columns of a text file write numbers: recognised from their texts, which are kept without thousands marks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evosdc.files.column import Column, renamed
from evosdc.printing import printable
from evosdc.table.numerals import NumberFormat, number_formats

_SIGNS = {".": "points", ",": "commas", "'": "apostrophes", "\u2019": "apostrophes"}


def with_number_formats(columns: Sequence[Column], separator: str) -> tuple[Column, ...]:
    """Return the columns of a file with the decimal marks that their texts have, and without thousands marks."""
    formats = number_formats([column.texts for column in columns], separator)
    return tuple(_written(column, found) for column, found in zip(columns, formats, strict=True))


def _written(column: Column, found: NumberFormat) -> Column:
    if found.thousands:
        column = renamed(column, [found.plain(text) for text in column.texts])
    return replace(column, mark=found.decimal, thousands=found.thousands)


def thousands_sentences(columns: Iterable[Column]) -> list[str]:
    """Return what is said of columns whose numbers had thousands marks; usually nothing."""
    said = []
    for column in columns:
        if column.thousands:
            marks = " and ".join(dict.fromkeys(_SIGNS.get(sign, "blanks") for sign in column.thousands))
            said.append(
                f"{printable(column.name)}: {marks} group the digits; the numbers are read and published without them, "
                f"with a decimal {'comma' if column.mark == ',' else 'point'}."
            )
    return said
