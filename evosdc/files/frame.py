"""DataFrames to tables and back: by position, with dtypes, index and untouched values as they are.

A column is read as texts, or as the numbers that texts would write; time spans are numbers of seconds. What is masked
comes back by the rows that had each value before, so that every dtype keeps its own values; numbers are put into the
dtype again. Frames of other libraries, such as Polars and PyArrow, go to pandas by Arrow and narwhals, and come back in
their kind.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.files.coding import Origin, encode
from evosdc.files.column import FEWEST_HELD, NO_TEXT, Column, renamed
from evosdc.files.inference.column_proposal import MOST_CODES, guess_scale
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.published import values_of
from evosdc.files.schema.description import SchemaDescription, describe
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.printing import printable
from evosdc.table.dates import date_format_of, in_time
from evosdc.table.numerals import decimals_of, natural_order, numbers, texts_of_numbers
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

ORIGIN = "DataFrame"
_EXACT = 2.0**53  # from here on float64 does not hold every whole number
_STEPS = (86_400.0, 3_600.0, 60.0, 1.0)  # seconds of a day, an hour, a minute and a second


@dataclass(frozen=True, eq=False)
class Part:
    """One column of a DataFrame as texts, and its distinct values."""

    column: Column
    distinct: Sequence[Any]  # in the order of first appearance; the texts of several may be one

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The value that each text represents, the first where there are several."""
        texts = self.column.texts if self.column.held is not None else texts_of(list(self.distinct))
        return dict(zip(reversed(texts), reversed(self.distinct), strict=True))


@dataclass(frozen=True, eq=False)
class HeldFrame:
    """A DataFrame that does not change, and its columns as texts, which are made only once."""

    frame: pd.DataFrame
    given: Any  # the frame of another kind that it was made from, or itself
    origin: str = ORIGIN  # for messages
    description: SchemaDescription | None = None  # what a schema says of the columns; None: there is none

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The columns; raises as `columns_of`."""
        return columns_of(self.frame, self.origin)

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Scale and categories declared by `Categorical` columns and those of time spans, by name."""
        return {
            part.column.name: _proposed(part, self.frame.iloc[:, position], ("",))
            for position, part in enumerate(self.parts)
            if isinstance(dtype := self.frame.dtypes.iloc[position], pd.CategoricalDtype) or _letter(dtype) == "m"
        }


def held(frame: pd.DataFrame | HeldFrame) -> HeldFrame:
    """Return a frame as one whose columns are made once."""
    return frame if isinstance(frame, HeldFrame) else HeldFrame(frame, frame)


def columns_of(frame: pd.DataFrame, where: str = ORIGIN) -> tuple[Part, ...]:
    """Return the columns of a DataFrame as texts; the index is not looked at."""
    if not isinstance(frame, pd.DataFrame):
        kind = type(frame)
        given = f"a {'' if kind.__module__ == 'builtins' else f'{kind.__module__}.'}{kind.__qualname__}"
        given = "a text or a path" if isinstance(frame, str | Path) else given  # without its content
        advice = "Read a file by evosdc.read_table; put records into a frame by pandas.DataFrame(records)."
        raise DataError(Fault("data", given, "a pandas DataFrame", advice))
    names = [str(label) for label in frame.columns]
    twice = [name for name, count in Counter(names).items() if count > 1]
    faults = [Fault(where, f"the column {printable(name)} more than once", "each name once") for name in twice]
    if not names:
        faults.append(Fault(where, "no column", "at least one column"))
    parts = []
    for position, name in enumerate(names):
        try:
            parts.append(_part(name, frame.iloc[:, position]))
        except TypeError:
            faults.append(Fault(printable(f"{where}, {name}"), "values such as lists", "texts, numbers or dates"))
    if faults:
        raise DataError(faults)
    return tuple(parts)


def _part(name: str, series: "pd.Series[Any]") -> Part:
    if _letter(series.dtype) == "m":  # time spans are numbers of seconds
        seconds = pd.to_timedelta(series.astype(object), errors="coerce").dt.total_seconds()
        series = seconds.set_axis(series.index)
    codes: NDArray[np.integer[Any]]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, uniques = np.asarray(series.cat.codes), series.cat.categories
    else:
        codes, uniques = pd.factorize(series)
    index = np.where(codes < 0, NO_TEXT, codes).astype(np.int32)
    letter = _letter(series.dtype)
    if letter in "iuf" and len(uniques) >= FEWEST_HELD:
        values = uniques.to_numpy(dtype=np.float64 if letter == "f" else None)
        if values.dtype.kind in "iuf" and not np.isnan(values).any():
            different: Any = uniques
            return Part(Column(name, texts_of_numbers(values), index), different)
    distinct = list(uniques)
    texts = texts_of(distinct)
    return Part(renamed(Column(name, tuple(map(str, range(len(texts)))), index), texts), distinct)


