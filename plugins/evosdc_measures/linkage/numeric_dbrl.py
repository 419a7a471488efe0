"""Distance-based record linkage of files with numbers."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.model import Batched, Changes, Incremental
from evosdc.processors import LONG, in_parts
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.box_tree import EVERYTHING, BoxTree, expected_matches, tie_sizes, tree_and_order_of
from evosdc_measures.linkage.burdens import burdens_of
from evosdc_measures.linkage.coordinates import (
    SAME,
    ZERO,
    Unit,
    all_squared,
    coordinates_of,
    metric_of,
    points_of,
    unit_of,
    whitening_of,
)
from evosdc_measures.linkage.ties import matches_of_children, matches_of_sizes, moved_sizes, ties_of_rows
from evosdc_measures.record_figures import Overlay, laid_over, room_of

State = tuple[Counts, float]
"""For each record the size of the tie that its own is in, 0 where another is nearer; score."""


class Linked(NamedTuple):
    """For each record the size of the tie that its own is in, 0 where another is nearer.

    Parameters
    ----------
    ties : ndarray of int32, shape (n,)
        Of a base.
    over : Overlay
        Of records of which they are others.
    sizes : ndarray of int64
        Number of records by size of the tie, up to the greatest.
    score : float
    """

    ties: Counts
    over: Overlay
    sizes: Integers
    score: float


_NOTHING = Overlay(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int32))


class FittedByPoints(Batched[Linked]):
    """`DistanceBasedLinkage` of one original with numbers, by a k-d tree.

    Parameters
    ----------
    original : Table
    each : bool
        Each file's numbers are standardised by its own means and deviations, not both by the original's.
    mahalanobis : bool
        Numbers alone, with Mahalanobis' distance.
    backward : bool
        Originals are looked up in the masked file.
    unit : callable
        From a file's numbers to the unit in which they are compared.
    """

    def __init__(
        self,
        original: Table,
        each: bool,
        mahalanobis: bool,
        backward: bool,
        unit: Callable[[Numbers], Unit] = unit_of,
    ) -> None:
        self._unit_of = unit
        self._original = original
        self._each = each
        self._mahalanobis = mahalanobis
        self._backward = backward
        self._local = not (each or mahalanobis or backward)
        self._metric = metric_of(original.schema)
        self._unit = unit(original.numbers)
        self._coordinates = coordinates_of(original.schema, self._unit)
        self._points = points_of(original, self._coordinates)
        self._room = room_of(len(original))
        self._tree: BoxTree | None = None
        self._by_leaf = np.empty(0, np.intp)
        if not (mahalanobis or backward):
            self._tree, self._by_leaf = tree_and_order_of(self._points, self._metric)

    def start(self, masked: Table) -> Linked:
        """Return the state of a table; one search for each record."""
        originals, points = self.points(masked)
        asked, searched = (originals, points) if self._backward else (points, originals)
        tree, by_leaf = self._tree, self._by_leaf
        if tree is None:
            tree, by_leaf = tree_and_order_of(searched, self._metric)
        ties = np.zeros(len(asked), dtype=np.int32)

        def look_up(part: Rows) -> None:
            tie_sizes(asked, searched, part, tree, self._metric, EVERYTHING, ties)

        if len(asked) >= LONG:
            in_parts(by_leaf, look_up)
        else:
            look_up(by_leaf)
        return self._scored(ties, _NOTHING, np.bincount(ties).astype(np.int64))

    def update(self, state: Linked, masked: Table, rows: Rows) -> Linked:
        """Return the state after a change; one search for each changed record, or all anew where all may change."""
        if not self._local or self._tree is None:
            return self.start(masked)
        require_same_shape(self._original, masked)
        ties, over, sizes, _ = state
        latest = ties_of_rows(
            masked.codes, masked.numbers, rows, self._coordinates, self._points, self._tree, self._metric, EVERYTHING
        )
        sizes = moved_sizes(ties, *over, rows, latest, sizes)
        over = Overlay(*laid_over(ties, *over, rows, latest))
        if len(over.rows) > self._room:
            ties = ties.copy()
            ties[over.rows] = over.figures
            over = _NOTHING
        return self._scored(ties, over, sizes)

    @property
    def together(self) -> bool:
        """Whether a change of one record says nothing of others."""
        return self._local and self._tree is not None

    def values(self, state: Linked, changes: Changes) -> Numbers:
        """Return the risks of several children; one search for each changed record."""
        assert self._tree is not None
        codes, numbers = changes.after.codes, changes.after.numbers
        every, originals = np.arange(len(changes.rows)), self._points[changes.rows]
        latest = ties_of_rows(codes, numbers, every, self._coordinates, originals, self._tree, self._metric, EVERYTHING)
        matches = matches_of_children(state.ties, *state.over, changes.rows, changes.ends, latest, state.sizes)
        risks: Numbers = np.minimum(100.0 * matches / len(state.ties), 100.0)
        return risks

    def _scored(self, ties: Counts, over: Overlay, sizes: Integers) -> Linked:
        return Linked(ties, over, sizes, min(100.0 * matches_of_sizes(sizes) / len(ties), 100.0))

    def points(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return the points of the original and of a masked table."""
        require_same_shape(self._original, masked)
        if not self._mahalanobis:
            unit = self._unit_of(masked.numbers) if self._each else self._unit
            return self._points, points_of(masked, self._coordinates._replace(unit=unit))
        before, after = (_filled(numbers, self._unit.means) for numbers in (self._original.numbers, masked.numbers))
        whitening = whitening_of(before, after)
        return (before - self._unit.means) @ whitening, (after - self._unit.means) @ whitening

    def distances(self, masked: Table) -> Numbers:
        """Return the distances from all masked to all original records, shape (n, n)."""
        originals, points = self.points(masked)
        return np.sqrt(all_squared(points, originals, *self._metric))

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,); as `start`."""
        return self.burdens_of_state(self.start(masked))

    def burdens_of_state(self, state: Linked) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,)."""
        ties = state.ties.copy()
        ties[state.over.rows] = state.over.figures
        return burdens_of(ties)

    def value(self, state: Linked) -> float:
        """Return the risk, 0..100."""
        return state.score


