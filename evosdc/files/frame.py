"""DataFrames to tables and back: by position, with dtypes, index and untouched values as they are.

A column is read as texts, or as the numbers that texts would write; time spans are numbers of seconds. What is masked
comes back by the rows that had each value before, so that every dtype keeps its own values; numbers are put into the
dtype again.
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
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.files.coding import Origin, encode
from evosdc.files.column import FEWEST_HELD, NO_TEXT, Column, renamed
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.inference.scales import MOST_CODES, guess_scale
from evosdc.files.published import values_of
from evosdc.files.schema.description import SchemaDescription, describe
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.printing import printable
from evosdc.table.dates import date_format_of, in_time
from evosdc.table.numerals import decimals_of, natural_order, numbers, texts_of_numbers
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

ORIGIN = "DataFrame"
_EXACT = 2.0**53  # from here on float64 does not hold every whole number
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """One column of a DataFrame as texts, and its distinct values."""

    column: Column
    distinct: Sequence[Any]  # in the order of first appearance; the texts of several may be one

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The value that each text stands for, the first where there are several."""
        texts = self.column.texts if self.column.held is not None else texts_of(list(self.distinct))
        return dict(zip(reversed(texts), reversed(self.distinct), strict=True))


@dataclass(frozen=True, eq=False)
class HeldFrame:
    """A DataFrame that does not change, and its columns as texts, which are made only once."""

    frame: pd.DataFrame
    given: Any  # the frame of another kind that it was made from, or itself

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The columns; raises as `columns_of`."""
        return columns_of(self.frame)


def held(frame: pd.DataFrame | HeldFrame) -> HeldFrame:
    """Return a frame as one whose columns are made once."""
    return frame if isinstance(frame, HeldFrame) else HeldFrame(frame, frame)


def columns_of(frame: pd.DataFrame, where: str = ORIGIN) -> tuple[Part, ...]:
    """Return the columns of a DataFrame as texts; the index is not looked at."""
    if not isinstance(frame, pd.DataFrame):
        advice = "Read a file by evosdc.read_table; put records into a frame by pandas.DataFrame(records)."
        raise DataError(Fault("data", _kind(frame), "a pandas DataFrame", advice))
    names = [str(label) for label in frame.columns]
    faults = [
        Fault(where, f"the column {printable(name)} more than once", "each name once")
        for name, count in Counter(names).items()
        if count > 1
    ]
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


def _kind(thing: object) -> str:
    """Return a description of an object given instead of a frame, without its content."""
    kind = type(thing)
    if isinstance(thing, (str, Path)):
        return "a text or a path"
    return f"a {kind.__qualname__}" if kind.__module__ == "builtins" else f"a {kind.__module__}.{kind.__qualname__}"


def _part(name: str, series: "pd.Series[Any]") -> Part:
    if _letter(series.dtype) == "m":
        series = _seconds(series)
    codes: NDArray[np.integer[Any]]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, uniques = np.asarray(series.cat.codes), series.cat.categories
    else:
        codes, uniques = pd.factorize(series)
    index = np.where(codes < 0, NO_TEXT, codes).astype(np.int32)
    numeric = _letter(series.dtype) in "iuf" and len(uniques) >= FEWEST_HELD
    values = uniques.to_numpy(dtype=np.float64 if _letter(series.dtype) == "f" else None) if numeric else None
    if values is not None and values.dtype.kind in "iuf" and not np.isnan(values).any():
        different: Any = uniques
        return Part(Column(name, texts_of_numbers(values), index), different)
    distinct = list(uniques)
    texts = texts_of(distinct)
    return Part(renamed(Column(name, tuple(map(str, range(len(texts)))), index), texts), distinct)


def _letter(dtype: Any) -> str:
    """Return the kind of a dtype by numpy's letter, also of nullable and Arrow ones: M for dates, m for time spans."""
    letter = getattr(dtype, "kind", "O")
    return str(letter) if not isinstance(dtype, pd.CategoricalDtype) else "O"


