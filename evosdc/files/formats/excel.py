"""Excel workbooks: one sheet of records, its formats kept; nothing else of the workbook travels on."""

import io
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from evosdc.errors import DataError, Fault, did_you_mean
from evosdc.files.column import named
from evosdc.files.original import Original, Published, ValuedColumn, converted, valued_column
from evosdc.printing import printable
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.formats import Reading

_LONGEST, _ROWS = 32_767, 1_048_576  # characters of a cell and rows of a sheet


@dataclass(frozen=True, eq=False)
class Workbook(Original):
    """A sheet of a workbook: a row of names, then a record a row."""

    sheet: Any  # as openpyxl holds it, with the values that formulas had when the workbook was saved
    first: int  # the row of the names, from 1
    records: tuple[int, ...]  # the row of each record; rows without any value are none
    valued: tuple[ValuedColumn, ...]

    def place(self, record: int) -> str:
        """Return where a record is in the file."""
        return f"row {self.records[record]}"

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return a workbook of one sheet with these columns."""
        # Formulas become values. Comments, other sheets, names and properties may say more than the records: left out.
        from openpyxl.utils import get_column_letter

        values = {one.name: self.valued[one.position].published(one, rows, mixed=True)[0] for one in columns}
        book, target = _workbook(self.sheet.title, values)
        target.freeze_panes = self.sheet.freeze_panes if self.first == 1 else None
        before = [self.first, *(self.records[row] for row in rows.tolist())]
        for place, one in enumerate(columns, start=1):
            for row, old_row in enumerate(before, start=1):
                cell, old = target.cell(row, place), self.sheet.cell(old_row, one.position + 1)
                if old.has_style:
                    cell.font, cell.fill, cell.border = copy(old.font), copy(old.fill), copy(old.border)
                    cell.alignment, cell.number_format = copy(old.alignment), old.number_format
            width = self.sheet.column_dimensions[get_column_letter(one.position + 1)].width
            target.column_dimensions[get_column_letter(place)].width = width
        return [_bytes(book)]


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a workbook of columns that came from a file of another format."""
    return _bytes(_workbook("Sheet", {one.name: converted(one) for one in columns})[0])


def _workbook(title: str, columns: Mapping[str, Sequence[Any]]) -> tuple[Any, Any]:
    """Return a workbook of one sheet with these columns, and the sheet."""
    import openpyxl
    from openpyxl.utils.exceptions import IllegalCharacterError

    advice = "Choose another ending, as .csv."
    records = len(next(iter(columns.values())))
    if records >= _ROWS:
        wanted = f"at most {_ROWS - 1:,}, which a sheet can hold"
        raise DataError(Fault("the workbook", f"{records:,} records", wanted, advice))
    book = openpyxl.Workbook()
    book.properties.creator = ""
    sheet: Any = book.active
    sheet.title = title
    for place, (name, values) in enumerate(columns.items(), start=1):
        for row, value in enumerate((name, *values), start=1):
            # openpyxl cuts long texts, and shows a text with control characters in its error.
            given = "a text of more than 32,767 characters" if isinstance(value, str) and len(value) > _LONGEST else ""
            cell = sheet.cell(row, place)
            try:
                cell.value = value
            except IllegalCharacterError:
                given = "a text with a control character"
            if given:
                raise DataError(Fault("the workbook", given, "texts that a cell can hold", advice))
            if isinstance(value, str):
                cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    return book, sheet


