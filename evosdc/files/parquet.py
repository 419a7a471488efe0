"""Parquet and Feather files: read into columns of text, written back with the types of all columns kept."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.missing_reasons import NO_REASON
from evosdc.table.numerals import numbers
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class ParquetFile:
    """A Parquet or Feather file.

    Parameters
    ----------
    table : pyarrow.Table
        Its fields keep their types and metadata.
    columns : tuple of Column
    declared : mapping of str to Attribute
        Scale and categories of columns that are stored as categories.
    suffix : str
        Of the file that is written.
    """

    table: Any
    columns: tuple[Column, ...]
    declared: Mapping[str, Attribute]
    suffix: str = ".parquet"

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"record {record + 1}"

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return the file's bytes with some values changed, some columns dropped and only some records kept."""
        import pyarrow as pa
        import pyarrow.parquet as pq
        from pyarrow import feather

        table = self.table.take(pa.array(rows))
        for position, change in changes.items():
            if change.changed.any():
                field = table.schema.field(position)
                array = _replaced(table.column(position), self._values(position), change)
                table = table.set_column(position, field.with_type(array.type), array)
        kept = [position for position in range(table.num_columns) if position not in set(dropped)]
        buffer = io.BytesIO()
        if self.suffix == ".feather":
            feather.write_feather(table.select(kept), buffer)
        else:
            pq.write_table(table.select(kept), buffer)
        return buffer.getvalue()

    def _values(self, position: int) -> Mapping[str, Any]:
        """Return the value that each text of a column stands for."""
        column = self.columns[position]
        present, first = np.unique(column.index, return_index=True)
        stored = self.table.column(position)
        return {column.texts[p]: stored[int(r)].as_py() for p, r in zip(present, first, strict=True) if p != NO_TEXT}


def _replaced(old: Any, values: Mapping[str, Any], change: Change) -> Any:
    """Return an Arrow array with changed values, of the old type if it can hold them, else of floats or texts."""
    import pyarrow as pa

    kind = old.type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    used = sorted(set(change.index[change.changed].tolist()))
    texts = {p: change.texts[p] for p in used}
    merged = old.to_pylist()
    try:
        read = {p: values[t] if t in values else _read(t, plain) for p, t in texts.items() if t}
        read |= {p: values.get(NO_REASON) if t == NO_REASON else None for p, t in texts.items() if not t}
        for row in np.flatnonzero(change.changed):
            merged[row] = read[int(change.index[row])]
        if not pa.types.is_dictionary(kind):
            return pa.array(merged, type=kind)
        return dictionary_like(merged, old, plain)
    except (ValueError, ArithmeticError, pa.ArrowException):
        # New labels, as of a recoding, need not be values of the old type.
        by_value = {value: text for text, value in values.items()}
        labels = [None if value is None else by_value.get(value, str(value)) for value in old.to_pylist()]
        for row in np.flatnonzero(change.changed):
            labels[row] = change.texts[change.index[row]]
        found = numbers([label for label in labels if label is not None])
        if found is not None and not pa.types.is_dictionary(kind):
            return pa.array([None if label is None else float(label) for label in labels])
        return pa.array(labels)


def dictionary_like(merged: Sequence[Any], old: Any, plain: Any) -> Any:
    """Return a dictionary array that keeps the order of the old categories; new ones follow."""
    import pyarrow as pa

    known = old.unify_dictionaries().chunk(0).dictionary.to_pylist()
    labels = [*known, *(value for value in dict.fromkeys(merged) if value is not None and value not in known)]
    position = {label: place for place, label in enumerate(labels)}
    indices = pa.array([None if value is None else position[value] for value in merged], type=old.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, pa.array(labels, type=plain), ordered=old.type.ordered)


def _read(text: str, kind: Any) -> Any:
    """Return a text as a value of an Arrow type; raises ValueError or ArithmeticError when it is none."""
    import pyarrow as pa

    if pa.types.is_integer(kind):
        return int(text)
    if pa.types.is_floating(kind):
        return float(text)
    if pa.types.is_decimal(kind):
        return Decimal(text).quantize(Decimal(1).scaleb(-kind.scale))
    if pa.types.is_boolean(kind) and text in ("True", "False"):
        return text == "True"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text
    raise ValueError(text)


def parse_parquet(content: bytes, where: str) -> ParquetFile:
    """Read a Parquet file.

    Raises
    ------
    DataError
        pyarrow is not installed, the file is damaged or without records, repeats a column, or holds lists.
    """
    try:
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        advice = "Install it: pip install 'evosdc[parquet]'."
        raise DataError(Fault(where, "a Parquet file", "pyarrow to read it with", advice)) from None
    return _parsed(lambda: pq.read_table(io.BytesIO(content)), where, "Parquet", ".parquet")


def parse_feather(content: bytes, where: str) -> ParquetFile:
    """Read a Feather file, which is also known as Arrow IPC; raises as `parse_parquet`."""
    try:
        from pyarrow import feather
    except ModuleNotFoundError:
        advice = "Install it: pip install 'evosdc[feather]'."
        raise DataError(Fault(where, "a Feather file", "pyarrow to read it with", advice)) from None
    return _parsed(lambda: feather.read_table(io.BytesIO(content)), where, "Feather", ".feather")


def _parsed(read: Callable[[], Any], where: str, kind: str, suffix: str) -> ParquetFile:
    import pyarrow as pa

    try:
        table = read()
    except (pa.ArrowException, OSError) as error:
        given = f"a damaged {kind} file ({str(error).splitlines()[0]})"
        raise DataError(Fault(where, given, "a whole file")) from None
    from evosdc.files.frame import columns_of, declared

    if table.num_rows == 0:
        raise DataError(Fault(where, f"a {kind} file without records", "at least one record"))
    # Without the pandas metadata an index that was stored stays an ordinary column, and is written back as one.
    frame = table.replace_schema_metadata(None).to_pandas(integer_object_nulls=True, ignore_metadata=True)
    parts = columns_of(frame, where)
    return ParquetFile(table, tuple(part.column for part in parts), declared(frame, parts), suffix)