class FittedByKernel(Incremental[State]):
    """`DistanceBasedLinkage` of one original of numbers by the distance in a kernel's feature space; quadratic."""

    def __init__(self, original: Table, each: bool, degree: int, backward: bool) -> None:
        self._original = original
        self._each = each
        self._degree = degree
        self._backward = backward
        self._unit = unit_of(original.numbers)
        self._points = self._standardised(original)
        self._rows = np.arange(len(original))

    def _standardised(self, table: Table) -> Numbers:
        unit = unit_of(table.numbers) if self._each else self._unit
        return _filled((table.numbers - unit.means) * unit.inverses, np.zeros(len(unit.means)))

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n**2 V) at most, less for records that are not linked."""
        return self._linked(masked, self._rows, np.zeros(len(self._rows), dtype=np.int32))

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m n V), or all anew where all may change."""
        if self._each or self._backward:
            return self.start(masked)
        return self._linked(masked, rows, state[0].copy())

    def _linked(self, masked: Table, rows: Rows, ties: Counts) -> State:
        originals, points = self.points(masked)
        asked, searched = (originals, points) if self._backward else (points, originals)
        _link_by_kernel(asked, searched, rows, self._degree, ties)
        return ties, min(100.0 * expected_matches(ties) / len(ties), 100.0)

    def points(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return the standardised numbers of the original and of a masked table, missing ones at the mean."""
        require_same_shape(self._original, masked)
        return self._points, self._standardised(masked)

    def distances(self, masked: Table) -> Numbers:
        """Return the distances from all masked to all original records, shape (n, n)."""
        originals, points = self.points(masked)
        own = [(1.0 + (part**2).sum(axis=1)) ** self._degree for part in (points, originals)]
        squares = own[0][:, None] - 2.0 * (1.0 + points @ originals.T) ** self._degree + own[1][None, :]
        distances: Numbers = np.sqrt(np.maximum(squares, 0.0))
        return distances

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,); as `start`."""
        return burdens_of(self.start(masked)[0])

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[1]


def require_same_shape(original: Table, masked: Table) -> None:
    """Refuse a masked table with other records or attributes: a mistake of the caller.

    Raises
    ------
    ValueError
    """
    if masked.codes.shape != original.codes.shape or masked.numbers.shape != original.numbers.shape:
        raise ValueError("the masked table has other records or attributes than the original")


def _filled(numbers: Numbers, values: Numbers) -> Numbers:
    return np.where(np.isnan(numbers), values, numbers)


@njit(cache=True)
def kernel_squared(a: Numbers, b: Numbers, degree: int) -> float:
    """Return ``K(a, a) - 2 K(a, b) + K(b, b)`` with ``K(a, b) = (1 + a.b)**degree``."""
    aa, ab, bb = 1.0, 1.0, 1.0
    for v in range(len(a)):
        aa += a[v] * a[v]
        ab += a[v] * b[v]
        bb += b[v] * b[v]
    return max(float(aa**degree - 2.0 * ab**degree + bb**degree), 0.0)


@njit(cache=True)
def _link_by_kernel(asked: Numbers, searched: Numbers, rows: Rows, degree: int, ties: Counts) -> None:
    for row in rows:
        distance = kernel_squared(asked[row], searched[row], degree)
        # The difference of large kernels leaves their rounding.
        scale = 0.0
        for v in range(asked.shape[1]):
            scale += asked[row, v] * asked[row, v]
        slack = SAME * distance + ZERO + 1e-14 * (1.0 + scale) ** degree
        tied = 0
        for place in range(len(searched)):
            found = kernel_squared(asked[row], searched[place], degree)
            if found < distance - slack:
                tied = 0
                break
            if found <= distance + slack:
                tied += 1
        ties[row] = tied
