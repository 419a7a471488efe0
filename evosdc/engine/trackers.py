"""Masked tables that are followed: a tracker of each measure, which children of the table are judged by."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import asked
from evosdc.model import Changes, Fitted, Individual, Local, Tracker
from evosdc.processors import side_by_side
from evosdc.table.table import Table
from evosdc.time_limit import check_time

MOST_BYTES = 1 << 30  # Memory limit of all tracked tables together, approximate
BYTES_A_CELL = 100  # Bytes of a tracked table per cell: those of the trackers of half a dozen measures
MOST_TABLES = 512  # Most tracked tables: more than a population has members
REMEMBERED = 20_000  # Genomes whose parents are remembered
FAR = 4  # the table of another genome than the parent is used if at most the records divided by this differ
LATEST = 2  # latest tables that are searched for one near a genome, where its parent's is gone
NEAR = 8
"""Changed records up to which a child needs no table: its own children are judged in the table of its parent.
Files with numbers don't use this: measures of ranks are quick for one or two changed records only."""
BATCH = 200_000  # records of all children that are judged at once: the clock is read in between


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


class Trackers:
    """The tables tracked in one search, by the keys of their genomes; the least recently used are dropped first."""

    def __init__(
        self, genotype: Local[Any], measures: Mapping[str, Fitted], decode: Callable[[Any, bytes], Table]
    ) -> None:
        self.genotype, self._measures, self._decode = genotype, measures, decode
        original = genotype.microdata.original
        cells = original.codes.size + original.numbers.size
        self._most = min(MOST_TABLES, max(2, MOST_BYTES // (BYTES_A_CELL * max(cells, 1))))
        self._far = len(original) // FAR
        self._tables: OrderedDict[bytes, FollowedTable] = OrderedDict()
        self.near = 0 if original.schema.numeric else NEAR
        self._batch = max(1, BATCH // len(original)) if len(original) else 1
        # Each by the key of a genome.
        self._origin: OrderedDict[bytes, bytes] = OrderedDict()  # its parent
        self._base: OrderedDict[bytes, bytes] = OrderedDict()  # in whose table it was judged, if few records differ
        self._went: OrderedDict[bytes, bytes] = OrderedDict()  # the child that its table was updated to

    def at(self, key: bytes, genome: Any) -> FollowedTable:
        """Return the tracked table of a genome: cached, updated from a relative's, or new."""
        table = self._tables.pop(key, None)
        if table is None:
            table = self._arrived(key, genome)
            while len(self._tables) >= self._most:
                self._tables.popitem(last=False)
        self._tables[key] = table
        return table

    def scores_of_changes(self, parent: Individual, changes: Changes) -> tuple[dict[str, NDArray[np.float64]], bool]:
        """Return scores of children by measure, shape (k,) each, and whether any is an estimate."""
        return self._columns(parent.key, parent.genome, changes, quick=True)

    def scores_of_children(self, children: Sequence[Individual]) -> dict[str, NDArray[np.float64]]:
        """Return scores of individuals by what they change in a tracked table, shape (k,) each.

        Each has a parent. Children of parents that differ in few records are judged in one table, all at once.
        """
        of_tables = dict[bytes, tuple[Any, list[int]]]()
        for place, child in enumerate(children):
            parent = child.parent
            assert parent is not None
            _remember(self._origin, child.key, parent.key)
            base = self._base.get(parent.key, parent.key)
            key, table = (base, self._tables[base]) if base in self._tables else (parent.key, parent)
            of_tables.setdefault(key, (table.genome, []))[1].append(place)
        # Tables that exist are used first: making another may take them away.
        tables = sorted(of_tables.items(), key=lambda item: item[0] not in self._tables)
        ordered = [(key, genome, place) for key, (genome, places) in tables for place in places]
        found = list[dict[str, NDArray[np.float64]]]()
        for begin in range(0, len(ordered), self._batch):
            batch = ordered[begin : begin + self._batch]
            changes = self.changes([genome for _, genome, _ in batch], [children[place].genome for *_, place in batch])
            for (key, _, place), count in zip(batch, np.diff(changes.ends, prepend=0).tolist(), strict=True):
                if count <= self.near:
                    _remember(self._base, children[place].key, key)
            first = 0
            for (key, genome), run in groupby(batch, key=itemgetter(0, 1)):
                check_time()
                last = first + len(list(run))
                found.append(self._columns(key, genome, changes.part(first, last))[0])
                first = last
        back = np.argsort([place for *_, place in ordered])
        return {name: np.concatenate([columns[name] for columns in found])[back] for name in self._measures}

    def _columns(
        self, key: bytes, genome: Any, changes: Changes, quick: bool = False
    ) -> tuple[dict[str, NDArray[np.float64]], bool]:
        """Return scores of children of a genome by measure, and whether any is an estimate: only where `quick`."""
        columns, estimated = dict[str, NDArray[np.float64]](), False
        trackers = self.at(key, genome).trackers
        try:
            for name, tracker in trackers.items():
                about = asked(f"measure {name}", tracker.estimates, changes) if quick else None
                estimated |= about is not None
                columns[name] = asked(f"measure {name}", tracker.tries, changes) if about is None else about
        except BaseException:
            self._tables.pop(key, None)  # an interrupted update leaves the state inconsistent
            raise
        return columns, estimated

    def changes(self, parents: Sequence[Any], children: Sequence[Any]) -> Changes:
        """Return what each child changes in its parent; genomes stand for both."""
        return asked(f"genotype {type(self.genotype).__name__}", self.genotype.changes, parents, children)

    def _arrived(self, own: bytes, genome: Any) -> FollowedTable:
        """Return the table of a genome that has none: its parent's or a near one's, which goes there, or a new one."""
        # Mostly the parent's table is there and is updated. If it went to another child, it is taken from there.
        origin = self._origin.get(own, b"")
        parent = self._base.get(origin, origin)
        went = (self._went.get(key, b"") for key in (own, parent))
        near = [*went, *islice(reversed(self._tables), LATEST)]
        for key in dict.fromkeys((parent, *near)):
            table = self._tables.get(key)
            if table is None:
                continue
            change = self.changes([table.genome], [genome])
            if key != parent and len(change.rows) > self._far:
                continue
            del self._tables[key]
            _remember(self._went, key, own)
            table.take(genome, change)
            return table
        return FollowedTable(self._measures, genome, self._decode(genome, own))


def _remember(of: OrderedDict[bytes, bytes], key: bytes, other: bytes) -> None:
    of[key] = other
    while len(of) > REMEMBERED:
        of.popitem(last=False)
