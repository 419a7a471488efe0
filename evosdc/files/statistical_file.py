"""Files of SPSS, Stata and SAS: labels, missing values that users declare, and formats stay with the file."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.inference.scales import guess_scale
from evosdc.files.valued import ValuedColumn, text_of, valued_column
from evosdc.printing import printable
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Rows

SUFFIXES = {".sav": ".sav", ".zsav": ".zsav", ".por": ".por", ".dta": ".dta", ".xpt": ".xpt", ".sas7bdat": ".xpt"}
"""What is read, and what it is written as: the format of SAS's own files is not public, its transport format is."""

_INTEGERS = {"int8": "Int8", "int16": "Int16", "int32": "Int32"}


@dataclass(frozen=True, eq=False)
class StatisticalFile:
    """A file of a statistical package.

    Parameters
    ----------
    frame : DataFrame
        The values as they are stored: dates as numbers, codes without their labels.
    meta : object
        What pyreadstat tells of the file.
    valued : tuple of ValuedColumn
        Codes that are all labelled read as their labels, dates as days.
    declared : mapping of str to Attribute
        Scale, categories and missing values of columns whose labels, measure or missing values tell.
    suffix : str
        Of the file that is written.
    catalog : Path or None
        Where the labels of its values stand.
    """

    frame: pd.DataFrame
    meta: Any
    valued: tuple[ValuedColumn, ...]
    declared: Mapping[str, Attribute]
    suffix: str
    catalog: Path | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as texts, by column."""
        return tuple(valued.column for valued in self.valued)

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"record {record + 1}"

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return the file's bytes with some values changed and some columns and records left out."""
        columns, own = {}, []
        for position, valued in enumerate(self.valued):
            if position not in dropped:
                name = valued.column.name
                values, kept = valued.changed(changes.get(position), rows, missing[position])
                columns[name] = self._stored(name, values, kept)
                own += [name] if kept else []
        return _written(pd.DataFrame(columns), self.meta, own, self.suffix)

    def _stored(self, name: str, values: Sequence[Any], kept: bool) -> "pd.Series[Any]":
        if not kept or pd.api.types.is_string_dtype(self.frame[name].dtype):
            return pd.Series(["" if value is None else value for value in values], dtype="object")
        if any(isinstance(value, str) for value in values):  # missing values that Stata and SAS tell apart by letters
            return pd.Series(list(values), dtype="object")
        whole = all(value is None or value == int(value) for value in values)
        kind = _INTEGERS.get(self.meta.readstat_variable_types.get(name, "")) if whole else None
        if kind is not None:
            return pd.Series([None if value is None else int(value) for value in values], dtype=kind)
        return pd.Series([np.nan if value is None else value for value in values], dtype="float64")


def parse_statistical(content: bytes, where: str, suffix: str, catalog: Path | None = None) -> StatisticalFile:
    """Read a file of SPSS (sav, zsav, por), Stata (dta) or SAS (sas7bdat, xpt).

    Parameters
    ----------
    content, where, suffix
        The file, its place for messages, and its format.
    catalog : Path, optional
        Of the formats of a file of SAS, which label its values.

    Raises
    ------
    DataError
        pyreadstat is not installed, or the file or its catalog is damaged or without records.
    """
    try:
        import pyreadstat
    except ModuleNotFoundError:
        advice = "Install it: pip install 'evosdc[spss]' (or stata, sas)."
        raise DataError(Fault(where, f"a file of the format {suffix}", "pyreadstat to read it with", advice)) from None
    reader: Any = {
        ".sav": pyreadstat.read_sav, ".zsav": pyreadstat.read_sav, ".por": pyreadstat.read_por,
        ".dta": pyreadstat.read_dta, ".xpt": pyreadstat.read_xport, ".sas7bdat": pyreadstat.read_sas7bdat,
    }[suffix]  # fmt: skip
    users = {"user_missing": True} if suffix in (".sav", ".zsav", ".dta", ".sas7bdat") else {}
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        try:
            stored, meta = reader(path, disable_datetime_conversion=True, **users)
            shown, _ = reader(path, **users)
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
    return StatisticalFile(stored, meta, tuple(valued), declared, SUFFIXES[suffix], catalog)


