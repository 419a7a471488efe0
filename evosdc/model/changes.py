"""What the children of one parent change: the input of trackers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Rows, Table


class Changes(NamedTuple):
    """The changed records of several children of one table, child by child.

    Parameters
    ----------
    ends : ndarray of int64, shape (k,)
        Where each one's records end among those below; they begin where those of the one before it end.
    rows : ndarray of intp, shape (m,)
        Positions of the changed records, each once a child, ascending.
    before, after : Table
        These records in the parent and in the children, m records each.
    """

    ends: NDArray[np.int64]
    rows: Rows
    before: Table
    after: Table

    def part(self, begin: int, end: int) -> "Changes":
        """Return the changes of consecutive children, of which the first is the one at `begin`."""
        first = int(self.ends[begin - 1]) if begin else 0
        records = slice(first, int(self.ends[end - 1]) if end else 0)
        tables = (Table(t.schema, t.codes[records], t.numbers[records]) for t in (self.before, self.after))
        return Changes(self.ends[begin:end] - first, self.rows[records], *tables)

    @classmethod
    def of_one(cls, rows: Rows, before: Table, after: Table) -> "Changes":
        """Return the changes of one child: records at some positions, each once, ascending, before and after."""
        return cls(np.array([len(rows)], dtype=np.int64), rows, before, after)

    def chosen(self, places: Sequence[int] | NDArray[np.int64]) -> "Changes":
        """Return the changes of some of the children, in the order given."""
        at = np.asarray(places, dtype=np.int64)
        begins = np.concatenate(([0], self.ends[:-1]))[at] if len(at) else self.ends[:0]
        counts = self.ends[at] - begins
        ends = np.cumsum(counts)
        records = np.arange(counts.sum()) + np.repeat(begins - (ends - counts), counts)
        return Changes(ends, self.rows[records], self.before.take(records), self.after.take(records))

    def together(self, sets: Sequence[Sequence[int]]) -> "Changes":
        """Return a child for each set of places, with all their changes; where two conflict, the first one counts."""
        ends, records = [], []
        begins = np.concatenate(([0], self.ends[:-1]))
        for places in sets:
            every = np.concatenate([np.arange(begins[place], self.ends[place]) for place in places])
            _, first = np.unique(self.rows[every], return_index=True)
            records.append(every[first])
            ends.append(len(first))
        listed = np.concatenate(records) if records else np.zeros(0, dtype=np.intp)
        counted = np.cumsum(ends, dtype=np.int64)
        return Changes(counted, self.rows[listed], self.before.take(listed), self.after.take(listed))

    def reversed(self) -> "Changes":
        """Return the inverse changes, from a child back to its parent; of one child."""
        return self._replace(before=self.after, after=self.before)

    def select(self, names: Sequence[str]) -> "Changes":
        """Return the changes of the named attributes, in that order."""
        return self._replace(before=self.before.select(names), after=self.after.select(names))

    def applied_to(self, table: Table) -> Table:
        """Return a table with all changes made; of one child."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        codes[self.rows], numbers[self.rows] = self.after.codes, self.after.numbers
        return Table(table.schema, codes, numbers)
