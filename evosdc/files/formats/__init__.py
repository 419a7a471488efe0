"""The formats of data files: each is recognised by its first bytes or its name, and has a reader and a writer.

Each format is one module with two functions: ``read(content, where, suffix, options)`` returns the file as an
`evosdc.files.original.Original`, which can write itself with other values; ``write(columns, suffix)`` returns the bytes
of a file of published columns that came from another format.
"""

import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.delimited_file import DelimitedFile, parse_delimited, written
from evosdc.files.original import Original, Published
from evosdc.files.packed import GZIP, PACKINGS, ZIP, PackedFile, gunzipped, packed, unpacked, unzipped
from evosdc.further_formats import further_formats
from evosdc.printing import printable
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.source import Source

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".asc")  # endings of delimited text
BY_TABS = (".tsv", ".tab")  # endings that say the separator


@dataclass(frozen=True)
class Reading:
    """The user's settings for reading a file; empty where they are recognised."""

    # separator, encoding: of delimited text
    separator: str | None = None
    names: Sequence[str] | None = None  # of the columns of a text without a header line
    encoding: str | None = None
    sheet: str | None = None  # of a workbook
    catalog: Path | None = None  # of the formats of a file of SAS, which label its values


@dataclass(frozen=True)
class Format:
    """A format of data files."""

    name: str  # as the extra that installs what it needs
    suffixes: tuple[str, ...]  # of the files that are read
    magics: tuple[bytes, ...]  # what its files begin with; empty where the name alone tells
    module: str  # with the functions ``read`` and ``write``
    writes: tuple[str, ...] = ()  # of the files that are written

    def read(self, content: bytes, where: str, suffix: str, options: Reading) -> Original:
        """Return a file of the format."""
        found: Original = import_module(self.module).read(content, where, suffix, options)
        return found

    def write(self, columns: Sequence[Published], suffix: str) -> bytes:
        """Return the bytes of a file of columns that came from another format."""
        content: bytes = import_module(self.module).write(columns, suffix)
        return content


_HERE = __name__
# formats of packages; `parse_content` distinguishes ZIP, gzip and text
FORMATS = (
    Format("parquet", (".parquet",), (b"PAR1",), f"{_HERE}.arrow", (".parquet",)),
    Format("feather", (".feather", ".arrow"), (b"ARROW1", b"FEA1"), f"{_HERE}.arrow", (".feather", ".arrow")),
    Format("excel", (".xlsx",), (), f"{_HERE}.excel", (".xlsx",)),
    Format("spss", (".sav",), (b"$FL2",), f"{_HERE}.spss", (".sav",)),
    Format("spss", (".zsav",), (b"$FL3",), f"{_HERE}.spss", (".zsav",)),
    Format("spss", (".por",), (), f"{_HERE}.spss", (".por",)),
    Format("stata", (".dta",), (b"<stata_dta>",), f"{_HERE}.stata", (".dta",)),
    Format("sas", (".xpt",), (b"HEADER RECORD*******LIB",), f"{_HERE}.sas", (".xpt",)),
    Format("sas", (".sas7bdat",), (b"\0" * 12 + b"\xc2\xea\x81\x60",), f"{_HERE}.sas"),
)
_WRITERS = {suffix: form for form in FORMATS for suffix in form.writes}
_EXCEL = next(form for form in FORMATS if form.name == "excel")
OF_SAS = (".sas7bdat", ".xpt")  # endings of the files of SAS
CATALOG = ".sas7bcat"  # of the formats of SAS, which stand in a file of their own


def parse_file(content: bytes, path: Path, options: Reading, like: Original | None = None) -> Original:
    """Return a file as `parse_content` does, with the labels of values that stand in a file beside it."""
    if path.suffix.lower() in OF_SAS:
        files = path.parent.iterdir() if path.parent.is_dir() else ()
        found = {file.name.lower(): file for file in files if file.suffix.lower() == CATALOG}
        catalog = found.get(f"{path.stem.lower()}{CATALOG}") or found.get(f"formats{CATALOG}")
        options = replace(options, catalog=catalog or getattr(like, "catalog", None))
    return parse_content(content, path.name, printable(str(path)), options)


