"""Parquet and Feather files: read into columns of text, written back with the types of all columns kept."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.formats.values import converted
from evosdc.files.original import Published
from evosdc.table.numerals import numbers
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.formats import Reading


@dataclass(frozen=True, eq=False)
class ArrowFile:
    """A Parquet or Feather file."""

    table: Any  # its fields keep their types and metadata
    columns: tuple[Column, ...]
    declared: Mapping[str, Attribute]  # scale and categories of columns that are stored as categories
    suffix: str = ".parquet"  # of the file that is written

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"record {record + 1}"

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of a file with these columns, of the old types where they can hold new values."""
        import pyarrow as pa

        table = self.table.select([one.position for one in columns]).take(pa.array(rows))
        for place, one in enumerate(columns):
            if one.masked:
                field = table.schema.field(place)
                array = _replaced(self.table.column(one.position), self._values(one.position), one)
                table = table.set_column(place, field.with_type(array.type), array)
        return [_bytes(table, self.suffix)]

    def _values(self, position: int) -> Mapping[str, Any]:
        """Return the value that each text of a column stands for."""
        column = self.columns[position]
        present, first = np.unique(column.index, return_index=True)
        stored = self.table.column(position)
        return {column.texts[p]: stored[int(r)].as_py() for p, r in zip(present, first, strict=True) if p != NO_TEXT}


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a file of columns that came from a file of another format."""
    import pyarrow as pa

    return _bytes(pa.table({one.name: pa.array(converted(one)) for one in columns}), suffix)


def _bytes(table: Any, suffix: str) -> bytes:
    import pyarrow.parquet as pq
    from pyarrow import feather

    buffer = io.BytesIO()
    if suffix == ".parquet":
        pq.write_table(table, buffer)
    else:
        feather.write_feather(table, buffer)
    return buffer.getvalue()


def _replaced(old: Any, values: Mapping[str, Any], one: Published) -> Any:
    """Return an Arrow array of texts as values, of the old type if it can hold them, else of floats or texts."""
    import pyarrow as pa

    kind, column = old.type, one.column
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    places = np.unique(column.index)
    texts = [column.texts[place] for place in places if place != NO_TEXT]
    index = np.searchsorted(places[places != NO_TEXT], column.index)
    taken = pa.array(index, mask=column.index == NO_TEXT)
    try:
        read = [values[text] if text in values else _read(text, plain) for text in texts]
        if pa.types.is_duration(plain):
            read = _spans(read, values)
        if not pa.types.is_dictionary(kind):
            return pa.array(read, type=kind).take(taken)
        # New categories follow the old ones, which keep their order.
        known = old.unify_dictionaries().chunk(0).dictionary.to_pylist()
        merged = pa.array(read, type=plain).take(taken).to_pylist()
        labels = [*known, *(value for value in dict.fromkeys(merged) if value is not None and value not in known)]
        position = {label: place for place, label in enumerate(labels)}
        indices = pa.array([None if value is None else position[value] for value in merged], type=kind.index_type)
        return pa.DictionaryArray.from_arrays(indices, pa.array(labels, type=plain), ordered=kind.ordered)
    except (ValueError, ArithmeticError, pa.ArrowException):
        # New labels, as of a recoding, need not be values of the old type.
        found = numbers(texts)
        if found is not None and not pa.types.is_dictionary(kind):
            return pa.array(list(found), pa.float64()).take(taken)
        return pa.array(texts, pa.string()).take(taken)


def _spans(spans: list[timedelta], old: Mapping[str, timedelta]) -> list[timedelta]:
    """Return time spans in whole days, hours, minutes or seconds, as all old ones are."""
    from evosdc.files.frame import step_of_spans

    step = step_of_spans(np.array([span.total_seconds() for span in old.values()]))
    return [timedelta(seconds=round(span.total_seconds() / step) * step) for span in spans]


def _read(text: str, kind: Any) -> Any:
    """Return a text as a value of an Arrow type; raises ValueError or ArithmeticError when it is none."""
    import pyarrow as pa

    if pa.types.is_integer(kind):
        return int(text)
    if pa.types.is_floating(kind):
        return float(text)
    if pa.types.is_decimal(kind):
        return Decimal(text).quantize(Decimal(1).scaleb(-kind.scale))
    if pa.types.is_duration(kind):  # read as seconds
        return timedelta(seconds=float(text))
    if pa.types.is_boolean(kind) and text in ("True", "False"):
        return text == "True"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text
    raise ValueError(text)


def read(content: bytes, where: str, suffix: str, options: "Reading") -> ArrowFile:
    """Read a Parquet or a Feather file; Feather is also known as Arrow IPC."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import feather

    from evosdc.files.frame import columns_of, declared

    parquet = suffix == ".parquet"
    kind = "Parquet" if parquet else "Feather"
    try:
        table = (pq if parquet else feather).read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        given = f"a damaged {kind} file ({str(error).splitlines()[0]})"
        raise DataError(Fault(where, given, "a whole file")) from None
    if table.num_rows == 0:
        raise DataError(Fault(where, f"a {kind} file without records", "at least one record"))
    # Without the pandas metadata an index that was stored stays an ordinary column, and is written back as one.
    frame = table.replace_schema_metadata(None).to_pandas(integer_object_nulls=True, ignore_metadata=True)
    parts = columns_of(frame, where)
    return ArrowFile(table, tuple(part.column for part in parts), declared(frame, parts), suffix)
