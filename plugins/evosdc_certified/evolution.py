"""A file evolved on noisy tables: single records change, and what fits the tables better stays.

The misfit of a file is the sum over all counts of squared differences over the variance of the noise. A *move* changes
one attribute of a record, takes some attributes over from another record, or replaces the whole record by a copy of
another one, which removes a record and adds one (Liu, Vietri, Wu 2023 do so by populations). It costs the tables of
the attributes that change. Moves that raise the misfit are accepted at a temperature which falls and does not end at 0:
the file then follows the tables as far as their noise lets it, and stays near independent attributes beyond that.

The algorithms of the engine evaluate whole files or their changed records at some hundred thousand moves a minute.
This needs tens of millions, so it is one kernel; `evosdc_certified.measure` is the same misfit for the engine.
"""

from collections.abc import Callable, Sequence
from time import monotonic

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc_certified.domain import Cells, Domain
from evosdc_certified.tables import Counts, PrivateTables

# Rules for kernels: where each begins; of each condition the column, and where its flags begin in the last array.
RuleArrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]

MOVES_PER_CELL = 100  # moves of a whole evolution for each cell of the file

HOT = 1.0
COOLEST = 0.25
# Temperatures, in units of the misfit: the first, and the last as `COOLED` over the records, `COOLEST` at most.
COOLED = 1000.0

COOLING = 0.8  # share of the moves in which the temperature falls
CHUNK = 200_000  # moves between two looks at the clock
TRIES = 200  # draws for each record of the start until it breaks no rule


@njit(cache=True)
def _breaks(
    record: Cells,
    first: NDArray[np.int64],
    columns: NDArray[np.int64],
    offsets: NDArray[np.int64],
    flags: NDArray[np.bool_],
) -> bool:
    for rule in range(len(first) - 1):
        met = True
        for k in range(first[rule], first[rule + 1]):
            if not flags[offsets[k] + record[columns[k]]]:
                met = False
                break
        if met:
            return True
    return False


@njit(cache=True)
def _anneal(
    cells: Cells, counts: Counts, target: Counts, weight: Counts, members: NDArray[np.int64],
    strides: NDArray[np.int64], maps: NDArray[np.int64], offset: NDArray[np.int64], tables_of: NDArray[np.int64],
    prior: Counts, rules: RuleArrays, moves: int, hot: float, cold: float, rng: np.random.Generator,
) -> int:  # fmt: skip
    """Make moves in place; the temperature falls from `hot` to `cold`. Return how many were accepted."""
    # `members` and `strides`, shape (T, K), hold a table's attributes, filled up by -1. `maps`, shape (T, K, cells),
    # leads from cells to what a table counts, `tables_of`, shape (V, M), from attributes to tables, filled up by -1.
    n, width = cells.shape
    first, rule_columns, rule_offsets, flags = rules
    record = np.empty(width, np.int32)
    touched = np.zeros(width, np.bool_)
    old_cell = np.empty(len(weight), np.int64)
    new_cell = np.empty(len(weight), np.int64)
    accepted = 0
    ratio = cold / hot
    for move in range(moves):
        temperature = hot * ratio ** (move / moves)
        i = rng.integers(0, n)
        kind = rng.random()
        record[:] = cells[i]
        single = -1
        if kind < 0.8:
            single = int(rng.integers(0, width))
            if kind < 0.4:
                record[single] = cells[rng.integers(0, n), single]
            else:
                record[single] = np.searchsorted(prior[single], rng.random(), side="right")
            if record[single] == cells[i, single]:
                continue
        else:
            other = rng.integers(0, n)
            share = 1.0 if kind > 0.9 else 0.5
            same = True
            for v in range(width):
                if rng.random() < share:
                    record[v] = cells[other, v]
                touched[v] = record[v] != cells[i, v]
                same = same and not touched[v]
            if same:
                continue
        if _breaks(record, first, rule_columns, rule_offsets, flags):
            continue
        change, number = 0.0, 0
        candidates = tables_of.shape[1] if single >= 0 else len(weight)
        for q in range(candidates):
            t = tables_of[single, q] if single >= 0 else q
            if t < 0:
                break
            before, after = offset[t], offset[t]
            for k in range(members.shape[1]):
                v = members[t, k]
                if v < 0:
                    break
                before += strides[t, k] * maps[t, k, cells[i, v]]
                after += strides[t, k] * maps[t, k, record[v]]
            if before != after:
                change += 2.0 * weight[t] * (counts[after] - target[after] - counts[before] + target[before] + 1.0)
                old_cell[number], new_cell[number] = before, after
                number += 1
        if change <= 0.0 or rng.random() < np.exp(-change / temperature):
            for q in range(number):
                counts[old_cell[q]] -= 1.0
                counts[new_cell[q]] += 1.0
            cells[i] = record
            accepted += 1
    return accepted


