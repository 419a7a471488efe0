"""The form of a published file, which must not disclose what its values do not.

Each value of a masked column has one form, so that none tells whether a cell is unchanged. A category is its
label, a number has the decimals of its attribute and the file's decimal mark, and all missing values are one text.
Codes that tell why a value is missing, such as -8 for a refusal, are kept where they are true: at records whose value
was missing for that reason before, and only where they make no group of equal records smaller than the smallest one of
the file. A value that masking takes away, or moves to another record, has no reason. Codes beside it would tell which
missing values masking made, so a column with such a value keeps none.

A spreadsheet may run texts like ``=HYPERLINK(...)`` as formulas: a quote before one makes it a text again, as OWASP
advises for CSV files. Rows may be in the order of a column that is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evosdc.files.column import NO_TEXT, Column, renamed
from evosdc.files.original import Published
from evosdc.printing import printable
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.exact_values import differing_numbers
from evosdc.table.numerals import MOST_DECIMALS, NumberTexts, decimals_after, number, numeral
from evosdc.table.schema import Attribute, Role, Schema
from evosdc.table.table import MISSING, Table

_NEITHER = -2  # neither a category nor a missing value, so that it differs from every code
_EXACT = 2.0**53
# what a formula may begin with; spreadsheets drop a leading tab or carriage return
SIGNS = ("=", "+", "-", "@", "\t", "\r")
QUOTE = "'"  # what makes a text of a formula
FEWEST_ROWS = 10  # in fewer rows an order may be chance
_NEARLY_ALL = 0.9
# the note on a masked file in the order of its original
IN_ORDER = (
    "The records keep the order of the original. Anyone who knows that order finds each person by the number of a row. "
    "Before a release shuffle them: --shuffle."
)
# the note in a result on a file whose rows are not in the order of the original
SHUFFLED = (
    "The records were published in random order. Numbers of records are those of the original. The crosswalk, which is "
    "for you alone, says which row of the protected file each of them is."
)


def masked_columns(columns: Mapping[str, Column], schema: Schema, masked: Table) -> dict[str, Column]:
    """Return the columns of a masked table as they are published, by name."""
    # Texts that tell why values are missing.
    reasons = {n: [t for t in columns[n].occurring(schema[n].missing) if t] for n in masked.schema.names}
    groups = _Groups(masked, bool(schema.with_role(Role.SENSITIVE))) if any(reasons.values()) else None
    published = {}
    for attribute in masked.schema.attributes:
        name, column, missing = attribute.name, columns[attribute.name], schema.missing_of(attribute.name)
        made = values_of(column, missing, attribute, masked.column(name))
        if made.lacking:
            gone, texts, index, own = made.index == NO_TEXT, tuple(made.texts), made.index, reasons[name]
            if text := _absent(column, [t for t in schema.missing if t not in schema[name].missing], columns):
                texts, index = (*texts, text), np.where(gone, np.int32(len(texts)), index)
            if groups is not None and own and not _taken_away(column, missing, gone):
                at = groups.keeping(column, gone, own)
                texts, index = (*texts, *own), np.where(at >= 0, len(texts) + at, index)
            made = Column(name, texts, index.astype(np.int32), made.mark)
        published[name] = made
    return published


def values_of(column: Column, missing: Sequence[str], attribute: Attribute, values: NDArray[Any]) -> Column:
    """Return a column that says values of a table, each in one way; no text where there is none."""
    # values (n,)
    if attribute.categorical:
        return Column(attribute.name, attribute.categories, values.astype(np.int32), column.mark)
    gone = np.isnan(values)
    texts = column.present(missing)
    array = texts.cells if isinstance(texts, NumberTexts) else pa.array(list(texts), pa.string())
    parts = (array.slice(0, 1000), array)  # a few rows show for most columns that they are not written as 1.50 and 2.00
    padded = all(bool((decimals_after(part, column.mark) == attribute.decimals).all()) for part in parts)
    cells = _numerals(values[~gone] if gone.any() else values, attribute.decimals, column.mark, padded)
    if not gone.any():
        return Column(attribute.name, NumberTexts(cells, column.mark), None, column.mark)
    encoded = pc.dictionary_encode(cells)
    index = np.full(len(values), NO_TEXT, dtype=np.int32)
    index[~gone] = encoded.indices.to_numpy(zero_copy_only=False)
    return Column(attribute.name, NumberTexts(encoded.dictionary, column.mark), index, column.mark)


def _numerals(values: NDArray[np.float64], decimals: int, mark: str, padded: bool) -> Any:
    """Return the texts of numbers as an Arrow array: rounded, never ``-0``, with noughts at the end where `padded`."""
    decimals = min(decimals, MOST_DECIMALS)
    with np.errstate(over="ignore"):
        units = np.rint(values * 10.0**decimals)
    if bool((np.abs(units) < _EXACT).all()):
        whole, rest = np.divmod(np.abs(units).astype(np.int64), 10**decimals)
        texts = pc.cast(pa.array(whole), pa.string())
        if decimals:
            texts = pc.binary_join_element_wise(
                texts, pc.utf8_lpad(pc.cast(pa.array(rest), pa.string()), decimals, "0"), "."
            )
        if (units < 0).any():
            texts = pc.if_else(pa.array(units < 0), pc.binary_join_element_wise("-", texts, ""), texts)
    else:
        texts = pa.array([numeral(value, decimals) for value in values.tolist()], pa.string())
    if decimals and not padded:
        texts = pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".")
    return texts if mark == "." else pc.replace_substring(texts, ".", mark)


def _absent(column: Column, plain: Sequence[str], columns: Mapping[str, Column]) -> str:
    """Return the text for a missing value without a reason: the column's own, else the file's; empty for none."""
    for candidates in ((column,), tuple(columns.values())):
        counts = {text: sum(one.count(text) for one in candidates) for text in plain}
        used = max(plain, key=counts.__getitem__, default="")
        if counts.get(used) and (used or len(candidates) == 1):
            return used
        if len(candidates) == 1 and column.lacking:
            return ""
    return plain[0] if plain and "" not in plain else ""


def _taken_away(column: Column, missing: Sequence[str], gone: NDArray[np.bool_]) -> bool:
    """Return whether a value that is gone was not missing before; gone has shape (n,)."""
    before = column.standing(missing)
    if column.cells is None:
        before |= column.index == NO_TEXT
    return bool((gone & ~before).any())


class _Groups:
    """Groups of equal records in a masked table, and where codes of missing values may divide them."""

    def __init__(self, masked: Table, sensitive: bool) -> None:
        codes = key_codes(masked, masked.schema.names)
        classes = equivalence_classes(codes)
        known = classes.counts[~(codes[classes.first] == MISSING).all(axis=1)]
        self.least = int(known.min(initial=len(masked)))  # records that are suppressed whole are no group
        # Who shares a sensitive value within a group is for the whole group to say.
        self.divisible = self.least == 1 or not sensitive
        self.of = classes.of  # group of each record, divided further by each column that keeps codes

    def keeping(self, column: Column, missing: NDArray[np.bool_], reasons: Sequence[str]) -> NDArray[np.intp]:
        """Return which of some reasons each missing value keeps, -1 for none, shape (n,)."""
        had = np.full(len(column), -1, dtype=np.intp)
        for place, text in enumerate(reasons):
            had[column.standing((text,)) & missing] = place
        sizes = np.zeros((int(self.of.max()) + 1, len(reasons) + 1), dtype=np.int64)
        np.add.at(sizes, (self.of, had), 1)
        divided = (sizes > 0).sum(axis=1) > 1
        smallest = np.where(sizes > 0, sizes, len(column)).min(axis=1)
        kept = np.where((~divided | (self.divisible & (smallest >= self.least)))[self.of], had, -1)
        self.of = np.unique(self.of * (len(reasons) + 1) + kept + 1, return_inverse=True)[1].reshape(-1)
        return kept


def code_sentences(column: Column, published: Column, schema: Schema, values: NDArray[Any]) -> list[str]:
    """Return a note on a column's codes of missing values that are not published; none where all are."""
    codes, name = [text for text in column.occurring(schema[column.name].missing) if text], printable(column.name)
    missing = values == MISSING if values.dtype.kind == "i" else np.isnan(values)
    coded = column.standing(codes) & missing
    had, kept = int(coded.sum()), int((published.standing(codes) & coded).sum())
    if kept == had:
        return []
    return [
        f"{name}: {kept} of {had} values that are still missing keep the code that says why; "
        "the others would tell which values masking took away, or fewer records would be alike."
    ]