def parse_content(content: bytes, name: str, where: str, options: Reading) -> Original:
    """Return a file of any known format, to judge by its first bytes, else by its name; else it is delimited text."""
    if content.startswith(GZIP):
        inner = PurePath(name.removesuffix(".gz")).name
        return PackedFile(parse_content(gunzipped(content, where), inner, where, options))
    suffix = PurePath(name).suffix.lower()
    for offered in further_formats(suffix):
        found: Original | None = offered.parse(content, where)
        if found is not None:
            return found
    if content.startswith(ZIP):
        if "xl/workbook.xml" in _members(content):
            return _EXCEL.read(content, where, ".xlsx", options)
        member, inside = unzipped(content, where)
        if inside.startswith((ZIP, GZIP)):
            raise DataError(Fault(where, "an archive in an archive", "an archive of one data file", "Unpack it."))
        return PackedFile(parse_content(inside, member, where, options), member)
    for form in FORMATS:
        if any(content.startswith(magic) for magic in form.magics):
            return form.read(content, where, suffix if suffix in form.suffixes else form.suffixes[0], options)
    for form in FORMATS:
        if suffix in form.suffixes and (not form.magics or suffix == ".dta") and form is not _EXCEL:
            return form.read(content, where, suffix, options)
    if suffix == ".json":
        advice = "Give the data file itself."
        raise DataError(Fault(where, "a JSON document that is no graph", "a data file", advice))
    return parse_delimited(content, where, options.separator, options.names, options.encoding)


def _members(content: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


@dataclass(frozen=True)
class Ending:
    """The format of a file by its name: the ending of its content, and how it is packed."""

    format: str
    packing: str = ""


def ending_of(path: Path | str) -> Ending:
    """Return the ending of a name in lower case; ``masked.csv.gz`` is a packed ``.csv``."""
    name = PurePath(path)
    if name.suffix.lower() in PACKINGS:
        return Ending(PurePath(name.stem).suffix.lower(), name.suffix.lower())
    return Ending(name.suffix.lower())


def text_separator(path: Path) -> str:
    """Return what separates the columns of a text file of this name; raises `DataError` for an ending of no text."""
    if path.suffix.lower() not in ("", *TEXT):
        wanted = f"an ending of a text file: {', '.join(TEXT[:3])}"
        raise DataError(Fault(printable(str(path)), f"the ending {path.suffix}", wanted, "Choose another one."))
    return "\t" if path.suffix.lower() in BY_TABS else ","


def require_writable_format(path: Path | str, source: "Source") -> None:
    """Raise `DataError` where a name ends like no format that can be written, or that can hold the columns."""
    found = ending_of(path).format
    where = printable(str(path))
    form = _WRITERS.get(found)
    own = ending_of(f"x{source.original.suffix}").format
    text = isinstance(unpacked(source.original), DelimitedFile)
    if found not in ("", *TEXT, *_WRITERS, own) and not (text and found == ending_of(source.origin).format):
        known = dict.fromkeys((*([own] if own else []), *TEXT[:3], *_WRITERS, *PACKINGS))
        wanted = f"an ending of a format that can be written: {', '.join(known)}"
        raise DataError(Fault(where, f"the ending {found}", wanted, "The ending says the format."))
    if form is not None or (own in _WRITERS and not found):
        source.try_writing(Path(path))


def writes_text(path: Path, original: Original) -> bool:
    """Return whether a file of this name is delimited text."""
    wanted, inner = ending_of(path).format, unpacked(original)
    return wanted in TEXT or (isinstance(inner, DelimitedFile) and wanted not in _WRITERS)


def content_for(path: Path, original: Original, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
    """Return the bytes of a file, in pieces, in the format of the name's ending, else of the original."""
    try:
        return _content_for(path, original, columns, rows)
    except InputError:
        raise
    except Exception as error:  # each package has errors of its own
        reason = printable(str(error).partition("\n")[0]) or type(error).__name__
        given = f"columns that {ending_of(path).format or 'the format of the file'} cannot hold ({reason})"
        raise DataError(Fault(printable(str(path)), given, "another ending, such as .csv")) from None


def _content_for(path: Path, original: Original, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
    wanted, own, inner = ending_of(path), ending_of(f"x{original.suffix}"), unpacked(original)
    as_text = isinstance(inner, DelimitedFile) and writes_text(path, original)
    as_text &= wanted.format not in BY_TABS or (isinstance(inner, DelimitedFile) and inner.dialect.separator == "\t")
    if wanted == Ending(""):
        return original.write(columns, rows)
    ending = wanted.format or inner.suffix
    if wanted.format in ("", inner.suffix) or as_text:
        if wanted.packing == own.packing:
            return original.write(columns, rows)
        content = inner.write(columns, rows)
    elif wanted.format in TEXT:
        content = written(columns, [one.name for one in columns], "\t" if wanted.format in BY_TABS else ",")
    else:
        content = [_WRITERS[wanted.format].write(columns, wanted.format)]
    if not wanted.packing:
        return content
    name = path.stem if PurePath(path.stem).suffix else f"{path.stem}{ending}"
    return [packed(b"".join(content), wanted.packing, name)]
