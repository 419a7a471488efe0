"""Reading delimited text: by columns where it is plain, cell by cell where it is not, with all faults at once."""

from collections import Counter
from collections.abc import Sequence

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column, distinct, renamed
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.encoding import decode
from evosdc.files.number_recognition import with_number_formats
from evosdc.files.record_fields import (
    TextRecord,
    lines_of,
    sniff_separator,
    split_fields,
    split_records,
    titles_of,
    value,
)
from evosdc.printing import printable
from evosdc.table.numerals import number

_FAULTY_LINES = 5

LEAST_PLAIN = 1 << 18
"""Bytes of a file from which on it is worth while to load what reads plain ones fast."""


def parse_delimited(
    content: bytes, where: str, separator: str | None = None, names: Sequence[str] | None = None
) -> DelimitedFile:
    """Read a delimited text.

    Parameters
    ----------
    content : bytes
        The whole file.
    where : str
        Its name, for messages.
    separator : str, optional
        Recognised if not given; a blank stands for runs of blanks and tabs.
    names : sequence of str, optional
        Names of the columns of a file without a header line.

    Raises
    ------
    DataError
        The file is empty, has no record, is no text, is ragged, repeats a name in its header, has no header, or a
        quotation does not end.
    """
    plain = _plain(content, separator, names) if len(content) >= LEAST_PLAIN else None
    if plain is not None:
        return plain
    text, encoding = decode(content, where)
    if not text.strip():
        raise DataError(Fault(where, "an empty file", "a header line and records"))
    separator = separator or sniff_separator(text)
    lines = lines_of(text)
    records, unended = split_records(lines, separator)
    if unended is not None:
        given = f"a quotation that opens in line {unended} and never ends"
        raise DataError(Fault(where, given, "closed quotes", "Double a quote that is part of a value."))
    header = None if names is not None else records[0]
    body = records if header is None else records[1:]
    cuts = [split_fields(record.text, separator) or [] for record in body]
    titles = titles_of(split_fields(header.text, separator) or []) if header is not None else tuple(names or ())
    faults = _faults(titles, header, body, cuts, where)
    columns = _columns(titles, cuts) if not faults else ()
    if header is not None and _looks_like_record(columns):
        given = f"a first line that looks like a record (line {header.line})"
        faults.append(Fault(where, given, "a header line", "Add a line with the names of the attributes."))
    if faults:
        raise DataError(faults)
    start = body[0].line - 1
    columns = with_number_formats(columns, separator)
    prefix = "".join(lines[:start])
    return DelimitedFile(titles, tuple(body), prefix, header, separator, encoding, columns)


def _plain(content: bytes, separator: str | None, names: Sequence[str] | None) -> DelimitedFile | None:
    """Return a file that is read by columns; None where it has to be read cell by cell, or has faults to be told."""
    from evosdc.files.plain_text import read_plain

    found = read_plain(content, separator, names)
    if found is None or (found.header is not None and _looks_like_record(found.columns)):
        return None
    if found.header is not None and len(found.names) > 1 and all(number(name) is not None for name in found.names):
        return None
    return DelimitedFile(
        found.names, found.records, found.prefix, found.header, found.separator, found.encoding, found.columns
    )


def _faults(
    names: Sequence[str],
    header: TextRecord | None,
    body: Sequence[TextRecord],
    cuts: Sequence[Sequence[str]],
    where: str,
) -> list[Fault]:
    faults = []
    if header is not None and len(names) > 1 and all(number(name) is not None for name in names):
        advice = "Add a line with the names of the attributes."
        faults.append(Fault(where, f"a first line of numbers only (line {header.line})", "a header line", advice))
    elif repeated := sorted(name for name, count in Counter(names).items() if count > 1):
        advice = "The first line must hold the names: rename columns there, or add that line if the file has none."
        faults.append(Fault(where, _repetition(names, repeated, cuts), "each name once", advice))
    if not body:
        faults.append(Fault(where, "a header line and no record", "at least one record"))
    ragged = [(record.line, len(cut)) for record, cut in zip(body, cuts, strict=True) if len(cut) != len(names)]
    if ragged:
        shown = ", ".join(f"line {line} has {width}" for line, width in ragged[:_FAULTY_LINES])
        more = f" and {len(ragged) - _FAULTY_LINES} more lines" if len(ragged) > _FAULTY_LINES else ""
        advice = "Mend these lines; a value that holds the separator must be quoted."
        faults.append(Fault(where, f"{shown}{more}", f"{len(names)} values in each line, as many as names", advice))
    return faults


def _repetition(names: Sequence[str], repeated: Sequence[str], cuts: Sequence[Sequence[str]]) -> str:
    """Return what is wrong with a first line that says some texts twice.

    Where it may be a record, its texts are values that no message may show, and columns are told by position.
    """
    own = {name for cut in cuts for name, cell in zip(names, cut, strict=False) if value(cell) == name}
    if not own and not any(name.lstrip("+-. ")[:1].isdigit() for name in names):
        return f"the column {printable(', '.join(repeated))} more than once"
    places = [" and ".join(str(p) for p, name in enumerate(names, start=1) if name == twice) for twice in repeated]
    return f"the same text as the name of columns {'; of columns '.join(places)}"


def _looks_like_record(columns: Sequence[Column]) -> bool:
    """Whether the names are values: some are numbers, and at least half of them occur in their own columns."""
    own = sum(column.name in column.texts for column in columns)
    return any(number(column.name) is not None for column in columns) and 2 * own >= len(columns)


def _columns(names: Sequence[str], cuts: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    columns = []
    for name, cells in zip(names, zip(*cuts, strict=True), strict=True):
        texts, index = distinct(cells, len(cuts))
        columns.append(renamed(Column(name, texts, index), [value(text) for text in texts]))
    return tuple(columns)
