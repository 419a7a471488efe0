"""Masking plans of large files: decided from counts alone, the same for all blocks.

A plan is small, can be sent to workers, and changes the columns of some rows. It receives their position in the file:
random numbers depend on that position, so they do not depend on who masks which rows. What they are drawn from is
no part of a plan: workers of a cluster may write plans to disk where memory is short.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix, drawn
from evosdc.secret import Purpose, Seed, stream
from evosdc.table.table import MISSING, Codes
from evosdc_large.counting import Integers, keys_of

DRAWN_TOGETHER = 1 << 16  # rows whose random numbers come from one stream


@dataclass(frozen=True, eq=False)
class Randomisation:
    """Post-randomisation: each value is redrawn from its row of a transition matrix."""

    values: Mapping[str, Any]  # by column, the values that occur, without missing ones, which stay
    sums: Mapping[str, Matrix]  # shape (c, c); cumulative sums of the rows of its matrix

    def masked(self, first: int, columns: Mapping[str, Any], seed: Seed) -> dict[str, Any]:
        """Return the published columns of the rows from a position on."""
        published = {}
        for place, (name, values) in enumerate(self.values.items()):
            codes = places_in(columns[name], values)
            uniforms = uniforms_of(seed, place, first, len(codes))
            published[name] = taken(values, drawn(codes, self.sums[name], uniforms))
        return published


@dataclass(frozen=True, eq=False)
class Recoding:
    """Global recoding: each value is published as its group."""

    values: Mapping[str, Any]  # by column, the values that occur
    groups: Mapping[str, Any]  # the label that is published for each value, and for a missing one in the end

    def masked(self, first: int, columns: Mapping[str, Any], seed: Seed) -> dict[str, Any]:
        """Return the published columns."""
        published = {}
        for name, values in self.values.items():
            codes = places_in(columns[name], values)
            published[name] = taken(self.groups[name], np.where(codes == MISSING, np.int32(len(values)), codes))
        return published


@dataclass(frozen=True, eq=False)
class Suppression:
    """Local suppression: some distinct records are published without some of their values."""

    values: Mapping[str, Any]  # by column, the values that occur
    keys: Integers  # shape (m,); distinct records that lose values, ascending (`evosdc_large.counting.keys_of`)
    gone: NDArray[np.bool_]  # shape (m, V); which values they lose

    def masked(self, first: int, columns: Mapping[str, Any], seed: Seed) -> dict[str, Any]:
        """Return the published columns."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self.keys.size:
            return {name: columns[name] for name in self.values}
        codes = np.stack([places_in(columns[name], values) for name, values in self.values.items()], axis=1)
        keys = keys_of(codes, [len(values) for values in self.values.values()])
        place = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        gone = self.gone[place] & (self.keys[place] == keys)[:, None]
        return {
            name: pc.if_else(pa.array(~gone[:, v]), columns[name], pa.scalar(None, columns[name].type))
            for v, name in enumerate(self.values)
        }


Plan = Randomisation | Recoding | Suppression


def uniforms_of(seed: Seed, place: int, first: int, size: int) -> NDArray[np.float64]:
    """Return the uniform numbers of rows from a position on, for the attribute at a place, shape (size,)."""
    start, stop = first // DRAWN_TOGETHER, -(-(first + size) // DRAWN_TOGETHER)
    numbers = [stream(seed, Purpose.MASK, place, block).random(DRAWN_TOGETHER) for block in range(start, stop)]
    skipped = first - start * DRAWN_TOGETHER
    return np.concatenate(numbers)[skipped : skipped + size]


def places_in(column: Any, values: Any) -> Codes:
    """Return the place of each row's value among some values, `MISSING` for a missing one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    places = pc.index_in(column.dictionary, value_set=values, skip_nulls=True).fill_null(MISSING)
    known = np.append(places.to_numpy(zero_copy_only=False), MISSING).astype(np.int32)
    codes: Codes = known[column.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    return codes


def taken(values: Any, codes: Codes) -> Any:
    """Return the Arrow array of values at some places, a missing one where the place is `MISSING`."""
    import pyarrow as pa

    return values.take(pa.array(codes, mask=codes == MISSING))
