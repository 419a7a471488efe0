"""Delimited text files: read by Arrow, every cell as text, and written in one way."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column, column_of
from evosdc.files.dialect import BLANK, QUOTE_BEHIND_BLANK, Dialect, Line, by_tabs, lines_of, recognised, records_of
from evosdc.files.encoding import Encoding, decode
from evosdc.files.original import Published
from evosdc.printing import printable
from evosdc.table.numerals import number, number_formats, values_of
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows

_HEAD = 1 << 22  # characters read to recognise the dialect
_BLOCK = 1 << 22
_PIECE = 1 << 17  # records written at once
_FAULTY_LINES = 5
_LOOKED_AT = 1 << 12
_PLAIN = "^[+-]?[0-9]+(?:[.,][0-9]+)?$"
_THREE = "[.,][0-9]{3}$"
_SIGNS = {".": "points", ",": "commas", "'": "apostrophes", "\u2019": "apostrophes"}


@dataclass(frozen=True, eq=False)
class DelimitedFile:
    """A delimited text file."""

    text: bytes  # of the file, in UTF-8
    dialect: Dialect
    encoding: Encoding
    columns: tuple[Column, ...]  # the values, by column, without the blanks and quotes around them
    # by column, how many values had blanks around them where others had none
    trimmed: Mapping[str, int] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        """The ending of the names of such files: that of tables with tabs, which programs open by it, or ``.csv``."""
        return ".tsv" if self.dialect.separator == "\t" else ".csv"

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Text declares no types."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the recognised format."""
        sentences = [
            f"Blanks around {count} value{'s' if count > 1 else ''} of {printable(name)} are no part of them."
            for name, count in self.trimmed.items()
        ]
        for column in (column for column in self.columns if column.thousands):
            marks = " and ".join(dict.fromkeys(_SIGNS.get(sign, "blanks") for sign in column.thousands))
            sentences.append(
                f"{printable(column.name)}: {marks} group the digits; the numbers are read and published without them, "
                f"with a decimal {'comma' if column.mark == ',' else 'point'}."
            )
        return (*self.encoding.notes, *self.dialect.notes, *sentences)

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""
        return f"line {self._lines[record]}"

    @cached_property
    def _lines(self) -> list[int]:
        """The line on which each record begins, from 1; looked for where something is wrong with one."""
        return [line.begin + 1 for line in _records(lines_of(self.text.decode("utf-8")), self.dialect)]

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterator[bytes]:
        """Return the bytes of the file with these columns only, in pieces; raises before there is any."""
        masked = [] if self.encoding.name.startswith("utf") else [one.column for one in columns if one.masked]
        for text in (text for column in masked if column.held is None for text in column.texts):
            try:
                text.encode(self.encoding.name)
            except UnicodeEncodeError as fault:
                given = f"a new value with the character {fault.object[fault.start]!r}"
                advice = "Save the original as UTF-8, or choose other labels."
                wanted = f"characters of {self.encoding.name}"
                raise DataError(Fault("the protected file", given, wanted, advice)) from None
        names = [one.name for one in columns] if self.dialect.header is not None else None
        end = next((end for end in ("\r\n", "\n", "\r") if end.encode() in self.text[: 1 << 16]), "\n")
        pieces = written(columns, names, self.dialect.separator, end)
        if self.encoding.name != "utf-8":
            pieces = (piece.decode("utf-8").encode(self.encoding.name) for piece in pieces)
        return chain([self.encoding.mark] if self.encoding.mark else [], pieces)


def written(
    columns: Sequence[Published], names: Sequence[str] | None, separator: str = ",", end: str = "\n"
) -> Iterator[bytes]:
    """Return columns as delimited text in UTF-8, in pieces; `names` None: without a header."""
    alone = len(columns) == 1
    if names is not None:
        cells = _quoted(pa.array(list(names), pa.string()), separator, alone).to_pylist()
        yield (separator.join(cells) + end).encode()
    texts = [None if one.column.of_cells else _distinct(one.column, separator, alone) for one in columns]
    count = len(columns[0].column)
    for start in range(0, count, _PIECE):
        parts = []
        for one, own in zip(columns, texts, strict=True):
            if own is None:
                parts.append(_quoted(one.column.arrow().slice(start, _PIECE), separator, alone))
            else:
                # The last of the texts is that of a value that is not there, which -1 finds.
                places = pa.array(one.column.index[start : start + _PIECE] % len(own))
                parts.append(own.take(places))
        yield _lines(parts, separator, end)


