"""Files in another format than the original's, as the ending of a name says it."""

import gzip
import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.described_file import DescribedFile
from evosdc.files.frame_writers import EXTRAS, TEXT, require_writer, written
from evosdc.files.original import Original
from evosdc.files.packed import PackedFile, text_file
from evosdc.printing import printable
from evosdc.table.numerals import numbers
from evosdc.table.schema import Attribute

if TYPE_CHECKING:
    import pandas as pd

BY_TABS = (".tsv", ".tab")
"""Endings that say the separator."""

PACKINGS = (".gz", ".zip")

_STAMP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Ending:
    """What the name of a file says of its format: the ending of what is in it, and how it is packed."""

    format: str
    packing: str = ""


def ending_of(path: Path | str) -> Ending:
    """Return the ending of a name in lower case; ``masked.csv.gz`` is a packed ``.csv``."""
    name = PurePath(path)
    if name.suffix.lower() in PACKINGS:
        return Ending(PurePath(name.stem).suffix.lower(), name.suffix.lower())
    return Ending(name.suffix.lower())


def require_known_ending(path: Path | str, original: Original, origin: str) -> None:
    """Raise `DataError` where the name of a file ends like no format that can be written.

    So it does where the package that writes the format is not installed. A name without an ending is in order, and so
    is the ending of an original that is delimited text.
    """
    found = ending_of(path).format
    require_writer(found, path)
    own = ending_of(f"x{original.suffix}").format
    if found in ("", *TEXT, *EXTRAS, own) or (text_file(original) is not None and found == ending_of(origin).format):
        return
    known = dict.fromkeys((*([own] if own else []), *TEXT[:3], *EXTRAS, *PACKINGS))
    wanted = f"an ending of a format that can be written: {', '.join(known)}"
    raise DataError(Fault(printable(str(path)), f"the ending {found}", wanted, "The ending says the format."))


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A column that is published: the values of its records, what it is, and what was changed.

    Parameters
    ----------
    column : Column
    attribute : Attribute
    change : Change or None
    missing : sequence of str
        Its texts for a missing value.
    """

    column: Column
    attribute: Attribute
    change: Change | None
    missing: Sequence[str]

    @property
    def values(self) -> "pd.Series[Any]":
        """Whole numbers and numbers as such, all else as texts; missing values that are no numbers are empty."""
        import pandas as pd

        column, missing = self.column, self.missing
        texts = [None if place == NO_TEXT else column.texts[place] for place in column.index.tolist()]
        if self.change is not None:
            for row in self.change.changed.nonzero()[0].tolist():
                texts[row] = self.change.texts[self.change.index[row]]
        distinct = {text for text in texts if text is not None}
        present = sorted(distinct.difference(missing))
        whole = {text: int(text) for text in distinct if _is_whole(text)}
        if whole.keys() >= set(present):
            full = len(whole) == len(distinct) and None not in texts
            return pd.Series([whole.get(text or "") for text in texts], dtype="int64" if full else "Int64")
        found = numbers(present, column.mark)
        if found is not None and not self.attribute.categorical:
            value_of = dict(whole) | dict(zip(present, found, strict=True))
            return pd.Series([value_of.get(text or "") for text in texts], dtype="float64")
        return pd.Series([None if text in missing else text for text in texts], dtype="object")


def content_for(
    path: Path, original: Original, columns: Sequence[PublishedColumn], render: Callable[[Original], Iterable[bytes]]
) -> Iterable[bytes]:
    """Return the bytes of a file, in pieces, in the format that its name's ending says, else in that of the original.

    Parameters
    ----------
    path : Path
    original : Original
    columns : sequence of PublishedColumn
    render : callable
        Gives the bytes in the format of the original, or of what it packs.

    Raises
    ------
    DataError
        A package that writes the format is not installed, or the format cannot hold the columns.
    """
    wanted, own, held = ending_of(path), ending_of(f"x{original.suffix}"), _held(original)
    text = text_file(held)
    as_text = text is not None and wanted.format not in EXTRAS
    as_text &= wanted.format not in BY_TABS or (text is not None and text.separator == "\t")
    if wanted == Ending(""):
        return render(original)
    if wanted.format in ("", held.suffix) or as_text:
        if wanted.packing == own.packing:
            return render(original)
        content, inner = b"".join(render(held)), wanted.format or held.suffix
    elif {wanted.format, held.suffix} == {".feather", ".arrow"}:
        content, inner = b"".join(render(held)), wanted.format
    else:
        import pandas as pd  # most files keep their format, and need no frame

        frame = pd.DataFrame({column.column.name: column.values for column in columns})
        content, inner = written(frame, wanted.format, path), wanted.format
    if wanted.packing == ".gz":
        return [gzip.compress(content, mtime=0)]
    if wanted.packing == ".zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            name = path.stem if PurePath(path.stem).suffix else f"{path.stem}{inner}"
            archive.writestr(zipfile.ZipInfo(name, _STAMP), content, zipfile.ZIP_DEFLATED)
        return [buffer.getvalue()]
    return [content]


def _held(original: Original) -> Original:
    """Return what an original is, or packs, or comes with a description of it."""
    while isinstance(original, PackedFile | DescribedFile):
        original = original.inner
    return original


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdecimal() and str(int(text)) == text and len(text) < 16
