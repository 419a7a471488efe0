"""Cells that a spreadsheet would take for formulas: found when a file is published, and made harmless on request.

A spreadsheet that opens a delimited file runs a text like ``=HYPERLINK(...)`` that a respondent has typed in. A quote
before it makes it a text again, as the Open Worldwide Application Security Project (OWASP) advises for CSV files.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column, renamed
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.original import Original, Published
from evosdc.files.packed import text_file, with_text
from evosdc.printing import printable
from evosdc.table.numerals import number

# what a formula may begin with; spreadsheets drop a leading tab or carriage return
SIGNS = ("=", "+", "-", "@", "\t", "\r")
QUOTE = "'"  # what makes a text of a formula


def is_formula(text: str, mark: str = ".") -> bool:
    """Whether a spreadsheet may run a text; numbers such as -5, and signs alone, are no formulas."""
    return text.startswith(SIGNS) and any(map(str.isalnum, text)) and number(text, mark) is None


def formulas_of(original: Original, columns: Sequence[Published]) -> dict[str, int]:
    """Return how many cells of published columns are formulas, by column, its name among them."""
    # Only text files are read as cells; other formats know texts from formulas.
    text = text_file(original)
    if text is None:
        return {}
    titles = _titles(text, columns)
    counts = {one.name: int(_running(one.column).sum()) + (one.name in titles) for one in columns}
    return {name: count for name, count in counts.items() if count}


def made_harmless(original: Original, columns: Sequence[Published]) -> tuple[Original, list[Published]]:
    """Return a text file without formulas among the names of its columns, and columns without any."""
    text = text_file(original)
    assert text is not None, "only text files are read as cells"
    harmless = []
    for one in columns:
        mark = one.column.mark
        texts = [QUOTE + text if is_formula(text, mark) else text for text in one.column.texts]
        running = _running(one.column).any()
        harmless.append(replace(one, column=renamed(one.column, texts), masked=True) if running else one)
    titles = _titles(text, columns)
    names = tuple(QUOTE + name if name in titles else name for name in text.dialect.names)
    titled = replace(text, dialect=replace(text.dialect, names=names))
    return (with_text(original, titled) if titles else original), harmless


def _titles(text: DelimitedFile, columns: Sequence[Published]) -> list[str]:
    return [one.name for one in columns if is_formula(one.name)] if text.dialect.header is not None else []


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
