"""Public facts about a certified file before any measurement: attributes, their cells, and rules of records.

Every value falls into one *cell* of its attribute: a category, an interval of numbers, or the missing value. Cells come
from the schema alone, never from the records, since what depends on records has a price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError, SchemaError
from evosdc.printing import printable
from evosdc.table.edit_rules import Meant
from evosdc.table.record_check import breaking_rows
from evosdc.table.record_rules import RuleArrays
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table

Cells = NDArray[np.int32]
Flags = NDArray[np.bool_]

MOST_SINGLE = 128  # up to this many different values of a number, each value has a cell
INTERVALS = 64  # cells of equal width of a number with more values

# Roles of attributes that a certified file does not have: no record of it belongs to anybody.
LEFT_OUT = (Role.IDENTIFIER, Role.DROP, Role.HOUSEHOLD)


@dataclass(frozen=True)
class Column:
    """One attribute as cells."""

    name: str
    labels: tuple[str, ...] = ()  # the categories; empty for numbers
    # Of numbers: where cells begin, and where the last one ends, in units of the last decimal
    edges: tuple[int, ...] = ()
    decimals: int = 0
    ordered: bool = False  # whether neighbouring cells are alike
    missing: str = ""  # how a missing value is written. It has the last cell

    @property
    def size(self) -> int:
        """How many cells there are, with that of the missing value."""
        return (len(self.labels) or len(self.edges) - 1) + 1

    def of(self, values: NDArray[Any]) -> Cells:
        """Return the cells of codes or numbers, shape (n,); numbers beyond the bounds count as the bound."""
        if self.labels:
            return np.where(values == MISSING, self.size - 1, values).astype(np.int32)
        absent = np.isnan(values)
        units = np.rint(np.where(absent, 0.0, values) * 10.0**self.decimals)
        found = np.searchsorted(self.edges, np.clip(units, self.edges[0], self.edges[-1] - 1), side="right") - 1
        return np.where(absent, self.size - 1, found).astype(np.int32)

    def values(self, cells: Cells, rng: np.random.Generator) -> NDArray[Any]:
        """Return codes or numbers of cells, as a table has them; a number is drawn evenly from those of its cell."""
        absent = cells == self.size - 1
        if self.labels:
            return np.where(absent, MISSING, cells).astype(np.int32)
        edges = np.array((*self.edges, self.edges[-1] + 1), dtype=np.int64)
        return np.where(absent, np.nan, rng.integers(edges[cells], edges[cells + 1]) / 10**self.decimals)

    def texts(self, values: NDArray[Any]) -> list[str]:
        """Return how codes or numbers are written."""
        if self.labels:
            written = {MISSING: self.missing} | dict(enumerate(self.labels))
            return [written[code] for code in values.tolist()]
        return [self.missing if np.isnan(number) else f"{number:.{self.decimals}f}" for number in values.tolist()]

    def series(self, values: NDArray[Any]) -> Any:
        """Return codes or numbers as a column of a frame: categories with all that the schema lists."""
        if self.labels:
            return pd.Categorical.from_codes(values.astype(np.int64), pd.Index(self.labels), ordered=self.ordered)
        return values if self.decimals or np.isnan(values).any() else values.astype(np.int64)


@dataclass(frozen=True)
class Domain:
    """All that is public of a file."""

    columns: tuple[Column, ...]
    # Combinations that no record may have: by position of the column, which of its cells are meant
    rules: tuple[tuple[tuple[int, tuple[bool, ...]], ...], ...] = ()
    texts: tuple[str, ...] = ()  # the rules as people read them

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(column.name for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells each attribute has."""
        return tuple(column.size for column in self.columns)

    def cells(self, table: Table) -> Cells:
        """Return the cells of all records of a table, shape (n, V)."""
        return np.stack([column.of(table.column(column.name)) for column in self.columns], axis=1)

    def values(self, cells: Cells, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
        """Return codes or numbers of cells by attribute."""
        return {column.name: column.values(cells[:, place], rng) for place, column in enumerate(self.columns)}

    def text(self, values: Mapping[str, NDArray[Any]]) -> str:
        """Return codes or numbers by attribute as the text of a CSV file."""
        texts = {column.name: column.texts(values[column.name]) for column in self.columns}
        return pd.DataFrame(texts).to_csv(index=False, lineterminator="\n")

    @cached_property
    def rule_arrays(self) -> RuleArrays:
        """The rules as kernels take them (`evosdc.table.record_check`); the classes of an attribute are its cells."""
        conditions = [condition for rule in self.rules for condition in rule]
        offsets = np.cumsum([0, *(len(meant) for _, meant in conditions)])
        return RuleArrays(
            first=np.zeros(len(self.columns) + 1, np.int64),
            pairs=np.empty((0, 4), np.int64),
            rule_first=np.cumsum([0, *map(len, self.rules)]),
            conditions=np.array(
                [(place, at) for (place, _), at in zip(conditions, offsets, strict=False)], np.int64
            ).reshape(-1, 2),
            flags=np.array([flag for _, meant in conditions for flag in meant], np.bool_),
        )

    def broken(self, cells: Cells) -> Flags:
        """Return which records break a rule, shape (n,)."""
        return breaking_rows(cells, np.empty((len(cells), 0), np.int32), np.arange(len(cells)), self.rule_arrays)


def published(schema: Schema, attributes: Sequence[str] | None = None) -> tuple[Attribute, ...]:
    """Return the attributes of a certified file: those named, else all but identifiers and households."""
    if attributes is not None:
        schema.require(attributes, "protect")
        return tuple(schema[name] for name in attributes)
    return tuple(a for a in schema.attributes if a.role not in LEFT_OUT)


def domain_of(schema: Schema, attributes: Sequence[Attribute], bounds: Mapping[str, tuple[float, float]]) -> Domain:
    """Return the domain that a schema and bounds of numbers give."""
    # The bounds of a number are its least and greatest value, both included.
    faults = [
        Fault(f"--bounds {printable(name)}", "no numeric attribute that is published", "one of them")
        for name in bounds
        if not any(a.name == name and not a.categorical for a in attributes)
    ]
    for name, (low, high) in bounds.items():
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            faults.append(Fault(f"--bounds {printable(name)}", f"{low:g}:{high:g}", "LEAST:GREATEST, the least first"))
    if faults:
        raise ParameterError(faults)
    names = [a.name for a in attributes]
    kept = [rule for rule in schema.edit_rules if set(rule.names) <= set(names)]
    meant = [rule.meant(schema) for rule in kept]
    columns = tuple(
        _column(a, schema, bounds, [m for rule in meant for name, m in rule if name == a.name]) for a in attributes
    )
    if not any(column.size > 2 for column in columns):
        given = "no attribute with two values" if columns else "no attribute"
        raise SchemaError(Fault("attributes", given, "at least one with two categories", "There is nothing to learn."))
    rules = tuple(
        tuple((names.index(name), _cells_meant(columns[names.index(name)], part)) for name, part in rule)
        for rule in meant
    )
    return Domain(columns, rules, tuple(rule.text for rule in kept))


def _column(
    attribute: Attribute, schema: Schema, bounds: Mapping[str, tuple[float, float]], meant: Sequence[Meant]
) -> Column:
    missing = (*schema.missing_of(attribute.name), "")[0]
    ordered = attribute.scale is not Scale.NOMINAL
    if attribute.categorical:
        return Column(attribute.name, attribute.categories, ordered=ordered, missing=missing)
    unit = 10**attribute.decimals
    low, high = (round(bound * unit) for bound in bounds[attribute.name])
    if high - low < MOST_SINGLE:
        edges = set(range(low, high + 2))
    else:
        edges = {int(edge) for edge in np.linspace(low, high + 1, INTERVALS + 1)}
        edges |= {0, 1} if low <= 0 <= high else set()  # many numbers are 0 for most people
        for part in meant:
            assert isinstance(part, tuple)
            limits = (np.clip(part[0] * unit, low, high + 1), np.clip(part[1] * unit + 1, low, high + 1))
            edges |= {int(np.ceil(limits[0])), int(np.floor(limits[1]))}
    return Column(attribute.name, (), tuple(sorted(edges)), attribute.decimals, ordered, missing)


def _cells_meant(column: Column, meant: Meant) -> tuple[bool, ...]:
    if not isinstance(meant, tuple):
        return tuple(map(bool, meant))
    unit = 10**column.decimals
    least, greatest = np.array(column.edges[:-1]), np.array(column.edges[1:]) - 1
    return (*((least <= meant[1] * unit) & (greatest >= meant[0] * unit)).tolist(), False)