def _distinct(column: Column, separator: str, alone: bool) -> Any:
    """Return the quoted texts of a column as an Arrow array, behind them that of no value."""
    held = column.held.array if column.held is not None else pa.array(column.texts, pa.string())
    return _quoted(pa.concat_arrays([held, pa.array([""], pa.string())]), separator, alone)


def _quoted(texts: Any, separator: str, alone: bool) -> Any:
    """Return texts in quotes where one is needed: for separators, quotes, line ends, and an empty line."""
    signs = " \t" if separator == BLANK else "\\" + separator
    empty = "|^$" if alone or separator == BLANK else ""
    needed = pc.match_substring_regex(texts, f"[{signs}\"\n\r]|^'.*'${empty}")
    if not pc.any(needed).as_py():
        return texts
    whole = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
    return pc.if_else(needed, whole, texts)


def _lines(cells: Sequence[Any], separator: str, end: str) -> bytes:
    """Return the lines of quoted cells, Arrow arrays by column."""
    lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*cells, separator), "", end)
    data = lines.buffers()[2]
    return data.to_pybytes() if data is not None else b""


def parse_delimited(
    content: bytes,
    where: str,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
) -> DelimitedFile:
    """Read a delimited text."""
    text, found = decode(content, where, encoding=encoding)
    if not text or text.isspace():
        raise DataError(Fault(where, "an empty file", "a header line and records"))
    dialect = recognised(text[:_HEAD], separator, names)
    plain = content if found.name == "utf-8" and not found.mark else text.encode("utf-8", "surrogatepass")
    cells = _cells(plain, text, dialect)
    if cells is None:
        cells = _cells_with_faults(text, dialect, where)
    cut = [pc.utf8_trim_whitespace(column) for column in cells]
    columns = []
    formats = number_formats([_telling(own) for own in cut], dialect.separator)
    for name, own, form in zip(dialect.names, cut, formats, strict=True):
        if form.thousands:
            encoded = own.dictionary_encode()
            plain_texts = [form.plain(text) for text in encoded.dictionary.to_pylist()]
            own = pa.array(plain_texts, pa.string()).take(encoded.indices)
        columns.append(column_of(name, own, form.decimal, form.thousands))
    values = sum(column.name in column.texts for column in columns)
    if dialect.header is not None and any(number(n) is not None for n in dialect.names) and 2 * values >= len(columns):
        raise DataError(_no_header(where, f"a first line that looks like a record (line {dialect.header})"))
    return DelimitedFile(plain, dialect, found, tuple(columns), _trimmed(dialect.names, cells, cut))


def _telling(cells: Any) -> list[str]:
    """Return texts that tell how a column writes its numbers as well as all of them do."""
    head = cells.slice(0, _LOOKED_AT).unique()
    if 2 * len(head) <= min(len(cells), _LOOKED_AT) or len(cells) <= _LOOKED_AT:
        return list(cells.unique().to_pylist())
    if not np.isnan(values_of(cells)).any() and not pc.all(pc.match_substring_regex(head, _THREE)).as_py():
        return list(head.to_pylist())
    odd = pc.invert(pc.match_substring_regex(cells, _PLAIN))
    # Where each text has three digits behind the mark, one with another number of them decides.
    others = pc.and_(pc.invert(odd), pc.invert(pc.match_substring_regex(cells, _THREE)))
    some = [cells.filter(one).slice(0, _LOOKED_AT).unique() for one in (odd, others)]
    return list(pa.concat_arrays([head, *some]).unique().to_pylist())


