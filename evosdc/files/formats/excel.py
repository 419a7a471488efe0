"""Excel workbooks: one sheet of records, its formats kept; nothing else of the workbook travels on."""

import io
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from evosdc.errors import DataError, Fault, did_you_mean
from evosdc.files.column import Column, named
from evosdc.files.formats.values import ValuedColumn, converted, valued_column
from evosdc.files.original import Published
from evosdc.printing import printable
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.formats import Reading

_LONGEST, _ROWS = 32_767, 1_048_576  # characters of a cell and rows of a sheet


@dataclass(frozen=True, eq=False)
class Workbook:
    """A sheet of a workbook: a row of names, then a record a row."""

    sheet: Any  # as openpyxl holds it, with the values that formulas had when the workbook was saved
    first: int  # the row of the names, from 1
    records: tuple[int, ...]  # the row of each record; rows without any value are none
    valued: tuple[ValuedColumn, ...]
    notes: tuple[str, ...] = ()  # what was left out of the workbook

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
        return f"row {self.records[record]}"

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return a workbook of one sheet with these columns."""
        # Formulas become values. Comments, other sheets, names and properties may say more than the records: left out.
        from openpyxl.utils import get_column_letter

        book, target = _new_workbook(self.sheet.title, len(rows))
        target.freeze_panes = self.sheet.freeze_panes if self.first == 1 else None
        for place, one in enumerate(columns, start=1):
            values, _ = self.valued[one.position].published(one, rows, mixed=True)
            heading = self.sheet.cell(self.first, one.position + 1)
            _set(target.cell(1, place), one.name, heading)
            for record, value in enumerate(values):
                old = self.sheet.cell(self.records[int(rows[record])], one.position + 1)
                _set(target.cell(record + 2, place), value, old)
            width = self.sheet.column_dimensions[get_column_letter(one.position + 1)].width
            target.column_dimensions[get_column_letter(place)].width = width
        return [_bytes(book)]


def write(columns: Sequence[Published], suffix: str) -> bytes:
    """Return a workbook of columns that came from a file of another format."""
    book, sheet = _new_workbook("Sheet", len(columns[0].column))
    for place, one in enumerate(columns, start=1):
        _set(sheet.cell(1, place), one.name)
        for record, value in enumerate(converted(one), start=2):
            _set(sheet.cell(record, place), value)
    return _bytes(book)


def _new_workbook(title: str, records: int) -> tuple[Any, Any]:
    import openpyxl

    if records >= _ROWS:
        wanted = f"at most {_ROWS - 1:,}, which a sheet can hold"
        raise DataError(Fault("the workbook", f"{records:,} records", wanted, "Choose another ending, as .csv."))
    book = openpyxl.Workbook()
    book.properties.creator = ""
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    return book, sheet


def _bytes(book: Any) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _set(cell: Any, value: Any, old: Any = None) -> None:
    from openpyxl.utils.exceptions import IllegalCharacterError

    # openpyxl cuts long texts, and shows a text with control characters in its error.
    given = "a text of more than 32,767 characters" if isinstance(value, str) and len(value) > _LONGEST else ""
    try:
        cell.value = value
    except IllegalCharacterError:
        given = "a text with a control character"
    if given:
        raise DataError(Fault("the workbook", given, "texts that a cell can hold", "Choose another ending, as .csv."))
    if isinstance(value, str):
        cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    if old is not None and old.has_style:
        cell.font, cell.fill, cell.border = copy(old.font), copy(old.fill), copy(old.border)
        cell.alignment, cell.number_format = copy(old.alignment), old.number_format


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
    first = _header(rows)
    above = sum(any(value is not None for value in row) for row in rows[:first])
    if above:
        lines = "A line" if above == 1 else f"{above} lines"
        notes.append(
            f"{lines} above the names of columns, in row {first + 1}, {'is' if above == 1 else 'are'} left out."
        )
    records = [place for place in range(first + 1, len(rows)) if any(value is not None for value in rows[place])]
    used = [place for row in (first, *records) for place, value in enumerate(rows[row]) if value is not None]
    width = max(used) + 1
    names = ["" if value is None else str(value) for value in rows[first][:width]]
    faults = []
    if not records:
        faults.append(Fault(where, f"no record below the names of the sheet {sheet.title!r}", "at least one record"))
    titles, remarks = named(names)
    repeated = sorted({name for name in titles if titles.count(name) > 1})
    if repeated:
        faults.append(Fault(where, f"the column {printable(', '.join(repeated))} more than once", "each name once"))
    lost = next(
        (
            cell.coordinate
            for row in formulas[sheet.title].iter_rows(min_row=first + 1, max_col=width)
            for cell in row
            if cell.data_type == "f" and sheet.cell(cell.row, cell.column).value is None
        ),
        None,
    )
    if lost is not None:
        advice = "Open the workbook in a spreadsheet program and save it."
        faults.append(Fault(where, f"a formula without its value in {lost}", "values", advice))
    if faults:
        raise DataError(faults)
    valued = tuple(valued_column(name, [rows[row][place] for row in records]) for place, name in enumerate(titles))
    return Workbook(sheet, first + 1, tuple(row + 1 for row in records), valued, (*notes, *remarks))


def _sheet(book: Any, where: str, wanted: str | None) -> tuple[Any, list[str]]:
    """Return a sheet, and notes on the others."""
    if wanted is not None:
        named = {sheet.title: sheet for sheet in book.worksheets}
        if wanted not in named:
            advice = did_you_mean(wanted, list(named))
            raise DataError(Fault(where, f"no sheet {wanted!r}", f"one of {printable(', '.join(named))}", advice))
        return named[wanted], []
    full = [sheet for sheet in book.worksheets if sheet.max_row > 1 and sheet.max_column >= 1]
    full.sort(key=lambda sheet: bool(sheet.sheet_state != "visible"))
    if not full:
        raise DataError(Fault(where, "no sheet with records", "a row of names and a record a row"))
    # A sheet of one column beside wider ones holds notes.
    chosen = next((sheet for sheet in full if sheet.max_column > 1), full[0])
    others = printable(", ".join(sheet.title for sheet in full if sheet is not chosen))
    if not others:
        return chosen, []
    return chosen, [f"The sheet {printable(chosen.title)} is read, and not {others}: --sheet NAME reads another one."]


def _header(rows: Sequence[Sequence[Any]]) -> int:
    """Return the row of the names: the first that is not empty, or the first below a title of one text."""
    filled = [sum(value is not None for value in row) for row in rows]
    first = next(place for place, count in enumerate(filled) if count)
    widest = max(filled)
    if widest < 3:  # above two names a single text could be theirs
        return first
    first = next((place for place in range(first, len(rows)) if filled[place] > 1), first)
    # Titles of groups of columns have gaps, and below them is a name for each column.
    names = [value for value in rows[min(first + 1, len(rows) - 1)] if value is not None]
    texts = all(isinstance(value, str) for value in names) and len(set(names)) == len(names)
    others = any(isinstance(value, int | float) for row in rows[first + 2 :] for value in row)
    return first + int(2 * filled[first] <= len(names) and texts and others)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    return value if value is None or isinstance(value, (bool, int, float, datetime, time, timedelta)) else str(value)
