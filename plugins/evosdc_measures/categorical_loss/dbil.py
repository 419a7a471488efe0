"""Distance-based information loss."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Batched, Changes, Expected, FollowedInPlace, JointCounts, Measure, OfCounts
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.distance import category_distance
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Integers, domains_of, require_aligned
from evosdc_measures.expectation import counts_of, mean_distance

State = tuple[Codes, Integers, float]
"""Codes of the masked table, sum of distances of each attribute in units of its own denominator, score."""


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


class FittedDistanceBasedLoss(FollowedInPlace[State], Batched[State], Expected):
    """`DistanceBasedLoss` of one original."""

    def __init__(self, original: Table, by_hierarchy: bool) -> None:
        schema = original.schema
        distances = [category_distance(a, schema.na, by_hierarchy) for a in schema.categorical]
        domains = domains_of(schema)
        n, attributes = original.codes.shape
        self._original = original
        self._rows = np.arange(n)
        self._empty = np.zeros(attributes, dtype=np.int64)
        self._layout = (domains.widths, domains.offsets, domains.flattened([d.numerators for d in distances]))
        self._denominators = np.array([d.denominator for d in distances], dtype=np.float64)
        self._cells: int = n * attributes
        self._expected = [
            (counts_of(original.codes, v, len(d.numerators) - 1), d.matrix[:-1, :-1].copy())
            for v, d in enumerate(distances)
        ]

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V)."""
        require_aligned(self._original, masked)
        totals = self._empty.copy()
        # The original is at distance 0 from itself, so following the change from it is starting from nothing.
        return self._followed(self._original.codes, masked.codes, self._rows, totals)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m V)."""
        return self._followed(state[0], masked.codes, rows, state[1])

    def _followed(self, before: Codes, after: Codes, rows: Rows, totals: Integers) -> State:
        total = _follow(self._original.codes, before, after, rows, *self._layout, self._denominators, totals)
        return after, totals, 100.0 * total / self._cells

    def values(self, state: State, changes: Changes) -> NDArray[np.float64]:
        """Return the losses of several children; O(m V)."""
        before, after = changes.before.codes, changes.after.codes
        totals = _totals_of_children(
            self._original.codes, before, after, changes.rows, changes.ends, *self._layout, self._denominators, state[1]
        )
        losses: NDArray[np.float64] = 100.0 * totals / self._cells
        return losses

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return each record's distance from its original as a share of the score, shape (n,); O(n V)."""
        require_aligned(self._original, masked)
        burdens = _distances_of_records(self._original.codes, masked.codes, *self._layout, self._denominators)
        return burdens * (100.0 / self._cells)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected loss, 0..100, exactly; O(sum c**2)."""
        sums = [float(mean_distance(T, P, d)) for (T, d), P in zip(self._expected, transitions, strict=True)]
        return 100.0 * sum(sums) / self._cells

    def value(self, state: State) -> float:
        """Return the loss, 0..100."""
        return state[2]


@njit(cache=True)
def _follow(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    widths: Integers,
    offsets: Integers,
    distances: Integers,
    denominators: NDArray[np.float64],
    totals: Integers,
) -> float:
    attributes = original.shape[1]
    for row in rows:
        for v in range(attributes):
            if before[row, v] != after[row, v]:
                base = offsets[v] + (original[row, v] + 1) * widths[v] + 1
                totals[v] += distances[base + after[row, v]] - distances[base + before[row, v]]
    score = 0.0
    for v in range(attributes):
        score += totals[v] / denominators[v]
    return float(score)


@njit(cache=True)
def _distances_of_records(
    original: Codes,
    masked: Codes,
    widths: Integers,
    offsets: Integers,
    distances: Integers,
    denominators: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sum of the distances of each record's categories, shape (n,)."""
    found = np.zeros(len(original))
    for row in range(len(original)):
        for v in range(original.shape[1]):
            place = offsets[v] + (original[row, v] + 1) * widths[v] + 1 + masked[row, v]
            found[row] += distances[place] / denominators[v]
    return found


@njit(cache=True)
def _totals_of_children(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    widths: Integers,
    offsets: Integers,
    distances: Integers,
    denominators: NDArray[np.float64],
    totals: Integers,
) -> NDArray[np.float64]:
    """Return the sum of distances of each child; `before` and `after` hold the changed records alone."""
    found, own = np.empty(len(ends)), np.empty(len(totals), np.int64)
    begin = 0
    for child in range(len(ends)):
        own[:] = totals
        for i in range(begin, ends[child]):
            for v in range(len(totals)):
                if before[i, v] != after[i, v]:
                    base = offsets[v] + (original[rows[i], v] + 1) * widths[v] + 1
                    own[v] += distances[base + after[i, v]] - distances[base + before[i, v]]
        begin, score = ends[child], 0.0
        for v in range(len(totals)):
            score += own[v] / denominators[v]
        found[child] = score
    return found
