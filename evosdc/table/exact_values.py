"""Values that are published as they were: by each attribute's exact value alone, how many people are re-identified.

Numbers count as kept, or as changed, by what they are at the decimals that are published: to round a number changes
what is written and discloses nothing else, as anyone who knows a person's value can round it likewise.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.equivalence import placed_values
from evosdc.table.numerals import MOST_DECIMALS
from evosdc.table.schema import Attribute, Role
from evosdc.table.table import Codes, Numbers, Rows, Table

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ExactValues:
    """Who is re-identified by the exact value of one attribute alone, for each attribute of an original."""

    # One of t people with the value is re-identified with a chance of 1 / t. A missing category is a value, a missing
    # number none. Numbers count at the decimals that are published.

    def __init__(self, original: Table, names: Sequence[str]) -> None:
        schema = original.schema
        categorical = [v for v, a in enumerate(schema.categorical) if a.name in names]
        numeric = [v for v, a in enumerate(schema.numeric) if a.name in names]
        self.names = (*(schema.categorical[v].name for v in categorical), *(schema.numeric[v].name for v in numeric))
        self._categorical, self._numeric, self._attributes = categorical, numeric, schema.numeric
        numbers = at_decimals(original.numbers, schema.numeric)
        # No file has more decimals than the schema says; where the original has no more, none need be cut.
        self._cut = numbers is not original.numbers
        self._codes, self._numbers = original.codes, numbers
        self._frequencies = np.empty((len(original), len(self.names)), dtype=np.int32)
        columns = [*original.codes.T[categorical], *numbers.T[numeric]]
        for place, column in enumerate(columns):
            _, flat, counts = placed_values(column)
            self._frequencies[:, place] = counts[flat]
        self._unit = unit_of(len(original))
        self._shares = shares_of(np.arange(len(original) + 1), self._unit)  # by frequency

    def kept(self, masked: Table, rows: Rows | slice = slice(None)) -> Flags:
        """Return which values of records are as they were, shape (m, V) in the order of `names`."""
        parts = []
        if self._categorical:
            parts.append(_alike(masked.codes, self._codes[rows], self._categorical))
        if self._numeric:
            numbers = at_decimals(masked.numbers, self._attributes) if self._cut else masked.numbers
            parts.append(_alike(numbers, self._numbers[rows], self._numeric))
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def shares(self, kept: Flags | NDArray[np.int8], rows: Rows | slice = slice(None)) -> Integers:
        """Return the chance of re-identification by each kept value, in whole numbers whose sum `percent` reads."""
        shares: Integers = kept * self._shares[self._frequencies[rows]]
        return shares

    def percent(self, shares: Any) -> Any:
        """Return sums of shares as per cent of the people."""
        return 100.0 * (shares / float(self._unit * max(len(self._frequencies), 1)))

    def percents(self, masked: Table) -> Numbers:
        """Return, in the order of `names`, the per cent of re-identified people, shape (V,), each 0..100."""
        percents: Numbers = self.percent(self.shares(self.kept(masked)).sum(axis=0))
        return percents

    def chances(self, masked: Table, name: str) -> Numbers:
        """Return each record's chance of re-identification by the exact value of an attribute, shape (n,), 0..1."""
        place = self.names.index(name)
        return np.where(self.kept(masked)[:, place], 1.0 / self._frequencies[:, place], 0.0)


def _alike(values: Codes | Numbers, own: Codes | Numbers, judged: Sequence[int]) -> Flags:
    if values.shape != own.shape:
        raise ValueError("the masked table has other records or attributes than the original")
    alike: Flags = values == own
    return alike if len(judged) == alike.shape[1] else alike[:, judged]


def known_of(table: Table, protect: Sequence[str]) -> tuple[str, ...]:
    """Return the masked attributes that an intruder is taken to know: all except sensitive ones, if there are any."""
    return tuple(n for n in protect if table.schema[n].role is not Role.SENSITIVE) or tuple(protect)


def at_decimals(numbers: Numbers, attributes: Sequence[Attribute]) -> Numbers:
    """Return numbers, shape (n, V), rounded to the decimals of their attributes; themselves where none has more."""
    rounded = numbers
    for v, attribute in enumerate(attributes):
        if attribute.decimals <= MOST_DECIMALS:
            column: Numbers = np.round(numbers[:, v], attribute.decimals)
            if not np.array_equal(column, numbers[:, v], equal_nan=True):
                rounded = numbers.copy() if rounded is numbers else rounded
                rounded[:, v] = column
    return rounded


def differing_numbers(original: Table, published: Table, name: str) -> NDArray[np.bool_]:
    """Return where a published number differs at the decimals published, shape (n,); missing ones are alike."""
    decimals = min(original.schema[name].decimals, MOST_DECIMALS)
    first, second = (np.round(table.column(name), decimals) for table in (original, published))
    other: NDArray[np.bool_] = (first != second) & ~(np.isnan(first) & np.isnan(second))
    return other


def with_published_decimals(original: Table, published: Table) -> Table:
    """Return the original with a schema that has no more decimals than the values of a published file have."""
    schema = original.schema
    shared = [a for a in schema.numeric if a.name in published.schema and not published.schema[a.name].categorical]
    fewer = {}
    for a in shared:
        known = published.column(a.name)[~np.isnan(published.column(a.name))]
        fits = (d for d in range(min(a.decimals, MOST_DECIMALS)) if np.array_equal(np.round(known, d), known))
        fewer[a.name] = next(fits, a.decimals)
    if all(fewer[a.name] == a.decimals for a in shared):
        return original
    attributes = tuple(replace(a, decimals=fewer.get(a.name, a.decimals)) for a in schema.attributes)
    return Table(replace(schema, attributes=attributes), original.codes, original.numbers)


# Shares of records as whole numbers: their sums are exact, whatever the order in which they are added.


def unit_of(records: int) -> int:
    """Return the whole number that represents one record; those of all records add up to less than 2**62."""
    return 1 << (62 - int(records).bit_length())


def shares_of(sizes: NDArray[np.integer], unit: int) -> NDArray[np.int64]:
    """Return one record divided by each size, to the nearest whole number; 0 where the size is 0."""
    divisors = np.maximum(sizes, 1).astype(np.int64)
    return np.where(sizes > 0, (unit + divisors // 2) // divisors, 0)
