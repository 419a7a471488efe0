"""Files of SAS: read as they are, and written as transport files, since the format of SAS's own is not public."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from evosdc.files.formats.statistical import StatisticalFile, frame_of, parse, saved, series_of
from evosdc.files.original import Published

if TYPE_CHECKING:
    from evosdc.files.formats import Reading


class SasFile(StatisticalFile):
    """A file of SAS; see `StatisticalFile`."""

    def stored(self, values: Mapping[str, list[Any]], own: Sequence[str]) -> bytes:
        """Return the bytes of a file of columns."""
        meta = self.meta
        # A missing value that SAS tells apart by a letter is one of a number, which transport files write without it.
        letters = {
            name: {text for text in (meta.missing_user_values or {}).get(name, ()) if isinstance(text, str)}
            for name in values
        }
        frame = pd.DataFrame(
            {
                name: series_of([None if value in letters[name] else value for value in column])
                for name, column in values.items()
            }
        )
        return saved(
            "write_xport", frame, self.suffix, file_label=meta.file_label or "", column_labels=self.labels(values),
            file_format_version=8, variable_format=self.kept(meta.original_variable_types, own),
            table_name=meta.table_name or "DATA",
        )  # fmt: skip


def read(content: bytes, where: str, suffix: str, options: "Reading") -> SasFile:
    """Read a file of SAS: sas7bdat or xpt; raises as `evosdc.files.formats.statistical.parse`."""
    reader, users = ("read_xport", False) if suffix == ".xpt" else ("read_sas7bdat", True)
    found = parse(content, where, suffix, reader, users, options.catalog)
    return SasFile(content[:64], *found, ".xpt", options.catalog)


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a file of columns that came from a file of another format."""
    return saved("write_xport", frame_of(columns), suffix, file_format_version=8, table_name="DATA")
