"""Frames of other libraries, such as Polars and PyArrow: to pandas for reading, and results in the kind given.

Columns that nothing changed are those of the frame that was given, with their types.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evosdc.errors import DataError, Fault


def as_pandas(data: Any) -> Any:
    """Return a frame as a pandas DataFrame; what is no frame, and a DataFrame, as it is.

    Enumerations, and ordered dictionaries of PyArrow, become ordered Categoricals, other categories unordered ones;
    whole numbers and truth values with missing ones become nullable.

    Raises
    ------
    DataError
        A lazy frame, whose records are not there yet, or a frame that repeats a column.
    """
    if isinstance(data, pd.DataFrame):
        return data
    frame = _eager(data)
    if frame is None:
        return data
    if _is_arrow(data):
        # Without the pandas metadata an index that was stored stays an ordinary column.
        return data.replace_schema_metadata(None).to_pandas(integer_object_nulls=True, ignore_metadata=True)
    return pd.DataFrame({name: _series(frame[name]) for name in frame.columns})


def like(data: Any, result: pd.DataFrame) -> Any:
    """Return a pandas result in the kind of frame that was given.

    Parameters
    ----------
    data : frame
        What was given: result has some or all of its columns, and its records in its order.
    result : DataFrame
    """
    if isinstance(data, pd.DataFrame):
        return result
    frame, before = _eager(data), as_pandas(data)
    kept = [str(name) for name in result.columns]
    changed = [name for name in kept if not result[name].equals(before[name])]
    if _is_arrow(data):
        table = data
        for name in changed:
            place = table.schema.get_field_index(name)
            array = _arrow(table.column(place), _values(result[name]))
            table = table.set_column(place, table.schema.field(place).with_type(array.type), array)
        return table.select(kept)
    columns = [_column(frame, name, _values(result[name])) for name in changed]
    return frame.with_columns(*columns).select(kept).to_native()


def reordered(data: Any, order: Sequence[int]) -> Any:
    """Return a frame of the same kind with its records in another order; an index of pandas is numbered anew."""
    frame = _eager(data)[list(order), :].to_native()
    return frame.reset_index(drop=True) if isinstance(frame, pd.DataFrame) else frame


def _eager(data: Any) -> Any:
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(data, pass_through=True)
    except Exception as error:  # each library has errors of its own for what it does not take
        raise DataError(Fault("data", str(error).splitlines()[0], "a frame with each name once")) from None
    if isinstance(frame, nw.LazyFrame):
        raise DataError(Fault("data", "a lazy frame", "a frame whose records are there", "Call collect() first."))
    return frame if isinstance(frame, nw.DataFrame) else None


def _is_arrow(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pyarrow"


def _series(column: Any) -> "pd.Series[Any]":
    """Return a column of a narwhals frame as pandas holds it best."""
    import narwhals.stable.v2 as nw

    dtype, values = column.dtype, column.to_list()
    holes = any(value is None for value in values)
    if isinstance(dtype, nw.Enum):
        return pd.Series(pd.Categorical(values, categories=list(dtype.categories), ordered=True))
    if isinstance(dtype, nw.Categorical):
        return pd.Series(pd.Categorical(values, categories=list(dict.fromkeys(v for v in values if v is not None))))
    if dtype.is_integer():
        kind = "UInt64" if any(value is not None and value >= 2**63 for value in values) else "Int64"
        return pd.Series(values, dtype=kind if holes else kind.lower())
    if dtype.is_float():
        return pd.Series([np.nan if value is None else value for value in values], dtype="float64")
    if isinstance(dtype, nw.Boolean):
        return pd.Series(values, dtype="boolean" if holes else "bool")
    if isinstance(dtype, nw.Datetime):
        return pd.Series(pd.to_datetime(pd.Series(values, dtype="object")))
    return pd.Series(values, dtype="object")


def _values(series: "pd.Series[Any]") -> list[Any]:
    """Return the values of a column as Python's own, None where there is none."""
    missing = series.isna().to_numpy()
    return [None if gone else _plain(value) for value, gone in zip(series.tolist(), missing, strict=True)]


def _plain(value: Any) -> Any:
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


def _column(frame: Any, name: str, values: Sequence[Any]) -> Any:
    """Return a column of the type that it had, or of one that holds the new values where that does not."""
    import narwhals.stable.v2 as nw

    try:
        return nw.new_series(name, values, frame[name].dtype, backend=frame.implementation)
    except Exception:  # new labels, as of a recoding, need not be values of the old type; libraries differ in errors
        texts = any(isinstance(value, str) for value in values)
        kept = [None if value is None else str(value) for value in values] if texts else values
        return nw.new_series(name, kept, backend=frame.implementation)


def _arrow(old: Any, values: Sequence[Any]) -> Any:
    import pyarrow as pa

    from evosdc.files.formats.arrow import dictionary_like

    kind = old.type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return dictionary_like(values, old, plain) if pa.types.is_dictionary(kind) else pa.array(values, type=plain)
    except (pa.ArrowException, ValueError, TypeError):
        texts = any(isinstance(value, str) for value in values)
        return pa.array([None if value is None else str(value) for value in values] if texts else values)
