"""Public facts about a certified file before any measurement: attributes, their cells, and rules of records.

Every value falls into one *cell* of its attribute: a category, an interval of numbers, or the missing value. Cells come
from the schema alone, never from the records, since what depends on records has a price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError, SchemaError
from evosdc.printing import printable
from evosdc.table.edit_rules import Meant
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

    def table(self, cells: Cells, schema: Schema, rng: np.random.Generator) -> Table:
        """Return a table of these cells; `schema` is that of these attributes."""
        values = self.values(cells, rng)
        codes, numbers = ([values[a.name] for a in part] for part in (schema.categorical, schema.numeric))
        return Table(
            schema,
            np.column_stack([np.empty((len(cells), 0), np.int32), *codes]),
            np.column_stack([np.empty((len(cells), 0)), *numbers]),
        )

    def broken(self, cells: Cells) -> Flags:
        """Return which records break a rule, shape (n,)."""
        found = np.zeros(len(cells), dtype=np.bool_)
        for rule in self.rules:
            met = np.ones(len(cells), dtype=np.bool_)
            for place, meant in rule:
                met &= np.array(meant)[cells[:, place]]
            found |= met
        return found

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Domain":
        """Return the domain that `dataclasses.asdict` has made a document."""
        columns = tuple(
            Column(**(c | {"labels": tuple(c["labels"]), "edges": tuple(c["edges"])})) for c in document["columns"]
        )
        rules = tuple(tuple((place, tuple(map(bool, meant))) for place, meant in rule) for rule in document["rules"])
        return cls(columns, rules, tuple(document["texts"]))


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
