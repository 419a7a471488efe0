"""What the functions are given: files, DataFrames and lists of names."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evosdc.table.schema import Schema
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: str | Path, schema: str | Path | Schema | None = None) -> Table:
    """Read a data file.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or another separated text file, or Parquet.
    schema : str, Path or Schema, optional
        A schema file or a schema; inferred from the data when not given.

    Raises
    ------
    InputError
        The file or the schema cannot be used; the error names every fault.
    """
    from evosdc.files.source import read_source

    given = schema if isinstance(schema, Schema) or schema is None else Path(schema)
    return read_source(Path(path), given).table


def as_table(data: "pd.DataFrame | Table") -> Table:
    """Return a table as it is, and a DataFrame as a table."""
    if isinstance(data, Table):
        return data
    from evosdc.files.frame import table_from_frame

    return table_from_frame(data)


def listed(names: Sequence[str] | str | None) -> list[str] | None:
    """Return names as a list; a single text is one name, and None stays None."""
    return [names] if isinstance(names, str) else None if names is None else list(names)
