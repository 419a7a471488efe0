"""What tuning tries of a method: useful sizes of classes, or nothing."""

from collections.abc import Sequence

from evosdc.model import Design, Range, Tunable
from evosdc.table.table import Table

# A file with this many classes keeps hardly any information: of all attributes together, and of one alone.
OF_RECORDS, OF_VALUES = 4, 2

# Records up to which methods that compare all pairs are tuned: with more, each trial would take minutes.
QUADRATIC = 20_000


def class_sizes(n: int, parts: int = OF_RECORDS) -> tuple[Range, ...]:
    """Return the range of k for a file of n records, from 2 to a part of it; empty where there is none."""
    return (Range("k", 2, max(2, n // parts), "log", whole=True),) if n >= 2 else ()


class Untuned(Tunable):
    """A method without designs: it works wherever it is named, and tuning and plans leave it out."""

    # Without this, ranges of parameters would be guessed from their bounds, as of methods of strangers.

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return none."""
        return []