def _letter(dtype: Any) -> str:
    """Return the kind of a dtype by numpy's letter, also of nullable and Arrow ones: M for dates, m for time spans."""
    return "O" if isinstance(dtype, pd.CategoricalDtype) else str(getattr(dtype, "kind", "O"))


def step_of_spans(seconds: NDArray[np.float64]) -> float:
    """Return the longest of day, hour, minute and second that all time spans are multiples of; else a microsecond."""
    # Masked spans are multiples of it too: an odd part of a day would tell which cells were changed.
    known = seconds[~np.isnan(seconds)]
    return next((step for step in _STEPS if not (known % step).any()), 1e-6)


def texts_of(values: list[Any]) -> list[str]:
    """Return values as the texts that represent them."""
    floats = [value for value in values if isinstance(value, (float, np.floating))]
    # A column of whole numbers with a missing value is a column of floats; its labels are still those of whole numbers.
    whole = all(np.isfinite(value) and value == np.floor(value) for value in floats)
    if any(isinstance(value, list | dict | set | np.ndarray) for value in values):
        raise TypeError("no label for a collection")
    decimal = repr if not whole else lambda value: str(int(value))
    return [decimal(float(v)) if isinstance(v, float | np.floating) else str(v) for v in values]


def table_from_frame(frame: pd.DataFrame | HeldFrame, schema: Schema | SchemaDescription | None = None) -> Table:
    """Return the table of a DataFrame."""
    # Where the schema is silent the dtype decides: an ordered Categorical is ordinal, numbers and time spans (in
    # seconds) numeric, dates ordinal, all else nominal. Numbers that seem to be codes are nominal: none is invented.
    whole = held(frame)
    columns = [part.column for part in whole.parts]
    if len(whole.frame) == 0:
        raise DataError(Fault(ORIGIN, "no record", "at least one record"))
    description = describe(schema) if isinstance(schema, Schema) else schema or whole.description
    description = description or SchemaDescription()
    proposed = {}
    for position, part in enumerate(whole.parts):
        said = description.attributes.get(part.column.name)
        missing = (*description.missing, *(said.missing if said is not None else ()))
        proposed[part.column.name] = _proposed(part, whole.frame.iloc[:, position], missing)
    described = description.resolve(columns, proposed, "frame")
    table = encode(columns, described, Origin(ORIGIN, lambda record: f"record {record + 1}"))
    return with_hierarchies(table, description.rules)


def _proposed(part: Part, series: "pd.Series[Any]", missing: tuple[str, ...]) -> Attribute:
    column, dtype = part.column, series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        labels = tuple(text for text in column.texts if text not in missing)
        return Attribute(column.name, scale=Scale.ORDINAL if dtype.ordered else Scale.NOMINAL, categories=labels)
    present, letter = column.present(missing), _letter(dtype)
    if letter == "b":
        return Attribute(column.name, categories=("False", "True"))
    # Whole numbers with a missing value come as floats.
    if letter in "iu" or (letter == "f" and column.lacking):
        # Codes, to judge by the name or by how often each occurs.
        hint = hint_of(column.name)
        values = (
            numbers(present, column.mark) if hint.unordered or len(present[: MOST_CODES + 1]) <= MOST_CODES else None
        )
        if values is not None and np.isfinite(values).all():
            guess = guess_scale(column, missing, hint)
            if guess.scale is Scale.NOMINAL and guess.categories:
                return guess.attribute(column.name)
    here = frozenset(present) if letter not in "iufm" else frozenset()
    objects = [value for text, value in part.values.items() if text in here] if here else []
    plain = objects and numbers(present) is not None and not any(isinstance(value, str | bool) for value in objects)
    if letter in "iufm" or plain:
        return Attribute(column.name, scale=Scale.NUMERIC, decimals=decimals_of(present))
    if date_format := date_format_of(present):
        order = in_time(present, date_format)
        return Attribute(column.name, scale=Scale.ORDINAL, categories=order, date_format=date_format)
    if letter == "M":  # days of other centuries than dates have
        order = tuple(dict.fromkeys(texts_of(sorted(value for value in part.distinct if str(value) in here))))
        return Attribute(column.name, scale=Scale.ORDINAL, categories=order)
    return Attribute(column.name, categories=natural_order(present))


