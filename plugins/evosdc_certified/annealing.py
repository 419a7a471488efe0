"""The operator `private-tables-annealing`: single records change, and what fits noisy tables better stays.

The misfit of a file is the sum over all counts of squared differences over the variance of the noise. A *move* changes
one attribute of a record, takes some attributes over from another record, or replaces the whole record by a copy of
another one, which removes a record and adds one (Liu, Vietri, Wu 2023 do so by populations). It costs the tables of
the attributes that change. Moves that raise the misfit are accepted at a temperature which falls and does not end at 0:
the file then follows the tables as far as their noise lets it, and stays near independent attributes beyond that.

A file needs tens of millions of moves, and the engine evaluates some hundred thousand children a minute. So one
mutation makes many moves in a kernel, and the engine evaluates and selects what comes of them.
"""

from typing import Any

import numpy as np
from deap import base
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Seedable
from evosdc.table.record_check import ALL, breaks
from evosdc.table.record_rules import RuleArrays
from evosdc_certified.domain import Cells
from evosdc_certified.measure import FittedTables
from evosdc_certified.tables import Counts, PrivateTables

HOT = 1.0
COOLEST = 0.25
# Temperatures, in units of the misfit: the first, and the last as `COOLED` over the records, `COOLEST` at most.
COOLED = 1000.0

COOLING = 0.8  # share of the moves in which the temperature falls


def annealed(
    genome: Any, rng: np.random.Generator, toolbox: base.Toolbox, moves: int = 100_000, generations: int = 0
) -> Any:
    """Return a genome after `moves` moves of its file's records that fit noisy tables better, or worse by chance.

    Parameters
    ----------
    genome : object
        Of a genotype that can be read off a file.
    rng : Generator
    toolbox : deap.base.Toolbox
        Of a search with the measure `private-tables`.
    moves : int
        Each changes one record, or none.
    generations : int
        In four fifths of them the temperature falls to its end; 0: it is there from the beginning.
    """
    genotype = toolbox.genotype
    fitted = next((one for one in toolbox.measures.values() if isinstance(one, FittedTables)), None)
    if fitted is None or not isinstance(genotype, Seedable):
        given = "a search without noisy tables" if fitted is None else "a genotype that no file can be read into"
        wanted = "the measure private-tables, and a genotype such as cells"
        raise ParameterError(Fault("private-tables-annealing", given, wanted))
    begin, end = ((toolbox.generation + step) / generations if generations else 1.0 for step in (0, 1))
    table = genotype.decode(genome, rng)
    cells = fitted.cells(table)
    return genotype.seeded(fitted.changed(table, cells, anneal(fitted.tables, cells, moves, begin, end, rng), rng))


def anneal(
    tables: PrivateTables, cells: Cells, moves: int, begin: float, end: float, rng: np.random.Generator
) -> Cells:
    """Return records after moves; `begin` and `end` are shares of a whole evolution, by which the temperature falls."""
    scale, count = len(cells) / tables.records, len(tables.tables)
    sizes, most = tables.domain.sizes, max(len(table.columns) for table in tables.tables)
    members = np.full((count, most), -1, dtype=np.int64)
    strides = np.zeros((count, most), dtype=np.int64)
    maps = np.zeros((count, most, max(sizes)), dtype=np.int64)
    own: list[list[int]] = [[] for _ in sizes]
    for t, table in enumerate(tables.tables):
        shape = tables.shape(table.columns)
        for k, place in enumerate(table.columns):
            members[t, k] = place
            strides[t, k] = int(np.prod(shape[k + 1 :], dtype=np.int64))
            maps[t, k, : sizes[place]] = tables.groups[place] if len(table.columns) > 1 else np.arange(sizes[place])
            own[place].append(t)
    tables_of = np.full((len(own), max(map(len, own))), -1, dtype=np.int64)
    for place, listed in enumerate(own):
        tables_of[place, : len(listed)] = listed
    offset = np.cumsum([0, *(len(table.counts) for table in tables.tables)])[:-1].astype(np.int64)
    # A file of other size has counts of other size, and its noise is taken to be so, too.
    weight = np.array([1.0 / (table.sigma * scale) ** 2 for table in tables.tables])
    changed, counts = cells.copy(), tables.counts(tables.positions(cells))
    _move(
        changed, counts, tables.target * scale, weight, members, strides, maps, offset, tables_of, shares(tables),
        tables.domain.rule_arrays, moves, begin / COOLING, end / COOLING, min(COOLEST, COOLED / len(cells)), rng,
    )  # fmt: skip
    return changed


def shares(tables: PrivateTables) -> Counts:
    """Return running shares of the cells of each attribute by its noisy table, shape (V, cells)."""
    found = np.ones((len(tables.domain.columns), max(tables.domain.sizes)))
    for place in range(len(found)):
        margin = tables.of_one(place)
        found[place, : len(margin)] = np.cumsum(margin) / margin.sum()
        found[place, np.flatnonzero(margin)[-1] :] = 1.0  # rounding must not lead beyond the last cell
    return found


@njit(cache=True)
def _move(
    cells: Cells, counts: Counts, target: Counts, weight: Counts, members: NDArray[np.int64],
    strides: NDArray[np.int64], maps: NDArray[np.int64], offset: NDArray[np.int64], tables_of: NDArray[np.int64],
    prior: Counts, rules: RuleArrays, moves: int, begin: float, end: float, cold: float, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Make moves in place; the temperature falls while the share of the fall goes from `begin` to `end`."""
    # `members` and `strides`, shape (T, K), hold a table's attributes, filled up by -1. `maps`, shape (T, K, cells),
    # leads from cells to what a table counts, `tables_of`, shape (V, M), from attributes to tables, filled up by -1.
    n, width = cells.shape
    record, others = np.empty(width, np.int32), np.empty(0, np.int32)
    old_cell = np.empty(len(weight), np.int64)
    new_cell = np.empty(len(weight), np.int64)
    for move in range(moves):
        temperature = HOT * (cold / HOT) ** min(1.0, begin + (end - begin) * move / moves)
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
                same = same and record[v] == cells[i, v]
            if same:
                continue
        if breaks(record, others, ALL, rules):
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
