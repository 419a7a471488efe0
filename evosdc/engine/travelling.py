"""Large files are followed by tables that travel from genome to genome, with the states of all measures.

A state that is copied for each child costs what the file costs. A table that travels costs what changes: it goes to a
child, and from there to the next one.
"""

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Genotype, Incremental, Randomised, RecordDecoded
from evosdc.processors import side_by_side
from evosdc.table.table import Rows, Table

LEAST_CELLS = 16_385
"""Cells of a file from which on tables travel; states of smaller ones are copied, which takes less."""

MOST_BYTES = 1 << 30
"""About so much may the tables that are under way hold together, with the states of their measures."""

_PER_CELL = 40
"""Bytes that a travelling table and its states hold for a cell: two versions of the codes, and what measures keep."""

ASKED = 2
"""So many tables that were under way last are asked whether a genome is near, where none was at its relative."""

REMEMBERED = 20_000
"""Genomes of which it is known which table was there last."""

FAR = 4
"""A table goes to a genome of which at most the records divided by this differ; for others a table begins anew."""

Followed = Sequence[tuple[str, Incremental[Any]]]
States = tuple[Any, ...]
T = TypeVar("T")


class TravellingTable:
    """A table and the states of measures, both of the genome where it is.

    There are two versions of its values: measures compare the one before a step with the one after it. They take turns,
    so that a step sets only what differs since the one before it.

    Parameters
    ----------
    genotype : RecordDecoded
    followed : sequence of (str, Incremental)
    genome : object
        Where it begins.
    table : Table
        What that stands for.
    """

    def __init__(self, genotype: RecordDecoded[Any], followed: Followed, genome: Any, table: Table) -> None:
        self._genotype, self._followed = genotype, followed
        self._schema = table.schema
        self._versions = [(table.codes.copy(), table.numbers.copy()) for _ in range(2)]
        self._now = 0
        self._behind: Rows = np.zeros(0, dtype=np.intp)
        self.genome = genome
        self.table = self._table()
        started = [partial(fitted.start, self.table) for _, fitted in followed]
        self.states: States = tuple(side_by_side(len(self.table), started))

    def go(self, genome: Any, rows: Rows) -> None:
        """Go to a genome that differs in these records."""
        stale = np.concatenate([self._behind, rows])
        part = self._genotype.decode_records(genome, stale)
        codes, numbers = self._versions[1 - self._now]
        codes[stale], numbers[stale] = part.codes, part.numbers
        self._now = 1 - self._now
        self.table = self._table()
        self.states = tuple(
            fitted.follow(state, self.table, rows)
            for (_, fitted), state in zip(self._followed, self.states, strict=True)
        )
        self.genome, self._behind = genome, rows

    def _table(self) -> Table:
        codes, numbers = self._versions[self._now]
        return Table(self._schema, _read_only(codes), _read_only(numbers))


class Travellers:
    """The tables under way in one search: to a child goes the one that was at its relative last.

    Parameters
    ----------
    genotype : RecordDecoded
    followed : sequence of (str, Incremental)
    """

    def __init__(self, genotype: RecordDecoded[Any], followed: Followed) -> None:
        self._genotype, self._followed = genotype, followed
        original = genotype.microdata.original
        self.far = len(original) // FAR
        """So many records at most differ from a genome that a table goes to."""
        cells = original.codes.size + original.numbers.size
        self._most = max(2, MOST_BYTES // (_PER_CELL * cells))
        self._under_way: list[TravellingTable] = []
        self._seen: dict[bytes, TravellingTable] = {}
        self._alone = Lock()

    def read(self, genome: Any, key: bytes, relative: bytes | None, reader: Callable[[Table, States], T]) -> T:
        """Return what is read from the table of a genome and from the states of the measures, which then travel on.

        Parameters
        ----------
        genome : object
        key : bytes
            Of the genome.
        relative : bytes or None
            Key of a genome that it is like.
        reader : callable
            Keeps neither the table nor the states.
        """
        with self._alone:
            traveller = self._arrived(genome, relative)
            self._saw(traveller, (key,))
            return reader(traveller.table, traveller.states)

    def read_family(self, genome: Any, key: bytes, children: Sequence[bytes], reader: Callable[[States], T]) -> T:
        """Return what is read about the children of a genome from its own states; the table stays with the genome.

        Parameters
        ----------
        genome : object
        key : bytes
            Of the genome.
        children : sequence of bytes
            Their keys, as far as they are known: when one has children of its own, the table goes there from here.
        reader : callable
            Leaves the states as they are.
        """
        with self._alone:
            traveller = self._arrived(genome, key)
            self._saw(traveller, (key, *children))
            try:
                return reader(traveller.states)
            except BaseException:
                # Whoever is interrupted may be altered.
                self._under_way.remove(traveller)
                self._forget(traveller)
                raise

    def _saw(self, traveller: TravellingTable, keys: Sequence[bytes]) -> None:
        """Take note that a table is under way, and that it was at genomes or near them last."""
        self._under_way.append(traveller)
        for key in keys:
            self._seen[key] = traveller
        while len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]

    def _arrived(self, genome: Any, relative: bytes | None) -> TravellingTable:
        near = self._seen.get(relative) if relative is not None else None
        asked = [near] if near in self._under_way else []
        for traveller in (*asked, *self._under_way[: -ASKED - 1 : -1]):
            rows = self._genotype.changed_rows(traveller.genome, genome)
            if rows is not None and len(rows) <= self.far:
                self._under_way.remove(traveller)
                try:
                    traveller.go(genome, rows)
                except BaseException:
                    # Whoever is interrupted on the way is lost.
                    self._forget(traveller)
                    raise
                return traveller
        for gone in self._under_way[: max(0, len(self._under_way) - self._most + 1)]:
            self._under_way.remove(gone)
            self._forget(gone)
        table = self._genotype.decode(genome, np.random.default_rng(0))
        return TravellingTable(self._genotype, self._followed, genome, table)

    def _forget(self, gone: TravellingTable) -> None:
        """Let go of a table, which is as large as the file."""
        self._seen = {key: one for key, one in self._seen.items() if one is not gone}


def travellers_of(genotype: Genotype[Any], followed: Followed) -> Travellers | None:
    """Return what follows the genomes of a genotype that can decode single records of a large file; else None."""
    if not followed or not isinstance(genotype, RecordDecoded) or isinstance(genotype, Randomised):
        return None
    original = genotype.microdata.original
    # Rules that the genotype does not keep by itself are kept by repairing whole tables.
    keeps = genotype.keeps_rules or genotype.microdata.rules is None
    large = original.codes.size + original.numbers.size >= LEAST_CELLS
    return Travellers(genotype, followed) if keeps and large else None


def _read_only(matrix: NDArray[Any]) -> NDArray[Any]:
    view = matrix.view()
    view.flags.writeable = False
    return view
