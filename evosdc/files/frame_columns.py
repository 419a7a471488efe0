"""The columns of a DataFrame as texts, or as the numbers that texts would write."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.files.column import FEWEST_HELD, NO_TEXT, Column, renamed
from evosdc.files.dtypes import number_texts_of, texts_of
from evosdc.printing import printable

ORIGIN = "DataFrame"


@dataclass(frozen=True, eq=False)
class Part:
    """One column of a DataFrame as texts, and its distinct values.

    Parameters
    ----------
    column : Column
    distinct : sequence
        In the order of first appearance; the texts of several may be one.
    """

    column: Column
    distinct: Sequence[Any]

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The value that each text stands for, the first where there are several."""
        texts = self.column.texts if self.column.held is not None else texts_of(list(self.distinct))
        return dict(zip(reversed(texts), reversed(self.distinct), strict=True))


def columns_of(frame: pd.DataFrame, where: str = ORIGIN) -> tuple[Part, ...]:
    """Return the columns of a DataFrame as texts; the index is not looked at.

    Raises
    ------
    DataError
        It is no DataFrame, two columns have one name, or a column holds values that are neither texts, numbers nor
        dates.
    """
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
    """Return what is given instead of a frame, without its content."""
    kind = type(thing)
    if isinstance(thing, (str, Path)):
        return "a text or a path"
    return f"a {kind.__qualname__}" if kind.__module__ == "builtins" else f"a {kind.__module__}.{kind.__qualname__}"


def _part(name: str, series: "pd.Series[Any]") -> Part:
    codes: NDArray[np.integer[Any]]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, uniques = np.asarray(series.cat.codes), series.cat.categories
    else:
        codes, uniques = _distinct(series)
    index = np.where(codes < 0, NO_TEXT, codes).astype(np.int32)
    many = len(uniques) >= FEWEST_HELD and not isinstance(series.dtype, pd.CategoricalDtype)
    held = number_texts_of(uniques) if many else None
    if held is not None:
        distinct: Any = uniques
        return Part(Column(name, held, index), distinct)
    values = list(uniques)
    texts = texts_of(values)
    return Part(renamed(Column(name, tuple(map(str, range(len(texts)))), index), texts), values)


def _distinct(series: "pd.Series[Any]") -> tuple[NDArray[np.integer[Any]], "pd.Index[Any]"]:
    """Return what `pandas.factorize` does: of floats that all differ in half of its time."""
    if series.dtype == np.dtype(np.float64) and len(series) >= FEWEST_HELD:
        values = series.to_numpy()
        ascending = np.sort(values)
        # Those that are missing come last.
        if not np.isnan(ascending[-1]) and not (ascending[1:] == ascending[:-1]).any():
            return np.arange(len(values), dtype=np.int32), pd.Index(values, copy=True)
    return pd.factorize(series)


@dataclass(frozen=True, eq=False)
class HeldFrame:
    """A DataFrame that does not change, and its columns as texts, which are made once for all who ask for them.

    Parameters
    ----------
    frame : DataFrame
    given : object
        The frame of another kind that it was made from, or itself.
    """

    frame: pd.DataFrame
    given: Any

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The columns; raises as `columns_of`."""
        return columns_of(self.frame)


def held(frame: pd.DataFrame | HeldFrame) -> HeldFrame:
    """Return a frame as one whose columns are made once."""
    return frame if isinstance(frame, HeldFrame) else HeldFrame(frame, frame)
