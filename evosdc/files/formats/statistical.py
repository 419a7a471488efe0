"""Files of SPSS, Stata and SAS: labels, missing values that users declare, measures, formats and notes are kept.

SAS is written as transport files, since the format of its own files is not public. pyreadstat reads files of Stata, and
pandas writes them, since it alone keeps the types of columns. What pandas cannot say, formats and the letters ``.a`` to
``.z`` of missing values, is put into the bytes that it wrote, where Stata's description of its format has them
(``help dta`` in Stata).
"""

import io
import struct
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evosdc.errors import DataError, Fault
from evosdc.files.inference.column_proposal import guess_scale, known_order
from evosdc.files.original import Original, Published, ValuedColumn, converted, text_of, valued_column
from evosdc.printing import printable
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.formats import Reading


# releases of the format that are written; older ones become 114, which Stata 10 and later read
_RELEASES = (114, 117, 118, 119)
# What integer types of Stata hold beside the codes of missing values.
_BOUNDS = {"Int8": (-127, 100), "Int16": (-32767, 32740), "Int32": (-2147483647, 2147483620)}
_INTEGERS = {"int8": tuple(_BOUNDS), "int16": ("Int16", "Int32"), "int32": ("Int32",)}
# code of a missing value in a table of labels, to which the place of its letter from 1 is added
_LETTER_OF_LABELS = 2147483621
_LONGEST = 2045  # characters of a text beyond which Stata keeps it apart from the records
# by type, the code of ``.`` and the step to ``.a``, ``.b`` and so on; of ``f`` and ``d`` the bits
_MISSING = {
    "b": (101, 1), "h": (32741, 1), "l": (2147483621, 1), "f": (0x7F000000, 0x800), "d": (0x7FE << 52, 1 << 40),
}  # fmt: skip
# types in the releases 114 and from 117 on
_TYPES = {251: "b", 252: "h", 253: "l", 254: "f", 255: "d", 65530: "b", 65529: "h", 65528: "l", 65527: "f", 65526: "d"}


def _stata(values: Mapping[str, list[Any]], own: Sequence[str], meta: Any, release: int) -> bytes:
    """Return the bytes of a file of columns, None for no value; those of `own` are of the kind that they were."""
    kinds = {name: str(meta.readstat_variable_types.get(name, "double")) for name in values}
    # The place of each value's letter from 1, where it is a missing value with one; else 0.
    letters = {
        name: np.array([ord(value) - 96 if isinstance(value, str) and len(value) == 1 else 0 for value in column])
        for name, column in values.items()
        if name in own and kinds[name] != "string"
    }
    labels = {name: meta.variable_value_labels[name] for name in letters if meta.variable_value_labels.get(name)}
    sets = {name: str(meta.variable_to_label.get(name, name)) for name in labels}
    first = {of: name for name, of in reversed(sets.items())}  # by set the variable that it is written for
    content = _saved_stata(
        pd.DataFrame({name: _stata_series(column, kinds[name], name in letters) for name, column in values.items()}),
        release,
        meta.file_label or "",
        {name: meta.column_names_to_labels.get(name) or "" for name in values},
        {
            name: {
                _LETTER_OF_LABELS + ord(code) - 96 if isinstance(code, str) else int(code): label
                for code, label in labels[name].items()
            }
            for name in labels
            if first[sets[name]] == name
        },
    )
    formats = meta.original_variable_types or {}
    places = {name: place for place, name in enumerate(values)}
    return _completed(
        content,
        {places[name]: formats[name] for name in own if formats.get(name)},
        {places[name]: codes for name, codes in letters.items() if codes.any()},
        {places[name]: of for name, of in sets.items()},
        {name: of for of, name in first.items()},
    )


def _stata_series(values: Sequence[Any], kind: str, numeric: bool) -> Any:
    if not numeric and (kind == "string" or any(isinstance(value, str) for value in values)):
        return pd.Series(["" if value is None else str(value) for value in values], dtype="object")
    numbers = [None if isinstance(value, str) else value for value in values]
    if kind in _INTEGERS and all(value is None or value == int(value) for value in numbers):
        whole: list[Any] = [None if value is None else int(value) for value in numbers]
        for fit in _INTEGERS[kind]:
            low, high = _BOUNDS[fit]
            if all(value is None or low <= value <= high for value in whole):
                return pd.Series(whole, dtype=fit)
    floats = [np.nan if value is None else float(value) for value in numbers]
    return pd.Series(floats, dtype="float32" if kind == "float" else "float64")


