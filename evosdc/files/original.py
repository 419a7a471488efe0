"""What a file that was read can do, whatever its format."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from evosdc.files.column import Column
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Rows


@dataclass(frozen=True, eq=False)
class Published:
    """A column as it is published.

    Parameters
    ----------
    position : int
        Of the column in the file that was read.
    column : Column
        The text of each published record; no text is no value.
    attribute : Attribute
    masked : bool
        Whether texts are those of a masked table, each value in one way; else they are those of the file.
    missing : tuple of str
        Texts that stand for a missing value.
    """

    position: int
    column: Column
    attribute: Attribute
    masked: bool
    missing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the column is called."""
        return self.column.name

    def saying(self, column: Column) -> "Published":
        """Return the column with other texts, which are no longer those of the file."""
        return replace(self, column=column, masked=True)


class Original(Protocol):
    """A file that was read, able to write itself with other values.

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

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of the file with these columns only, in pieces; raises before there is any.

        `rows` are the positions of the published records in the file that was read, in the order of writing. Columns
        that are not masked keep their values; of masked ones each text is one value, and no text is a missing one.
        """


@runtime_checkable
class Remarking(Protocol):
    """An original that has something to say of a schema which is proposed for it."""

    def remarks(self, schema: Schema) -> Sequence[str]:
        """Return sentences for the owner of the file."""
