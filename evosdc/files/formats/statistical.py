"""Common parts of files of SPSS, Stata and SAS: labels, missing values that users declare, and formats."""

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column
from evosdc.files.formats.values import ValuedColumn, converted, text_of, valued_column
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.inference.scales import guess_scale, known_order
from evosdc.files.original import Published
from evosdc.printing import printable
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class StatisticalFile(ABC):
    """A file of a statistical package; how one is written says the class of each package."""

    content: bytes  # the first bytes of the file, which tell its release
    frame: pd.DataFrame  # the values as they are stored: dates as numbers, codes without their labels
    meta: Any  # the metadata by pyreadstat
    valued: tuple[ValuedColumn, ...]  # codes that are all labelled read as their labels, dates as days
    # scale, categories and missing values of columns whose labels, measure or missing values tell
    declared: Mapping[str, Attribute]
    suffix: str  # of the file that is written
    catalog: Path | None = None  # where the labels of its values stand

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as texts, by column."""
        return tuple(valued.column for valued in self.valued)

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"record {record + 1}"

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of a file with these columns."""
        values, own = {}, []
        for one in columns:
            name = str(self.frame.columns[one.position])
            values[name], kept = self.valued[one.position].published(one, rows)
            own += [name] if kept else []
        return [self.stored(values, own)]

    @abstractmethod
    def stored(self, values: Mapping[str, list[Any]], own: Sequence[str]) -> bytes:
        """Return the bytes of a file of columns, None for no value; those of `own` are of the kind that they were."""

    def kept(self, by_name: Mapping[str, Any] | None, own: Sequence[str]) -> dict[str, Any]:
        """Return the entries of columns whose kind did not change."""
        return {name: by_name[name] for name in own if by_name and by_name.get(name)}

    @property
    def variable_labels(self) -> dict[str, str]:
        """The labels of columns in the file."""
        return {name: label for name, label in self.meta.column_names_to_labels.items() if label}

    @property
    def code_labels(self) -> dict[str, dict[str, str]]:
        """The labels of single codes, by column and by the text of the code."""
        labels = self.meta.variable_value_labels
        return {name: {text_of(_plain(c)): str(label) for c, label in own.items()} for name, own in labels.items()}

    def labels(self, names: Iterable[str]) -> dict[str, str]:
        """Return the labels of columns; empty where there is none."""
        return {name: self.meta.column_names_to_labels.get(name) or "" for name in names}


def parse(
    content: bytes, where: str, suffix: str, reader: str, users: bool, catalog: Path | None = None
) -> tuple[pd.DataFrame, Any, tuple[ValuedColumn, ...], dict[str, Attribute]]:
    """Return the values of a file, its metadata by pyreadstat, and its columns with their declarations in the file."""
    import pyreadstat

    read, more = getattr(pyreadstat, reader), {"user_missing": True} if users else {}
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        try:
            stored, meta = read(path, disable_datetime_conversion=True, **more)
            shown, _ = read(path, **more)
        except Exception as error:  # pyreadstat has errors of its own for each kind of damage
            given = f"a damaged file ({printable(str(error).splitlines()[0] if str(error) else type(error).__name__)})"
            raise DataError(Fault(where, given, f"a whole file of the format {suffix}")) from None
    if catalog is not None:
        meta.variable_value_labels = _labels_of(catalog, meta)
    if not len(stored):
        raise DataError(Fault(where, "a file without records", "at least one record"))
    valued, declared = [], {}
    for name in stored.columns:
        column, attribute = _column(str(name), stored[name], shown[name], meta)
        valued.append(column)
        if attribute is not None:
            declared[str(name)] = attribute
    return stored, meta, tuple(valued), declared


def saved(writer: str, frame: pd.DataFrame, suffix: str, **more: Any) -> bytes:
    """Return the bytes of a file that a function of pyreadstat writes; empty arguments are left out."""
    import pyreadstat

    said = {key: value for key, value in more.items() if value or isinstance(value, bool)}
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        path = Path(folder) / f"file{suffix}"
        getattr(pyreadstat, writer)(frame, path, **said)
        return path.read_bytes()


def series_of(values: Sequence[Any]) -> "pd.Series[Any]":
    """Return values as texts if one of them is a text, else as numbers."""
    if any(isinstance(value, str) for value in values):
        return pd.Series(["" if value is None else value for value in values], dtype="object")
    return pd.Series([float("nan") if value is None else float(value) for value in values], dtype="float64")


def frame_of(columns: Sequence[Published]) -> pd.DataFrame:
    """Return columns that came from a file of another format as numbers and texts."""
    return pd.DataFrame({one.name: series_of(converted(one)) for one in columns})


def _labels_of(catalog: Path, meta: Any) -> dict[str, Mapping[Any, str]]:
    """Return the labels of values by variable, as a catalog of SAS has them for the variables' formats."""
    import pyreadstat

    try:
        _, declared = pyreadstat.read_sas7bcat(catalog)
    except Exception as error:
        given, advice = f"a damaged catalog ({printable(str(error))})", "Restore it, or move it elsewhere."
        raise DataError(Fault(printable(str(catalog)), given, "a whole file of formats", advice)) from None
    formats = {name.upper().strip("."): labels for name, labels in declared.value_labels.items()}
    named = {name: str(form).upper().strip(".") for name, form in (meta.variable_to_label or {}).items()}
    return {name: formats[form] for name, form in named.items() if form in formats}


def _column(
    name: str, stored: "pd.Series[Any]", shown: "pd.Series[Any]", meta: Any
) -> tuple[ValuedColumn, Attribute | None]:
    values = [_plain(value) for value in stored]
    spans = (meta.missing_ranges or {}).get(name, ())
    letters = [own for own in (meta.missing_user_values or {}).get(name) or () if isinstance(own, str)]
    present = {value for value in values if value is not None}
    missing = present.intersection(letters)
    for low, high in ((span["lo"], span["hi"]) for span in spans):
        alike = (value for value in present if isinstance(value, str) == isinstance(low, str))
        missing |= {value for value in alike if low <= value <= high}
    present -= missing
    labels = {_plain(code): str(label) for code, label in (meta.variable_value_labels.get(name) or {}).items()}
    texts = {
        value: text_of(_plain(seen)) for value, seen in zip(values, shown, strict=True) if _plain(seen) is not None
    }
    labelled = bool(present) and present <= labels.keys() and len(set(labels.values())) == len(labels)
    if labelled:
        texts |= {code: label for code, label in labels.items() if code in present}
    column = valued_column(name, values, texts)
    own = tuple(texts.get(value, text_of(value)) for value in sorted(missing, key=str))
    measure = (getattr(meta, "variable_measure", None) or {}).get(name, "unknown")
    if labelled:
        order = [labels[code] for code in sorted(labels, key=lambda c: (isinstance(c, str), c)) if code not in missing]
        known = known_order(order) if measure == "unknown" else None
        scale = Scale.ORDINAL if measure == "ordinal" or known else Scale.NOMINAL
        return column, Attribute(name, Role.OTHER, scale, known or tuple(order), None, 0, own)
    if not own:
        return column, None
    hint = hint_of(name)
    guess = guess_scale(column.column, ("", *own), hint.unordered, hint.ordered)
    return column, Attribute(
        name, Role.OTHER, guess.scale, guess.categories, None, guess.decimals, own, guess.date_format
    )


def _plain(value: Any) -> Any:
    if value is None or value is pd.NaT or (isinstance(value, float) and value != value) or value == "":
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value
