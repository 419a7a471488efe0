"""The dialect of a delimited text: separator, quote, the line of names, and the lines before it."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from evosdc.files.column import named
from evosdc.table.numerals import number

BLANK = " "  # the separator that stands for a run of blanks and tabs
SEPARATORS = (",", ";", "\t", "|", BLANK)  # separators that are recognised, the first preferred
_SAMPLE = 200
# fewest names below a title: one text above two names could be a record of names, one short
_FEWEST_BELOW_TITLE = 3
_SAID = re.compile(r"sep=([^\r\n])\r?\n?")  # a first line that states the separator for Excel
_GAP = re.compile(r'("(?:[^"]|"")*+")|[ \t]+')
QUOTE_BEHIND_BLANK = re.compile(r'(?:^|[,;|\t]) +"', re.MULTILINE)  # which only the csv module takes for a quote


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
    begin: int  # how many lines stand before the first record
    notes: tuple[str, ...] = ()  # what was recognised that a user should know


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
    width = _width([len(record.fields) for record in found])
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
        widths = [len(record.fields) for record in found]
        width = _width(widths)
        if width < 2 or (widths[0] < 2 and not _one_short(found[0].fields, found[1:], separator) and width < 3):
            continue
        fitting = sum(own == width for own in widths)
        fitting += widths[0] == width - 1 and _one_short(found[0].fields, found[1:], separator)
        rank = (fitting / len(widths), width)
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


def _width(widths: Sequence[int]) -> int:
    """Return how many fields most records have; the larger number where two are as frequent."""
    return max(Counter(widths).items(), key=lambda entry: (entry[1], entry[0]))[0] if widths else 0


def _header(found: Sequence[Line], width: int) -> int:
    """Return which record holds the names: the first one, or the first below a title or titles of several columns."""
    if width < _FEWEST_BELOW_TITLE:
        return 0
    place = _first_of_names(found, width)
    titles, names = found[place].fields, found[place + 1].fields if place + 1 < len(found) else []
    gaps = 2 * sum(map(bool, titles)) <= len(names) and all(names) and len(set(names)) == len(names)
    if gaps and all(number(name) is None for name in names):
        return place + int(any(number(text) is not None for record in found[place + 2 :] for text in record.fields))
    return place


def _first_of_names(found: Sequence[Line], width: int) -> int:
    """Return the first record that is no line of a single text."""
    for place, record in enumerate(found[:-1]):
        filled = [text for text in record.fields if text]
        if len(filled) > 1 or len(filled) == width:
            return place if len(record.fields) >= width - 1 else 0
        if place and number(record.fields[0]) is not None:
            return 0
    return 0


def _one_short(names: Sequence[str], body: Sequence[Line], separator: str) -> bool:
    """Whether a header lacks the name of row names, which differ from each other and stand first in each record."""
    if not body or any(len(record.fields) != len(names) + 1 for record in body):
        return False
    if not any(record.fields[-1] for record in body):
        return False  # a separator too many ends each record
    firsts = [record.fields[0] for record in body]
    if len(set(firsts)) < len(firsts) or not all(names):
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
