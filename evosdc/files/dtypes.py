"""Values of pandas columns: as texts, and put into a column in a dtype that holds them."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.table.number_texts import NumberTexts, texts_of_numbers

_WHOLE = tuple(np.dtype(kind) for kind in np.typecodes["AllInteger"])
"""The dtypes of numpy that hold whole numbers only."""


def texts_of(values: list[Any]) -> list[str]:
    """Return values as the texts that stand for them."""
    floats = [value for value in values if isinstance(value, (float, np.floating))]
    # A column of whole numbers with a missing value is a column of floats; its labels are still those of whole numbers.
    whole = all(np.isfinite(value) and value == np.floor(value) for value in floats)
    return [_text(value, whole) for value in values]


def _text(value: Any, whole: bool) -> str:
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if whole else repr(float(value))
    if isinstance(value, (list, dict, set, np.ndarray)):
        raise TypeError("no label for a collection")
    return str(value)


def number_texts_of(distinct: Any) -> NumberTexts | None:
    """Return what `texts_of` makes of distinct values, held as numbers; None where they are not of a type for that."""
    dtype: Any = distinct.dtype
    kind = getattr(dtype, "numpy_dtype", dtype) if pd.api.types.is_numeric_dtype(dtype) else None
    if not isinstance(kind, np.dtype) or kind.kind not in "iuf" or kind.itemsize > np.dtype(np.float64).itemsize:
        return None
    values = distinct.to_numpy(dtype=kind)
    if kind.kind == "f" and np.isnan(values).any():
        return None
    return texts_of_numbers(values.astype(np.float64) if kind.kind == "f" else values)


def assigned_numbers(series: "pd.Series[Any]", changed: NDArray[np.bool_], new: NDArray[np.float64]) -> Any:
    """Return a copy of a column of numbers as `assigned` does, with numbers that are NaN for missing values."""
    dtype: Any = series.dtype
    gone = np.isnan(new)
    fits = False
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        fits = not bool((np.abs(new) > np.finfo(dtype).max).any())
    elif isinstance(dtype, np.dtype) and dtype.kind in "iu" and not gone.any():
        bounds = np.iinfo(dtype)
        # The greatest of 64 bits is none of float64.
        fits = bool(((new == np.rint(new)) & (new >= float(bounds.min)) & (new < float(bounds.max))).all())
    if fits:
        plain = series.to_numpy(copy=True)
        plain[changed] = new.astype(dtype)
        return plain
    return assigned(
        series, changed, [None if absent else float(value) for value, absent in zip(new, gone, strict=True)], ()
    )


def assigned(series: "pd.Series[Any]", changed: NDArray[np.bool_], values: list[Any], order: tuple[str, ...]) -> Any:
    """Return a copy of the column's array with `values` at the changed places, in a dtype that holds them."""
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(series, changed, values, order)
    present = [value for value in values if value is not None]
    if pd.api.types.is_bool_dtype(dtype) and all(isinstance(value, (bool, np.bool_)) for value in present):
        target = dtype if len(present) == len(values) or dtype.name != "bool" else "boolean"
        return _set(_as(series, target), changed, values)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        if all(not isinstance(value, str) for value in present):
            return _numeric(series, changed, values, present)
    elif isinstance(dtype, pd.IntervalDtype):
        if not any(isinstance(value, str) for value in present):
            whole = dtype.subtype in _WHOLE and len(present) < len(values)
            # an interval of integers cannot be missing
            return _set(_as(series, pd.IntervalDtype("float64", dtype.closed)) if whole else series, changed, values)
    elif not isinstance(dtype, np.dtype) or dtype.kind == "O":
        if not pd.api.types.is_bool_dtype(dtype) and not pd.api.types.is_datetime64_any_dtype(dtype):
            return _set(series, changed, values)
    elif pd.api.types.is_datetime64_any_dtype(dtype) and not any(isinstance(value, str) for value in present):
        return _set(series, changed, values)
    return _set(series.map(_label, na_action="ignore").astype(object), changed, [_label(v) for v in values])


def _label(value: Hashable) -> Any:
    return value if value is None or isinstance(value, str) else texts_of([value])[0]


def _numeric(series: "pd.Series[Any]", changed: NDArray[np.bool_], values: list[Any], present: list[Any]) -> Any:
    dtype: Any = series.dtype
    if not pd.api.types.is_integer_dtype(dtype):
        largest = float(np.finfo(getattr(dtype, "numpy_dtype", dtype)).max)
        if any(abs(value) > largest for value in present):
            series = _as(series, _wide(dtype, "float64"))
        return _set(series, changed, [np.nan if v is None and isinstance(dtype, np.dtype) else v for v in values])
    bounds = np.iinfo(getattr(dtype, "numpy_dtype", dtype))
    largest = max(float(bounds.max), 2.0**63)
    if not all(float(value).is_integer() and abs(value) < largest for value in present):
        reals = [np.nan if v is None else float(v) for v in values]
        return _set(_as(series, _wide(dtype, "float64")), changed, reals)
    whole = [None if value is None else int(value) for value in values]
    fits = all(value is None or bounds.min <= value <= bounds.max for value in whole)
    if isinstance(dtype, np.dtype):
        if len(present) < len(values):
            return _set(_as(series, "Int64"), changed, whole)
        return _set(series if fits else _as(series, "int64"), changed, whole)
    return _set(series if fits else _as(series, "Int64"), changed, whole)


def _wide(dtype: Any, plain: str) -> str:
    """Return a dtype of numpy, or its nullable sister where the column's own is nullable."""
    return plain if isinstance(dtype, np.dtype) else plain.capitalize()


def _categorical(
    series: "pd.Series[Any]", changed: NDArray[np.bool_], values: list[Any], order: tuple[str, ...]
) -> Any:
    dtype: Any = series.dtype
    new = list(dict.fromkeys(value for value in values if value is not None and value not in dtype.categories))
    if new:
        # A recoding brings categories of its own; the masked attribute knows the order of all of them.
        known = {_label(value): value for value in [*dtype.categories, *new]}
        ordered = [known[label] for label in order if label in known]
        rest = [value for value in dtype.categories if _label(value) not in order]
        series = series.cat.set_categories([*rest, *ordered] if order else [*dtype.categories, *new])
    return _set(series, changed, values)


def _as(series: "pd.Series[Any]", dtype: Any) -> "pd.Series[Any]":
    converted: pd.Series[Any] = series.astype(dtype)
    return converted


def _set(series: "pd.Series[Any]", changed: NDArray[np.bool_], values: list[Any]) -> Any:
    dtype: Any = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        plain = series.to_numpy(copy=True)
        plain[changed] = np.array(values, dtype=dtype)
        return plain
    array: Any = series.array.copy()
    dates = pd.api.types.is_datetime64_any_dtype(dtype)
    # Arrays of dates and of intervals take no list that is all missing, or none at all.
    array[changed] = pd.array(values, dtype=dtype) if dates or isinstance(dtype, pd.IntervalDtype) else values
    return array
