"""Partitions of an attribute's values, the same for all records, and what each group of them publishes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.generalisation import interval_label, set_label
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Codes, Numbers
from evosdc_masking.averages import lower_median, mode

Groups = NDArray[np.int64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Grouping:
    """Which values belong together.

    Parameters
    ----------
    groups : ndarray of int64
        For an attribute of categories the group of each category, shape (c,); for a numeric one that of each record,
        shape (n,), -1 where its value is missing.
    labels : tuple of str
        What stands for each group.
    """

    groups: Groups
    labels: tuple[str, ...]


def merged_categories(attribute: Attribute, merge: Sequence[Sequence[int]], names: Sequence[str] = ()) -> Grouping:
    """Return the partition of an attribute's categories in which some are merged and the others stay by themselves.

    Parameters
    ----------
    attribute : Attribute
    merge : sequence of sequence of int
        Codes that make a group, no code twice.
    names : sequence of str
        Labels of these groups; where there are none, intervals of ordinal neighbours and sets.
    """
    groups = np.arange(len(attribute.categories), dtype=np.int64)
    labels = list(attribute.categories)
    for number, codes in enumerate(merge):
        members = sorted(int(code) for code in codes)
        if members:
            groups[members] = members[0]
            labels[members[0]] = names[number] if names else _label(attribute, members)
    return Grouping(groups, tuple(labels))


def _label(attribute: Attribute, members: Sequence[int]) -> str:
    names = [attribute.categories[code] for code in members]
    if attribute.scale is Scale.ORDINAL and members[-1] - members[0] == len(members) - 1:
        return interval_label(names[0], names[-1])
    return set_label(names)


def by_rarity(counts: Counts) -> Groups:
    """Return the categories that occur, from the rarest to the most frequent, equal ones in their own order."""
    order = np.argsort(counts, kind="stable")
    return order[counts[order] > 0].astype(np.int64)


def representatives(partition: Grouping, counts: Counts, scale: Scale) -> Codes:
    """Return the category that stands for each category's group, shape (c + 1,); the last entry is a missing value's.

    Parameters
    ----------
    partition : Grouping
        Of c categories.
    counts : ndarray of int64, shape (c,)
        How often each category occurs.
    scale : Scale
        Ordinal: the lower median of the group's records; nominal: its most frequent member, the first in a tie.
    """
    recoding = np.append(np.arange(counts.size), -1).astype(np.int32)
    average = lower_median if scale is Scale.ORDINAL else mode
    shared = np.flatnonzero(np.bincount(partition.groups, minlength=1) > 1)
    for group in shared:
        members = partition.groups == group
        found = int(average(np.where(members, counts, 0)))
        # what does not occur is not published, so any member will do
        recoding[:-1][members] = found if found >= 0 else np.flatnonzero(members)[0]
    return recoding


def middle_numbers(partition: Grouping, column: Numbers) -> Numbers:
    """Return for each record the lower median of its group's numbers, shape (n,), NaN for a missing value."""
    published = np.full(column.shape, np.nan)
    present = np.flatnonzero(partition.groups >= 0)
    order = present[np.lexsort((column[present], partition.groups[present]))]
    _, starts, sizes = np.unique(partition.groups[order], return_index=True, return_counts=True)
    published[order] = np.repeat(column[order[starts + (sizes - 1) // 2]], sizes)
    return published
