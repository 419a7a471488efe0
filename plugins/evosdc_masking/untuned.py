"""Methods that tuning does not try."""

from collections.abc import Sequence

from evosdc.model import Design, Tunable
from evosdc.table.table import Table


class Untuned(Tunable):
    """A method without designs: it works wherever it is named, and tuning and plans leave it out.

    Without this, ranges of parameters would be guessed from their bounds, as of methods of strangers.
    """

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return none."""
        return []
