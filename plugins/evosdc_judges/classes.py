"""Attributes of any scale as classes, records as whole numbers, and how classes were masked as pairs show it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distance import category_distance
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Numbers, Table

Codes = NDArray[np.int32]
Keys = NDArray[np.int64]

_GREATEST_KEY = 1 << 62


@dataclass(frozen=True)
class Classes:
    """How the attributes of a file are divided into classes, as the original has them."""

    # A numeric attribute has classes of about equal frequency, ordered; a categorical one its categories. An attribute
    # of more than `widest` categories is pooled: an ordinal one to ranges of equal frequency, of a nominal one all but
    # the most frequent go together. A missing value is a class of its own, the last one.

    schema: Schema  # of the file; classes are in its order
    # Of each attribute that is cut into ranges, the least value or code of every class but the first
    cuts: tuple[Numbers | None, ...]
    pools: tuple[Codes | None, ...]  # of each pooled nominal attribute the class of each category

    @cached_property
    def sizes(self) -> Keys:
        """Classes of each attribute, missing included, shape (V,)."""
        return np.array([self._size(v) + 1 for v in range(len(self.schema))], dtype=np.int64)

    def _size(self, v: int) -> int:
        cuts, pools = self.cuts[v], self.pools[v]
        if cuts is not None:
            return len(cuts) + 1
        return int(pools.max()) + 1 if pools is not None else len(self.schema.attributes[v].categories)

    def of(self, table: Table) -> Codes:
        """Return the classes of a table with these attributes, shape (n, V), in C order."""
        codes = np.empty((len(table), len(self.schema)), dtype=np.int32)
        for v, attribute in enumerate(self.schema.attributes):
            column = table.column(attribute.name)
            missing = column < 0 if attribute.categorical else np.isnan(column)
            cuts, pools = self.cuts[v], self.pools[v]
            if cuts is not None:
                column = np.searchsorted(cuts, column, side="right").astype(np.int32)
            elif pools is not None:
                column = pools[column]
            codes[:, v] = np.where(missing, self._size(v), column)
        return codes

    @cached_property
    def distances(self) -> tuple[Numbers, ...]:
        """Of each attribute the distances between its classes (`evosdc.table.distance`), missing last, in [0, 1]."""
        parts = []
        for v, attribute in enumerate(self.schema.attributes):
            scale = Scale.NOMINAL if attribute.scale is Scale.NOMINAL else Scale.ORDINAL
            labels = tuple(map(str, range(self._size(v))))
            parts.append(category_distance(Attribute(attribute.name, scale=scale, categories=labels), self.schema.na))
        return tuple(part.matrix for part in parts)


def classes_of(original: Table, bins: int, widest: int = 1000) -> Classes:
    """Return the classes of an original file."""
    cuts: list[Numbers | None] = []
    pools: list[Codes | None] = []
    for attribute in original.schema.attributes:
        column = original.column(attribute.name)
        cut: Numbers | None = None
        pool: Codes | None = None
        if not attribute.categorical:
            cut = _cuts(np.asarray(column, dtype=np.float64), bins)
        elif len(attribute.categories) > widest and attribute.scale is Scale.ORDINAL:
            cut = _cuts(np.where(column < 0, np.nan, column.astype(np.float64)), widest)
        elif len(attribute.categories) > widest:
            counts = np.bincount(column[column >= 0].astype(np.intp), minlength=len(attribute.categories))
            order = np.argsort(-counts, kind="stable")
            pool = np.empty(len(order), dtype=np.int32)
            pool[order] = np.minimum(np.arange(len(order)), widest - 1)
        cuts.append(cut)
        pools.append(pool)
    return Classes(replace(original.schema), tuple(cuts), tuple(pools))


def _cuts(values: Numbers, bins: int) -> Numbers:
    """Return where the classes of a column begin: between its values where there are few, else at its quantiles."""
    present = np.unique(values[~np.isnan(values)])
    if len(present) <= bins:
        return (present[1:] + present[:-1]) / 2.0
    levels = np.arange(1, bins) / bins
    return np.unique(np.quantile(values[~np.isnan(values)], levels))


def keys_of(codes: Codes, sizes: Sequence[int] | Keys) -> Keys:
    """Return one whole number for each record, equal for equal records alone, shape (n,)."""
    keys, room = np.zeros(len(codes), dtype=np.int64), 1
    for v, size in enumerate(sizes):
        if room * int(size) >= _GREATEST_KEY:
            _, keys = np.unique(keys, return_inverse=True)
            room = int(keys.max()) + 1
        keys = keys * int(size) + codes[:, v]
        room *= int(size)
    return keys


def by_appearance(codes: Codes) -> Codes:
    """Return the columns with their values numbered in the order in which they first appear."""
    # A published label is a token to an intruder who learns from pairs: named by appearance it is the same token after
    # any one-to-one relabelling, so that judges that learn say the same of both files.
    named = np.empty_like(codes)
    for v in range(codes.shape[1]):
        _, first, inverse = np.unique(codes[:, v], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        named[:, v] = rank[inverse.reshape(-1)]
    return named


Joint = NDArray[np.int64]


def joint_counts(original: Codes, published: Codes, size: int) -> Joint:
    """Return the number of pairs by original class (rows) and published class (columns), shape (size, size)."""
    cells = original.astype(np.int64) * size + published
    return np.bincount(cells, minlength=size * size).reshape(size, size)


def reading(joint: Joint) -> Codes:
    """Return how each published class is read: the original class that a one-to-one relabelling gives it."""
    # The relabelling is the one under which most pairs agree (Kuhn's assignment). For an honest file it changes next to
    # nothing; a file whose labels were exchanged reads as before. A class that no pair shows, or that the relabelling
    # gives to one with which it has no pair, reads as none of the classes: the number of classes.
    from scipy.optimize import linear_sum_assignment

    size = len(joint)
    read = np.full(size, size, dtype=np.int32)
    rows, columns = linear_sum_assignment(joint, maximize=True)
    seen = joint[rows, columns] > 0
    read[columns[seen]] = rows[seen]
    return read


def surprise(joint: Joint) -> Numbers:
    """Return ``-log`` of the probability with which an original class (rows) is published as another (columns)."""
    # Estimated from pairs: the counts of a row, with one further record spread over the columns like all records are.
    # So nothing is impossible, and a class that no pair shows is published like the file as a whole.
    size = len(joint)
    overall = (joint.sum(axis=0) + 1.0) / (joint.sum() + size)
    result: Numbers = -np.log((joint + overall[None, :]) / (joint.sum(axis=1, keepdims=True) + 1.0))
    return result


def apart(distances: Numbers, read: Codes) -> Numbers:
    """Return the distance of each original class (rows) to each published one (columns) as it is read."""
    # A class that reads as none is at distance 1 from all.
    widened = np.hstack((distances, np.ones((len(distances), 1))))
    result: Numbers = widened[:, read]
    return result


def as_read(distances: Numbers) -> Numbers:
    """Return the distance of each original class (rows) to each released label as it is read, shape (c, c + 1)."""
    return apart(distances, np.arange(len(distances) + 1, dtype=np.int32))
