"""From the bytes of a file to its text: byte order marks, UTF-8 and the Western code pages."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.atomic import special_kind
from evosdc.printing import printable

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHER_FORMATS = (
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook", "Unpack it."),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Office file", "Save the sheet as CSV."),
    (b"\x1f\x8b", "a gzip archive", "Unpack it first."),
    (b"BZh", "a bzip2 archive", "Unpack it first."),
    (b"\xfd7zXZ", "an xz archive", "Unpack it first."),
    (b"%PDF", "a PDF document", "Export the table as CSV."),
    (b"PAR1", "a Parquet file", "Give it to a command that reads data, not as a text file."),
)
_PIECE = 1 << 20
_CONTROL = bytes(sorted(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a\x1b")))


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes stand for text.

    Parameters
    ----------
    name : str
        A Python codec.
    mark : bytes
        The byte order mark that the file begins with; empty if none.
    guessed : bool
        Whether the code page was guessed, since the bytes are neither marked nor UTF-8.
    """

    name: str
    mark: bytes = b""
    guessed: bool = False

    def encode(self, text: str) -> bytes:
        """Return the bytes of a text, mark included."""
        return self.mark + text.encode(self.name)


def decode(content: bytes, where: str, error: type[InputError] = DataError) -> tuple[str, Encoding]:
    """Return the text of a file's bytes and how it was encoded.

    A byte order mark decides; else UTF-8 if the bytes are valid UTF-8; else Windows-1252, and Latin-1 for bytes that
    Windows-1252 leaves undefined.

    Raises
    ------
    InputError
        Of the class `error`: the bytes are no text.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            try:
                return content[len(mark) :].decode(name), Encoding(name, mark)
            except UnicodeDecodeError as fault:
                given = f"bytes that are not {name} although the file begins with its mark (byte {fault.start})"
                raise error(Fault(where, given, "text", "Save the file again as UTF-8.")) from None
    for magic, kind, advice in _OTHER_FORMATS:
        if content.startswith(magic):
            raise error(Fault(where, kind, "a text file", advice))
    if not is_of_text(content):
        advice = "If it is UTF-16 without a byte order mark, save it as UTF-8."
        raise error(Fault(where, "binary content", "a text file", advice))
    for name in ("utf-8", "cp1252", "latin-1"):
        try:
            return content.decode(name), Encoding(name, guessed=name != "utf-8")
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 decodes all bytes")


def is_of_text(content: bytes) -> bool:
    """Whether bytes have no control signs but those that stand in texts."""
    return len(content.translate(None, _CONTROL)) == len(content)


def recognised(content: bytes) -> Encoding | None:
    """Return how a text of bytes is encoded in which ASCII signs stand for themselves; None for all else.

    It is what `decode` says of bytes for which `is_of_text` holds, which is not looked at here; found piece by piece so
    that no second copy of a large file is made.
    """
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    if not mark and content.startswith(tuple(start for start, *_ in (*_MARKS, *_OTHER_FORMATS))):
        return None
    pieces = range(len(mark), len(content), _PIECE)
    for name in ("utf-8", "cp1252", "latin-1"):
        reader = codecs.getincrementaldecoder(name)()
        try:
            for at in pieces if not content.isascii() else ():
                reader.decode(content[at : at + _PIECE], final=at + _PIECE >= len(content))
        except UnicodeDecodeError:
            if mark:
                return None
        else:
            return Encoding(name, mark, guessed=name != "utf-8")
    raise AssertionError("latin-1 decodes all bytes")


def read_bytes(path: Path, error: type[InputError] = DataError) -> bytes:
    """Return a file's bytes.

    Raises
    ------
    InputError
        Of the class `error`: there is no such file, it is a folder, a device or a pipe, or it cannot be read.
    """
    where = printable(str(path))
    try:
        kind = special_kind(path)
        if kind:
            # A device may never end, and a pipe without a writer never begins.
            advice = "" if kind == "a folder" else "Save its content in a file first."
            raise error(Fault(where, kind, "a file", advice))
        return path.read_bytes()
    except FileNotFoundError:
        raise error(Fault(where, "no such file", "a file that exists", "Check the path.")) from None
    except OSError as fault:
        given = f"a file that cannot be read ({printable(fault.strerror or str(fault))})"
        raise error(Fault(where, given, "a readable file", "Check its permissions.")) from None
    except ValueError:
        raise error(Fault(where, "a path that no file can have", "a file that exists", "Check the path.")) from None


def read_text(path: Path, error: type[InputError] = DataError) -> str:
    """Return a text file's content; raises as `read_bytes` and `decode`."""
    return decode(read_bytes(path, error), printable(str(path)), error)[0]