def changed_values(column: Column, missing: Sequence[str], table: Table, masked: Table) -> int:
    """Return how many values of an attribute are others in a masked table; to write fewer decimals changes none."""
    before, after = table.schema[column.name], masked.schema[column.name]
    if not after.categorical:
        return int(differing_numbers(table, masked, column.name).sum())
    new = masked.column(column.name)
    if before.categorical:
        code = [after.code.get(label, _NEITHER) for label in before.categories]
        return int((np.array([*code, MISSING])[table.column(column.name)] != new).sum())
    by_text = [MISSING if text in missing else after.code.get(text, _NEITHER) for text in column.texts]
    return int((np.array([*by_text, MISSING])[column.index] != new).sum())


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


def without_quotes(column: Column, schema: Schema) -> Column:
    """Return a column whose name and texts are those before they were neutralised, except what the schema has so."""
    name = column.name.removeprefix(QUOTE)
    if column.name not in schema and name in schema and is_formula(name):
        column = column.called(name)
    words = column.texts if column.held is None else column.held.words
    if column.name not in schema or not any(text.startswith(QUOTE) for text in words):
        return column
    kept = frozenset(schema[column.name].categories)
    texts = [
        text[1:] if text.startswith(QUOTE) and text not in kept and is_formula(text[1:], column.mark) else text
        for text in column.texts
    ]
    return column if texts == list(column.texts) else renamed(column, texts)


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


