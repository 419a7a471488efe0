"""The formats of data files: each is recognised by its first bytes or its name, and has a reader and a writer.

Each format is a module with two functions: ``read(content, where, suffix, options)`` returns the file as an
`evosdc.files.original.Original`, which can write itself with other values; ``write(columns, suffix)`` returns the bytes
of a file of published columns that came from another format. Files packed by gzip or ZIP are unpacked when they are
read, and packed again when they are written.
"""

import gzip
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.delimited_file import DelimitedFile, parse_delimited, written
from evosdc.files.original import Original, Published
from evosdc.further_formats import further_formats
from evosdc.printing import printable
from evosdc.table.table import Rows

if TYPE_CHECKING:
    from evosdc.files.source import Source

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".asc")  # endings of delimited text
BY_TABS = (".tsv", ".tab")  # endings that say the separator
PACKINGS = (".gz", ".zip")
LARGEST = 8 << 30  # bytes that a packed file may unpack to; more is taken for an attack
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
# formats of packages: endings of names, what the files begin with (nothing where the name alone tells), and the module
_FORMATS = (
    ((".parquet",), (b"PAR1",), "arrow"),
    ((".feather", ".arrow"), (b"ARROW1", b"FEA1"), "arrow"),
    ((".xlsx",), (), "excel"),
    ((".sav",), (b"$FL2",), "statistical"),
    ((".zsav",), (b"$FL3",), "statistical"),
    ((".por",), (), "statistical"),
    ((".dta",), (b"<stata_dta>",), "statistical"),
    ((".xpt",), (b"HEADER RECORD*******LIB",), "statistical"),
    ((".sas7bdat",), (b"\0" * 12 + b"\xc2\xea\x81\x60",), "statistical"),
)
_WRITERS = {suffix: module for suffixes, _, module in _FORMATS for suffix in suffixes if suffix != ".sas7bdat"}
_CATALOG = ".sas7bcat"  # of the formats of SAS, which are in a file of their own


@dataclass(frozen=True)
class Reading:
    """The user's settings for reading a file; empty where they are recognised."""

    # separator, encoding: of delimited text
    separator: str | None = None
    names: Sequence[str] | None = None  # of the columns of a text without a header line
    encoding: str | None = None
    sheet: str | None = None  # of a workbook
    catalog: Path | None = None  # of the formats of a file of SAS, which label its values


def parse_file(content: bytes, path: Path, options: Reading, like: Original | None = None) -> Original:
    """Return a file as `parse_content` does, with the labels of values that are in a file beside it."""
    if path.suffix.lower() in (".sas7bdat", ".xpt"):
        files = path.parent.iterdir() if path.parent.is_dir() else ()
        found = {file.name.lower(): file for file in files if file.suffix.lower() == _CATALOG}
        catalog = found.get(f"{path.stem.lower()}{_CATALOG}") or found.get(f"formats{_CATALOG}")
        options = replace(options, catalog=catalog or (like.catalog if like is not None else None))
    return parse_content(content, path.name, printable(str(path)), options)


