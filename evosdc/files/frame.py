"""DataFrames to tables and back: by position, with dtypes, index and untouched values as they are."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from evosdc.errors import DataError, Fault
from evosdc.files.coding import Origin, encode
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.dtypes import assigned, assigned_numbers
from evosdc.files.frame_columns import ORIGIN, HeldFrame, Part, held
from evosdc.files.frame_columns import columns_of as columns_of
from evosdc.files.published import values_of
from evosdc.files.schema.description import SchemaDescription, describe
from evosdc.files.schema.hierarchy_rules import with_hierarchies
from evosdc.table.dates import date_format_of, in_time
from evosdc.table.numerals import decimals_of, natural_order, numbers
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

_EXACT = 2.0**53
"""From here on float64 does not hold every whole number."""


def table_from_frame(frame: pd.DataFrame | HeldFrame, schema: Schema | SchemaDescription | None = None) -> Table:
    """Return the table of a DataFrame.

    Scale and categories are those of the schema; where it says nothing, or without one, those of the dtypes: an ordered
    `Categorical` is ordinal, an unordered one nominal (unused categories included), numbers are numeric, dates ordinal,
    also where they are texts, truth values and other texts nominal. Roles are `other` unless the schema says more.

    Raises
    ------
    DataError
        What is given is no DataFrame, cannot be used, or holds values that the schema does not allow.
    SchemaError
        The frame lacks columns of attributes that the schema describes.
    """
    whole = held(frame)
    frame, parts = whole.frame, whole.parts
    if len(frame) == 0:
        raise DataError(Fault(ORIGIN, "no record", "at least one record"))
    description = describe(schema) if isinstance(schema, Schema) else schema or SchemaDescription()
    proposed = {
        part.column.name: _proposed(part, frame.iloc[:, position], description.missing)
        for position, part in enumerate(parts)
    }
    columns = [part.column for part in parts]
    described = description.resolve(columns, proposed, "frame")
    table = encode(columns, described, Origin(ORIGIN, lambda record: f"record {record + 1}"))
    return with_hierarchies(table, description.rules)


def declared(frame: pd.DataFrame, parts: Sequence[Part]) -> Mapping[str, Attribute]:
    """Return what `Categorical` columns say of scale and categories, by name."""
    return {
        part.column.name: _proposed(part, frame.iloc[:, position], ("",))
        for position, part in enumerate(parts)
        if isinstance(frame.dtypes.iloc[position], pd.CategoricalDtype)
    }


def _proposed(part: Part, series: "pd.Series[Any]", missing: tuple[str, ...]) -> Attribute:
    column, dtype = part.column, series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        labels = tuple(text for text in column.texts if text not in missing)
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL if dtype.ordered else Scale.NOMINAL, labels)
    present = column.present(missing)
    if pd.api.types.is_bool_dtype(dtype):
        return Attribute(column.name, Role.OTHER, Scale.NOMINAL, ("False", "True"))
    if pd.api.types.is_numeric_dtype(dtype):
        return Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, decimals_of(present))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        date_format = date_format_of(present)
        order = in_time(present, date_format) if date_format else tuple(sorted(present))
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL, order, date_format=date_format)
    here = frozenset(present)
    objects = [value for text, value in part.values.items() if text in here]
    if objects and numbers(present) is not None and not any(isinstance(value, (str, bool)) for value in objects):
        return Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, decimals_of(present))
    date_format = date_format_of(present)
    if date_format:
        order = in_time(present, date_format)
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL, order, date_format=date_format)
    return Attribute(column.name, Role.OTHER, Scale.NOMINAL, natural_order(present))


def frame_from_table(frame: pd.DataFrame | HeldFrame, table: Table) -> pd.DataFrame:
    """Return a copy of the frame with the table's attributes in place; index, columns and unchanged values as they are.

    A dtype is kept where it can hold the new values. New numbers in a column of integers are rounded to whole ones,
    half to even, as they are in a file of whole numbers: a mean of 3.36 becomes 3. Integers become nullable when values
    are missing, and wider when their dtype is too narrow. Labels that are no numbers turn the column to text,
    fractional ones turn integers to floats.

    Parameters
    ----------
    frame : DataFrame
        The original of `table`.
    table : Table
        Some or all of the frame's attributes, with its records in its order.

    Raises
    ------
    DataError
        The table has other records or attributes.
    """
    whole = held(frame)
    frame, parts = whole.frame, whole.parts
    position = {part.column.name: place for place, part in enumerate(parts)}
    faults = [
        Fault("table", f"the attribute {name!r}", "a column of the frame")
        for name in table.schema.names
        if name not in position
    ]
    if len(frame) != len(table):
        faults.append(Fault("table", f"{len(table)} records", f"{len(frame)} as in the frame"))
    if faults:
        raise DataError(faults)
    result = frame.copy()
    for name in table.schema.names:
        place = position[name]
        new = _masked(frame.iloc[:, place], parts[place], table)
        if new is not None:
            result.isetitem(place, new)
    return result


def _masked(series: "pd.Series[Any]", part: Part, table: Table) -> Any:
    """Return the new array of a column, or None when nothing changes; each value is written in one way."""
    attribute = table.schema[part.column.name]
    missing = table.schema.missing_of(attribute.name)
    every = np.ones(len(series), dtype=np.bool_)
    if not attribute.categorical and pd.api.types.is_numeric_dtype(series.dtype):
        old = part.column.record_numbers(missing, attribute.decimals)
        new = np.asarray(table.column(attribute.name), dtype=np.float64)
        if pd.api.types.is_integer_dtype(series.dtype):
            new = np.rint(new)
        differing = (old != new) & ~(np.isnan(old) & np.isnan(new))
        if not differing.any():
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            if np.array_equal(np.round(old, attribute.decimals), old, equal_nan=True):
                new = np.round(new, attribute.decimals)
        if pd.api.types.is_integer_dtype(series.dtype):
            # Integers that a float holds are as they were, but for different ones that it holds as one.
            changed = differing | (np.abs(new) >= _EXACT)
            return assigned_numbers(series, changed, new[changed])
        return assigned_numbers(series, every, new)
    made = values_of(part.column, missing, attribute, table.column(attribute.name))
    place = {text: position for position, text in enumerate(made.texts)}
    own = [NO_TEXT if text in missing else place.get(text, NO_TEXT - 1) for text in part.column.texts]
    if (np.array([*own, NO_TEXT])[part.column.index] == made.index).all():
        return None
    return assigned(series, every, _values(part, series, made, attribute), attribute.categories)


def _values(part: Part, series: "pd.Series[Any]", made: Column, attribute: Attribute) -> list[Any]:
    """Return the new values in the column's own type where a text can be read as one."""
    new = [text for text in made.texts if text not in part.values]
    if attribute.categorical:
        read = {text: _read(text, series.dtype) for text in new}
    else:
        read = {text: _number_like(text, part.values.values()) for text in new}
    by_text = [*(part.values[text] if text in part.values else read[text] for text in made.texts), None]
    return [by_text[position] for position in made.index.tolist()]


def _number_like(text: str, values: Iterable[Any]) -> Any:
    """Return the number that a text writes, of the type of a column's own values, texts among them."""
    kinds = {type(value) for value in values}
    if any(issubclass(kind, str) for kind in kinds):
        return text
    if kinds == {Decimal}:
        return Decimal(text)
    return float(text) if "." in text else int(text)


def _read(text: str, dtype: Any) -> Any:
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return {"True": True, "False": False}.get(text, text)
    if pd.api.types.is_numeric_dtype(dtype):
        found = numbers([text])
        return text if found is None else found[0]
    return text
