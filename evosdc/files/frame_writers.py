"""Frames of values written in the formats of packages: Parquet, Feather, Excel, SPSS, Stata, SAS; and as text."""

import io
import tempfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.errors import DataError, Fault
from evosdc.printing import printable

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".asc")
"""Endings of delimited text."""

EXTRAS = {
    ".parquet": ("parquet", "pyarrow"), ".feather": ("feather", "pyarrow"), ".arrow": ("feather", "pyarrow"),
    ".xlsx": ("excel", "openpyxl"), ".sav": ("spss", "pyreadstat"), ".zsav": ("spss", "pyreadstat"),
    ".por": ("spss", "pyreadstat"), ".dta": ("stata", "pyreadstat"), ".xpt": ("sas", "pyreadstat"),
}  # fmt: skip
"""The extra and the package that write files of other endings."""


def written(frame: "pd.DataFrame", ending: str, path: Path) -> bytes:
    """Return the bytes of a file of the format that an ending stands for.

    Parameters
    ----------
    frame : DataFrame
        Of numbers and texts.
    ending : str
        One of `TEXT` or `EXTRAS`.
    path : Path
        For messages.

    Raises
    ------
    DataError
        The package that writes the format is not installed, or the format cannot hold the columns.
    """
    if ending in TEXT:
        return frame.to_csv(index=False, sep="\t" if ending in (".tsv", ".tab") else ",", lineterminator="\n").encode()
    require_writer(ending, path)
    _, package = EXTRAS[ending]
    where = printable(str(path))
    try:
        return _WRITERS[package](frame, ending)
    except Exception as error:  # each package has errors of its own
        reason = printable(str(error).partition("\n")[0]) or type(error).__name__
        given = f"columns that {ending} cannot hold ({reason})"
        raise DataError(Fault(where, given, "columns that it can", "Choose another ending.")) from None


def require_writer(ending: str, path: Path | str) -> None:
    """Raise `DataError` where the package that writes files of an ending is not installed."""
    extra, package = EXTRAS.get(ending, ("", ""))
    if package and find_spec(package) is None:
        advice = f"Install it: pip install 'evosdc[{extra}]'."
        raise DataError(Fault(printable(str(path)), f"the ending {ending}", f"{package} to write it with", advice))


def _arrow(frame: "pd.DataFrame", ending: str) -> bytes:
    import pyarrow.parquet  # noqa: F401  # pandas asks for it by a name of its own

    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.to_parquet(buffer, index=False)
    else:
        frame.to_feather(buffer)
    return buffer.getvalue()


def _workbook(frame: "pd.DataFrame", ending: str) -> bytes:
    import pandas as pd
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    rows = [list(frame.columns), *zip(*(frame[name].tolist() for name in frame.columns), strict=True)]
    for place, row in enumerate(rows, start=1):
        for position, value in enumerate(row, start=1):
            if value is not None and not pd.isna(value):
                cell = sheet.cell(place, position, value)
                if isinstance(value, str):
                    cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    book.properties.creator = ""
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _statistical(frame: "pd.DataFrame", ending: str) -> bytes:
    import pandas as pd
    import pyreadstat

    writers: Mapping[str, Any] = {
        ".sav": pyreadstat.write_sav, ".zsav": pyreadstat.write_sav, ".por": pyreadstat.write_por,
        ".dta": pyreadstat.write_dta, ".xpt": pyreadstat.write_xport,
    }  # fmt: skip
    more: dict[str, Any] = {"compress": True} if ending == ".zsav" else {}
    more |= {"file_format_version": 8, "table_name": "DATA"} if ending == ".xpt" else {}
    plain = {
        name: values.fillna("") if values.dtype == object else values.astype("float64")
        for name, values in frame.items()
    }
    with tempfile.TemporaryDirectory(prefix="evosdc-") as folder:
        target = Path(folder) / f"file{ending}"
        writers[ending](pd.DataFrame(plain), target, **more)
        return target.read_bytes()


_WRITERS: Mapping[str, "Callable[[pd.DataFrame, str], bytes]"] = {
    "pyarrow": _arrow, "openpyxl": _workbook, "pyreadstat": _statistical,
}  # fmt: skip
