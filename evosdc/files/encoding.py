"""From the bytes of a file to its text: byte order marks, UTF-8 and the Western code pages."""

import codecs
import re
from pathlib import Path
from typing import NamedTuple

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
_FOREIGN = re.compile(r"[\u00c0-\u00ff]+")
# words of Windows-1251 read as Windows-1252 are accented letters in a row
_CYRILLIC = re.compile(r"[\u00c0-\u00ff]{3,}")
# letters of Windows-1250 read as Windows-1252 are signs within words, or letters where no Western language has them
_CENTRAL = re.compile(
    "[a-z\u00df-\u00ff]{3}[\u00b9\u00b3\u00bf\u00be]|[\u00b3\u00b9\u00bf\u00a3\u00be][a-z\u00df-\u00ff]"
    "|[a-z\u00df-\u00ff][\u0178\ufffd]|\ufffd[a-z\u00df-\u00ff]|\u0153\\b|\u00f5\\b|\u00ec[a-z]"
)
_CONTROL = bytes(sorted(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a\x1b")))


class Encoding(NamedTuple):
    """How a file's bytes represent text."""

    name: str  # a Python codec
    mark: bytes = b""  # the byte order mark that the file begins with; empty if none
    notes: tuple[str, ...] = ()  # for the user: which code page was guessed, and another one where letters look wrong


def decode(
    content: bytes, where: str, error: type[InputError] = DataError, encoding: str | None = None
) -> tuple[str, Encoding]:
    """Return the text of a file's bytes and how it was encoded."""
    # A mark decides, then valid UTF-8; else Windows-1252, and Latin-1 for bytes that it leaves undefined.
    if encoding is not None:
        try:
            name = codecs.lookup(encoding).name
            marks = [mark for mark, _ in _MARKS if content.startswith(mark)] if name.startswith("utf") else []
            mark = marks[0] if marks else b""
            return content[len(mark) :].decode(name), Encoding(name, mark)
        except LookupError:
            wanted = "a code page such as cp1250, cp1251 or latin-1, or utf-8"
            raise error(Fault("encoding", repr(encoding), wanted)) from None
        except UnicodeDecodeError as fault:
            given = f"bytes that are not {encoding} (byte {fault.start})"
            raise error(Fault(where, given, "text in that encoding", "Give another encoding.")) from None
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
    head = content[:_PIECE]
    if b"\0" in content or len(head.translate(None, _CONTROL)) < len(head):
        advice = "If it is UTF-16 without a byte order mark, save it as UTF-8."
        raise error(Fault(where, "binary content", "a text file", advice))
    for name in ("utf-8", "cp1252", "latin-1"):
        try:
            text = content.decode(name)
            break
        except UnicodeDecodeError:
            continue
    if name == "utf-8":
        return text, Encoding(name)
    # The code page in which letters look right, where they don't in Windows-1252.
    sample = content[:_PIECE].decode("cp1252", "replace")
    foreign = len(_CYRILLIC.findall(sample)) > len(_FOREIGN.findall(sample)) // 2
    seems = "cp1251" if foreign else "cp1250" if _CENTRAL.search(sample) else ""
    doubt = f" Letters look wrong: try --encoding {seems}." if seems else ""
    return text, Encoding(name, notes=(f"The file is not UTF-8; it was read as {name}.{doubt}",))


def read_bytes(path: Path, error: type[InputError] = DataError) -> bytes:
    """Return a file's bytes."""
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
