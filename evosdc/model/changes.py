"""What the children of one parent change, all at once: what measures are told that judge them together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Rows, Table


class Changes(NamedTuple):
    """The changed records of several children of one table, child by child.

    Parameters
    ----------
    children : ndarray of int64, shape (k,)
        Which of those asked about they are; others changed too much.
    ends : ndarray of int64, shape (k,)
        Where each one's records end among those below; they begin where those of the one before it end.
    rows : ndarray of intp, shape (m,)
        Positions of the changed records, each once a child, ascending.
    before, after : Table
        These records in the parent and in the children, m records each.
    """

    children: NDArray[np.int64]
    ends: NDArray[np.int64]
    rows: Rows
    before: Table
    after: Table

    def part(self, begin: int, end: int) -> "Changes":
        """Return the changes of consecutive children, of which the first is the one at `begin`."""
        first = int(self.ends[begin - 1]) if begin else 0
        records = slice(first, int(self.ends[end - 1]) if end else 0)
        tables = (Table(t.schema, t.codes[records], t.numbers[records]) for t in (self.before, self.after))
        return Changes(self.children[begin:end], self.ends[begin:end] - first, self.rows[records], *tables)
