"""Equivalence classes: records with the same values of some attributes; the distinct values of one column."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Codes, Numbers, Table

Positions = NDArray[np.int64]
Values = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a matrix of codes, in the order of their first record."""

    of: Positions  # shape (n,); class of each record
    first: Positions  # shape (m,); first record of each class, ascending
    counts: Positions  # shape (m,); records of each class

    def __len__(self) -> int:
        return int(self.counts.size)

    @cached_property
    def members(self) -> Positions:
        """All records class by class, ascending within each, shape (n,)."""
        members: Positions = np.argsort(self.of, kind="stable")
        return members

    @cached_property
    def starts(self) -> Positions:
        """Where each class begins in `members`, shape (m + 1,)."""
        return np.concatenate(([0], np.cumsum(self.counts))).astype(np.int64)

    def total(self, weights: Numbers) -> Numbers:
        """Return the sum of the records' weights in each class, shape (m,)."""
        totals: Numbers = np.bincount(self.of, weights=weights, minlength=len(self)).astype(np.float64)
        return totals


def equivalence_classes(codes: Codes) -> Classes:
    """Return the classes of equal rows of `codes`, shape (n, V); V may be 0. A missing value equals another one."""
    import pandas as pd

    # Rows become one number each; where that takes more than 62 bits, the keys so far are numbered first.
    n, several = len(codes), 1
    keys: Positions = np.zeros(n, dtype=np.int64)
    for column in np.ascontiguousarray(codes.T) if n else ():
        low = int(column.min())
        width = int(column.max()) - low + 1
        if several * width >= 1 << 62:
            keys = pd.factorize(keys)[0].astype(np.int64)
            several = int(keys.max()) + 1
        keys *= width
        keys += column
        keys -= low
        several *= width
    of = pd.factorize(keys)[0].astype(np.int64, copy=False)
    counts = np.bincount(of).astype(np.int64, copy=False)
    first: Positions = np.empty(len(counts), dtype=np.int64)
    first[of[::-1]] = np.arange(n)[::-1]  # the first record of a class is written last
    return Classes(of, first, counts)


def placed_values(values: Values) -> tuple[Values, Positions, Positions]:
    """Return the distinct values, ascending, the place of each value among them, and how often each occurs."""
    # Codes lie in a small range: counting a million of them takes a tenth of the time of sorting them.
    if values.dtype.kind == "i" and len(values):
        least = int(values.min())
        if int(values.max()) - least <= 2 * len(values):
            offsets = values.astype(np.int64) - least
            counts = np.bincount(offsets)
            occurs = counts > 0
            found = (np.flatnonzero(occurs) + least).astype(values.dtype)
            return found, (np.cumsum(occurs) - 1)[offsets], counts[occurs]
    found, places, times = np.unique(values, return_inverse=True, return_counts=True)
    return found, places.reshape(-1), times


def ordered_classes(codes: Codes) -> Classes:
    """Return the classes in the order of their values instead, the first attribute first; `first` is not ascending."""
    classes = equivalence_classes(codes)
    order = np.lexsort(codes[classes.first].T[::-1]) if codes.shape[1] else np.arange(len(classes))
    place = np.empty(len(classes), dtype=np.int64)
    place[order] = np.arange(len(classes))
    return Classes(place[classes.of], classes.first[order], classes.counts[order])


def key_codes(table: Table, names: Sequence[str]) -> Codes:
    """Return the values of attributes as codes, shape (n, len(names)), numbers by their rank among those that occur."""
    place = {a.name: i for i, a in enumerate(table.schema.categorical)}
    if all(name in place for name in names):
        return np.ascontiguousarray(table.codes[:, [place[name] for name in names]])
    columns: Codes = np.empty((len(table), len(names)), dtype=np.int32)
    for position, name in enumerate(names):
        columns[:, position] = table.codes[:, place[name]] if name in place else ranks(table.column(name))
    return columns


def ranks(column: Codes | Numbers) -> Codes:
    """Return the rank of each number among the distinct ones, from 0, shape (n,); `MISSING` for a missing one."""
    present = ~np.isnan(column)
    result = np.full(column.shape, MISSING, dtype=np.int32)
    result[present] = np.unique(column[present], return_inverse=True)[1]
    return result


def missing_apart(codes: Codes) -> Codes:
    """Return the codes with each missing value replaced by a value of its own, which equals no other."""
    missing = codes == MISSING
    separate = codes.copy()
    separate[missing] = codes.max(initial=0) + 1 + np.nonzero(missing)[0]
    return separate


def summed(of: Positions, counts: Positions, size: int) -> Positions:
    """Return the sum of the counts of each of `size` groups, exactly; `of` is the group of each count."""
    # Records are far fewer than 2**53, up to which sums of float64 are exact.
    return np.bincount(of, weights=counts, minlength=size).astype(np.int64)


def tallied(values: Positions, counts: Positions | None = None) -> tuple[Positions, Positions, Positions]:
    """Return the distinct values, ascending, the place of each value among them, and the records of each."""
    # values (n,); counts (n,)
    present, place, times = placed_values(values)
    return present, place, times.astype(np.int64) if counts is None else summed(place, counts, present.size)
