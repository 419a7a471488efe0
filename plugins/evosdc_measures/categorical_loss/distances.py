"""Distance-based information loss."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Changes, Expected, JointCounts, Measure, OfCounts, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.distance import category_distance
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Integers, counts_of, domains_of, require_aligned
from evosdc_measures.records import Tracked


class DistanceBasedLoss(Measure, OfCounts):
    """Mean distance between the original and the masked category, over records and attributes, times 100.

    ``100 / (n V) * sum_i sum_v d_v(x_iv, y_iv)`` with the distances of `evosdc.table.distance` (thesis, Eq. 2.6 and
    2.7). Range 0..100, smaller is better; 0 for the original itself. For an ordinal attribute of c categories the
    greatest distance of Eq. 2.6 is (c - 1) / c, so 100 is reached by nominal attributes only.

    Missing values: at distance 1 from every category under the rule ``category``, at distance 0 under ``wildcard``.
    """

    partial: ClassVar[bool] = True

    class Params(Parameters):
        """How far apart two categories are."""

        by_hierarchy: bool = Field(False, description="Distance by lowest common ancestor where there is a hierarchy.")

    def fit(self, original: Table) -> "FittedDistanceBasedLoss":
        """Tabulate the distances."""
        self.require_support(original)
        return FittedDistanceBasedLoss(original, self.params.by_hierarchy)

    def score_of_counts(self, counts: JointCounts) -> float:
        """Return the loss, 0..100, from the pairs of each attribute."""
        schema, total = counts.schema, 0.0
        for attribute, pairs in zip(schema.categorical, counts.pairs, strict=True):
            distance = category_distance(attribute, schema.na, self.params.by_hierarchy)
            total += int((distance.numerators * pairs).sum()) / distance.denominator
        return 100.0 * total / (counts.records * len(counts.pairs))


class FittedDistanceBasedLoss(Tracked, Expected):
    """`DistanceBasedLoss` of one original."""

    def __init__(self, original: Table, by_hierarchy: bool) -> None:
        schema = original.schema
        distances = [category_distance(a, schema.na, by_hierarchy) for a in schema.categorical]
        domains = domains_of(schema)
        self.factor = 100.0 / original.codes.size
        self.original = original
        self.layout = np.column_stack((domains.widths, domains.offsets[:-1]))
        self.distances = domains.flattened([d.numerators for d in distances])
        self.denominators = np.array([d.denominator for d in distances], dtype=np.float64)
        self._expected = [
            (counts_of(original.codes, v, len(d.numerators) - 1), d.matrix[:-1, :-1]) for v, d in enumerate(distances)
        ]

    def track(self, masked: Table) -> "DistanceTracker":
        """Return a tracker of a table; O(n V)."""
        require_aligned(self.original, masked)
        return DistanceTracker(self, masked)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected loss, 0..100, exactly: ``sum_kl T_k p_kl d_kl``; O(sum c**2)."""
        return self.factor * sum(
            float(T @ (P * d).sum(axis=1)) for (T, d), P in zip(self._expected, transitions, strict=True)
        )


class DistanceTracker(Tracker):
    """The sums of distances of one masked file, of each attribute and each record."""

    def __init__(self, fitted: FittedDistanceBasedLoss, masked: Table) -> None:
        self._fitted, original = fitted, fitted.original
        self._totals = np.zeros(original.codes.shape[1], dtype=np.int64)
        self._records = np.zeros(len(original))
        # The original is at distance 0 from itself: the masked file is followed as one change of it.
        self.take(Changes.of_one(np.arange(len(original), dtype=np.intp), original, masked))

    @property
    def score(self) -> float:
        """The loss, 0..100."""
        return self._score

    def take(self, change: Changes) -> None:
        """Update to a child; O(m V)."""
        self._score = float(self._losses(change, True)[0])

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the losses of children; O(m V)."""
        return self._losses(changes, False)

    def contributions(self) -> NDArray[np.float64]:
        """Return each record's distance from its original as a share of the score, shape (n,)."""
        return self._records * self._fitted.factor

    def _losses(self, changes: Changes, stays: bool) -> Numbers:
        fitted, before, after = self._fitted, changes.before.codes, changes.after.codes
        sums: Numbers = sums_of_distances(
            *(fitted.original.codes, before, after, changes.rows, changes.ends, stays),
            *(fitted.layout, fitted.distances, fitted.denominators, self._totals, self._records),
        )
        return sums * fitted.factor


@njit(cache=True)
def sums_of_distances(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    stays: bool,
    layout: Integers,
    distances: Integers,
    denominators: Numbers,
    totals: Integers,
    records: Numbers,
) -> Numbers:
    """Return the sum of all distances of each child; with `stays`, of the child taken."""
    # `layout` holds the width of each attribute's square table of distances, and where it begins in `distances`, in
    # units of the attribute's own denominator.
    sums, own = np.empty(len(ends)), totals.copy()
    begin = 0
    for child in range(len(ends)):
        for i in range(begin, ends[child]):
            apart = 0.0
            for v in range(len(totals)):
                base = layout[v, 1] + (original[rows[i], v] + 1) * layout[v, 0] + 1
                distance = distances[base + after[i, v]]
                own[v] += distance - distances[base + before[i, v]]
                apart += distance / denominators[v]
            if stays:
                records[rows[i]] = apart
        begin, total = ends[child], 0.0
        for v in range(len(totals)):
            total += own[v] / denominators[v]
            if stays:
                totals[v] = own[v]
            own[v] = totals[v]
        sums[child] = total
    return sums