def _saved_stata(
    frame: pd.DataFrame,
    release: int,
    label: str = "",
    labels: Mapping[str, str] = MappingProxyType({}),
    values: Mapping[str, Mapping[Any, str]] = MappingProxyType({}),
) -> bytes:
    """Return the bytes of a file as pandas writes it."""
    buffer = io.BytesIO()
    texts = [name for name, column in frame.items() if column.dtype == object]
    long = [name for name in texts if frame[name].str.len().max() > (_LONGEST if release > 114 else 244)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.InvalidColumnName)  # a name would be changed without a word
        frame.to_stata(
            buffer, write_index=False, version=release, data_label=label[:80] or None,  # type: ignore[arg-type]
            variable_labels={name: text[:80] for name, text in labels.items()},
            value_labels={name: dict(of) for name, of in values.items()}, convert_strl=long if release > 114 else None,
        )  # fmt: skip
    return buffer.getvalue()


def _completed(
    content: bytes,
    formats: Mapping[int, str],
    letters: Mapping[int, Any],
    sets: Mapping[int, str],
    tables: Mapping[str, str],
) -> bytes:
    """Return a file with other formats, letters of missing values, and names of label sets, by column."""
    # letters: (n,), the place of each record's letter from 1, or 0; tables: names of label tables, by those of pandas.
    little = b"<byteorder>LSF" in content[:200] if content.startswith(b"<stata_dta>") else content[1] == 2
    made, order = bytearray(content), "<" if little else ">"
    types, at_formats, at_sets, at_data, at_tables = _layout(content, order)
    width = 129 if content.startswith((b"<stata_dta><header><release>118", b"<stata_dta><header><release>119")) else 33
    coding = "utf-8" if width == 129 else "latin-1"
    fields = [(*at_formats, place, form) for place, form in formats.items()]
    fields += [(at_sets, width, place, name) for place, name in sets.items()]
    for begin, size, place, said in fields:
        if len(said.encode(coding)) < size:
            start = begin + place * size
            made[start : start + size] = said.encode(coding).ljust(size, b"\0")
    sizes = [{"b": 1, "h": 2, "l": 4, "f": 4, "d": 8}.get(kind) or int(kind) for kind in types]
    record = sum(sizes)
    for place, codes in letters.items():
        dot, step = _MISSING[types[place]]
        start, size = at_data + sum(sizes[:place]), sizes[place]
        sign = {1: "b", 2: "h", 4: "i", 8: "q"}[size]
        for row in np.flatnonzero(codes).tolist():
            at = start + row * record
            made[at : at + size] = struct.pack(f"{order}{sign}", dot + step * int(codes[row]))
    at, tag = at_tables, 5 if content.startswith(b"<stata_dta>") else 0  # <lbl> and </lbl> around each table
    if not tag:
        at = at_data + record * struct.unpack_from(f"{order}i", content, 6)[0]
    for _ in tables:
        at += tag
        name = bytes(made[at + 4 : at + 4 + width]).partition(b"\0")[0].decode(coding)
        new = tables.get(name, name).encode(coding)
        if len(new) < width:
            made[at + 4 : at + 4 + width] = new.ljust(width, b"\0")
        at += 4 + width + 3 + struct.unpack_from(f"{order}i", content, at)[0] + (tag and tag + 1)
    return bytes(made)