def _bytes(book: Any) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def read(content: bytes, where: str, suffix: str, options: "Reading") -> Workbook:
    """Read one sheet of an Excel workbook: the one that is named, else the first that has records."""
    import openpyxl

    try:
        values = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
        formulas = openpyxl.load_workbook(io.BytesIO(content))
    except (BadZipFile, KeyError, ValueError, OSError) as error:
        given = f"a damaged Excel workbook ({printable(str(error).splitlines()[0])})"
        raise DataError(Fault(where, given, "a whole file")) from None
    sheet, notes = _sheet(values, where, options.sheet)
    rows = [[_value(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    filled = [sum(value is not None for value in row) for row in rows]
    first = _header(rows, filled)
    if above := sum(map(bool, filled[:first])):
        lines, are = ("A line", "is") if above == 1 else (f"{above} lines", "are")
        notes.append(f"{lines} above the names of columns, in row {first + 1}, {are} left out.")
    records = [place for place in range(first + 1, len(rows)) if filled[place]]
    width = 1 + max(place for row in (first, *records) for place, value in enumerate(rows[row]) if value is not None)
    titles, remarks = named(["" if value is None else str(value) for value in rows[first][:width]])
    faults = []
    if not records:
        faults.append(Fault(where, f"no record below the names of the sheet {sheet.title!r}", "at least one record"))
    if repeated := sorted({name for name in titles if titles.count(name) > 1}):
        faults.append(Fault(where, f"the column {printable(', '.join(repeated))} more than once", "each name once"))
    cells = (cell for row in formulas[sheet.title].iter_rows(min_row=first + 1, max_col=width) for cell in row)
    lost = (c.coordinate for c in cells if c.data_type == "f" and sheet.cell(c.row, c.column).value is None)
    if (cell := next(lost, None)) is not None:
        advice = "Open the workbook in a spreadsheet program and save it."
        faults.append(Fault(where, f"a formula without its value in {cell}", "values", advice))
    if faults:
        raise DataError(faults)
    valued = tuple(valued_column(name, [rows[row][place] for row in records]) for place, name in enumerate(titles))
    columns, places = tuple(one.column for one in valued), tuple(row + 1 for row in records)
    return Workbook(sheet, first + 1, places, valued, columns=columns, format=".xlsx", notes=(*notes, *remarks))


def _sheet(book: Any, where: str, wanted: str | None) -> tuple[Any, list[str]]:
    """Return a sheet, and notes on the others."""
    by_name = {sheet.title: sheet for sheet in book.worksheets}
    if wanted is not None:
        if wanted not in by_name:
            known, advice = printable(", ".join(by_name)), did_you_mean(wanted, list(by_name))
            raise DataError(Fault(where, f"no sheet {wanted!r}", f"one of {known}", advice))
        return by_name[wanted], []
    full = [sheet for sheet in by_name.values() if sheet.max_row > 1 and sheet.max_column >= 1]
    full.sort(key=lambda sheet: bool(sheet.sheet_state != "visible"))
    if not full:
        raise DataError(Fault(where, "no sheet with records", "a row of names and a record a row"))
    # A sheet of one column beside wider ones holds notes.
    chosen = next((sheet for sheet in full if sheet.max_column > 1), full[0])
    others = printable(", ".join(sheet.title for sheet in full if sheet is not chosen))
    note = f"The sheet {printable(chosen.title)} is read, and not {others}: --sheet NAME reads another one."
    return chosen, [note] if others else []


def _header(rows: Sequence[Sequence[Any]], filled: Sequence[int]) -> int:
    """Return the row of the names: the first that is not empty, or the first below a title of one text."""
    first = next(place for place, count in enumerate(filled) if count)
    if max(filled) < 3:  # above two names a single text could be theirs
        return first
    first = next((place for place, count in enumerate(filled) if count > 1), first)
    # Titles of groups of columns have gaps, and below them is a name for each column.
    names = [value for value in rows[min(first + 1, len(rows) - 1)] if value is not None]
    texts = all(isinstance(value, str) for value in names) and len(set(names)) == len(names)
    others = any(isinstance(value, int | float) for row in rows[first + 2 :] for value in row)
    return first + int(2 * filled[first] <= len(names) and texts and others)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    return value if value is None or isinstance(value, bool | int | float | datetime | time | timedelta) else str(value)
