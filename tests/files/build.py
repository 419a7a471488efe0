"""Small columns and files for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from evosdc.files.column import Column, distinct
from evosdc.table.dates import days_of
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table


def column(name: str, values: Sequence[str], mark: str = ".") -> Column:
    texts, index = distinct(values, len(values))
    return Column(name, texts, index, mark)


def write(folder: Path, content: bytes | str, name: str = "file.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def nominal(name: str, *categories: str, role: Role = Role.OTHER) -> Attribute:
    return Attribute(name, role, Scale.NOMINAL, categories)


def ordinal(name: str, *categories: str, role: Role = Role.OTHER) -> Attribute:
    return Attribute(name, role, Scale.ORDINAL, categories)


def numeric(name: str, decimals: int = 0, role: Role = Role.OTHER) -> Attribute:
    return Attribute(name, role, Scale.NUMERIC, (), None, decimals)


def schema(*attributes: Attribute, missing: tuple[str, ...] = ("",)) -> Schema:
    return Schema(attributes, missing)


def masked(table: Table, **columns: Any) -> Table:
    """Return a table with other values in some of its columns."""
    part = table.select(list(columns))
    codes, numbers = part.codes.copy(), part.numbers.copy()
    for name, column in columns.items():
        if part.schema[name].categorical:
            codes[:, [a.name for a in part.schema.categorical].index(name)] = column
        else:
            numbers[:, [a.name for a in part.schema.numeric].index(name)] = column
    return Table(part.schema, codes, numbers)


def day_of(text: str, date_format: str) -> date | None:
    """Return the day that a text writes, None where it writes none."""
    day: date | None = days_of([text], date_format)[0].item()
    return day
