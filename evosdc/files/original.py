"""What every format of data files offers once it is read."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.table.schema import Attribute
from evosdc.table.table import Rows


class Original(Protocol):
    """A file that was read, able to write itself with changes."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as they stand, by column."""

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Scales, categories and missing values that the types of the file tell, by name."""

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