def _labels_of(catalog: Path, meta: Any) -> dict[str, Mapping[Any, str]]:
    """Return the labels of values by variable, as a catalog of SAS has them for the variables' formats."""
    import pyreadstat

    try:
        _, told = pyreadstat.read_sas7bcat(catalog)
    except Exception as error:
        given, advice = f"a damaged catalog ({printable(str(error))})", "Restore it, or move it elsewhere."
        raise DataError(Fault(printable(str(catalog)), given, "a whole file of formats", advice)) from None
    formats = {name.upper().strip("."): labels for name, labels in told.value_labels.items()}
    named = {name: str(form).upper().strip(".") for name, form in (meta.variable_to_label or {}).items()}
    return {name: formats[form] for name, form in named.items() if form in formats}


def _column(
    name: str, stored: "pd.Series[Any]", shown: "pd.Series[Any]", meta: Any
) -> tuple[ValuedColumn, Attribute | None]:
    values = [_plain(value) for value in stored]
    missing = {value for value in values if value is not None and _is_missing(name, value, meta)}
    labels = {_plain(code): str(label) for code, label in (meta.variable_value_labels.get(name) or {}).items()}
    present = {value for value in values if value is not None} - missing
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
        scale = Scale.ORDINAL if measure == "ordinal" else Scale.NOMINAL
        return column, Attribute(name, Role.OTHER, scale, tuple(order), None, 0, own)
    if not own:
        return column, None
    hint = hint_of(name)
    guess = guess_scale(column.column, ("", *own), hint.unordered, hint.ordered)
    return column, Attribute(
        name, Role.OTHER, guess.scale, guess.categories, None, guess.decimals, own, guess.date_format
    )


def _is_missing(name: str, value: Any, meta: Any) -> bool:
    for span in (meta.missing_ranges or {}).get(name, ()):
        low, high = span["lo"], span["hi"]
        if isinstance(low, str) == isinstance(value, str) and low <= value <= high:
            return True
    return value in ((meta.missing_user_values or {}).get(name) or ()) and isinstance(value, str)


def _plain(value: Any) -> Any:
    if value is None or value is pd.NaT or (isinstance(value, float) and value != value) or value == "":
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value


def _written(frame: pd.DataFrame, meta: Any, own: Sequence[str], suffix: str) -> bytes:
    """Return the bytes of a file; labels, missing values and formats are kept of columns that are as they were."""
    import pyreadstat

    names = list(frame.columns)

    def kept(by_name: Mapping[str, Any] | None) -> dict[str, Any]:
        return {name: by_name[name] for name in own if by_name and by_name.get(name)}

    labels = {name: meta.column_names_to_labels.get(name) or "" for name in names}
    formats = kept(meta.original_variable_types)
    more: dict[str, Any] = {"file_label": meta.file_label or "", "column_labels": labels}
    writer: Any
    if suffix in (".sav", ".zsav"):
        writer = pyreadstat.write_sav
        more |= {
            "compress": suffix == ".zsav", "row_compress": suffix == ".sav", "note": list(meta.notes or ()) or None,
            "variable_value_labels": kept(meta.variable_value_labels), "missing_ranges": kept(meta.missing_ranges),
            "variable_display_width": kept(meta.variable_display_width), "variable_format": formats,
            "variable_measure": {name: meta.variable_measure.get(name, "unknown") for name in own},
        }  # fmt: skip
    elif suffix == ".dta":
        writer = pyreadstat.write_dta
        more |= {
            "variable_value_labels": kept(meta.variable_value_labels), "variable_format": formats,
            "missing_user_values": kept(meta.missing_user_values),
        }  # fmt: skip
    elif suffix == ".por":
        writer = pyreadstat.write_por
        more |= {"variable_format": formats}
    else:
        writer = pyreadstat.write_xport
        more |= {"file_format_version": 8, "variable_format": formats, "table_name": meta.table_name or "DATA"}
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        path = Path(folder) / f"file{suffix}"
        writer(frame, path, **{key: value for key, value in more.items() if value or isinstance(value, bool)})
        return path.read_bytes()
