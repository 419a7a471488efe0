"""Cutting delimited text into records and records into fields, without losing a byte.

A field keeps its quotes and surrounding blanks, so joining the fields of a record gives the record back.
"""

import io
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from evosdc.files.column import name_of_position

BLANK = " "
"""The separator that stands for a run of blanks and tabs."""

SEPARATORS = (",", ";", "\t", "|", BLANK)
"""Separators that are recognised, the first preferred."""

_QUOTED = re.compile(r' *"(?:[^"]|"")*+"')
_OPENED = re.compile(r' *"')
_WORD = re.compile(r'[ \t]*(?:"(?:[^"]|"")*+"|(?!")[^ \t]+)')
_SAMPLE = 200
_SAMPLE_SIZE = 1 << 20


def split_fields(record: str, separator: str) -> list[str] | None:
    """Return the fields of a record as they stand, or None when a quotation that opens in it does not end in it."""
    if separator == BLANK:
        return _words(record)
    if '"' not in record:
        return record.split(separator)
    found, start = [], 0
    while True:
        quoted = _QUOTED.match(record, start)
        if quoted is None and _OPENED.match(record, start):
            return None
        end = record.find(separator, quoted.end() if quoted else start)
        if end < 0:
            found.append(record[start:])
            return found
        found.append(record[start:end])
        start = end + len(separator)


def _words(record: str) -> list[str] | None:
    found, start = [], 0
    while match := _WORD.match(record, start):
        found.append(match.group())
        start = match.end()
    rest = record[start:]
    if rest.strip(" \t"):
        return None
    if found:
        found[-1] += rest
    return found


def join_fields(parts: Sequence[str], separator: str) -> str:
    """Return the record of some fields; the inverse of `fields`."""
    if separator == BLANK:
        return "".join(parts)
    return separator.join(parts)


def value(field: str) -> str:
    """Return what a field says: without surrounding blanks, and without quotes where it is quoted."""
    text = field.strip()
    if len(text) >= 2 and text[0] == '"' == text[-1] and _QUOTED.fullmatch(text):
        return text[1:-1].replace('""', '"')
    return text


def quoted(field: str) -> bool:
    """Whether a field is quoted."""
    return field.lstrip().startswith('"')


def rewritten(field: str, text: str, quote: bool, separator: str) -> str:
    """Return a field that says `text`, with the blanks that surround the old one; quoted if asked for or needed."""
    inner = field.strip()
    before, _, after = field.partition(inner) if inner else ("", "", "")
    if separator == BLANK:
        needed = not text or " " in text or "\t" in text
    else:
        needed = separator in text or text != text.strip()
    if quote or needed or any(sign in text for sign in '"\n\r'):
        text = '"' + text.replace('"', '""') + '"'
        if separator != BLANK and not quoted(field):
            return text  # most readers take a quote for one at the very beginning of a field alone
    return before + text + after


def titles_of(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names that the fields of a header say, and names of their positions for those that say none."""
    return tuple(value(field) or name_of_position(position) for position, field in enumerate(header, start=1))


class TextRecord(NamedTuple):
    """One record of a file.

    Parameters
    ----------
    text : str
        Without the line end; a quoted field may hold line ends of its own.
    tail : str
        The line end, and blank lines that follow.
    line : int
        The line of the file on which it begins, from 1.
    """

    text: str
    tail: str
    line: int


def lines_of(text: str) -> list[str]:
    """Return the lines with their ends; only CR, LF and CR LF end a line."""
    return list(io.StringIO(text, newline=""))


def first_lines(text: str, count: int) -> list[str]:
    """Return the first lines, as of `lines_of`."""
    return list(islice(io.StringIO(text, newline=""), count))


def split_records(lines: Iterable[str], separator: str, first_line: int = 1) -> tuple[list[TextRecord], int | None]:
    """Return the records of some lines, and the line of a quotation that never ends, or None."""
    found: list[TextRecord] = []
    pending: list[str] = []
    opened, quotes = first_line, 0
    blank = " \r\n\x1a" if separator == "\t" else " \t\r\n\x1a"  # \x1a: DOS end of file
    for number, line in enumerate(lines, start=first_line):
        if not pending and not line.strip(blank):
            if found:
                last = found[-1]
                found[-1] = TextRecord(last.text, last.tail + line, last.line)
            continue
        if not pending:
            opened, quotes = number, 0
        pending.append(line)
        quotes += line.count('"')
        if len(pending) > 1 and quotes % 2:
            continue  # a quotation that spans lines ends only where the quotes are even
        text = "".join(pending)
        body = text.rstrip("\r\n")
        if quotes and split_fields(body, separator) is None:
            continue
        found.append(TextRecord(body, text[len(body) :], opened))
        pending = []
    return found, opened if pending else None


def sniff_separator(text: str) -> str:
    """Return the separator of a text: the one that cuts its first records into the same number of fields, at least two.

    A run of blanks is considered only when no other separator does so without exception. A text that nothing cuts is
    taken to be one column.
    """
    lines = first_lines(text[:_SAMPLE_SIZE], _SAMPLE + 1)
    if len(text) > _SAMPLE_SIZE and len(lines) <= _SAMPLE:
        lines = lines[:-1] or lines
    lines = lines[:_SAMPLE]
    best, best_rank = ",", (0.0, 0)
    for separator in SEPARATORS:
        records, _ = split_records(lines, separator)
        widths = [len(cut) for cut in (split_fields(record.text, separator) for record in records) if cut is not None]
        if not widths or widths[0] < 2 or (separator == BLANK and len(set(widths)) > 1):
            continue
        share = sum(width == widths[0] for width in widths) / len(widths)
        rank = (share, widths[0])
        if separator == BLANK:
            if best_rank[0] < 1.0:
                best, best_rank = separator, rank
        elif rank > best_rank:
            best, best_rank = separator, rank
    return best
