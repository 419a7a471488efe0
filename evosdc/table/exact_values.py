"""Values that are published as they were: by each attribute's exact value alone, how many people are found."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import placed_values
from evosdc.table.published_decimals import at_decimals
from evosdc.table.schema import Role
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc.table.whole_shares import shares_of, unit_of

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ExactValues:
    """Who is found by the exact value of one attribute alone, for each attribute of an original."""

    # Of t people with the value one is taken: found with a chance of 1 / t. A missing category is a value, a missing
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
        """Return for each record the chance to be found by the exact value of an attribute, shape (n,), 0..1."""
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