def frame_from_table(frame: pd.DataFrame | HeldFrame, table: Table) -> pd.DataFrame:
    """Return a copy of the frame with a table's attributes in place; all else as it is."""
    # Dtypes are kept where they hold the new values. Integers round half to even, become nullable for missing values,
    # and wider when too narrow; labels that are no numbers turn a column to text, fractional ones to floats.
    whole = held(frame)
    frame, position = whole.frame, {part.column.name: place for place, part in enumerate(whole.parts)}
    unknown = [name for name in table.schema.names if name not in position]
    faults = [Fault("table", f"the attribute {name!r}", "a column of the frame") for name in unknown]
    if len(frame) != len(table):
        faults.append(Fault("table", f"{len(table)} records", f"{len(frame)} as in the frame"))
    if faults:
        raise DataError(faults)
    result = frame.copy()
    for attribute in table.schema.attributes:
        place = position[attribute.name]
        numeric = not attribute.categorical and _letter(frame.dtypes.iloc[place]) in "iufm"
        put = _of_numbers if numeric else _of_texts
        missing = table.schema.missing_of(attribute.name)
        new = put(frame.iloc[:, place], whole.parts[place], missing, attribute, table.column(attribute.name))
        if new is not None:
            # pandas would guess the dtype of an array of objects.
            objects = frame.dtypes.iloc[place] == np.dtype(object)
            kept: Any = np.asarray(new, dtype=object) if objects else new
            column: Any = pd.Series(kept, index=frame.index, dtype=kept.dtype)
            result.isetitem(place, column)
    return result


def _of_numbers(
    series: "pd.Series[Any]", part: Part, missing: Sequence[str], attribute: Attribute, values: NDArray[Any]
) -> Any:
    """Return the array of a column of numbers or time spans with new values; None where nothing changes."""
    old, new = part.column.record_numbers(missing, attribute.decimals), np.array(values, dtype=np.float64)
    letter = _letter(series.dtype)
    if letter in "iu":
        new = np.rint(new)
    differing = (old != new) & ~(np.isnan(old) & np.isnan(new))
    if (np.isnan(new) & ~np.isnan(old)).any():
        differing |= np.isnan(new)  # codes of missing values would tell which values were taken away
    if not differing.any():
        return None
    if letter in "iu":
        # Integers that a float holds are as they were, but for different ones that it holds as one.
        return _integers(series, differing | (np.abs(new) >= _EXACT), new)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.array_equal(np.round(old, attribute.decimals), old, equal_nan=True):
            new = np.round(new, attribute.decimals)
    if letter == "m":
        step = step_of_spans(old)
        spans = pd.Series(pd.to_timedelta(np.round(np.round(new / step) * step * 1e6), unit="us"), index=series.index)
        return spans.astype(series.dtype).array
    dtype: Any = series.dtype
    largest = float(np.finfo(getattr(dtype, "numpy_dtype", dtype)).max)
    if np.abs(new[~np.isnan(new)]).max(initial=0.0) > largest:
        dtype = "float64" if isinstance(dtype, np.dtype) else "Float64"
    return pd.array(pd.array(new, dtype="Float64") if not isinstance(series.dtype, np.dtype) else new, dtype=dtype)


def _integers(series: "pd.Series[Any]", changed: NDArray[np.bool_], new: NDArray[np.float64]) -> Any:
    """Return whole numbers in the dtype of a column, or in one that is wide enough and holds missing values."""
    dtype: Any = series.dtype
    bounds, plain = np.iinfo(getattr(dtype, "numpy_dtype", dtype)), isinstance(dtype, np.dtype)
    known, gone = new[changed & ~np.isnan(new)], changed & np.isnan(new)
    # The greatest of 64 bits is none of float64.
    fits = bool(((known >= float(bounds.min)) & (known < float(bounds.max) + (bounds.bits < 64))).all())
    if not fits and bool((np.abs(known) >= max(float(bounds.max), 2.0**63)).any()):
        return series.astype("float64" if plain else "Float64").mask(changed, pd.Series(new, series.index)).array
    if not fits or (plain and gone.any()):
        dtype = "int64" if plain and not gone.any() else "Int64"
    result = series.astype(dtype).to_numpy(copy=True) if plain and not gone.any() else series.astype(dtype).array.copy()
    result[changed & ~gone] = known.astype(np.uint64 if bounds.max >= 2**63 else np.int64)
    if gone.any():
        result[gone] = pd.NA
    return result


