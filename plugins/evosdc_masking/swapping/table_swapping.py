"""Swapping that keeps frequency tables."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.equivalence import placed_values
from evosdc.table.merged_classes import LEAST_CELL, merged_classes
from evosdc.table.schema import WITHHELD, Attribute, Role, Scale, Schema
from evosdc.table.table import Table

Integers = NDArray[np.int64]

CLASSES = 20  # classes of an attribute, at most, in tables of three attributes and in large ones
LARGE = 1 << 16  # cells of a pair of attributes from which on it is tabulated by classes
SENSITIVE_CLASSES = 5  # classes of a sensitive number in a table that is kept

# Tables of two and of three attributes, at most: those whose attributes depend most on each other.
PAIRS, TRIPLES = 400, 300


class FrequencyTables(NamedTuple):
    """Tables of two and three columns in one array of cells."""

    attributes: Integers  # shape (T, 3); columns of each table, -1 where a table has two
    strides: Integers  # shape (T, 3); cells between neighbouring values of each column
    offsets: Integers  # shape (T,); first cell of each table
    # Shape (T,); 0 where a table has all values, 1 where it has classes, from 2 on where it has those of a sensitive
    # attribute
    detail: Integers
    # first, of: tables of column v are ``of[first[v]:first[v + 1]]``
    first: Integers
    of: Integers
    cells: int  # cells of all tables

    def counts(self, levels: Integers) -> Integers:
        """Return the records in each cell, shape (cells,), of columns in all details, shape (2 or more, n, c)."""
        found = np.zeros(self.cells, dtype=np.int64)
        columns = np.ascontiguousarray(levels.transpose(0, 2, 1))
        for place, (members, strides) in enumerate(zip(self.attributes, self.strides, strict=True)):
            own = columns[self.detail[place]]
            # Column by column: numpy multiplies no matrix of integers fast.
            cells = own[members[0]] * strides[0]
            for v, stride in zip(members[1:][members[1:] >= 0], strides[1:], strict=False):
                cells += own[v] * stride
            counts = np.bincount(cells)
            found[self.offsets[place] : self.offsets[place] + len(counts)] += counts
        return found


def levels_of(table: Table) -> Integers:
    """Return the values of a table as integers, shape (2, n, V): all different ones, and `CLASSES` at most."""
    # A missing value is one of its own. Classes are quantile bins of numbers and of ordered categories; of other
    # categories the most frequent ones stay, and the rest are one class.
    values, classes = [], []
    for attribute in table.schema.attributes:
        column = placed_values(table.column(attribute.name))[1].astype(np.int64)
        values.append(column)
        size = int(column.max()) + 1
        if size > CLASSES:
            counts = np.bincount(column)
            if attribute.scale is not Scale.NOMINAL:
                merged = ((np.cumsum(counts) - counts / 2) * CLASSES / len(table)).astype(np.int64)
            else:
                merged = np.empty(size, dtype=np.int64)
                merged[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(size), CLASSES - 1)
            column = np.unique(merged, return_inverse=True)[1][column]
        classes.append(column)
    return np.stack([np.stack(values, axis=1), np.stack(classes, axis=1)])


def with_sensitive(levels: Integers, attributes: Sequence[Attribute], least_cell: int) -> tuple[Integers, list[int]]:
    """Return levels with a further one for each sensitive attribute, and their columns."""
    # There every other attribute has classes so large that the cells of its table with the sensitive one have
    # `least_cell` people in the mean: a table of single values tells of one or two persons what is theirs.
    columns = [c for c, attribute in enumerate(attributes) if attribute.role is Role.SENSITIVE]
    found = [levels[0], levels[1]]
    for column in columns:
        sensitive = attributes[column]
        guessed = levels[0][:, column]
        if not sensitive.categorical:
            counts = np.bincount(guessed)
            guessed = merged_classes(counts, sensitive, len(guessed) // SENSITIVE_CLASSES)[guessed]
        own = levels[0].copy()
        least = least_cell * len(np.unique(guessed))
        for v, attribute in enumerate(attributes):
            column_of = own[:, v]
            own[:, v] = merged_classes(np.bincount(column_of), attribute, least)[column_of]
        own[:, column] = guessed
        found.append(own)
    return np.stack(found), columns


def frequency_tables(levels: Integers, masked: int, order: int, sensitive: Sequence[int] = ()) -> FrequencyTables:
    """Return the tables of two, and with order 3 of three, columns of which at least one is masked."""
    # The masked columns come first. Sensitive columns are in tables of two alone, by the classes of `with_sensitive`.
    columns = levels.shape[2]
    sizes = levels.max(axis=1) + 1
    dependence = {
        pair: _dependence(levels[1][:, pair], sizes[1, list(pair)]) for pair in combinations(range(columns), 2)
    }
    members: list[tuple[int, ...]] = []
    for size, most in ((2, PAIRS), (3, TRIPLES)):
        if size <= order:
            found = [group for group in combinations(range(columns), size) if group[0] < masked]
            found = [group for group in found if size == 2 or not set(group) & set(sensitive)]
            strength = [sum(dependence[pair] for pair in combinations(group, 2)) for group in found]
            ranked = sorted(range(len(found)), key=lambda place: (-strength[place], found[place]))
            members += sorted(found[place] for place in ranked[:most])
    attributes = np.full((len(members), 3), -1, dtype=np.int64)
    strides = np.zeros((len(members), 3), dtype=np.int64)
    offsets, detail = np.zeros(len(members), dtype=np.int64), np.zeros(len(members), dtype=np.int64)
    cells = 0
    for place, group in enumerate(members):
        chosen = list(group)
        detail[place] = int(len(group) > 2 or np.prod(sizes[0, chosen]) > LARGE)
        guessed = [at for at, column in enumerate(sensitive) if column in group]
        if guessed:
            detail[place] = 2 + guessed[0]
        own = sizes[detail[place], chosen]
        attributes[place, : len(group)] = chosen
        strides[place, : len(group)] = np.cumprod([1, *own[:-1]])
        offsets[place] = cells
        cells += int(np.prod(own))
    tables = [[t for t, group in enumerate(members) if v in group] for v in range(columns)]
    first = np.cumsum([0, *(len(one) for one in tables)]).astype(np.int64)
    of = np.array([t for one in tables for t in one], dtype=np.int64)
    return FrequencyTables(attributes, strides, offsets, detail, first, of, cells)


def _dependence(pair: Integers, sizes: Integers) -> float:
    """Return the share of records by which the table of two columns differs from independence."""
    joint = np.bincount(pair[:, 0] * sizes[1] + pair[:, 1], minlength=int(sizes[0] * sizes[1])).reshape(sizes)
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / len(pair)
    return float(np.abs(joint - expected).sum() / 2 / len(pair))


Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]

AT_ONCE = 50_000  # tries that nothing can interrupt: a fraction of a second
_DRAWS = 6  # uniform numbers of a try: two records, how many attributes, and three attributes


def exchange(
    levels: Integers, source: Integers, tables: FrequencyTables, surplus: Integers, weights: Integers, keys: Keys,
    labels: Keys, alone: Keys, penalty: int, tries: int, rng: np.random.Generator,
) -> int:  # fmt: skip
    """Exchange values of one to three attributes between two records where that lowers the cost; change in place."""
    # Between some tries and the next a time limit can end it.
    # The cost is the weighted sum of the absolute surpluses of all cells, and `penalty` for each record whose key is
    # among those that are alone of their kind in the original. All is of integers, so that it is followed exactly.
    # levels (2 or more, n, c): values and classes of the columns in all details; the masked ones come first; source (n,
    # V): the record whose value each masked cell holds; surplus (cells,): by how many records each cell is greater than
    # in the original; weights (cells,); keys (n,): of each record: the labels of its masked values, combined by
    # exclusive or; labels (V, values); alone: a hash table of keys with open addressing; its length is a power of two,
    # and 0 is an empty place; rng: all random numbers are its own: a kernel that drew them itself would begin at a
    # seed, and be replayed from it.
    # Returns by how much the cost became less.
    gained = 0
    for done in range(0, tries, AT_ONCE):
        uniforms = rng.random((min(AT_ONCE, tries - done), _DRAWS))
        gained += _exchange(levels, source, tables, surplus, weights, keys, labels, alone, penalty, uniforms)
    return gained


@njit(cache=True)
def _exchange(
    levels: Integers, source: Integers, tables: FrequencyTables, surplus: Integers, weights: Integers, keys: Keys,
    labels: Keys, alone: Keys, penalty: int, uniforms: Floats,
) -> int:  # fmt: skip
    """Try an exchange with each row of uniform numbers."""
    n, masked = source.shape
    attributes, strides, offsets, detail, first, of, _ = tables
    chosen = np.zeros(levels.shape[2], dtype=np.bool_)
    moving = np.empty(3, dtype=np.int64)
    sought = np.empty(4, dtype=np.uint64)
    last = np.uint64(alone.size - 1)
    gained = 0
    for row in range(len(uniforms)):
        drawn = uniforms[row]
        r, s = int(drawn[0] * n), int(drawn[1] * n)
        moves = 0
        wanted = 1 if masked == 1 or drawn[2] < 0.6 else 2 if drawn[2] < 0.8 else 3
        own, other = keys[r], keys[s]
        for draw in range(wanted):
            v = int(drawn[3 + draw] * masked)
            a, b = levels[0, r, v], levels[0, s, v]
            if a != b and not chosen[v]:
                chosen[v] = True
                moving[moves] = v
                moves += 1
                own ^= labels[v, a] ^ labels[v, b]
                other ^= labels[v, a] ^ labels[v, b]
        if moves == 0:
            continue
        change = 0
        if penalty > 0:
            sought[0], sought[1], sought[2], sought[3] = own, other, keys[r], keys[s]
            for which in range(4):
                place = np.int64(sought[which] & last)
                while alone[place] != np.uint64(0) and alone[place] != sought[which]:
                    place = (place + 1) & np.int64(last)
                if alone[place] != np.uint64(0):
                    change += penalty if which < 2 else -penalty
        # First by how much the cost changes, then the change itself, where it is for the better.
        for applied in range(2):
            if applied and change >= 0:
                break
            for m in range(moves):
                v = moving[m]
                for at in range(first[v], first[v + 1]):
                    t = of[at]
                    d = detail[t]
                    # The cells of both records, and how far that of the first moves; `leader` is the first chosen
                    # column, so that each table is looked at once.
                    x = y = offsets[t]
                    step, leader = 0, -1
                    for q in range(3):
                        w = attributes[t, q]
                        if w >= 0:
                            x += levels[d, r, w] * strides[t, q]
                            y += levels[d, s, w] * strides[t, q]
                            if chosen[w]:
                                step += (levels[d, s, w] - levels[d, r, w]) * strides[t, q]
                                if leader < 0:
                                    leader = w
                    if leader != v or step == 0 or x + step == y:
                        continue
                    if applied:
                        surplus[x] -= 1
                        surplus[y] -= 1
                        surplus[x + step] += 1
                        surplus[y - step] += 1
                        continue
                    change += weights[x] * (1 if surplus[x] <= 0 else -1)
                    change += weights[y] * (1 if surplus[y] <= 0 else -1)
                    change += weights[x + step] * (1 if surplus[x + step] >= 0 else -1)
                    change += weights[y - step] * (1 if surplus[y - step] >= 0 else -1)
        if change < 0:
            gained -= change
            keys[r], keys[s] = own, other
        for m in range(moves):
            v = moving[m]
            chosen[v] = False
            if change < 0:
                source[r, v], source[s, v] = source[s, v], source[r, v]
                for d in range(len(levels)):
                    levels[d, r, v], levels[d, s, v] = levels[d, s, v], levels[d, r, v]
    return gained


_SWEEPS = 30  # exchanges that are tried for each masked value, for each unit of effort
_MOST = 20_000_000  # exchanges that are tried at most, for each unit of effort
_EMPTY = 6  # weight of a cell that is empty in the original beside one of other cells: nobody is there
_ALONE = 12  # cost of publishing a record that one original record alone has, in records of cells

_APART = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)


class TableSwapping(Tunable):
    """Swap values between records at random, then exchange them until frequency tables are those of the original.

    First a share of the values of each attribute, drawn separately, is permuted. Then one to three values at a time
    are exchanged between two random records wherever that brings the tables of two and three attributes nearer to the
    original's: the sum over all cells of the difference in records, cells that are empty in the original six times.
    Tables with unmasked attributes are kept too. Marginals are kept exactly. What a record publishes has then nothing
    to do with the respondent, beyond its unmasked values and the share that stayed. Tables of three attributes, and
    pairs of more than 65,536 cells, take at most 20 classes of each attribute. There are 400 pairs and 300 triples at
    most, those of the strongest dependence.

    A table with a sensitive attribute is kept of two attributes alone, and by merged classes: a cell has `least_cell`
    people in the mean. A table of single values would tell of one or two persons what is theirs.

    By chance such a file has records that one respondent alone has. With `avoid_alone` most of them are exchanged away,
    at a cost of twelve records in cells. Missing values are swapped as values.

    Source: Dalenius and Reiss (1982), who swap values so that tables of a given order stay, and Reiss (1984), who keeps
    them approximately. Random exchanges and their costs are a reconstruction.
    """

    class Params(Parameters):
        """Swapped and kept values."""

        share: float = Field(0.8, ge=0, le=1, description="Share of the values of an attribute that is permuted.")
        order: int = Field(3, ge=2, le=3, description="Attributes of the tables that are kept, at most.")
        avoid_alone: bool = Field(
            True, description="Whether records that one respondent alone has are avoided in the published file."
        )
        least_cell: int = Field(
            LEAST_CELL,
            ge=1,
            description="People in a cell of a table with a sensitive attribute, in the mean; classes are merged.",
        )
        effort: float = Field(1.0, gt=0, le=100, description="How much is tried; time grows in proportion.")

    promise = 13
    pace = "effort"
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the share from a tenth to all, with tables of three attributes."""
        return [Design(free=(Range("share", 0.1, 1.0),), dear=True)] if len(table) > 1 else []

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the attributes whose tables with masked ones are kept: all but identifiers, weights and households."""
        return tuple(a.name for a in schema.attributes if a.name not in masked and a.role not in _APART)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with swapped values."""
        return self.mask_given(table, table.select(()), rng)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table with swapped values, tables with unmasked attributes kept too."""
        self.require_fit(table)
        n, masked, params = len(table), len(table.schema), self.params
        if n < 2 or masked == 0:
            return table
        attributes = (*table.schema.attributes, *auxiliary.schema.attributes)
        parts = [levels_of(part) for part in (table, auxiliary) if len(part.schema)]
        levels, sensitive = with_sensitive(np.concatenate(parts, axis=2), attributes, params.least_cell)
        tables = frequency_tables(levels, masked, params.order, sensitive)
        expected = tables.counts(levels)
        source = np.tile(np.arange(n)[:, None], (1, masked))  # a share of the values is permuted
        for v in range(masked):
            rows = np.flatnonzero(rng.random(n) < params.share)
            source[rows, v] = rng.permutation(rows)
        labels = rng.integers(1, 2**63, size=(masked, int(levels[0].max()) + 1)).astype(np.uint64)
        alone = _alone(_keys(levels[0], labels)) if params.avoid_alone else np.zeros(1, dtype=np.uint64)
        swapped = levels.copy()
        for v in range(masked):
            swapped[:, :, v] = levels[:, source[:, v], v]
        surplus, weights = tables.counts(swapped) - expected, np.where(expected == 0, _EMPTY, 1).astype(np.int64)
        tries = int(min(_SWEEPS * source.size, _MOST) * params.effort) if params.share > 0 else 0
        penalty = _ALONE if params.avoid_alone else 0
        keys = _keys(swapped[0], labels)
        exchange(swapped, source, tables, surplus, weights, keys, labels, alone, penalty, tries, rng)
        place = {name: v for v, name in enumerate(table.schema.names)}
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for matrix, listed in ((codes, table.schema.categorical), (numbers, table.schema.numeric)):
            for j, attribute in enumerate(listed):
                matrix[:, j] = matrix[source[:, place[attribute.name]], j]
        return Table(table.schema, codes, numbers)


def _keys(values: Integers, labels: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a key of each record's masked values; two different records have the same one hardly ever."""
    masked = len(labels)
    keys: NDArray[np.uint64] = np.bitwise_xor.reduce(labels[np.arange(masked), values[:, :masked]], axis=1)
    return keys


def _alone(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash table of the keys that occur once."""
    found, counts = np.unique(keys, return_counts=True)
    once = found[(counts == 1) & (found != 0)]
    size = 1 << int(4 * len(once) + 1).bit_length()
    places = np.zeros(size, dtype=np.uint64)
    for key in once:
        place = int(key) & (size - 1)
        while places[place]:
            place = (place + 1) & (size - 1)
        places[place] = key
    return places