class Evolution:
    """Records that are evolved on noisy tables."""

    # It begins with attributes drawn independently.

    def __init__(self, tables: PrivateTables, records: int, rng: np.random.Generator) -> None:
        self.tables, self.rng = tables, rng
        domain, widest = tables.domain, max(tables.domain.sizes)
        self.margins = [tables.of_one(place) for place in range(len(domain.columns))]
        self.prior = np.ones((len(domain.columns), widest))
        for place, margin in enumerate(self.margins):
            self.prior[place, : len(margin)] = np.cumsum(margin) / margin.sum()
            self.prior[place, np.flatnonzero(margin)[-1] :] = 1.0  # rounding must not lead beyond the last cell
        self.rules = _rule_arrays(domain)
        self.cells = self._drawn(records)
        self.fit_to(tables)

    def _drawn(self, records: int) -> Cells:
        """Return records with independent attributes that break no rule."""

        def drawn(count: int) -> Cells:
            draws = [np.searchsorted(row, self.rng.random(count), side="right") for row in self.prior]
            return np.stack(draws, axis=1).astype(np.int32)

        cells = drawn(records)
        for _ in range(TRIES):
            broken = np.flatnonzero(self.tables.domain.broken(cells))
            if not len(broken):
                return cells
            cells[broken] = drawn(len(broken))
        fine = np.flatnonzero(~self.tables.domain.broken(cells))
        if not len(fine):
            advice = "Correct the rules, or take a greater epsilon."
            raise DataError(Fault("edit_rules", "rules that no record drawn keeps", "rules that people keep", advice))
        broken = np.flatnonzero(self.tables.domain.broken(cells))
        cells[broken] = cells[self.rng.choice(fine, len(broken))]
        return cells

    def fit_to(self, tables: PrivateTables) -> None:
        """Go on with these tables: those that it began with, and perhaps further ones."""
        self.tables, scale = tables, len(self.cells) / tables.records
        widest, most = max(tables.domain.sizes), max(len(t.columns) for t in tables.tables)
        count = len(tables.tables)
        self.members = np.full((count, most), -1, dtype=np.int64)
        self.strides = np.zeros((count, most), dtype=np.int64)
        self.maps = np.zeros((count, most, widest), dtype=np.int64)
        own: list[list[int]] = [[] for _ in tables.domain.columns]
        for t, table in enumerate(tables.tables):
            shape = tables.shape(table.columns)
            for k, place in enumerate(table.columns):
                size = tables.domain.sizes[place]
                self.members[t, k] = place
                self.strides[t, k] = int(np.prod(shape[k + 1 :], dtype=np.int64))
                self.maps[t, k, :size] = np.arange(size) if len(table.columns) == 1 else tables.groups[place]
                own[place].append(t)
        self.tables_of = np.full((len(own), max(map(len, own))), -1, dtype=np.int64)
        for place, listed in enumerate(own):
            self.tables_of[place, : len(listed)] = listed
        self.offset = np.cumsum([0, *(len(t.counts) for t in tables.tables)])[:-1].astype(np.int64)
        self.target = tables.target * scale
        # A file of other size has counts of other size, and its noise is taken to be so, too.
        self.weight = np.array([1.0 / (t.sigma * scale) ** 2 for t in tables.tables])
        self.counts = tables.counts(tables.positions(self.cells))

    @property
    def coldest(self) -> float:
        """The last temperature."""
        return min(COOLEST, COOLED / len(self.cells))

    def run(self, moves: int, hot: float, cold: float) -> int:
        """Make moves while the temperature falls; return how many were accepted."""
        return int(
            _anneal(
                self.cells, self.counts, self.target, self.weight, self.members, self.strides, self.maps, self.offset,
                self.tables_of, self.prior, self.rules, moves, hot, max(cold, 1e-9), self.rng,
            )
        )  # fmt: skip

    def evolve(
        self,
        moves: int | None = None,
        seconds: float | None = None,
        progress: Callable[[float, float], None] = lambda share, misfit: None,
    ) -> int:
        """Evolve the file from hot to cold."""
        # moves: by default `MOVES_PER_CELL` for each cell of the file, or fewer where the time does not suffice;
        # Returns the moves that were made: given as `moves`, they lead to the same file again.
        wanted = MOVES_PER_CELL * self.cells.size if moves is None else moves
        self.run(0, HOT, HOT)  # compiles, before timing starts
        begin = monotonic()
        first = min(CHUNK, wanted)
        self.run(first, HOT, HOT)
        done = first
        if seconds is not None and moves is None:
            speed = first / max(1e-3, monotonic() - begin)
            # what is left is planned at once, since the temperature goes by the share that is done
            wanted = int(np.clip(speed * (seconds - (monotonic() - begin)) * 0.85, 0, wanted - first)) + first
        fall, cold = COOLING * wanted, self.coldest
        while done < wanted:
            step = min(CHUNK, wanted - done)
            hot, to = (HOT * (cold / HOT) ** min(1.0, at / fall) for at in (done, done + step))
            self.run(step, hot, to)
            done += step
            progress(done / wanted, self.misfit)
        return done

    @property
    def misfit(self) -> float:
        """The squared differences to all tables over the variances of their noise."""
        return self.tables.misfit(self.counts, len(self.cells))


