"""Distinct records as a table: what their values mean by a schema."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.files.coding import Origin, encode
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.schema.description import SchemaDescription
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.files.schema.schema_file import load_schema
from evosdc.table.table import Table
from evosdc_large.counting import Counted


def description_of(schema: Path | None, names: Sequence[str]) -> SchemaDescription:
    """Return the schema of some columns from a file; empty without one."""
    if schema is None:
        return SchemaDescription()
    said = load_schema(schema)
    chosen = {name: own for name, own in said.attributes.items() if name in names}
    return replace(said, attributes=chosen, edit_rules=())


def table_of(found: Counted, description: SchemaDescription, origin: str) -> Table:
    """Return distinct records as a table, in their order."""
    # Scales and categories that the description leaves out follow from the values, as everywhere in evosdc.
    columns = [
        column_of(name, values, found.codes[:, v])
        for v, (name, values) in enumerate(zip(found.names, found.values, strict=True))
    ]
    schema = description.resolve(columns)
    table = encode(columns, schema, Origin(origin, lambda place: f"distinct record {place + 1}"))
    return with_hierarchies(table, description.rules)


def column_of(name: str, values: Any, codes: Any) -> Column:
    """Return a column of distinct records by the texts of its values, as Parquet files are read elsewhere."""
    from evosdc.files.frame import columns_of

    if not len(values):
        return Column(name, (), np.full(len(codes), NO_TEXT, dtype=np.int32))
    import pyarrow as pa

    frame = pa.table([values], names=[name]).to_pandas(integer_object_nulls=True, ignore_metadata=True)
    column = columns_of(frame, name)[0].column
    return Column(name, column.texts, np.append(column.index, np.int32(NO_TEXT))[codes])
