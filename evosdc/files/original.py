"""What a file that was read can do, whatever its format."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Rows


class Original(Protocol):
    """A file that was read, able to write itself with changes.

    One that writes some columns in another form, whatever their role, names them in an attribute ``carried``, a mapping
    to what a codebook says in place of their values: they are not told as left out, and their values, which may hold
    the order of the records, are told nowhere.
    """

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as they stand, by column."""

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Scales, categories and missing values that the types of the file tell, by name.

        A role other than ``other`` counts, too, where a schema does not say another one.
        """

    @property
    def suffix(self) -> str:
        """What the names of files of this format end with."""

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return the bytes of the file with some values changed and some columns and records left out.

        `missing` are the texts for a missing value, by column.
        """


@runtime_checkable
class Remarking(Protocol):
    """An original that has something to say of a schema which is proposed for it."""

    def remarks(self, schema: Schema) -> Sequence[str]:
        """Return sentences for the owner of the file."""


@runtime_checkable
class InPieces(Protocol):
    """An original that can be written without all of its bytes in memory at once."""

    def pieces(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> Iterator[bytes]:
        """Return what `Original.render` does, piece by piece; raises before there is any."""


def rendered(
    original: Original,
    changes: Mapping[int, Change],
    dropped: Sequence[int],
    rows: Rows,
    missing: Sequence[Sequence[str]],
) -> Iterable[bytes]:
    """Return what `Original.render` does, in pieces where the original can be written so."""
    if isinstance(original, InPieces):
        return original.pieces(changes, dropped, rows, missing)
    return [original.render(changes, dropped, rows, missing)]
