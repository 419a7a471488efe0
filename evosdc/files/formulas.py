"""Cells that a spreadsheet would take for formulas: found when a file is published, and made harmless on request.

A spreadsheet that opens a delimited file runs a text like ``=HYPERLINK(...)`` that a respondent has typed in. A quote
before it makes it a text again, as the Open Worldwide Application Security Project (OWASP) advises for CSV files.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column, renamed
from evosdc.files.original import Published
from evosdc.printing import printable
from evosdc.table.numerals import number

# what a formula may begin with; spreadsheets drop a leading tab or carriage return
SIGNS = ("=", "+", "-", "@", "\t", "\r")
QUOTE = "'"  # what makes a text of a formula


def is_formula(text: str, mark: str = ".") -> bool:
    """Whether a spreadsheet may run a text; numbers such as -5, and signs alone, are no formulas."""
    return text.startswith(SIGNS) and any(map(str.isalnum, text)) and number(text, mark) is None


def formulas_of(columns: Sequence[Published], titled: bool) -> dict[str, int]:
    """Return how many cells of columns that are published as text are formulas, by column, names among them."""
    counts = {one.name: int(_running(one.column).sum()) + (titled and is_formula(one.name)) for one in columns}
    return {name: count for name, count in counts.items() if count}


def made_harmless(columns: Sequence[Published], titled: bool) -> list[Published]:
    """Return columns without formulas, and without any among their names where these are written."""
    harmless = []
    for one in columns:
        column, running = one.column, bool(_running(one.column).any())
        if running:
            column = renamed(column, [QUOTE + text if is_formula(text, column.mark) else text for text in column.texts])
        name = QUOTE + one.name if titled and is_formula(one.name) else one.name
        harmless.append(replace(one, column=column.called(name), masked=one.masked or running))
    return harmless


def _running(column: Column) -> NDArray[np.bool_]:
    """Return which records are published as formulas, shape (n,); numbers are none."""
    texts = column.texts if column.held is None else column.held.words
    return column.standing([text for text in texts if is_formula(text, column.mark)])


def as_before(column: Column, known: Sequence[str]) -> Column:
    """Return a column whose neutralised texts are those that they were made of, except texts that are `known` so."""
    kept = frozenset(known)
    if column.held is not None and not any(text.startswith(QUOTE) for text in column.held.words):
        return column
    texts = tuple(
        text[1:] if text.startswith(QUOTE) and text not in kept and is_formula(text[1:], column.mark) else text
        for text in column.texts
    )
    return column if texts == tuple(column.texts) else renamed(column, texts)


def name_before(name: str, known: Container[str]) -> str:
    """Return the name that a column had before it was neutralised, where that one is `known`."""
    plain = name.removeprefix(QUOTE)
    return plain if name not in known and plain in known and is_formula(plain) else name


def formula_sentences(formulas: Mapping[str, int], neutral: bool) -> list[str]:
    """Return the warning on formulas in a published file; empty where there are none."""
    if not formulas:
        return []
    where = printable(", ".join(f"{name} ({count})" for name, count in formulas.items()))
    if neutral:
        return [f"Cells that begin like a formula of a spreadsheet were published with a quote before them: {where}."]
    return [
        f"Cells begin like a formula of a spreadsheet (with =, +, -, @ or a tab), which may be run where the file is "
        f"opened: {where}. --neutralise-formulas, or neutralise_formulas = true in the schema, puts a quote before "
        "them."
    ]