def _layout(content: bytes, order: str) -> tuple[list[str], tuple[int, int], int, int, int]:
    """Return the types of columns, where formats (and how long), names of label sets, records and label tables are."""
    # A type is a letter of `struct`, or the bytes of a text. In release 114 label tables follow the records.
    if not content.startswith(b"<stata_dta>"):
        columns = struct.unpack_from(f"{order}h", content, 4)[0]
        types = [_TYPES.get(kind, str(kind)) for kind in content[109 : 109 + columns]]
        formats = 109 + columns + 33 * columns + 2 * (columns + 1)
        # Labels of columns and of values follow, and five bytes for characteristics, of which pandas writes none.
        sets = formats + 49 * columns
        return types, (formats, 49), sets, sets + 33 * columns + 81 * columns + 5, 0
    release = int(content.partition(b"<release>")[2][:3])
    at = content.index(b"<map>") + 5
    places = struct.unpack_from(f"{order}14q", content, at)
    count = content.index(b"<K>") + 3
    columns = struct.unpack_from(f"{order}{'i' if release == 119 else 'h'}", content, count)[0]
    kinds = struct.unpack_from(f"{order}{columns}H", content, places[2] + len("<variable_types>"))
    types = [_TYPES.get(kind, "8" if kind == 32768 else str(kind)) for kind in kinds]
    formats, sets, records, tables = (
        places[place] + len(f"<{tag}>")
        for place, tag in ((5, "formats"), (6, "value_label_names"), (9, "data"), (11, "value_labels"))
    )
    return types, (formats, 49 if release == 117 else 57), sets, records, tables


_READERS = {".dta": "read_dta", ".por": "read_por", ".xpt": "read_xport", ".sas7bdat": "read_sas7bdat"}


@dataclass(frozen=True, eq=False)
class StatisticalFile(Original):
    """A file of a statistical package; codes that are all labelled are read as their labels, dates as days."""

    meta: Any  # the metadata by pyreadstat
    valued: tuple[ValuedColumn, ...]
    release: int  # of Stata's format, as it is written

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of a file with these columns."""
        values, own = {}, []  # own: columns that are still of the kind that they were
        for one in columns:
            name = self.columns[one.position].name
            values[name], kept = self.valued[one.position].published(one, rows)
            own += [name] if kept else []

        def of_own(by_name: Mapping[str, Any] | None) -> dict[str, Any]:
            return {name: by_name[name] for name in own if by_name and by_name.get(name)}

        meta = self.meta
        if self.format == ".dta":
            return [_stata(values, own, meta, self.release)]
        more = {
            "file_label": meta.file_label or "",
            "column_labels": {name: meta.column_names_to_labels.get(name) or "" for name in values},
            "variable_format": of_own(meta.original_variable_types),
        }
        if self.format == ".xpt":
            # A missing value that SAS tells apart by a letter is one of a number, which is written without it.
            letters = {
                name: {text for text in (meta.missing_user_values or {}).get(name, ()) if isinstance(text, str)}
                for name in values
            }
            plain = {n: [None if value in letters[n] else value for value in column] for n, column in values.items()}
            name = meta.table_name or "DATA"
            return [_saved("write_xport", plain, self.format, **more, file_format_version=8, table_name=name)]
        texts = {name for name in own if meta.readstat_variable_types.get(name) == "string"}
        if self.format == ".por":
            return [_saved("write_por", values, self.format, texts, **more)]
        return [
            _saved(
                "write_sav", values, self.format, texts, **more,
                compress=self.format == ".zsav", row_compress=self.format == ".sav", note=list(meta.notes or ()),
                variable_value_labels=of_own(meta.variable_value_labels),
                missing_ranges=of_own(meta.missing_ranges),
                variable_display_width=of_own(meta.variable_display_width),
                variable_measure={name: meta.variable_measure.get(name, "unknown") for name in own},
            )
        ]  # fmt: skip


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a file of columns that came from a file of another format."""
    values = {one.name: converted(one) for one in columns}
    if suffix == ".dta":
        return _saved_stata(pd.DataFrame({name: _series(column) for name, column in values.items()}), 118)
    if suffix == ".xpt":
        return _saved("write_xport", values, suffix, file_format_version=8, table_name="DATA")
    small = [name for name in values if name != name.upper()] if suffix == ".por" else []
    if small:  # they would come back as others
        given, advice = f"the column {printable(', '.join(small))}", "Choose another ending, such as .sav."
        raise DataError(Fault("the portable file", given, "names in capitals, the only letters it has", advice))
    return _saved("write_por" if suffix == ".por" else "write_sav", values, suffix, compress=suffix == ".zsav" or None)


def _saved(
    writer: str, values: Mapping[str, Sequence[Any]], suffix: str, texts: Iterable[str] = (), **more: Any
) -> bytes:
    """Return the bytes of a file that a function of pyreadstat writes; empty arguments are left out."""
    import pyreadstat

    frame = pd.DataFrame({name: _series(column, name in texts) for name, column in values.items()})
    said = {key: value for key, value in more.items() if value or isinstance(value, bool)}
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        path = Path(folder) / f"file{suffix}"
        getattr(pyreadstat, writer)(frame, path, **said)
        return path.read_bytes()