def _rule_arrays(domain: Domain) -> RuleArrays:
    conditions = [condition for rule in domain.rules for condition in rule]
    first, lengths = np.cumsum([0, *map(len, domain.rules)]), [len(meant) for _, meant in conditions]
    flags = [flag for _, meant in conditions for flag in meant]
    return (
        first.astype(np.int64), np.array([place for place, _ in conditions], dtype=np.int64),
        np.cumsum([0, *lengths])[:-1].astype(np.int64), np.array(flags, dtype=np.bool_),
    )  # fmt: skip


class Guesses:
    """What a file evolved on the tables measured so far answers; it goes on from question to question."""

    # records: of the file at most: for guesses a smaller one does; deadline: by `time.monotonic`; the file stays as it
    # is from then on.

    MOVES_PER_CELL = 8

    def __init__(self, rng: np.random.Generator, records: int = 10_000, deadline: float = np.inf) -> None:
        self.rng, self.records, self.deadline = rng, records, deadline
        self._evolution: Evolution | None = None
        self._seen = -1

    def __call__(self, tables: PrivateTables, queries: Sequence[tuple[int, ...]]) -> list[Counts]:
        """Return the counts of combinations of attributes."""
        if self._evolution is None:
            self._evolution = Evolution(tables, min(self.records, tables.records), self.rng)
        elif len(tables.tables) != self._seen:
            self._evolution.fit_to(tables)
        evolution = self._evolution
        if len(tables.tables) != self._seen and monotonic() < self.deadline:
            moves = self.MOVES_PER_CELL * evolution.cells.size
            evolution.run(moves, HOT, evolution.coldest)
            evolution.run(moves // 4, evolution.coldest, evolution.coldest)
            self._seen = len(tables.tables)
        scale = tables.records / len(evolution.cells)
        return [tables.count(evolution.cells, columns) * scale for columns in queries]
