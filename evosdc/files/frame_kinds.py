"""Frames of other libraries, such as Polars and PyArrow, by narwhals: to pandas by Arrow, and back in their kind.

Columns that nothing changed are those of the frame that was given, with their types.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from evosdc.errors import DataError, Fault


def as_pandas(data: Any) -> Any:
    """Return a frame as a pandas DataFrame of Arrow's types; return a DataFrame, or any other object, as it is."""
    if isinstance(data, pd.DataFrame):
        return data
    frame = _eager(data)
    if frame is None:
        return data
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    # Without the pandas metadata an index that was stored stays an ordinary column.
    table = frame.to_arrow().replace_schema_metadata(None)
    enumerated = {name: list(kind.categories) for name, kind in frame.schema.items() if isinstance(kind, nw.Enum)}
    result = table.to_pandas(
        types_mapper=lambda kind: None if pa.types.is_dictionary(kind) else pd.ArrowDtype(kind), ignore_metadata=True
    )
    for name, labels in enumerated.items():
        if name in result and isinstance(result[name].dtype, pd.CategoricalDtype):
            result[name] = result[name].cat.set_categories(labels, ordered=True)
    return result


def like(data: Any, result: pd.DataFrame) -> Any:
    """Return a pandas result in the kind of frame that was given."""
    if isinstance(data, pd.DataFrame):
        return result
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    frame, before = _eager(data), as_pandas(data)
    kept = [str(name) for name in result.columns]
    alike = {n for n in kept if result[n].dtype == before[n].dtype and result[n].equals(before[n])}
    changed = [name for name in kept if name not in alike]
    if not changed:
        return frame.select(kept).to_native()
    made = pa.table({name: _arrow(result[name], frame[name].to_arrow().type) for name in changed})
    if isinstance(data, pa.Table):
        for name in changed:
            place = data.schema.get_field_index(name)
            data = data.set_column(place, data.schema.field(place).with_type(made.schema.field(name).type), made[name])
        return data.select(kept)
    new = nw.from_arrow(made, backend=frame.implementation)
    return frame.with_columns(*(_typed(new[name], frame[name].dtype) for name in changed)).select(kept).to_native()


def _arrow(series: "pd.Series[Any]", kind: Any) -> Any:
    """Return a column as an Arrow array, of the type that it had where that holds its values."""
    import pyarrow as pa

    array = pa.array(series, from_pandas=True)
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(
            array.indices.cast(kind.index_type), array.dictionary.cast(kind.value_type), ordered=kind.ordered
        )
    try:
        return array.cast(kind)
    except pa.ArrowException:
        return array


def _typed(series: Any, dtype: Any) -> Any:
    """Return a column in the type that it had; with new labels, as of a recoding, it need not fit."""
    if series.dtype == dtype:
        return series
    try:
        return series.cast(dtype)
    except Exception:  # each library has errors of its own for values that a type does not hold
        return series


def reordered(data: Any, order: Sequence[int]) -> Any:
    """Return a frame of the same kind with its records in another order; an index of pandas is renumbered."""
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
