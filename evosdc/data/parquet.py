"""Parquet files: read into columns of text, written back with the types of all columns kept."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evosdc.data.changes import Change
from evosdc.data.column import Column
from evosdc.data.schema import Attribute
from evosdc.data.table import Rows
from evosdc.errors import DataError, Fault

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ParquetDocument:
    """A Parquet file; the fields of its Arrow table keep their types and metadata."""

    table: Any
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    declared: Mapping[str, Attribute]

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"record {record + 1}"

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[str]
    ) -> bytes:
        """Return the file's bytes with some values changed, some columns dropped and only some records kept."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        from evosdc.data.frame import replaced

        table = self.table.take(pa.array(rows))
        for position, change in changes.items():
            if change.changed.any():
                field = table.schema.field(position)
                series = self.frame.iloc[rows, position].reset_index(drop=True)
                array = pa.array(replaced(series, change), from_pandas=True)
                if array.type != field.type:
                    try:
                        array = array.cast(field.type)
                    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                        # New labels, as of a recoding, need not be values of the old type.
                        field = field.with_type(array.type)
                table = table.set_column(position, field, array)
        kept = [position for position in range(table.num_columns) if position not in set(dropped)]
        buffer = io.BytesIO()
        pq.write_table(table.select(kept), buffer)
        return buffer.getvalue()


def parse_parquet(content: bytes, where: str) -> ParquetDocument:
    """Read a Parquet file.

    Raises
    ------
    DataError
        pyarrow is not installed, the file is damaged or without records, or repeats a column.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        advice = "Install it: pip install 'evosdc[parquet]'."
        raise DataError(Fault(where, "a Parquet file", "pyarrow to read it with", advice)) from None
    try:
        table = pq.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        given = f"a damaged Parquet file ({str(error).splitlines()[0]})"
        raise DataError(Fault(where, given, "a whole file")) from None
    from evosdc.data.frame import columns_of, declared

    # Without the pandas metadata an index that was stored stays an ordinary column, and is written back as one.
    frame = table.replace_schema_metadata(None).to_pandas(integer_object_nulls=True, ignore_metadata=True)
    if table.num_rows == 0:
        raise DataError(Fault(where, "a Parquet file without records", "at least one record"))
    parts = columns_of(frame, where)
    return ParquetDocument(table, frame, tuple(part.column for part in parts), declared(frame, parts))
