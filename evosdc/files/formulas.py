"""Cells that a spreadsheet would take for formulas: found when a file is published, and made harmless on request.

A spreadsheet that opens a delimited file runs a text like ``=HYPERLINK(...)`` that a respondent has typed in. A quote
before it makes it a text again, as the Open Worldwide Application Security Project (OWASP) advises for CSV files.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.files.changes import Change
from evosdc.files.column import Column, Index, renamed
from evosdc.printing import printable
from evosdc.table.numerals import number

SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula may begin with; spreadsheets drop a leading tab or carriage return."""

QUOTE = "'"
"""What makes a text of a formula."""


def is_formula(text: str, mark: str = ".") -> bool:
    """Whether a spreadsheet may run a text; numbers such as -5, and signs alone, are no formulas."""
    return text.startswith(SIGNS) and any(map(str.isalnum, text)) and number(text, mark) is None


def count_formulas(column: Column, change: Change | None) -> int:
    """Return how many cells of a column are formulas once a change is made."""
    return int(_published(column, change)[2].sum())


def neutralised(column: Column, change: Change | None) -> Change:
    """Return a change after which no cell of a column is a formula."""
    texts, index, running = _published(column, change)
    harmless = tuple(QUOTE + text if text is not None and is_formula(text, column.mark) else text for text in texts)
    changed = running if change is None else running | change.changed
    return Change(changed, harmless, index, np.zeros(len(column), dtype=np.bool_))


def as_before(column: Column, known: Sequence[str]) -> Column:
    """Return a column whose neutralised texts are those that they were made of, except texts that are `known` so."""
    kept = frozenset(known)
    texts = tuple(
        text[1:] if text.startswith(QUOTE) and text not in kept and is_formula(text[1:], column.mark) else text
        for text in column.texts
    )
    return column if texts == column.texts else renamed(column, texts)


def formula_sentences(formulas: Mapping[str, int], neutral: bool) -> list[str]:
    """Return what has to be known of formulas in a published file; nothing where there are none."""
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


def _published(column: Column, change: Change | None) -> tuple[tuple[str | None, ...], Index, NDArray[np.bool_]]:
    """Return all texts, each record's position among them, and whether it is a formula, shape (n,)."""
    texts: tuple[str | None, ...] = column.texts
    index = column.index
    if change is not None:
        index = np.where(change.changed, change.index + np.int32(len(texts)), index).astype(np.int32)
        texts += change.texts
    running = [text is not None and is_formula(text, column.mark) for text in texts]
    return texts, index, np.array([*running, False], dtype=np.bool_)[index]