def keeps_order(column: Column) -> bool:
    """Whether the rows are in the order of a column with a distinct value for nearly every row."""
    # Up and down are orders both; rows without a value are passed over.
    index = column.index[column.index != NO_TEXT]
    if len(index) < FEWEST_ROWS or len(np.unique(index)) < _NEARLY_ALL * len(index):
        return False
    values = column.numbers_to((), None)
    places = np.unique(np.array(column.texts) if np.isnan(values).any() else values, return_inverse=True)[1]
    steps = np.diff(places[index])
    return bool((steps >= 0).all() or (steps <= 0).all())


def order_sentences(names: Sequence[str]) -> list[str]:
    """Return a sentence on the columns that are left out and whose order the rows keep; none where there are none."""
    if not names:
        return []
    which, these = printable(", ".join(names)), "it" if len(names) == 1 else "them"
    return [
        f"The rows are in the order of {which}, left out of the file: anyone who has a list of {these} identifies "
        "records by the numbers of their rows. Publish them in another order: --shuffle, or shuffle = true below data "
        "of an experiment."
    ]


def duplicate_sentences(columns: Sequence[Column], identified: Sequence[str]) -> list[str]:
    """Return a sentence on rows that are equal in every column; none where there are none."""
    # One that identifies is most likely to tell all rows apart.
    likely = sorted(columns, key=lambda column: column.name not in identified)
    if not identified or any(len(c) <= len(c.texts) + 1 and len(np.unique(c.index)) == len(c) for c in likely):
        return []
    doubled = len(columns[0]) - len(np.unique(np.column_stack([column.index for column in columns]), axis=0))
    if not doubled:
        return []
    rows = f"{doubled} rows repeat another one" if doubled > 1 else "1 row repeats another one"
    return [f"{rows} in every column, {printable(', '.join(identified))} included: are they meant to be there twice?"]
