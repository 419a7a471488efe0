"""What may be suppressed of each distinct record, and with which others it is a group then."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from evosdc.table.equivalence import ordered_classes
from evosdc_masking.suppression.keys import Counts, Values

Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Choices:
    """Ways in which members of distinct records can belong to groups, group after group.

    Parameters
    ----------
    owner : ndarray of int64, shape (c,)
        The distinct record.
    into : ndarray of int64, shape (c,)
        The group, ascending.
    suppressed : ndarray of int64, shape (c,)
        Attributes whose values a member loses, as bits.
    costs : ndarray of float64, shape (c,)
        What a member costs.
    """

    owner: Counts
    into: Counts
    suppressed: Counts
    costs: Weights

    @property
    def starts(self) -> Counts:
        """Position of the first choice of each group, ascending."""
        return np.flatnonzero(np.diff(self.into, prepend=-1)).astype(np.int64)

    def where(self, chosen: NDArray[np.bool_]) -> "Choices":
        """Return some of the choices."""
        return Choices(self.owner[chosen], self.into[chosen], self.suppressed[chosen], self.costs[chosen])


def class_choices(rows: Values, sizes: Counts, k: int, weights: Weights) -> Choices:
    """Return the choices where records of a group publish the same, missing values included.

    Only groups are offered that a least suppression can need: k records can be of it, and no value is suppressed that
    all have who can be of it, since the same records are a cheaper group with that value.
    """
    width = rows.shape[1]
    bits = np.arange(1 << width)
    subsets = (bits[:, np.newaxis] >> np.arange(width) & 1).astype(np.bool_)
    owner, which = np.nonzero(~((rows < 0) @ subsets.T))
    published = np.where(subsets[which], np.int32(-1), rows[owner])
    alike = ordered_classes(published)
    classes, into = published[alike.first], alike.of
    order = np.argsort(into, kind="stable")
    starts = np.searchsorted(into[order], np.arange(len(classes)))
    needed = np.add.reduceat(sizes[owner[order]], starts) >= k
    members = rows[owner[order]]
    agreed = np.minimum.reduceat(members, starts)
    needed &= ~((agreed >= 0) & (agreed == np.maximum.reduceat(members, starts)) & (classes < 0)).any(axis=1)
    order = order[needed[into[order]]]
    return Choices(owner[order], into[order], which[order], (subsets @ weights)[which[order]])


def centres(rows: Values) -> int:
    """Return how many combinations of values there are, those of records and all others."""
    return prod(max(np.unique(column[column >= 0]).size, 1) for column in rows.T)


def centre_choices(rows: Values, weights: Weights) -> Choices:
    """Return the choices where records of a group agree in all values that they still have.

    Such a group has a centre, a value of each attribute: members lose the values in which they differ from it. Every
    combination of values is offered, since a centre need not be a record.
    """
    domains = [np.unique(column[column >= 0]) for column in rows.T]
    domains = [domain if domain.size else np.array([-1], dtype=np.int32) for domain in domains]
    combinations = np.stack(np.meshgrid(*domains, indexing="ij"), axis=-1).reshape(-1, rows.shape[1])
    records, count = len(rows), len(combinations)
    lost = np.zeros((count, records), dtype=np.int64)
    costs = np.zeros((count, records))
    for a, weight in enumerate(weights):
        differs = (combinations[:, a, np.newaxis] != rows[:, a]) & (rows[:, a] >= 0)
        lost |= differs.astype(np.int64) << a
        costs += weight * differs
    owner, into = np.tile(np.arange(records), count), np.repeat(np.arange(count), records)
    return Choices(owner, into, lost.ravel(), costs.ravel())
