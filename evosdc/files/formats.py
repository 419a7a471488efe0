"""The formats of data files: how each is known, by its first bytes or its name, and what reads it."""

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath

from evosdc.errors import DataError, Fault
from evosdc.files.delimited_reading import parse_delimited
from evosdc.files.described_file import is_project, parse_project
from evosdc.files.original import Original
from evosdc.files.packed import GZIP, ZIP, PackedFile, gunzipped, unzipped
from evosdc.further_formats import further_formats
from evosdc.printing import printable

Parse = Callable[[bytes, str], Original]


@dataclass(frozen=True)
class FileFormat:
    """A format that is read by a package of its own.

    Parameters
    ----------
    name : str
        As the extra that installs what it needs.
    suffixes : tuple of str
    magics : tuple of bytes
        What its files begin with; empty where the name alone tells.
    parse : callable
        From bytes and the place for messages to the file.
    """

    name: str
    suffixes: tuple[str, ...]
    magics: tuple[bytes, ...]
    parse: Parse


def _parquet(content: bytes, where: str) -> Original:
    from evosdc.files.parquet import parse_parquet

    return parse_parquet(content, where)


def _feather(content: bytes, where: str) -> Original:
    from evosdc.files.parquet import parse_feather

    return parse_feather(content, where)


def _statistical(suffix: str) -> Parse:
    def parse(content: bytes, where: str) -> Original:
        from evosdc.files.statistical_file import parse_statistical

        return parse_statistical(content, where, suffix)

    return parse


FORMATS = (
    FileFormat("parquet", (".parquet",), (b"PAR1",), _parquet),
    FileFormat("feather", (".feather", ".arrow"), (b"ARROW1", b"FEA1"), _feather),
    FileFormat("spss", (".zsav",), (b"$FL3",), _statistical(".zsav")),
    FileFormat("spss", (".sav",), (b"$FL2",), _statistical(".sav")),
    FileFormat("spss", (".por",), (), _statistical(".por")),
    FileFormat("stata", (".dta",), (b"<stata_dta>",), _statistical(".dta")),
    FileFormat("sas", (".xpt",), (b"HEADER RECORD*******LIB",), _statistical(".xpt")),
    FileFormat("sas", (".sas7bdat",), (b"\0" * 12 + b"\xc2\xea\x81\x60",), _statistical(".sas7bdat")),
)
"""Formats of packages; ZIP, gzip, Excel workbooks and text are told apart in `parse_content`."""

OF_SAS = (".sas7bdat", ".xpt")
"""Endings of the files of SAS."""

CATALOG = ".sas7bcat"
"""Of the formats of SAS, which stand in a file of their own."""


def catalog_beside(path: Path) -> Path | None:
    """Return the catalog of formats that belongs to a file of SAS: of the file's name, else ``formats.sas7bcat``."""
    if path.suffix.lower() not in OF_SAS or not path.parent.is_dir():
        return None
    found = {file.name.lower(): file for file in path.parent.iterdir() if file.suffix.lower() == CATALOG}
    return found.get(f"{path.stem.lower()}{CATALOG}") or found.get(f"formats{CATALOG}")


def parse_file(
    content: bytes,
    path: Path,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    like: Original | None = None,
) -> Original:
    """Return a file as `parse_content` does, with the labels of values that stand in a file beside it.

    Parameters
    ----------
    like : Original, optional
        What it was made from, whose labels it has where there are none beside it.
    """
    where, catalog = printable(str(path)), catalog_beside(path)
    if catalog is None and path.suffix.lower() in OF_SAS:
        catalog = getattr(like, "catalog", None)
    if catalog is None:
        return parse_content(content, path.name, where, separator, names)
    from evosdc.files.statistical_file import parse_statistical

    return parse_statistical(content, where, path.suffix.lower(), catalog)


def parse_content(
    content: bytes, name: str, where: str, separator: str | None = None, names: Sequence[str] | None = None
) -> Original:
    """Return a file of any known format, to judge by its first bytes, else by its name; else it is delimited text.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file, for formats that do not tell themselves.
    where : str
        For messages.
    separator, names : optional
        As of `parse_delimited`, for text.

    Raises
    ------
    DataError
        The file cannot be read, or a package that reads it is not installed.
    """
    if content.startswith(GZIP):
        inner = PurePath(name.removesuffix(".gz")).name
        return PackedFile(parse_content(gunzipped(content, where), inner, where, separator, names))
    for offered in further_formats(PurePath(name).suffix.lower()):
        found: Original | None = offered.parse(content, where)
        if found is not None:
            return found
    if content.startswith(ZIP):
        if _is_workbook(content):
            from evosdc.files.workbook import parse_workbook

            return parse_workbook(content, where)
        if _members(content) and is_project(_members(content)):
            return parse_project(content, where)
        member, unpacked = unzipped(content, where)
        if unpacked.startswith((ZIP, GZIP)):
            raise DataError(Fault(where, "an archive in an archive", "an archive of one data file", "Unpack it."))
        return PackedFile(parse_content(unpacked, member, where, separator, names), member)
    suffix = PurePath(name).suffix.lower()
    for form in FORMATS:
        if any(content.startswith(magic) for magic in form.magics):
            return form.parse(content, where)
    for form in FORMATS:
        if suffix in form.suffixes and (not form.magics or suffix == ".dta"):
            return form.parse(content, where)
    return parse_delimited(content, where, separator, names)


def _is_workbook(content: bytes) -> bool:
    return "xl/workbook.xml" in _members(content)


def _members(content: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []
