"""The interface of a file that was read, whatever its format."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evosdc.files.column import Column
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class Published:
    """A column as it is published."""

    position: int  # of the column in the file that was read
    column: Column  # the text of each published record; no text is no value
    attribute: Attribute
    masked: bool  # whether texts are those of a masked table, each value in one way; else they are those of the file
    missing: tuple[str, ...] = ()  # texts that stand for a missing value

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name


class Original(Protocol):
    """A file that was read, able to write itself with other values."""

    # One that writes withheld columns in another form names them in ``carried``, with what a codebook says in place of
    # their values: they may hold the order of the records.

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as they stand, by column."""

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Scales, categories and missing values that the types of the file tell, by name."""
        # A role other than ``other`` counts where a schema does not give another one.

    @property
    def suffix(self) -> str:
        """The ending of names of files of this format."""

    def place(self, record: int) -> str:
        """Return where a record stands in the file."""

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of the file with these columns only, in pieces; raises before there is any."""
        # `rows`: positions of the published records in the file that was read, in the order of writing.


@runtime_checkable
class Remarking(Protocol):
    """An original that has something to say of a schema which is proposed for it."""

    def remarks(self, schema: Schema) -> Sequence[str]:
        """Return sentences for the owner of the file."""