def _series(values: Sequence[Any], text: bool = False) -> "pd.Series[Any]":
    """Return values as texts if one of them is a text, else as numbers."""
    if text or any(isinstance(value, str) for value in values):
        return pd.Series(["" if value is None else value for value in values], dtype="object")
    return pd.Series([float("nan") if value is None else float(value) for value in values], dtype="float64")


def read(content: bytes, where: str, suffix: str, options: "Reading") -> StatisticalFile:
    """Read a file of SPSS (sav, zsav, por), Stata (dta) or SAS (sas7bdat, xpt)."""
    import pyreadstat

    read_file = getattr(pyreadstat, _READERS.get(suffix, "read_sav"))
    more = {} if suffix in (".por", ".xpt") else {"user_missing": True}
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        try:
            stored, meta = read_file(path, disable_datetime_conversion=True, **more)
            shown, _ = read_file(path, **more)
        except Exception as error:  # pyreadstat has errors of its own for each kind of damage
            given = f"a damaged file ({printable(str(error).splitlines()[0] if str(error) else type(error).__name__)})"
            raise DataError(Fault(where, given, f"a whole file of the format {suffix}")) from None
    if options.catalog is not None:
        try:
            _, catalog = pyreadstat.read_sas7bcat(options.catalog)
        except Exception as error:
            given, advice = f"a damaged catalog ({printable(str(error))})", "Restore it, or move it elsewhere."
            raise DataError(Fault(printable(str(options.catalog)), given, "a whole file of formats", advice)) from None
        # The catalog has labels by the variables' formats.
        formats = {name.upper().strip("."): labels for name, labels in catalog.value_labels.items()}
        named = {name: str(form).upper().strip(".") for name, form in (meta.variable_to_label or {}).items()}
        meta.variable_value_labels = {name: formats[form] for name, form in named.items() if form in formats}
    if not len(stored):
        raise DataError(Fault(where, "a file without records", "at least one record"))
    found = {str(name): _column(str(name), stored[name], shown[name], meta) for name in stored.columns}
    valued = tuple(column for column, _ in found.values())
    # The release of Stata that is written: that of the file, where pandas can write it.
    release = int(content[:64].partition(b"<release>")[2][:3] or content[0])
    return StatisticalFile(
        meta, valued, release if release in _RELEASES else _RELEASES[0],
        columns=tuple(one.column for one in valued), format=".xpt" if suffix == ".sas7bdat" else suffix,
        declared={name: attribute for name, (_, attribute) in found.items() if attribute is not None},
        variable_labels={name: label for name, label in meta.column_names_to_labels.items() if label},
        code_labels={
            name: {text_of(_plain(code)): str(label) for code, label in own.items()}
            for name, own in meta.variable_value_labels.items()
        },
        catalog=options.catalog,
    )  # fmt: skip


def _column(
    name: str, stored: "pd.Series[Any]", shown: "pd.Series[Any]", meta: Any
) -> tuple[ValuedColumn, Attribute | None]:
    """Return a column, and what its labels, its measure or its missing values declare."""
    values = [_plain(value) for value in stored]
    present = {value for value in values if value is not None}
    letters = [own for own in (meta.missing_user_values or {}).get(name) or () if isinstance(own, str)]
    missing = present.intersection(letters)
    for low, high in ((span["lo"], span["hi"]) for span in (meta.missing_ranges or {}).get(name, ())):
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
    if labelled:
        order = [labels[code] for code in sorted(labels, key=lambda c: (isinstance(c, str), c)) if code not in missing]
        measure = (getattr(meta, "variable_measure", None) or {}).get(name, "unknown")
        known = known_order(order) if measure == "unknown" else None
        scale = Scale.ORDINAL if measure == "ordinal" or known else Scale.NOMINAL
        return column, Attribute(name, scale=scale, categories=known or tuple(order), missing=own)
    return column, guess_scale(column.column, ("", *own)).attribute(name, missing=own) if own else None


def _plain(value: Any) -> Any:
    if value is None or value is pd.NaT or (isinstance(value, float) and value != value) or value == "":
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value
