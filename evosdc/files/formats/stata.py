"""Files of Stata: release, types, labels, formats and the missing values ``.a`` to ``.z`` stay with the file.

pyreadstat reads them, and pandas writes them, since it alone keeps the types of columns. What pandas cannot say,
formats and the letters of missing values, is put into the bytes that it wrote, where Stata's description of its format
has them (``help dta`` in Stata).
"""

import io
import struct
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evosdc.files.formats.statistical import StatisticalFile, frame_of, parse
from evosdc.files.original import Published

if TYPE_CHECKING:
    from evosdc.files.formats import Reading

# releases of the format that are written; older ones become 114, which Stata 10 and later read
RELEASES = (114, 117, 118, 119)
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


class StataFile(StatisticalFile):
    """A file of Stata; see `StatisticalFile`."""

    @property
    def release(self) -> int:
        """The release that is written: that of the file, where pandas can write it."""
        own = self.content[0]
        if self.content.startswith(b"<stata_dta>"):
            own = int(self.content.partition(b"<release>")[2][:3])
        return own if own in RELEASES else RELEASES[0]

    def stored(self, values: Mapping[str, list[Any]], own: Sequence[str]) -> bytes:
        """Return the bytes of a file of columns."""
        # The place of each value's letter from 1, where it is a missing value with one; else 0.
        letters = {
            name: np.array([ord(value) - 96 if isinstance(value, str) and len(value) == 1 else 0 for value in column])
            for name, column in values.items()
            if name in own and self.meta.readstat_variable_types.get(name) != "string"
        }
        columns = {name: self._series(name, column, name in letters) for name, column in values.items()}
        labels = {n: of for n, of in self.kept(self.meta.variable_value_labels, own).items() if n in letters}
        sets = {name: str(self.meta.variable_to_label.get(name, name)) for name in labels}
        first = {of: name for name, of in reversed(sets.items())}  # by set the variable that it is written for
        formats = self.kept(self.meta.original_variable_types, own)
        content = _saved(
            pd.DataFrame(columns), self.release, self.meta.file_label or "", self.labels(values),
            {
                name: {
                    _LETTER_OF_LABELS + ord(code) - 96 if isinstance(code, str) else int(code): label
                    for code, label in of.items()
                }
                for name, of in labels.items()
                if first[sets[name]] == name
            },
        )  # fmt: skip
        places = {name: place for place, name in enumerate(values)}
        return _completed(
            content, {places[name]: form for name, form in formats.items()},
            {places[name]: codes for name, codes in letters.items() if codes.any()},
            {places[name]: of for name, of in sets.items()}, {name: of for of, name in first.items()},
        )  # fmt: skip

    def _series(self, name: str, values: Sequence[Any], numeric: bool) -> Any:
        if not numeric and any(isinstance(value, str) for value in values):
            return pd.Series(["" if value is None else str(value) for value in values], dtype="object")
        numbers = [None if isinstance(value, str) else value for value in values]
        kind = str(self.meta.readstat_variable_types.get(name, "double"))
        if not numeric and kind == "string":
            return pd.Series([""] * len(values), dtype="object")
        if kind in _INTEGERS and all(value is None or value == int(value) for value in numbers):
            whole: list[Any] = [None if value is None else int(value) for value in numbers]
            for fit in _INTEGERS[kind]:
                low, high = _BOUNDS[fit]
                if all(value is None or low <= value <= high for value in whole):
                    return pd.Series(whole, dtype=fit)
        floats = [np.nan if value is None else float(value) for value in numbers]
        return pd.Series(floats, dtype="float32" if kind == "float" else "float64")


def _saved(
    frame: pd.DataFrame, release: int, label: str, labels: Mapping[str, str], values: Mapping[str, Mapping[Any, str]]
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


def read(content: bytes, where: str, suffix: str, options: "Reading") -> StataFile:
    """Read a file of Stata; raises as `evosdc.files.formats.statistical.parse`."""
    return StataFile(content[:64], *parse(content, where, suffix, "read_dta", True), suffix)


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a file of columns that came from a file of another format."""
    return _saved(frame_of(columns), 118, "", {}, {})
