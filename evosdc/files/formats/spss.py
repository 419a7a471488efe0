"""Files of SPSS: labels, missing values and ranges, measures, formats and notes stay with the file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from evosdc.errors import DataError, Fault
from evosdc.files.formats.statistical import StatisticalFile, frame_of, parse, saved, series_of
from evosdc.files.original import Published
from evosdc.printing import printable

if TYPE_CHECKING:
    from evosdc.files.formats import Reading


class SpssFile(StatisticalFile):
    """A file of SPSS; see `StatisticalFile`."""

    def stored(self, values: Mapping[str, list[Any]], own: Sequence[str]) -> bytes:
        """Return the bytes of a file of columns."""
        meta = self.meta
        frame = pd.DataFrame({name: self._series(name, column, own) for name, column in values.items()})
        more: dict[str, Any] = {
            "file_label": meta.file_label or "",
            "column_labels": self.labels(values),
            "variable_format": self.kept(meta.original_variable_types, own),
        }
        if self.suffix == ".por":
            return saved("write_por", frame, self.suffix, **more)
        return saved(
            "write_sav", frame, self.suffix, **more,
            compress=self.suffix == ".zsav", row_compress=self.suffix == ".sav", note=list(meta.notes or ()),
            variable_value_labels=self.kept(meta.variable_value_labels, own),
            missing_ranges=self.kept(meta.missing_ranges, own),
            variable_display_width=self.kept(meta.variable_display_width, own),
            variable_measure={name: meta.variable_measure.get(name, "unknown") for name in own},
        )  # fmt: skip

    def _series(self, name: str, values: Sequence[Any], own: Sequence[str]) -> "pd.Series[Any]":
        if name in own and pd.api.types.is_string_dtype(self.frame[name].dtype):
            return pd.Series(["" if value is None else value for value in values], dtype="object")
        return series_of(values)


def read(content: bytes, where: str, suffix: str, options: "Reading") -> SpssFile:
    """Read a file of SPSS: sav, zsav or por; raises as `evosdc.files.formats.statistical.parse`."""
    reader = "read_por" if suffix == ".por" else "read_sav"
    return SpssFile(content[:64], *parse(content, where, suffix, reader, suffix != ".por"), suffix)


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a file of columns that came from a file of another format."""
    if suffix == ".por":
        small = [one.name for one in columns if one.name != one.name.upper()]
        if small:  # they would come back as others
            given = f"the column {printable(', '.join(small))}"
            advice = "Choose another ending, such as .sav."
            raise DataError(Fault("the portable file", given, "names in capitals, the only letters it has", advice))
        return saved("write_por", frame_of(columns), suffix)
    return saved("write_sav", frame_of(columns), suffix, compress=suffix == ".zsav")
