"""Cells that a spreadsheet would take for formulas: found when a file is published, and made harmless on request.

A spreadsheet that opens a delimited file runs a text like ``=HYPERLINK(...)`` that a respondent has typed in. A quote
before it makes it a text again, as the Open Worldwide Application Security Project (OWASP) advises for CSV files.
"""

from collections.abc import Container, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.files.changed_numbers import NewNumbers
from evosdc.files.changes import Change
from evosdc.files.column import Column, Index, renamed
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.original import Original
from evosdc.files.packed import text_file, with_text
from evosdc.printing import printable
from evosdc.table.numerals import number

SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula may begin with; spreadsheets drop a leading tab or carriage return."""

QUOTE = "'"
"""What makes a text of a formula."""


def is_formula(text: str, mark: str = ".") -> bool:
    """Whether a spreadsheet may run a text; numbers such as -5, and signs alone, are no formulas."""
    return text.startswith(SIGNS) and any(map(str.isalnum, text)) and number(text, mark) is None


def formulas_of(original: Original, columns: Mapping[int, Column], changes: Mapping[int, Change]) -> dict[str, int]:
    """Return how many cells that are published are formulas, by column, its name among them.

    Only text files are read as cells; others tell texts from formulas.

    Parameters
    ----------
    original : Original
    columns, changes : mapping of int to Column, mapping of int to Change
        What is published, by position in the file.
    """
    text = text_file(original)
    if text is None:
        return {}
    titles = _titles(text, columns)
    counts = {
        column.name: int(_running(column, changes.get(place)).sum()) + (column.name in titles)
        for place, column in columns.items()
    }
    return {name: count for name, count in counts.items() if count}


def made_harmless(
    original: Original, columns: Mapping[int, Column], changes: Mapping[int, Change]
) -> tuple[Original, dict[int, Change]]:
    """Return a text file without formulas among the names of its columns, and changes that leave none in its cells."""
    text = text_file(original)
    assert text is not None, "only text files are read as cells"
    written = dict(changes)
    for place, column in columns.items():
        if _running(column, changes.get(place)).any():
            written[place] = neutralised(column, changes.get(place))
    titles = {name: QUOTE + name for name in _titles(text, columns)}
    return (with_text(original, text.titled(titles)) if titles else original), written


def _titles(text: DelimitedFile, columns: Mapping[int, Column]) -> list[str]:
    return [column.name for column in columns.values() if is_formula(column.name)] if text.header is not None else []


def neutralised(column: Column, change: Change | None) -> Change:
    """Return a change after which no cell of a column is a formula."""
    texts, index, running = _published(column, change)
    harmless = tuple(QUOTE + text if text is not None and is_formula(text, column.mark) else text for text in texts)
    changed = running if change is None else running | change.changed
    return Change(changed, harmless, index, np.zeros(len(column), dtype=np.bool_))


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
    texts: tuple[str | None, ...] = tuple(column.texts)
    index = column.index
    if change is not None:
        index = np.where(change.changed, change.index + np.int32(len(texts)), index).astype(np.int32)
        texts += tuple(change.texts)
    return texts, index, _running(column, change)


def _running(column: Column, change: Change | None) -> NDArray[np.bool_]:
    """Return which records are published as formulas, shape (n,)."""
    running = column.having(lambda text: is_formula(text, column.mark))
    if change is None:
        return running
    if isinstance(change.texts, NewNumbers):
        return running & ~change.changed
    found = np.array([text is not None and is_formula(text, column.mark) for text in change.texts], dtype=np.bool_)
    return np.where(change.changed, found[change.index], running)
