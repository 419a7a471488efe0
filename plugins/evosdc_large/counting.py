"""Distinct records with counts, found part by part and added up.

The categories of a column are in the order of their values, missing ones apart, and distinct records in the order of
their codes. So the sum of parts is one and the same thing, to the last bit, however the file was divided.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.printing import printable
from evosdc.table.equivalence import tallied
from evosdc.table.table import MISSING, Codes
from evosdc_large.blocks import Block

Integers = NDArray[np.int64]

MOST_VALUES = 100_000  # distinct values that a column may have
MOST_RECORDS = 10_000_000  # distinct records that are held
_DENSE = 1 << 22  # up to this many possible records are counted in a table, more by sorting

GREATEST = 1 << 62  # keys of records are whole numbers below


@dataclass(frozen=True, eq=False)
class Counted:
    """The distinct records of a file or of a part of it, and how often each occurs."""

    names: tuple[str, ...]
    values: tuple[Any, ...]  # the values of each column that occur, ascending, without missing ones
    # Shape (m, V); distinct records by the positions of their values, ascending; `MISSING` for a missing one
    codes: Codes
    counts: Integers  # shape (m,)

    @property
    def records(self) -> int:
        """How many records were counted."""
        return int(self.counts.sum())


def counted(block: Block) -> Counted:
    """Return the distinct records of a block."""
    return merged([counted_rows(block, rows) for _, rows in block.batches()])


def counted_rows(block: Block, rows: Any) -> Counted:
    """Return the distinct records of some rows, an Arrow table with the columns of the block."""
    columns = [coded(column) for column in rows.columns]
    for name, (values, _) in zip(block.names, columns, strict=True):
        require_few(block.path, name, values)
    digits = np.stack([codes for _, codes in columns], axis=1)
    return Counted(block.names, tuple(values for values, _ in columns), *_distinct(digits, None))


def coded(column: Any) -> tuple[Any, Codes]:
    """Return the values of an Arrow column that occur, ascending, and the position of each row's value among them."""
    # A number that is no number (NaN) is a missing value.
    import pyarrow as pa

    column = whole(column)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values, places = ordered(column.dictionary)
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    codes = np.append(places, np.int32(MISSING))[indices]
    present = np.zeros(len(values) + 1, dtype=np.bool_)
    present[codes] = True
    if present[:-1].all():
        return values, codes
    # A dictionary may hold values that no row has.
    kept = np.flatnonzero(present[:-1])
    position = np.full(len(values) + 1, MISSING, dtype=np.int32)
    position[kept] = np.arange(kept.size, dtype=np.int32)
    return values.take(pa.array(kept)), position[codes]


def whole(column: Any) -> Any:
    """Return a column of a batch as one array, its dictionary, if any, being that of the batch."""
    import pyarrow as pa

    one = column.combine_chunks()
    return pa.concat_arrays(one.chunks) if isinstance(one, pa.ChunkedArray) else one


def ordered(values: Any) -> tuple[Any, Codes]:
    """Return the distinct ones of some Arrow values, ascending, and the place of each, `MISSING` for one without."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), None, values)
    distinct = pc.unique(values).drop_null()
    distinct = distinct.take(pc.sort_indices(distinct))
    places = pc.index_in(values, value_set=distinct, skip_nulls=True).fill_null(MISSING)
    return distinct, places.to_numpy(zero_copy_only=False).astype(np.int32)


def merged(parts: Sequence[Counted]) -> Counted:
    """Return the sum of some parts, of which there is at least one."""
    if len(parts) == 1:
        return parts[0]
    names = parts[0].names
    values, columns = [], []
    for v in range(len(names)):
        union, places = united([part.values[v] for part in parts])
        require_few("columns", names[v], union)
        values.append(union)
        moved = [
            np.append(place, np.int32(MISSING))[part.codes[:, v]] for place, part in zip(places, parts, strict=True)
        ]
        columns.append(np.concatenate(moved))
    codes, counts = _distinct(np.stack(columns, axis=1), np.concatenate([part.counts for part in parts]))
    found = Counted(names, tuple(values), codes, counts)
    if len(codes) > MOST_RECORDS:
        raise DataError(too_many(found))
    return found


def united(values: Sequence[Any]) -> tuple[Any, list[Codes]]:
    """Return all of some lists of values in one, ascending, and the place of each list's values in it."""
    import pyarrow as pa

    union, places = ordered(pa.concat_arrays(list(values)))
    ends = np.cumsum([len(one) for one in values])[:-1]
    return union, np.split(places, ends)


def added_up(parts: Iterable[Counted], together: int = 2_000_000) -> Counted:
    """Return the sum of parts as they come; at most `together` distinct records wait to be added."""
    waiting: list[Counted] = []
    for part in parts:
        waiting.append(part)
        # The sum is sorted again only after as many new records: otherwise the work would grow with the square.
        if sum(len(one.counts) for one in waiting[1:]) > max(together, len(waiting[0].counts)):
            waiting = [merged(waiting)]
    return merged(waiting)


def require_few(where: str, name: str, values: Any) -> None:
    """Refuse a column with more distinct values than are held; raises `DataError`."""
    if len(values) > MOST_VALUES:
        given = f"more than {MOST_VALUES:,} distinct values"
        advice = "Leave the column out, or round or recode it before."
        raise DataError(Fault(printable(f"{where}, {name}"), given, f"columns of at most {MOST_VALUES:,}", advice))


def too_many(found: Counted) -> Fault:
    """Return the fault of a file with too many distinct records, and which column to leave out."""
    widths = [len(values) for values in found.values]
    widest = found.names[int(np.argmax(widths))]
    given = f"{len(found.counts):,} distinct combinations of {', '.join(found.names)} in {found.records:,} records"
    advice = f"Leave out or recode {widest}, which has {max(widths):,} values."
    return Fault("attributes", given, f"at most {MOST_RECORDS:,}, which are held in memory", advice)


def keys_of(codes: Codes, widths: Sequence[int]) -> Integers:
    """Return one number for each record, ascending as its codes are; the product of the widths plus one is < 2**62."""
    keys = np.zeros(len(codes), dtype=np.int64)
    for v, width in enumerate(widths):
        keys *= width + 1
        keys += codes[:, v]
        keys += 1
    return keys


def _distinct(codes: Codes, counts: Integers | None) -> tuple[Codes, Integers]:
    """Return the distinct records in ascending order, and how many each represents."""
    widths = [int(codes[:, v].max(initial=MISSING)) + 1 for v in range(codes.shape[1])]
    size = prod(width + 1 for width in widths)
    if size >= GREATEST:
        # the number of possible records exceeds 64 bits: whole records are sorted
        order = np.lexsort(codes.T[::-1])
        lined = codes[order]
        starts = np.flatnonzero(np.concatenate(([True], (lined[1:] != lined[:-1]).any(axis=1))))
        times = np.ones(len(codes), dtype=np.int64) if counts is None else counts[order]
        return np.ascontiguousarray(lined[starts]), np.add.reduceat(times, starts)
    keys = keys_of(codes, widths)
    if size <= _DENSE and counts is None:
        times = np.bincount(keys, minlength=1)
        present = np.flatnonzero(times)
        sums = times[present].astype(np.int64)
    else:
        present, _, sums = tallied(keys, counts)
    found = np.empty((len(present), len(widths)), dtype=np.int32)
    rest = present.copy()
    for v in range(len(widths) - 1, -1, -1):
        rest, digit = np.divmod(rest, widths[v] + 1)
        found[:, v] = digit - 1
    return found, sums
