"""Files packed by gzip or ZIP: read as what is in them, and packed again when they are written."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.original import Original
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"

LARGEST = 8 << 30
"""Bytes that a packed file may unpack to; more is taken for an attack."""

_STAMP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class PackedFile:
    """A file in an archive of its own.

    Parameters
    ----------
    inner : Original
    member : str
        Its name in the ZIP archive; empty for gzip.
    """

    inner: Original
    member: str = ""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as they stand, by column."""
        return self.inner.columns

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """What the types of the packed file tell."""
        return self.inner.declared

    @property
    def suffix(self) -> str:
        """Of the file that is written."""
        return ".zip" if self.member else f"{self.inner.suffix}.gz"

    def place(self, record: int) -> str:
        """Return where a record stands in the packed file."""
        return self.inner.place(record)

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return the packed bytes of the changed file, without the time at which it was packed."""
        content = self.inner.render(changes, dropped, rows, missing)
        if not self.member:
            return gzip.compress(content, mtime=0)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(self.member, _STAMP), content, zipfile.ZIP_DEFLATED)
        return buffer.getvalue()


def text_file(original: Original) -> DelimitedFile | None:
    """Return the text file that an original is or packs, None where it is of another kind."""
    from evosdc.files.described_file import DescribedFile

    inner = original
    while isinstance(inner, PackedFile | DescribedFile):
        inner = inner.inner
    return inner if isinstance(inner, DelimitedFile) else None


def files_beside(original: Original) -> tuple[Path, ...]:
    """Return the files that were read besides the one that was named: data beside a descriptor, a catalog of labels."""
    from evosdc.files.described_file import DescribedFile

    if isinstance(original, PackedFile):
        return files_beside(original.inner)
    if isinstance(original, DescribedFile):
        return (*([original.file] if original.file is not None else []), *files_beside(original.inner))
    catalog: Path | None = getattr(original, "catalog", None)
    return () if catalog is None else (catalog,)


def unnamed_columns(original: Original) -> tuple[str, ...]:
    """Return what columns are called that the file leaves unnamed."""
    from evosdc.files.described_file import DescribedFile

    if isinstance(original, PackedFile | DescribedFile):
        return unnamed_columns(original.inner)
    found: tuple[str, ...] = getattr(original, "unnamed", ())
    return found


def with_text(original: Original, text: DelimitedFile) -> Original:
    """Return an original with another text file in place of the one that it is or packs."""
    from evosdc.files.described_file import DescribedFile

    if isinstance(original, PackedFile | DescribedFile):
        return replace(original, inner=with_text(original.inner, text))
    return text


def gunzipped(content: bytes, where: str) -> bytes:
    """Return what a gzip file packs; raises `DataError` where it is damaged or too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            found = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(Fault(where, f"a damaged gzip file ({error})", "a whole file")) from None
    return _bounded(found, where)


def unzipped(content: bytes, where: str) -> tuple[str, bytes]:
    """Return the name and the bytes of the one file that a ZIP archive holds.

    Raises
    ------
    DataError
        The archive is damaged, encrypted, empty, or holds several files.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
            if len(members) != 1:
                given = f"a ZIP archive of {len(members)} files"
                raise DataError(Fault(where, given, "an archive of one data file", "Unpack it and give one file."))
            if members[0].file_size > LARGEST:
                return members[0].filename, _bounded(b"", where, members[0].file_size)
            return members[0].filename, archive.read(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
        given = f"a ZIP archive or an Excel workbook that cannot be read ({error})"
        raise DataError(Fault(where, given, "a whole archive without a password")) from None


def _bounded(content: bytes, where: str, size: int | None = None) -> bytes:
    if max(size or 0, len(content)) > LARGEST:
        raise DataError(Fault(where, "an archive that unpacks to more than 8 GiB", "a smaller file"))
    return content
