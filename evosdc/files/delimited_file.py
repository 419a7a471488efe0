"""Delimited text files: their dialect is recognised, Arrow reads every cell as text, and they are written in one way.

The dialect is the separator, the quote, the line of names, and the lines before it.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from evosdc.errors import DataError, Fault
from evosdc.files.column import column_of, named
from evosdc.files.encoding import Encoding, decode
from evosdc.files.original import Original, Published
from evosdc.printing import printable
from evosdc.table.numerals import number, number_formats, values_of
from evosdc.table.table import Rows

_NO_HEADER = ("a header line", "Add a line with the names of the attributes.")
BLANK = " "  # the separator that represents a run of blanks and tabs
SEPARATORS = (",", ";", "\t", "|", BLANK)  # separators that are recognised, the first preferred
_SAMPLE = 200
# fewest names below a title: one text above two names could be a record of names, one short
_FEWEST_BELOW_TITLE = 3
_SAID = re.compile(r"sep=([^\r\n])\r?\n?")  # a first line that states the separator for Excel
_GAP = re.compile(r'("(?:[^"]|"")*+")|[ \t]+')
QUOTE_BEHIND_BLANK = re.compile(r'(?:^|[,;|\t]) +"', re.MULTILINE)  # which only the csv module takes for a quote
_HEAD = 1 << 22  # characters read to recognise the dialect
_BLOCK = 1 << 22
_PIECE = 1 << 17  # records written at once
_FAULTY_LINES = 5
_LOOKED_AT = 1 << 12
_PLAIN = "^[+-]?[0-9]+(?:[.,][0-9]+)?$"
_THREE = "[.,][0-9]{3}$"
_SIGNS = {".": "points", ",": "commas", "'": "apostrophes", "\u2019": "apostrophes"}


class Line(NamedTuple):
    """The fields of one record, and the lines of the file on which it begins and behind which it ends, from 0."""

    fields: list[str]
    begin: int
    end: int


@dataclass(frozen=True)
class Dialect:
    """How a delimited text is written."""

    separator: str  # ``BLANK`` for runs of blanks
    quote: str
    names: tuple[str, ...]  # of the columns; ``column 1`` and so on for those that the header leaves unnamed
    header: int | None  # the line of the names, from 1; None where the file has none
    begin: int  # how many lines come before the first record
    notes: tuple[str, ...] = ()  # what was recognised that a user should know

    @property
    def numbers_only(self) -> bool:
        """Whether the line of names may be a record: several numbers."""
        return self.header is not None and len(self.names) > 1 and all(number(n) is not None for n in self.names)


def lines_of(text: str, count: int | None = None) -> list[str]:
    """Return the lines, or the first ones, with their ends; only CR, LF and CR LF end a line."""
    return list(islice(io.StringIO(text, newline=""), count))


def records_of(lines: Iterable[str], separator: str, quote: str = '"') -> Iterator[Line]:
    """Return the records of some lines, blank ones left out; fields without surrounding blanks."""
    if separator == BLANK:
        lines = by_tabs("".join(lines)).splitlines(keepends=True)
        separator = "\t"
    reader = csv.reader(lines, delimiter=separator, quotechar=quote, skipinitialspace=True)
    before = 0
    for fields in reader:
        stripped = [field.strip() for field in fields]
        # A line of tabs is a record of a file separated by tabs.
        if len(fields) > 1 or any(text.strip("\x1a") for text in fields):
            yield Line(stripped, before, reader.line_num)
        before = reader.line_num


def by_tabs(text: str) -> str:
    """Return a text whose runs of blanks and tabs outside quotes are one tab each, none of them around a line."""
    single = _GAP.sub(lambda found: found[1] or "\t", text)
    return re.sub(r"(?m)^\t+|\t+(?=\r?$)", "", single)


def recognised(head: str, separator: str | None = None, names: Sequence[str] | None = None) -> Dialect:
    """Return the dialect of a text that begins so, with at least one record."""
    lines = lines_of(head, _SAMPLE + 1)
    said = _SAID.fullmatch(lines[0]) if lines and names is None else None
    if said is not None:
        below = recognised(head[len(lines[0]) :], said[1])
        return replace(below, header=(below.header or 0) + 1, begin=below.begin + 1)
    quote = _quote(lines, (separator,) if separator else SEPARATORS)
    separator = separator or sniffed(lines, quote)
    found = _records(lines, separator, quote)
    if names is not None:
        return Dialect(separator, quote, tuple(names), None, found[0].begin if found else 0)
    width = _width(found)
    place = _header(found, width)
    notes = []
    if place:
        skipped = "The first line is" if place == 1 else f"The first {place} lines are"
        notes.append(f"{skipped} taken for a title: names of columns are those of line {found[place].begin + 1}.")
    fields = found[place].fields
    if _one_short(fields, found[place + 1 :], separator):
        fields = ["", *fields]
        notes.append("The header is one name short, as R writes row names: they are the first column.")
    titles, unnamed = named(fields)
    return Dialect(separator, quote, titles, found[place].begin + 1, found[place].end, (*notes, *unnamed))


def sniffed(lines: Sequence[str], quote: str = '"') -> str:
    """Return the separator of lines: the one that cuts most of them into the same number of fields, at least two."""
    # Runs of blanks only when no other separator fits without exception; one column where nothing cuts.
    best, best_rank = ",", (0.0, 0)
    for separator in SEPARATORS:
        found = _records(lines, separator, quote)
        width = _width(found)
        short = width >= 2 and _one_short(found[0].fields, found[1:], separator)
        if width < 2 or (len(found[0].fields) < 2 and not short and width < 3):
            continue
        fitting = sum(len(record.fields) == width for record in found)
        fitting += len(found[0].fields) == width - 1 and short
        rank = (fitting / len(found), width)
        if best_rank[0] < rank[0] == 1.0 if separator == BLANK else rank > best_rank:
            best, best_rank = separator, rank
    return best


def _records(lines: Sequence[str], separator: str, quote: str = '"') -> list[Line]:
    """Return the records of a sample, without the last one where it may continue after the sample."""
    try:
        found = list(records_of(lines, separator, quote))
    except csv.Error:
        return []
    return found[:-1] if len(lines) > _SAMPLE and len(found) > 1 else found


def _width(found: Sequence[Line]) -> int:
    """Return how many fields most records have; the larger number where two are as frequent."""
    counts = Counter(len(record.fields) for record in found)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _header(found: Sequence[Line], width: int) -> int:
    """Return which record holds the names: the first one, or the first below a title or titles of several columns."""
    place = 0
    if width < _FEWEST_BELOW_TITLE:
        return 0
    for at, record in enumerate(found[:-1]):
        filled = sum(map(bool, record.fields))
        titled = filled < 2 and filled != width  # a line of a single text
        if not titled or (at and number(record.fields[0]) is not None):
            place = 0 if titled or len(record.fields) < width - 1 else at
            break
    titles, names = found[place].fields, found[place + 1].fields if place + 1 < len(found) else []
    gaps = 2 * sum(map(bool, titles)) <= len(names) and all(names) and len(set(names)) == len(names)
    if gaps and all(number(name) is None for name in names):
        return place + int(any(number(text) is not None for record in found[place + 2 :] for text in record.fields))
    return place


def _one_short(names: Sequence[str], body: Sequence[Line], separator: str) -> bool:
    """Whether a header lacks the name of row names, which differ from each other and are first in each record."""
    firsts = [record.fields[0] for record in body]
    longer = all(len(record.fields) == len(names) + 1 for record in body)
    ended = not any(record.fields[-1] for record in body)  # by a separator too many in each record
    if not body or not longer or ended or len(set(firsts)) < len(firsts) or not all(names):
        return False
    counted = firsts == [str(place) for place in range(1, len(firsts) + 1)]
    return counted or (separator != BLANK and len(names) > 1)


def _quote(lines: Sequence[str], separators: Sequence[str]) -> str:
    """Return the quote: a double one, or a single one where every record has a value between two of them."""
    if any('"' in line for line in lines) or not any("'" in line for line in lines):
        return '"'
    for separator in separators:
        sign = re.escape(separator)
        whole = re.compile(rf"(?:^|{sign})'(?:[^']|'')*'(?={sign}|[\r\n]*$)")
        body = [line for line in lines[1:] if line.strip()]
        if len(body) > 1 and all(whole.search(line) for line in body):
            return "'"
    return '"'


@dataclass(frozen=True, eq=False)
class DelimitedFile(Original):
    """A delimited text file; its columns are the values without the blanks and quotes around them."""

    text: bytes  # of the file, in UTF-8
    dialect: Dialect
    encoding: Encoding

    def place(self, record: int) -> str:
        """Return where a record is in the file."""
        return f"line {self._lines[record]}"

    @cached_property
    def _lines(self) -> list[int]:
        """The line on which each record begins, from 1; looked for where something is wrong with one."""
        return [line.begin + 1 for line in _all_records(lines_of(self.text.decode("utf-8")), self.dialect)]

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
    distinct = []
    for column in (one.column for one in columns):
        own = None
        if column.cells is None:
            # The last of the texts is that of a value that is not there, which -1 finds.
            own = _quoted(pa.concat_arrays([column.array, pa.array([""], pa.string())]), separator, alone)
        distinct.append((column, own))
    for start in range(0, len(columns[0].column), _PIECE):
        parts = []
        for column, own in distinct:
            if own is None:
                parts.append(_quoted(column.arrow().slice(start, _PIECE), separator, alone))
            else:
                parts.append(own.take(pa.array(column.index[start : start + _PIECE] % len(own))))
        yield _lines(parts, separator, end)


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
    columns, blanks, marks = [], [], []
    formats = number_formats([_telling(own) for own in cut], dialect.separator)
    for name, before, own, form in zip(dialect.names, cells, cut, formats, strict=True):
        changed = before.nbytes != own.nbytes and pc.not_equal(pc.binary_length(before), pc.binary_length(own))
        count = pc.sum(changed).as_py() if changed else 0
        if 0 < count < len(before):  # where all have some, they are the file's way to write
            values = f"{count} value{'s' if count > 1 else ''}"
            blanks.append(f"Blanks around {values} of {printable(name)} are no part of them.")
        if form.thousands:
            encoded = own.dictionary_encode()
            plain_texts = [form.plain(text) for text in encoded.dictionary.to_pylist()]
            own = pa.array(plain_texts, pa.string()).take(encoded.indices)
            signs = " and ".join(dict.fromkeys(_SIGNS.get(sign, "blanks") for sign in form.thousands))
            marks.append(
                f"{printable(name)}: {signs} group the digits; the numbers are read and published without them, "
                f"with a decimal {'comma' if form.decimal == ',' else 'point'}."
            )
        columns.append(column_of(name, own, form.decimal))
    values_named = sum(column.name in column.texts for column in columns)
    numbered = any(number(name) is not None for name in dialect.names)
    if dialect.header is not None and numbered and 2 * values_named >= len(columns):
        raise DataError(Fault(where, f"a first line that looks like a record (line {dialect.header})", *_NO_HEADER))
    # Programs open tables with tabs by their ending.
    ending, notes = ".tsv" if dialect.separator == "\t" else ".csv", (*found.notes, *dialect.notes, *blanks, *marks)
    return DelimitedFile(plain, dialect, found, columns=tuple(columns), format=ending, notes=notes)


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
    if repeated or not dialect.separator.isascii() or plain.count(quote) % 2 or odd or dialect.numbers_only:
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


def _all_records(lines: Sequence[str], dialect: Dialect) -> list[Line]:
    """Return the records of a file by the csv module; those behind a quotation that never ends are one."""
    found, shift = records_of(lines[dialect.begin :], dialect.separator, dialect.quote), dialect.begin
    return [line._replace(begin=line.begin + shift, end=line.end + shift) for line in found]


def _cells_with_faults(text: str, dialect: Dialect, where: str) -> list[Any]:
    """Return the cells of each column, read record by record, or raise `DataError` with all that is wrong."""
    lines = lines_of(text)
    doubled = "Double a quote that is part of a value."
    try:
        body = _all_records(lines, dialect)
    except csv.Error as error:
        raise DataError(Fault(where, f"text that cannot be cut ({error})", "closed quotes", doubled)) from None
    last = lines[body[-1].begin : body[-1].end] if body else []
    delimiter = "\t" if dialect.separator == BLANK else dialect.separator
    try:
        list(csv.reader(last, delimiter=delimiter, quotechar=dialect.quote, skipinitialspace=True, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            given = f"a quotation that opens in line {body[-1].begin + 1} and never ends"
            raise DataError(Fault(where, given, "closed quotes", doubled)) from None
    names, faults = dialect.names, []
    if dialect.numbers_only:
        faults.append(Fault(where, f"a first line of numbers only (line {dialect.header})", *_NO_HEADER))
    elif repeated := sorted(name for name, count in Counter(names).items() if count > 1):
        advice = "The first line must hold the names: rename columns there, or add that line if the file has none."
        given = f"the column {printable(', '.join(repeated))} more than once"
        # Where it may be a record its texts are values, which no message may show: columns are named by position.
        own = any(cell == name for record in body for name, cell in zip(names, record.fields, strict=False))
        if own or any(name.lstrip("+-. ")[:1].isdigit() for name in names):
            places = [" and ".join(str(p) for p, name in enumerate(names, 1) if name == twice) for twice in repeated]
            given = f"the same text as the name of columns {'; of columns '.join(places)}"
        faults.append(Fault(where, given, "each name once", advice))
    if not body:
        faults.append(Fault(where, "a header line and no record", "at least one record"))
    ragged = [(record.begin + 1, len(record.fields)) for record in body if len(record.fields) != len(names)]
    if ragged:
        shown = ", ".join(f"line {line} has {width}" for line, width in ragged[:_FAULTY_LINES])
        more = f" and {len(ragged) - _FAULTY_LINES} more lines" if len(ragged) > _FAULTY_LINES else ""
        advice = "Mend these lines; a value that holds the separator must be quoted."
        faults.append(Fault(where, f"{shown}{more}", f"{len(names)} values in each line, as many as names", advice))
    if faults:
        raise DataError(faults)
    return [pa.array(cells, pa.string()) for cells in zip(*(record.fields for record in body), strict=True)]


def plain_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Return an ordinary CSV file: comma, UTF-8, line feeds, a header, quotes only where needed."""
    columns = [pa.array(cells, pa.string()) for cells in zip(names, *rows, strict=True)]
    return _lines([_quoted(cells, ",", len(names) == 1) for cells in columns], ",", "\n")
