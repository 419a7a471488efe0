"""Masked tables that are followed: a tracker of each measure, which children of the table are judged by."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import asked
from evosdc.model import Changes, Fitted, Individual, Local, Tracker
from evosdc.processors import side_by_side
from evosdc.table.table import Rows, Table

MOST_BYTES = 1 << 30  # Memory limit of all tracked tables together, approximate
BYTES_A_CELL = 100  # Bytes of a tracked table per cell: those of the trackers of half a dozen measures
MOST_TABLES = 512  # Most tracked tables: more than a population has members
COPIED = 16_384  # cells up to which trackers are copied for relatives; those of larger files are updated back and forth
FAR = 4  # children that differ in more than the records divided by this are judged from scratch
REMEMBERED = 20_000  # Genomes whose parents are remembered
NEAR = 2  # latest tables that are searched for one near a genome, where its parent's is gone


def scores_of(measures: Mapping[str, Fitted], masked: Table) -> dict[str, float]:
    """Return the score of a table by each measure, from scratch; where one raises, an error that names it."""
    calls = [partial(asked, f"measure {name}", fitted.score, masked) for name, fitted in measures.items()]
    return dict(zip(measures, map(float, side_by_side(len(masked), calls)), strict=True))


class FollowedTable:
    """The table of a genome, with a tracker of each measure."""

    def __init__(self, measures: Mapping[str, Fitted], genome: Any, table: Table) -> None:
        self.genome = genome
        calls = [partial(asked, f"measure {name}", fitted.track, table) for name, fitted in measures.items()]
        made = side_by_side(len(table), calls)
        self.trackers: dict[str, Tracker] = dict(zip(measures, made, strict=True))

    def take(self, genome: Any, change: Changes) -> None:
        """Update to another genome."""
        for name, tracker in self.trackers.items():
            asked(f"measure {name}", tracker.take, change)
        self.genome = genome

    def copy(self) -> "FollowedTable":
        """Return an independent copy."""
        other = FollowedTable.__new__(FollowedTable)
        other.genome = self.genome
        other.trackers = {name: tracker.copy() for name, tracker in self.trackers.items()}
        return other


class Trackers:
    """The tables tracked in one search, by the keys of their genomes; the least recently used are dropped first."""

    def __init__(
        self, genotype: Local[Any], measures: Mapping[str, Fitted], decode: Callable[[Any, bytes], Table]
    ) -> None:
        self.genotype, self._measures, self._decode = genotype, measures, decode
        original = genotype.microdata.original
        cells = original.codes.size + original.numbers.size
        self.most_changed = max(1, len(original) // FAR)
        self._most = min(MOST_TABLES, max(2, MOST_BYTES // (BYTES_A_CELL * max(cells, 1))))
        self._copies = cells <= COPIED
        self._tables: OrderedDict[bytes, FollowedTable] = OrderedDict()
        # By key of a genome: its parent, and the child that its table was updated to.
        self._origin: OrderedDict[bytes, bytes] = OrderedDict()
        self._went: OrderedDict[bytes, bytes] = OrderedDict()

    def at(self, individual: Individual) -> FollowedTable:
        """Return the tracked table of an individual: cached, updated from a relative's, or new."""
        key = individual.key
        table = self._tables.pop(key, None)
        if table is None:
            table = self._arrived(individual)
            while len(self._tables) >= self._most:
                self._tables.popitem(last=False)
        self._tables[key] = table
        return table

    def tries(self, parent: Individual, changes: Changes) -> dict[str, NDArray[np.float64]]:
        """Return the scores of children of an individual by measure, shape (k,) each."""
        return self._of_children(parent, changes, False)[0]

    def estimates(self, parent: Individual, changes: Changes) -> tuple[dict[str, NDArray[np.float64]], bool]:
        """Return results of `tries`, and whether any is an estimate (`Tracker.estimates`); raises as it does."""
        return self._of_children(parent, changes, True)

    def _of_children(
        self, parent: Individual, changes: Changes, quick: bool
    ) -> tuple[dict[str, NDArray[np.float64]], bool]:
        table, columns, estimated = self.at(parent), dict[str, NDArray[np.float64]](), False
        try:
            for name, tracker in table.trackers.items():
                about = asked(f"measure {name}", tracker.estimates, changes) if quick else None
                estimated |= about is not None
                columns[name] = asked(f"measure {name}", tracker.tries, changes) if about is None else about
        except BaseException:
            self._tables.pop(parent.key, None)  # an interrupted update leaves the state inconsistent
            raise
        return columns, estimated

    def changes(self, parent: Any, children: Sequence[Any]) -> Iterator[tuple[list[int], Changes]]:
        """Return what children change in a parent's table, batch by batch, with their places.

        Genomes stand for parent and children. Those are left out that change too much to be tracked.
        """
        plugin, genotype = f"genotype {type(self.genotype).__name__}", self.genotype
        places, rows, count = list[int](), list[Rows](), 0
        for place, child in enumerate(children):
            own = asked(plugin, genotype.changed_rows, parent, child)
            if own is None or len(own) > self.most_changed:
                continue
            if count + len(own) > self.most_changed:
                yield places, self._together(plugin, parent, [children[one] for one in places], rows)
                places, rows, count = [], [], 0
            places.append(place)
            rows.append(own)
            count += len(own)
        if places:
            yield places, self._together(plugin, parent, [children[one] for one in places], rows)

    def _together(self, plugin: str, parent: Any, children: Sequence[Any], rows: Sequence[Rows]) -> Changes:
        decoded = self.genotype.decode_records
        if len(rows) == 1:
            own = rows[0]
            return Changes.of_one(own, *(asked(plugin, decoded, genome, own) for genome in (parent, children[0])))
        listed = np.concatenate(rows)
        before = asked(plugin, decoded, parent, listed)
        after = [asked(plugin, decoded, child, own) for child, own in zip(children, rows, strict=True)]
        codes, numbers = (np.concatenate([getattr(table, part) for table in after]) for part in ("codes", "numbers"))
        codes.flags.writeable = numbers.flags.writeable = False
        ends = np.cumsum(list(map(len, rows)), dtype=np.int64)
        return Changes(ends, listed, before, Table(before.schema, codes, numbers))

    def born(self, child: bytes, parent: bytes) -> None:
        """Record the parent of a genome, by both keys."""
        _remember(self._origin, child, parent)

    def _arrived(self, individual: Individual) -> FollowedTable:
        """Return the table of an individual that has none: its parent's, which goes there, or a copy of a near one."""
        # A parent mostly has made room for a child that has children. Where it has not, it is found where its table
        # went.
        parent = self._origin.get(individual.key, b"")
        near = [self._went.get(individual.key, b""), *islice(reversed(self._tables), NEAR)]
        for key in dict.fromkeys((parent, *near)):
            table = self._tables.get(key)
            if table is None:
                continue
            batch = next(self.changes(table.genome, [individual.genome]), None)
            if batch is None:
                continue
            if key != parent and self._copies:
                table = table.copy()
            else:
                del self._tables[key]
                _remember(self._went, key, individual.key)
            table.take(individual.genome, batch[1])
            return table
        made = self._decode(individual.genome, individual.key)
        return FollowedTable(self._measures, individual.genome, made)


def _remember(of: OrderedDict[bytes, bytes], key: bytes, other: bytes) -> None:
    of[key] = other
    while len(of) > REMEMBERED:
        of.popitem(last=False)