def _seconds(series: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return time spans as numbers of seconds."""
    seconds = pd.to_timedelta(series.astype(object), errors="coerce").dt.total_seconds()
    return seconds.set_axis(series.index)


_STEPS = (86_400.0, 3_600.0, 60.0, 1.0)  # seconds of a day, an hour, a minute and a second


def step_of_spans(seconds: NDArray[np.float64]) -> float:
    """Return the longest of day, hour, minute and second that all time spans are multiples of; else a microsecond."""
    # Masked spans are multiples of it too: an odd part of a day would tell which cells were changed.
    known = seconds[~np.isnan(seconds)]
    return next((step for step in _STEPS if not (known % step).any()), 1e-6)


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


def table_from_frame(frame: pd.DataFrame | HeldFrame, schema: Schema | SchemaDescription | None = None) -> Table:
    """Return the table of a DataFrame."""
    # Where the schema is silent the dtype decides: an ordered Categorical is ordinal, numbers and time spans (in
    # seconds) numeric, dates ordinal, all else nominal. Numbers that seem to be codes are nominal: none is invented.
    whole = held(frame)
    frame, parts = whole.frame, whole.parts
    if len(frame) == 0:
        raise DataError(Fault(ORIGIN, "no record", "at least one record"))
    description = describe(schema) if isinstance(schema, Schema) else schema or SchemaDescription()
    own = {name: said.missing for name, said in description.attributes.items()}
    proposed = {
        part.column.name: _proposed(
            part, frame.iloc[:, position], (*description.missing, *own.get(part.column.name, ()))
        )
        for position, part in enumerate(parts)
    }
    columns = [part.column for part in parts]
    described = description.resolve(columns, proposed, "frame")
    table = encode(columns, described, Origin(ORIGIN, lambda record: f"record {record + 1}"))
    return with_hierarchies(table, description.rules)


def declared(frame: pd.DataFrame, parts: Sequence[Part]) -> Mapping[str, Attribute]:
    """Return scale and categories declared by `Categorical` columns and those of time spans, by name."""
    return {
        part.column.name: _proposed(part, frame.iloc[:, position], ("",))
        for position, part in enumerate(parts)
        if isinstance(frame.dtypes.iloc[position], pd.CategoricalDtype) or _letter(frame.dtypes.iloc[position]) == "m"
    }


def _proposed(part: Part, series: "pd.Series[Any]", missing: tuple[str, ...]) -> Attribute:
    column, dtype = part.column, series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        labels = tuple(text for text in column.texts if text not in missing)
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL if dtype.ordered else Scale.NOMINAL, labels)
    present, letter = column.present(missing), _letter(dtype)
    if letter == "b":
        return Attribute(column.name, Role.OTHER, Scale.NOMINAL, ("False", "True"))
    # Whole numbers with a missing value come as floats.
    if (letter in "iu" or (letter == "f" and column.lacking)) and (codes := _codes(column, missing)):
        return Attribute(column.name, Role.OTHER, Scale.NOMINAL, codes)
    if letter in "iufm":
        return Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, decimals_of(present))
    here = frozenset(present)
    objects = [value for text, value in part.values.items() if text in here]
    if objects and numbers(present) is not None and not any(isinstance(value, (str, bool)) for value in objects):
        return Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, decimals_of(present))
    date_format = date_format_of(present)
    if date_format:
        order = in_time(present, date_format)
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL, order, date_format=date_format)
    if letter == "M":  # days of other centuries than dates have
        order = tuple(dict.fromkeys(texts_of(sorted(value for value in part.distinct if str(value) in here))))
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL, order)
    return Attribute(column.name, Role.OTHER, Scale.NOMINAL, natural_order(present))


def _codes(column: Column, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the categories of a column whose numbers are codes, by its name or how often they occur; else none."""
    hint = hint_of(column.name)
    present = column.present(missing)
    few = hint.unordered or len(present[: MOST_CODES + 1]) <= MOST_CODES
    values = numbers(present, column.mark) if few else None
    if values is None or not np.isfinite(values).all():
        return ()
    guess = guess_scale(column, missing, hint.unordered, hint.ordered)
    return guess.categories if guess.scale is Scale.NOMINAL else ()


def frame_from_table(frame: pd.DataFrame | HeldFrame, table: Table) -> pd.DataFrame:
    """Return a copy of the frame with a table's attributes in place; all else as it is."""
    # Dtypes are kept where they hold the new values. Integers round half to even, become nullable for missing values,
    # and wider when too narrow; labels that are no numbers turn a column to text, fractional ones to floats.
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
        series, attribute = frame.iloc[:, place], table.schema[name]
        missing = table.schema.missing_of(name)
        if not attribute.categorical and _letter(series.dtype) in "iufm":
            new = _of_numbers(series, parts[place].column, missing, attribute, table.column(name))
        else:
            new = _of_texts(series, parts[place], missing, attribute, table.column(name))
        if new is not None:
            # pandas would guess the dtype of an array of objects.
            objects = isinstance(series.dtype, np.dtype) and series.dtype.kind == "O"
            kept: Any = np.asarray(new, dtype=object) if objects else new
            column: Any = pd.Series(kept, index=frame.index, dtype=kept.dtype)
            result.isetitem(place, column)
    return result


def _of_numbers(
    series: "pd.Series[Any]", column: Column, missing: Sequence[str], attribute: Attribute, values: NDArray[Any]
) -> Any:
    """Return the array of a column of numbers or time spans with new values; None where nothing changes."""
    old, new = column.record_numbers(missing, attribute.decimals), np.array(values, dtype=np.float64)
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


def _integers(series: "pd.Series[Any]", changed: NDArray[np.bool_], new: Values) -> Any:
    """Return whole numbers in the dtype of a column, or in one that is wide enough and holds missing values."""
    dtype: Any = series.dtype
    bounds, plain = np.iinfo(getattr(dtype, "numpy_dtype", dtype)), isinstance(dtype, np.dtype)
    known = new[changed & ~np.isnan(new)]
    # The greatest of 64 bits is none of float64.
    fits = bool(((known >= float(bounds.min)) & (known < float(bounds.max) + (bounds.bits < 64))).all())
    gone = changed & np.isnan(new)
    if not fits and bool((np.abs(known) >= max(float(bounds.max), 2.0**63)).any()):
        return series.astype("Float64" if not plain else "float64").mask(changed, pd.Series(new, series.index)).array
    target: Any = dtype if fits and not (plain and gone.any()) else "Int64" if not plain or gone.any() else "int64"
    wide = np.uint64 if bounds.max >= 2**63 else np.int64
    if isinstance(target, np.dtype) or target == "int64":
        whole = series.astype(target).to_numpy(copy=True)
        whole[changed] = new[changed].astype(wide).astype(whole.dtype)
        return whole
    array = series.astype(target).array.copy()
    present = changed & ~gone
    array[present] = new[present].astype(wide)
    array[gone] = pd.NA
    return array


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
    used = np.unique(made.index)
    texts = [made.texts[position] for position in used if position != NO_TEXT]
    seen, first = np.unique(column.index, return_index=True)
    row = {column.texts[position]: at for position, at in zip(seen, first.tolist(), strict=True) if position != NO_TEXT}
    gone = made.index == NO_TEXT
    if all(text in row for text in texts):
        # Each value comes from the first row that has it, so that it is of the column's dtype as it was.
        rows = np.array([*(row.get(text, 0) for text in made.texts), -1])[made.index]
        dtype: Any = series.dtype
        plain = dtype.kind if isinstance(dtype, np.dtype) else ""
        if gone.any() and plain in ("b", "i", "u"):  # which hold no missing values
            series = series.astype("boolean" if plain == "b" else "Int64")
        elif gone.any() and isinstance(dtype, pd.IntervalDtype) and getattr(dtype.subtype, "kind", "f") in "iu":
            series = series.astype(pd.IntervalDtype("float64", dtype.closed))
        taken = series.array.take(rows, allow_fill=True)
        if gone.any() and plain == "O":
            taken[gone] = next(iter(series[series.isna()]), None)  # as the column has it: None or NaN
        return taken
    new = {text: part.values[text] if text in part.values else _read(text, series, part, attribute) for text in texts}
    by_place = [*(new.get(text) for text in made.texts), None]
    return _put(series, [by_place[position] for position in made.index.tolist()], list(new.values()), attribute)


def _read(text: str, series: "pd.Series[Any]", part: Part, attribute: Attribute) -> Any:
    """Return a new text as a value of a column's own kind where it is one."""
    dtype: Any = series.dtype
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


def _put(series: "pd.Series[Any]", values: list[Any], new: list[Any], attribute: Attribute) -> Any:
    """Return values as an array of the column's dtype, or of one that holds them: floats for integers, else texts."""
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        # A recoding brings categories of its own; the masked attribute knows the order of all of them.
        added = [value for value in dict.fromkeys(new) if value not in dtype.categories]
        known = {_label(value): value for value in [*dtype.categories, *added]}
        ordered = [known[label] for label in attribute.categories if label in known]
        rest = [value for value in dtype.categories if _label(value) not in attribute.categories]
        return pd.Categorical(values, categories=[*rest, *ordered], ordered=dtype.ordered)
    if _letter(dtype) in "iuf" and not any(isinstance(value, str) for value in new):
        wide: Any = "float64" if isinstance(dtype, np.dtype) else "Float64"
        return pd.array([np.nan if value is None else float(value) for value in values], dtype=wide)
    texts = pd.api.types.is_string_dtype(dtype) and all(isinstance(value, str) for value in new)
    if texts or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        return pd.array(values, dtype=dtype)
    return pd.array([None if value is None else _label(value) for value in values], dtype=object)


def _label(value: Any) -> str:
    return value if isinstance(value, str) else texts_of([value])[0]
