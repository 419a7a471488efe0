"""What the functions are given: files, DataFrames and lists of names."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evosdc.errors import DataError, Fault
from evosdc.table.schema import WITHHELD, Schema
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


def chosen_of(data: "pd.DataFrame | Table", table: Table, attributes: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes to work on, by `choose_attributes`.

    A DataFrame tells no roles. Where no attributes are named, columns that look like identifiers or free text are left
    out, with a `UserWarning` that names them: to mask them would be no protection, and nobody should believe that.

    Raises
    ------
    InputError
        As `choose_attributes`; or nothing is left.
    """
    from evosdc.calls.attribute_choice import choose_attributes

    chosen = choose_attributes(table.schema, attributes)
    if attributes is not None or isinstance(data, Table):
        return chosen
    from evosdc.files.inference.proposal import infer_schema

    found = infer_schema(data)
    apart = [name for name in chosen if found.schema[name].role in WITHHELD]
    if apart:
        reasons = "; ".join(f"{name}: {found.reasons.get(name, found.schema[name].role)}" for name in apart)
        advice = "Drop such columns before you publish, or name the attributes."
        if len(apart) == len(chosen):
            raise DataError(Fault("attributes", f"none, and nothing but identifiers ({reasons})", "names", advice))
        warnings.warn(
            f"Left as they are, since they look like identifiers or free text ({reasons}). {advice}", stacklevel=4
        )
    return tuple(name for name in chosen if name not in apart)


def listed(names: Sequence[str] | str | None) -> list[str] | None:
    """Return names as a list; a single text is one name, and None stays None."""
    return [names] if isinstance(names, str) else None if names is None else list(names)
