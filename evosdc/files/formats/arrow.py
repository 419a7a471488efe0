"""Parquet and Feather files: read into columns of text, written back with the types of all columns kept."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from evosdc.errors import DataError, Fault
from evosdc.files.column import NO_TEXT
from evosdc.files.frame import HeldFrame, step_of_spans
from evosdc.files.original import Original, Published, converted
from evosdc.table.numerals import numbers
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.formats import Reading


@dataclass(frozen=True, eq=False)
class ArrowFile(Original):
    """A Parquet or Feather file."""

    table: Any  # its fields keep their types and metadata

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of a file with these columns, of the old types where they can hold new values."""
        table = self.table.select([one.position for one in columns]).take(pa.array(rows))
        for place, one in enumerate(columns):
            if one.masked:
                column, old = self.columns[one.position], self.table.column(one.position)
                present, first = np.unique(column.index, return_index=True)
                at = {column.texts[p]: int(row) for p, row in zip(present, first, strict=True) if p != NO_TEXT}
                array = _replaced(old, {text: old[row].as_py() for text, row in at.items()}, one)
                table = table.set_column(place, table.schema.field(place).with_type(array.type), array)
        return [_bytes(table, self.format)]


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a file of columns that came from a file of another format."""
    return _bytes(pa.table({one.name: pa.array(converted(one)) for one in columns}), suffix)


def _bytes(table: Any, suffix: str) -> bytes:
    import pyarrow.parquet as pq
    from pyarrow import feather

    buffer = io.BytesIO()
    (pq.write_table if suffix == ".parquet" else feather.write_feather)(table, buffer)
    return buffer.getvalue()


def _replaced(old: Any, values: Mapping[str, Any], one: Published) -> Any:
    """Return an Arrow array of texts as values, of the old type if it can hold them, else of floats or texts."""
    # values: by text, what stood in the file
    kind, column = old.type, one.column
    categories = pa.types.is_dictionary(kind)
    plain = kind.value_type if categories else kind
    places = np.unique(column.index[column.index != NO_TEXT])
    texts = [column.texts[place] for place in places]
    taken = pa.array(np.searchsorted(places, column.index), mask=column.index == NO_TEXT)
    try:
        read = [values[text] if text in values else _read(text, plain) for text in texts]
        if pa.types.is_duration(plain):
            # In whole days, hours, minutes or seconds, as all old ones are.
            step = step_of_spans(np.array([span.total_seconds() for span in values.values()]))
            read = [timedelta(seconds=round(span.total_seconds() / step) * step) for span in read]
        if not categories:
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
        found = None if categories else numbers(texts)
        new = pa.array(texts, pa.string()) if found is None else pa.array(list(found), pa.float64())
        return new.take(taken)


def _read(text: str, kind: Any) -> Any:
    """Return a text as a value of an Arrow type; raises ValueError or ArithmeticError when it is none."""
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
    import pyarrow.parquet as pq
    from pyarrow import feather

    kind, package = ("Parquet", pq) if suffix == ".parquet" else ("Feather", feather)
    try:
        table = package.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        given = f"a damaged {kind} file ({str(error).splitlines()[0]})"
        raise DataError(Fault(where, given, "a whole file")) from None
    if table.num_rows == 0:
        raise DataError(Fault(where, f"a {kind} file without records", "at least one record"))
    # Without the pandas metadata an index that was stored stays an ordinary column, and is written back as one.
    frame = table.replace_schema_metadata(None).to_pandas(integer_object_nulls=True, ignore_metadata=True)
    whole = HeldFrame(frame, frame, where)
    columns = tuple(part.column for part in whole.parts)
    return ArrowFile(table, columns=columns, format=suffix, declared=whole.declared)
