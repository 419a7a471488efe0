"""The texts of a masked column: each value in one form, so that no form discloses whether a cell is unchanged.

A category is its label, a number has the decimals of its attribute and the file's decimal mark, and all missing values
are one text. Codes that tell why a value is missing, such as -8 for a refusal, are kept where they are true: at records
whose value was missing for that reason before, and only where they make no group of equal records smaller than the
smallest one of the file. A value that masking takes away has no reason, and is published without one. Where a column
has a single code, none is kept beside such a value: it would tell nothing but which values were missing before.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evosdc.files.column import NO_TEXT, Column
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.exact_values import differing_numbers
from evosdc.table.numerals import MOST_DECIMALS, NumberTexts, decimals_after, numeral
from evosdc.table.schema import Attribute, Role, Schema
from evosdc.table.table import MISSING, Table

_NEITHER = -2  # neither a category nor a missing value, so that it differs from every code
_EXACT = 2.0**53


def masked_columns(columns: Mapping[str, Column], schema: Schema, masked: Table) -> dict[str, Column]:
    """Return the columns of a masked table as they are published, by name."""
    published = {}
    # Texts that tell why values are missing.
    reasons = {n: [t for t in columns[n].occurring(schema[n].missing) if t] for n in masked.schema.names}
    groups = _Groups(masked, bool(schema.with_role(Role.SENSITIVE))) if any(reasons.values()) else None
    for attribute in masked.schema.attributes:
        column = columns[attribute.name]
        made = values_of(column, schema.missing_of(attribute.name), attribute, masked.column(attribute.name))
        if made.lacking:
            plain = [text for text in schema.missing if text not in schema[attribute.name].missing]
            text = _absent(column, plain, columns)
            texts, index = tuple(made.texts), made.index.copy()
            if text:
                texts, index = (*texts, text), np.where(index == NO_TEXT, np.int32(len(texts)), index)
            own, gone = reasons[attribute.name], made.index == NO_TEXT
            taken = len(own) == 1 and taken_away(column, schema.missing_of(attribute.name), gone).any()
            if groups is not None and own and not taken:
                at = groups.keeping(column, gone, own)
                texts, index = (*texts, *own), np.where(at >= 0, len(texts) + at, index)
            made = Column(made.name, texts, index.astype(np.int32), made.mark)
        published[attribute.name] = made
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


def taken_away(column: Column, missing: Sequence[str], gone: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which values that are gone were not missing before, shape (n,)."""
    before = column.standing(missing)
    if not column.of_cells:
        before |= column.index == NO_TEXT
    taken: NDArray[np.bool_] = gone & ~before
    return taken


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


def kept_codes(column: Column, published: Column, schema: Schema, values: NDArray[Any]) -> tuple[int, int, int]:
    """Return how many missing values had a code that says why, how many keep it, and how many masking took away."""
    attribute = schema[column.name]
    codes = [text for text in column.occurring(attribute.missing) if text]
    missing = values == MISSING if values.dtype.kind == "i" else np.isnan(values)
    had = column.standing(codes) & missing
    taken = taken_away(column, schema.missing_of(column.name), missing)
    return int(had.sum()), int((published.standing(codes) & had).sum()), int(taken.sum())


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