def parse_content(content: bytes, name: str, where: str, options: Reading) -> Original:
    """Return a file of any known format, to judge by its first bytes, else by its name; else it is delimited text."""
    if content.startswith(_GZIP):
        try:
            with gzip.GzipFile(fileobj=BytesIO(content)) as file:
                inside = file.read(LARGEST + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(Fault(where, f"a damaged gzip file ({error})", "a whole file")) from None
        _require_small(len(inside), where)
        return replace(parse_content(inside, name.removesuffix(".gz"), where, options), packing=".gz")
    suffix = PurePath(name).suffix.lower()
    for offered in further_formats(suffix):
        found: Original | None = offered.parse(content, where)
        if found is not None:
            return found
    if content.startswith(_ZIP):
        member, inside = _unzipped(content, where)
        if member == "xl/workbook.xml":
            return _read("excel", content, where, ".xlsx", options)
        if inside.startswith((_ZIP, _GZIP)):
            raise DataError(Fault(where, "an archive in an archive", "an archive of one data file", "Unpack it."))
        return replace(parse_content(inside, member, where, options), packing=".zip", member=member)
    for suffixes, magics, module in _FORMATS:
        if any(content.startswith(magic) for magic in magics):
            return _read(module, content, where, suffix if suffix in suffixes else suffixes[0], options)
    if suffix in (".por", ".dta"):  # old releases of Stata have no mark
        return _read("statistical", content, where, suffix, options)
    if suffix == ".json":
        advice = "Give the data file itself."
        raise DataError(Fault(where, "a JSON document that is no graph", "a data file", advice))
    return parse_delimited(content, where, options.separator, options.names, options.encoding)


def _read(module: str, content: bytes, where: str, suffix: str, options: Reading) -> Original:
    found: Original = import_module(f"{__name__}.{module}").read(content, where, suffix, options)
    return found


def _unzipped(content: bytes, where: str) -> tuple[str, bytes]:
    """Return the name and the bytes of the one file that a ZIP archive holds, or only the name of a workbook."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if "xl/workbook.xml" in archive.namelist():
                return "xl/workbook.xml", b""
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
            if len(members) != 1:
                given = f"a ZIP archive of {len(members)} files"
                raise DataError(Fault(where, given, "an archive of one data file", "Unpack it and give one file."))
            _require_small(members[0].file_size, where)
            return members[0].filename, archive.read(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
        given = f"a ZIP archive or an Excel workbook that cannot be read ({error})"
        raise DataError(Fault(where, given, "a whole archive without a password")) from None


def _require_small(size: int, where: str) -> None:
    if size > LARGEST:
        raise DataError(Fault(where, "an archive that unpacks to more than 8 GiB", "a smaller file"))


def ending_of(path: Path | str) -> tuple[str, str]:
    """Return the endings of a name in lower case: of its format, and how it is packed; ``.csv`` and ``.gz``."""
    name = PurePath(path)
    suffix = name.suffix.lower()
    return (PurePath(name.stem).suffix.lower(), suffix) if suffix in PACKINGS else (suffix, "")


def text_separator(path: Path) -> str:
    """Return what separates the columns of a text file of this name; raises `DataError` for an ending of no text."""
    if path.suffix.lower() not in ("", *TEXT):
        wanted = f"an ending of a text file: {', '.join(TEXT[:3])}"
        raise DataError(Fault(printable(str(path)), f"the ending {path.suffix}", wanted, "Choose another one."))
    return "\t" if path.suffix.lower() in BY_TABS else ","


def require_writable_format(path: Path | str, source: "Source") -> None:
    """Raise `DataError` where a name ends like no format that can be written, or that can hold the columns."""
    found, own = ending_of(path)[0], source.original.format
    text = isinstance(source.original, DelimitedFile) and found == ending_of(source.origin)[0]
    if found not in ("", *TEXT, *_WRITERS, own) and not text:
        known = dict.fromkeys((own, *TEXT[:3], *_WRITERS, *PACKINGS))
        wanted = f"an ending of a format that can be written: {', '.join(known)}"
        raise DataError(Fault(printable(str(path)), f"the ending {found}", wanted, "The ending says the format."))
    if found in _WRITERS or (own in _WRITERS and not found):
        source.try_writing(Path(path))


def writes_text(path: Path, original: Original) -> bool:
    """Return whether a file of this name is delimited text."""
    wanted = ending_of(path)[0]
    return wanted in TEXT or (isinstance(original, DelimitedFile) and wanted not in _WRITERS)


def content_for(path: Path, original: Original, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
    """Return the bytes of a file, in pieces, in the format of the name's ending, else of the original."""
    form, packing = ending_of(path)
    by_tabs = form in BY_TABS
    own = form in ("", original.format) or (
        isinstance(original, DelimitedFile)
        and writes_text(path, original)
        and (not by_tabs or original.dialect.separator == "\t")
    )
    try:
        if own:
            content = original.write(columns, rows)
        elif form in TEXT:
            content = written(columns, [one.name for one in columns], "\t" if by_tabs else ",")
        else:
            content = [import_module(f"{__name__}.{_WRITERS[form]}").write(columns, form)]
        packing = packing or ("" if form else original.packing)
        if not packing or original.format == packing:  # a format of a plugin may be an archive itself
            return content
        whole = b"".join(content)
    except InputError:
        raise
    except Exception as error:  # each package has errors of its own
        reason = printable(str(error).partition("\n")[0]) or type(error).__name__
        given = f"columns that {form or 'the format of the file'} cannot hold ({reason})"
        raise DataError(Fault(printable(str(path)), given, "another ending, such as .csv")) from None
    # Nothing tells the time at which a file was packed.
    if packing == ".gz":
        return [gzip.compress(whole, mtime=0)]
    name = path.stem if PurePath(path.stem).suffix else f"{path.stem}{form or original.format}"
    member = original.member if own and original.packing == packing else name
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0)), whole, zipfile.ZIP_DEFLATED)
    return [buffer.getvalue()]
