"""Files packed by gzip or ZIP: unpacked when read, and packed again when written."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.original import Original, Published
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
PACKINGS = (".gz", ".zip")
LARGEST = 8 << 30  # bytes that a packed file may unpack to; more is taken for an attack
_STAMP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class PackedFile:
    """A file in an archive of its own."""

    inner: Original
    member: str = ""  # its name in the ZIP archive; empty for gzip

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as they stand, by column."""
        return self.inner.columns

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """The declarations of the packed file's types."""
        return self.inner.declared

    @property
    def suffix(self) -> str:
        """Of the file that is written."""
        return ".zip" if self.member else f"{self.inner.suffix}.gz"

    def place(self, record: int) -> str:
        """Return where a record stands in the packed file."""
        return self.inner.place(record)

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the packed bytes of the file with these columns, without the time at which it was packed."""
        content = b"".join(self.inner.write(columns, rows))
        return [packed(content, ".zip" if self.member else ".gz", self.member)]


def packed(content: bytes, packing: str, name: str) -> bytes:
    """Return a file packed by gzip or, under a name, in a ZIP archive; without the time at which that was done."""
    if packing == ".gz":
        return gzip.compress(content, mtime=0)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, _STAMP), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpacked(original: Original) -> Original:
    """Return an original, or the file packed in it."""
    return unpacked(original.inner) if isinstance(original, PackedFile) else original


def text_file(original: Original) -> DelimitedFile | None:
    """Return the text file that an original is or packs, None where it is of another kind."""
    inner = unpacked(original)
    return inner if isinstance(inner, DelimitedFile) else None


def with_text(original: Original, text: DelimitedFile) -> Original:
    """Return an original with another text file in place of the one that it is or packs."""
    return replace(original, inner=with_text(original.inner, text)) if isinstance(original, PackedFile) else text


def gunzipped(content: bytes, where: str) -> bytes:
    """Return the content of a gzip file; raises `DataError` where it is damaged or too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            found = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(Fault(where, f"a damaged gzip file ({error})", "a whole file")) from None
    if len(found) > LARGEST:
        raise _too_large(where)
    return found


def unzipped(content: bytes, where: str) -> tuple[str, bytes]:
    """Return the name and the bytes of the one file that a ZIP archive holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
            if len(members) != 1:
                given = f"a ZIP archive of {len(members)} files"
                raise DataError(Fault(where, given, "an archive of one data file", "Unpack it and give one file."))
            if members[0].file_size > LARGEST:
                raise _too_large(where)
            return members[0].filename, archive.read(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
        given = f"a ZIP archive or an Excel workbook that cannot be read ({error})"
        raise DataError(Fault(where, given, "a whole archive without a password")) from None


def _too_large(where: str) -> DataError:
    return DataError(Fault(where, "an archive that unpacks to more than 8 GiB", "a smaller file"))