def _cells(plain: bytes, text: str, dialect: Dialect) -> list[Any] | None:
    """Return the cells of each column as an Arrow array; None where the file has to be looked at record by record."""
    repeated = len(set(dialect.names)) < len(dialect.names)
    quote = dialect.quote.encode()
    odd = ' "' in text and QUOTE_BEHIND_BLANK.search(text) is not None
    if repeated or not dialect.separator.isascii() or plain.count(quote) % 2 or odd:
        return None
    if dialect.header is not None and len(dialect.names) > 1 and all(number(n) is not None for n in dialect.names):
        return None
    lines = lines_of(text[:_HEAD], dialect.begin)
    start = len("".join(lines).encode("utf-8", "surrogatepass"))
    separator = dialect.separator
    if separator == BLANK:
        plain, start, separator = by_tabs(text[len("".join(lines)) :]).encode(), 0, "\t"
    names = [str(place) for place in range(len(dialect.names))]
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(memoryview(plain)[start:].cast("B") if start else plain),
            arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK, use_threads=False),
            arrow_csv.ParseOptions(delimiter=separator, quote_char=dialect.quote, newlines_in_values=quote in plain),
            arrow_csv.ConvertOptions(
                check_utf8=False, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [table.column(name).combine_chunks() for name in names] if table.num_rows else None


def _records(lines: Sequence[str], dialect: Dialect) -> list[Line]:
    """Return the records of a file by the csv module; those behind a quotation that never ends are one."""
    found, shift = records_of(lines[dialect.begin :], dialect.separator, dialect.quote), dialect.begin
    return [line._replace(begin=line.begin + shift, end=line.end + shift) for line in found]


def _cells_with_faults(text: str, dialect: Dialect, where: str) -> list[Any]:
    """Return the cells of each column, read record by record, or raise `DataError` with all that is wrong."""
    lines = lines_of(text)
    try:
        body = _records(lines, dialect)
    except csv.Error as error:
        advice = "Double a quote that is part of a value."
        raise DataError(Fault(where, f"text that cannot be cut ({error})", "closed quotes", advice)) from None
    last = lines[body[-1].begin : body[-1].end] if body else []
    delimiter = "\t" if dialect.separator == BLANK else dialect.separator
    try:
        list(csv.reader(last, delimiter=delimiter, quotechar=dialect.quote, skipinitialspace=True, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            given = f"a quotation that opens in line {body[-1].begin + 1} and never ends"
            advice = "Double a quote that is part of a value."
            raise DataError(Fault(where, given, "closed quotes", advice)) from None
    faults = _faults(dialect, body, where)
    if faults:
        raise DataError(faults)
    return [pa.array(cells, pa.string()) for cells in zip(*(record.fields for record in body), strict=True)]


def _no_header(where: str, given: str) -> Fault:
    return Fault(where, given, "a header line", "Add a line with the names of the attributes.")


def _faults(dialect: Dialect, body: Sequence[Line], where: str) -> list[Fault]:
    names, faults = dialect.names, []
    if dialect.header is not None and len(names) > 1 and all(number(name) is not None for name in names):
        faults.append(_no_header(where, f"a first line of numbers only (line {dialect.header})"))
    elif repeated := sorted(name for name, count in Counter(names).items() if count > 1):
        advice = "The first line must hold the names: rename columns there, or add that line if the file has none."
        faults.append(Fault(where, _repetition(names, repeated, body), "each name once", advice))
    if not body:
        faults.append(Fault(where, "a header line and no record", "at least one record"))
    ragged = [(record.begin + 1, len(record.fields)) for record in body if len(record.fields) != len(names)]
    if ragged:
        shown = ", ".join(f"line {line} has {width}" for line, width in ragged[:_FAULTY_LINES])
        more = f" and {len(ragged) - _FAULTY_LINES} more lines" if len(ragged) > _FAULTY_LINES else ""
        advice = "Mend these lines; a value that holds the separator must be quoted."
        faults.append(Fault(where, f"{shown}{more}", f"{len(names)} values in each line, as many as names", advice))
    return faults


def _repetition(names: Sequence[str], repeated: Sequence[str], body: Sequence[Line]) -> str:
    """Return the fault of a first line with repeated names."""
    # Where it may be a record its texts are values, which no message may show: columns are named by position.
    own = {name for record in body for name, cell in zip(names, record.fields, strict=False) if cell == name}
    if not own and not any(name.lstrip("+-. ")[:1].isdigit() for name in names):
        return f"the column {printable(', '.join(repeated))} more than once"
    places = [" and ".join(str(p) for p, name in enumerate(names, start=1) if name == twice) for twice in repeated]
    return f"the same text as the name of columns {'; of columns '.join(places)}"


def _trimmed(names: Sequence[str], cells: Sequence[Any], cut: Sequence[Any]) -> dict[str, int]:
    """Return by column how many values had blanks around them, where others had none."""
    found = {}
    for name, before, after in zip(names, cells, cut, strict=True):
        if before.nbytes == after.nbytes:
            continue
        count = pc.sum(pc.cast(pc.not_equal(pc.binary_length(before), pc.binary_length(after)), pa.int64())).as_py()
        if 0 < count < len(before):
            found[name] = int(count)
    return found


def plain_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Return an ordinary CSV file: comma, UTF-8, line feeds, a header, quotes only where needed."""
    columns = [pa.array(cells, pa.string()) for cells in zip(names, *rows, strict=True)]
    return _lines([_quoted(cells, ",", len(names) == 1) for cells in columns], ",", "\n")
