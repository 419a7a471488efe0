"""Excel workbooks: one sheet of records, its formats kept; nothing else of the workbook travels on."""

import io
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zipfile import BadZipFile

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import Column, name_of_position
from evosdc.files.valued import ValuedColumn, valued_column
from evosdc.printing import printable
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class Workbook:
    """The first sheet of a workbook that is not empty: names in its first row, then a record a row.

    Parameters
    ----------
    sheet : object
        As openpyxl holds it, with the values that formulas had when the workbook was saved.
    first : int
        The row of the names, from 1.
    valued : tuple of ValuedColumn
    unnamed : tuple of str
        What columns are called above which no name stands.
    """

    sheet: Any
    first: int
    valued: tuple[ValuedColumn, ...]
    unnamed: tuple[str, ...] = ()

    suffix = ".xlsx"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as texts, by column."""
        return tuple(valued.column for valued in self.valued)

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Workbooks declare no types."""
        return {}

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"row {self.first + 1 + record}"

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return a workbook of one sheet with some values changed and some columns and records left out.

        Values are kept in place of formulas. Comments, other sheets, names and properties, which may tell more than the
        records do, are left behind; fonts, fills, number formats and widths stay.
        """
        from openpyxl import Workbook as NewWorkbook
        from openpyxl.utils import get_column_letter

        book = NewWorkbook()
        target = book.active
        assert target is not None
        target.title = self.sheet.title
        target.freeze_panes = self.sheet.freeze_panes
        kept = [position for position in range(len(self.valued)) if position not in set(dropped)]
        for place, position in enumerate(kept, start=1):
            values, _ = self.valued[position].changed(changes.get(position), rows, missing[position])
            heading = self.sheet.cell(self.first, position + 1)
            _set(target.cell(1, place), self.valued[position].column.name, heading)
            for record, value in enumerate(values):
                old = self.sheet.cell(self.first + 1 + int(rows[record]), position + 1)
                _set(target.cell(record + 2, place), value, old)
            width = self.sheet.column_dimensions[get_column_letter(position + 1)].width
            target.column_dimensions[get_column_letter(place)].width = width
        book.properties.creator = ""
        buffer = io.BytesIO()
        book.save(buffer)
        return buffer.getvalue()


def _set(cell: Any, value: Any, old: Any) -> None:
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    if old.has_style:
        cell.font, cell.fill, cell.border = copy(old.font), copy(old.fill), copy(old.border)
        cell.alignment, cell.number_format = copy(old.alignment), old.number_format


def parse_workbook(content: bytes, where: str) -> Workbook:
    """Read the first sheet of an Excel workbook that is not empty.

    Raises
    ------
    DataError
        openpyxl is not installed; the file is damaged; no sheet has a row of names and a record; names are repeated;
        or a formula was saved without its value.
    """
    try:
        import openpyxl
    except ModuleNotFoundError:
        advice = "Install it: pip install 'evosdc[excel]'."
        raise DataError(Fault(where, "an Excel workbook", "openpyxl to read it with", advice)) from None
    try:
        values = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
        formulas = openpyxl.load_workbook(io.BytesIO(content))
    except (BadZipFile, KeyError, ValueError, OSError) as error:
        given = f"a damaged Excel workbook ({printable(str(error).splitlines()[0])})"
        raise DataError(Fault(where, given, "a whole file")) from None
    sheets = [sheet for sheet in values.worksheets if sheet.max_row > 1 and sheet.max_column >= 1]
    if not sheets:
        raise DataError(Fault(where, "no sheet with records", "a row of names and a record a row"))
    sheet = sheets[0]
    rows = list(sheet.iter_rows(values_only=True))
    first = next(place for place, row in enumerate(rows) if any(value is not None for value in row))
    names = ["" if value is None else str(value).strip() for value in rows[first]]
    while names and not names[-1]:
        names.pop()
    body = [row[: len(names)] for row in rows[first + 1 :]]
    while body and all(value is None for value in body[-1]):
        body.pop()
    faults = []
    if not body:
        faults.append(Fault(where, f"no record below the names of the sheet {sheet.title!r}", "at least one record"))
    unnamed = tuple(name_of_position(place) for place, name in enumerate(names, start=1) if not name)
    names = [name or name_of_position(place) for place, name in enumerate(names, start=1)]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        faults.append(Fault(where, f"the column {printable(', '.join(repeated))} more than once", "each name once"))
    for row in formulas[sheet.title].iter_rows(min_row=first + 1, max_col=len(names)):
        for cell in row:
            if cell.data_type == "f" and sheet.cell(cell.row, cell.column).value is None:
                advice = "Open the workbook in a spreadsheet program and save it."
                faults.append(Fault(where, f"a formula without its value in {cell.coordinate}", "values", advice))
                break
        else:
            continue
        break
    if faults:
        raise DataError(faults)
    valued = tuple(valued_column(name, [_value(row[place]) for row in body]) for place, name in enumerate(names))
    return Workbook(sheet, first + 1, valued, unnamed)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    return value if value is None or isinstance(value, (bool, int, float, datetime)) else str(value)
