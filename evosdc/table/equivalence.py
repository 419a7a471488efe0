"""Equivalence classes: records with the same values of some attributes, found once and worked on together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import placed_values
from evosdc.table.table import MISSING, Codes, Numbers, Table

Positions = NDArray[np.int64]


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
    from evosdc.table.equal_rows import grouped_rows  # numba is loaded with it

    codes = np.ascontiguousarray(codes).view()
    codes.flags.writeable = False  # as those of tables: else the kernel is compiled once more
    return Classes(*grouped_rows(codes))


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


def told_apart(codes: Codes) -> Codes:
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