def _of_texts(
    series: "pd.Series[Any]", part: Part, missing: Sequence[str], attribute: Attribute, values: NDArray[Any]
) -> Any:
    """Return the array of a column of other values with new ones; None where nothing changes."""
    column = part.column
    made = values_of(column, missing, attribute, values)
    place = {text: position for position, text in enumerate(made.texts)}
    own = [NO_TEXT if text in missing else place.get(text, NO_TEXT - 1) for text in column.texts]
    if (np.array([*own, NO_TEXT])[column.index] == made.index).all():
        return None
    texts = [made.texts[position] for position in np.unique(made.index) if position != NO_TEXT]
    gone, dtype = made.index == NO_TEXT, series.dtype
    seen, first = np.unique(column.index, return_index=True)
    row = {column.texts[position]: at for position, at in zip(seen, first.tolist(), strict=True) if position != NO_TEXT}
    if any(text not in row for text in texts):
        new = {
            text: part.values[text] if text in part.values else _read(text, dtype, part, attribute) for text in texts
        }
        by_place = [*(new.get(text) for text in made.texts), None]
        return _put(dtype, [by_place[position] for position in made.index.tolist()], list(new.values()), attribute)
    # Each value comes from the first row that has it, so that it is of the column's dtype as it was.
    rows = np.array([*(row.get(text, 0) for text in made.texts), -1])[made.index]
    plain = dtype.kind if isinstance(dtype, np.dtype) else ""
    if gone.any() and plain in ("b", "i", "u"):  # which hold no missing values
        series = series.astype("boolean" if plain == "b" else "Int64")
    elif gone.any() and isinstance(dtype, pd.IntervalDtype) and getattr(dtype.subtype, "kind", "f") in "iu":
        series = series.astype(pd.IntervalDtype("float64", dtype.closed))
    taken = series.array.take(rows, allow_fill=True)
    if gone.any() and plain == "O":
        taken[gone] = next(iter(series[series.isna()]), None)  # as the column has it: None or NaN
    return taken


def _read(text: str, dtype: Any, part: Part, attribute: Attribute) -> Any:
    """Return a new text as a value of a column's own kind where it is one."""
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    letter = _letter(dtype)
    if letter == "b":
        return {"True": True, "False": False}.get(text, text)
    if letter in "iuf":
        found = numbers([text])
        return text if found is None else float(found[0])
    kinds = {type(value) for value in part.values.values()}
    if not attribute.categorical and not any(issubclass(kind, str) for kind in kinds):
        return Decimal(text) if kinds == {Decimal} else float(text) if "." in text else int(text)
    return text


def _put(dtype: Any, values: list[Any], new: list[Any], attribute: Attribute) -> Any:
    """Return values as an array of the column's dtype, or of one that holds them: floats for integers, else texts."""

    def label(value: Any) -> str:
        return value if isinstance(value, str) else texts_of([value])[0]

    if isinstance(dtype, pd.CategoricalDtype):
        # A recoding brings categories of its own; the masked attribute knows the order of all of them.
        added = [value for value in dict.fromkeys(new) if value not in dtype.categories]
        known = {label(value): value for value in [*dtype.categories, *added]}
        ordered = [known[text] for text in attribute.categories if text in known]
        rest = [value for value in dtype.categories if label(value) not in attribute.categories]
        return pd.Categorical(values, categories=[*rest, *ordered], ordered=dtype.ordered)
    if _letter(dtype) in "iuf" and not any(isinstance(value, str) for value in new):
        wide: Any = "float64" if isinstance(dtype, np.dtype) else "Float64"
        return pd.array([np.nan if value is None else float(value) for value in values], dtype=wide)
    texts = pd.api.types.is_string_dtype(dtype) and all(isinstance(value, str) for value in new)
    if texts or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        return pd.array(values, dtype=dtype)
    return pd.array([None if value is None else label(value) for value in values], dtype=object)


def as_pandas(data: Any) -> Any:
    """Return a frame as a pandas DataFrame of Arrow's types; return a DataFrame, or any other object, as it is."""
    if isinstance(data, pd.DataFrame):
        return data
    frame = _eager(data)
    if frame is None:
        return data
    import narwhals.stable.v2 as nw

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

    frame, before = _eager(data), as_pandas(data)
    kept = [str(name) for name in result.columns]
    alike = {n for n in kept if result[n].dtype == before[n].dtype and result[n].equals(before[n])}
    changed = [name for name in kept if name not in alike]
    if not changed:
        return frame.select(kept).to_native()
    made = pa.table({name: _as_arrow(result[name], frame[name].to_arrow().type) for name in changed})
    if isinstance(data, pa.Table):
        for name in changed:
            place = data.schema.get_field_index(name)
            data = data.set_column(place, data.schema.field(place).with_type(made.schema.field(name).type), made[name])
        return data.select(kept)
    columns = []
    for name, column in ((name, nw.from_arrow(made, backend=frame.implementation)[name]) for name in changed):
        try:
            columns.append(column.cast(frame[name].dtype) if column.dtype != frame[name].dtype else column)
        except Exception:  # each library has errors of its own for values that a type does not hold, as of a recoding
            columns.append(column)
    return frame.with_columns(*columns).select(kept).to_native()


def _as_arrow(series: "pd.Series[Any]", kind: Any) -> Any:
    """Return a column as an Arrow array, of the type that it had where that holds its values."""
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
