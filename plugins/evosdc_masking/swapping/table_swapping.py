"""Swapping that keeps frequency tables."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.merged_classes import LEAST_CELL
from evosdc.table.schema import WITHHELD, Attribute, Role, Schema
from evosdc.table.table import Table
from evosdc_masking.swapping.exchanges import exchange
from evosdc_masking.swapping.frequency_tables import (
    FrequencyTables,
    Integers,
    frequency_tables,
    levels_of,
    with_sensitive,
)

_SWEEPS = 30
"""Exchanges that are tried for each masked value, for each unit of effort."""

_MOST = 20_000_000
"""Exchanges that are tried at most, for each unit of effort."""

_EMPTY = 6
"""Weight of a cell that is empty in the original beside one of other cells: nobody is there."""

_ALONE = 12
"""Cost of publishing a record that one original record alone has, in records of cells."""

_APART = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)


class TableSwapping(Tunable):
    """Swap values between records at random, then exchange them until frequency tables are those of the original.

    First a share of the values of each attribute, drawn anew for each, is permuted. Then one to three values at a time
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
        """What is swapped, and what stays."""

        share: float = Field(
            default=0.8, ge=0, le=1, description="Share of the values of an attribute that is permuted."
        )
        order: int = Field(default=3, ge=2, le=3, description="Attributes of the tables that are kept, at most.")
        avoid_alone: bool = Field(
            default=True, description="Whether records that one respondent alone has are avoided in the published file."
        )
        least_cell: int = Field(
            default=LEAST_CELL,
            ge=1,
            description="People in a cell of a table with a sensitive attribute, in the mean; classes are merged.",
        )
        effort: float = Field(default=1.0, gt=0, le=100, description="How much is tried; time grows in proportion.")

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
        return self._swapped(table, levels_of(table) if len(table) else None, table.schema.attributes, rng)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table with swapped values, tables with unmasked attributes kept too."""
        if not len(table):
            return self._swapped(table, None, (), rng)
        attributes = (*table.schema.attributes, *auxiliary.schema.attributes)
        return self._swapped(table, np.concatenate([levels_of(table), levels_of(auxiliary)], axis=2), attributes, rng)

    def _swapped(
        self, table: Table, levels: Integers | None, attributes: Sequence[Attribute], rng: np.random.Generator
    ) -> Table:
        self.require_fit(table)
        n, masked = len(table), len(table.schema)
        if levels is None or n < 2 or masked == 0:
            return table
        levels, sensitive = with_sensitive(levels, attributes, self.params.least_cell)
        tables = frequency_tables(levels, masked, self.params.order, sensitive)
        expected = tables.counts(levels)
        source = self._permuted(n, masked, rng)
        labels = rng.integers(1, 2**63, size=(masked, int(levels[0].max()) + 1)).astype(np.uint64)
        alone = _alone(_keys(levels[0], labels)) if self.params.avoid_alone else np.zeros(1, dtype=np.uint64)
        published = levels.copy()
        for v in range(masked):
            published[:, :, v] = levels[:, source[:, v], v]
        self._exchange(published, source, tables, expected, labels, alone, rng)
        return _taken(table, source)

    def _permuted(self, n: int, masked: int, rng: np.random.Generator) -> Integers:
        source = np.tile(np.arange(n)[:, None], (1, masked))
        for v in range(masked):
            rows = np.flatnonzero(rng.random(n) < self.params.share)
            source[rows, v] = rng.permutation(rows)
        return source

    def _exchange(
        self,
        published: Integers,
        source: Integers,
        tables: FrequencyTables,
        expected: Integers,
        labels: NDArray[np.uint64],
        alone: NDArray[np.uint64],
        rng: np.random.Generator,
    ) -> None:
        tries = min(_SWEEPS * source.size, _MOST) * self.params.effort
        exchange(
            published,
            source,
            tables,
            tables.counts(published) - expected,
            np.where(expected == 0, _EMPTY, 1).astype(np.int64),
            _keys(published[0], labels),
            labels,
            alone,
            _ALONE if self.params.avoid_alone else 0,
            int(tries) if self.params.share > 0 else 0,
            rng,
        )


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


def _taken(table: Table, source: Integers) -> Table:
    """Return the table in which each value comes from the record that is its source."""
    schema = table.schema
    place = {name: v for v, name in enumerate(schema.names)}
    codes, numbers = table.codes.copy(), table.numbers.copy()
    for j, attribute in enumerate(schema.categorical):
        codes[:, j] = table.codes[source[:, place[attribute.name]], j]
    for j, attribute in enumerate(schema.numeric):
        numbers[:, j] = table.numbers[source[:, place[attribute.name]], j]
    return Table(schema, codes, numbers)
