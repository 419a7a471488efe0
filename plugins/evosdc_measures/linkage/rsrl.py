"""Record linkage specific to rank swapping."""

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Incremental, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.distinct_values import counted_values
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Counts
from evosdc_measures.linkage.box_tree import Window, box_tree_of, expected_matches, inside, tie_sizes
from evosdc_measures.linkage.coordinates import (
    SAME,
    ZERO,
    Flags,
    coordinates_of,
    metric_of,
    points_of,
    points_of_rows,
    squared,
    unit_of,
)
from evosdc_measures.linkage.numeric_dbrl import require_same_shape
from evosdc_measures.numeric_loss.moments import changed_columns

FEW = 100
"""Records up to which comparing with all is faster than building a tree."""

State = tuple[Numbers, Window, Counts, float]
"""Points of the masked table; candidates and tie of each original, 0 where it is not linked to its own; score."""


class RankSwappingLinkage(Measure):
    """Expected share of originals that are linked to their own among the masked records of near ranks, times 100.

    An intruder who knows that values were swapped within p per cent of the ranks looks an original record up (direction
    original to masked): candidates are the masked records whose ranks are at most ``p n / 100`` away from the record's
    own for every attribute, and the nearest of them, by the distance of ``dbrl``, is the link. Where t candidates are
    nearest and the own one is among them the record counts 1/t; without a candidate there is no link. With the p that
    the file was swapped with, the own record is always a candidate. Idea: Nin, Herranz and Torra (2008); the algorithm
    as it is known from the literature, and the credit for ties, are a reconstruction. Range 0..100, smaller is better.

    Attributes that are constant in the original are left out. Equal values occupy a block of ranks; the distance of two
    blocks is that of their nearest ends, and of a value that the masked file lacks that of the place where it would
    stand. Nominal categories are ranked by the alphabetical order of their labels.

    Missing values: a missing value has no rank. Under the rule ``category`` it is near to missing values alone, under
    ``wildcard`` to everything.
    """

    class Params(Parameters):
        """How far values were swapped."""

        p: float = Field(
            10.0, ge=0.0, le=100.0, description="Greatest distance of swapped ranks, in per cent of records."
        )

    supports = frozenset(Scale)

    def fit(self, original: Table) -> "FittedRankSwappingLinkage":
        """Take the original's points."""
        self.require_support(original)
        return FittedRankSwappingLinkage(original, self.params.p)


class FittedRankSwappingLinkage(Incremental[State]):
    """`RankSwappingLinkage` of one original.

    After a change three kinds of originals are looked up anew: those whose candidates' ranks have moved; those whose
    own record has changed; and those of whom a changed record was or became a candidate not farther than their own.
    """

    def __init__(self, original: Table, p: float) -> None:
        self._original = original
        self._metric = metric_of(original.schema)
        self._coordinates = coordinates_of(original.schema, unit_of(original.numbers))
        self._points = points_of(original, self._coordinates)
        # The slack keeps 7 per cent of 100 records, 7.000000000000001 in binary, at seven.
        self._reach = int(np.floor(p * len(original) / 100.0 + 1e-9))
        self._wildcard = original.schema.na is MissingRule.WILDCARD

    def start(self, masked: Table) -> State:
        """Return the state of a table; one search in the masked file for each original record."""
        require_same_shape(self._original, masked)
        points = points_of(masked, self._coordinates)
        columns = np.arange(points.shape[1])
        nothing = Window(np.empty_like(points), np.empty_like(points), np.zeros(points.shape, dtype=np.bool_))
        window = self._window(nothing, points, columns)
        ties = np.zeros(len(points), dtype=np.int32)
        return self._linked(points, window, np.arange(len(points)), ties)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(n log n) for each changed attribute and O(m n V) at most, and searches."""
        before, former, ties, _ = state
        points = before.copy()
        points[rows] = points_of_rows(masked.codes, masked.numbers, rows, self._coordinates)
        window = self._window(former, points, changed_columns(before, points, rows))
        asked = affected(self._points, before, points, former, window, rows, *self._metric)
        return self._linked(points, window, asked, ties.copy())

    def _linked(self, points: Numbers, window: Window, asked: Rows, ties: Counts) -> State:
        if len(asked) > FEW:
            tree = box_tree_of(points, self._metric)
            tie_sizes(self._points, points, asked, tree, self._metric, window, ties)
        else:
            ties_among_all(self._points, points, asked, *self._metric, window, ties)
        return points, window, ties, min(100.0 * expected_matches(ties) / len(points), 100.0)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[3]

    def _window(self, window: Window, points: Numbers, columns: Rows) -> Window:
        """Return the candidates of each original, anew in some columns; coordinates rank as the values do."""
        low, high = window.low.copy(), window.high.copy()
        for v in columns:
            low[:, v], high[:, v] = near_ranks(self._points[:, v], points[:, v], self._reach)
            unknown = np.isnan(self._points[:, v])
            low[unknown, v], high[unknown, v] = (-np.inf, np.inf) if self._wildcard else (np.inf, -np.inf)
        return Window(low, high, np.isnan(self._points) | self._wildcard)


@njit(cache=True)
def affected(
    asked: Numbers,
    before: Numbers,
    after: Numbers,
    former: Window,
    window: Window,
    rows: Rows,
    equality: Flags,
    lost: Numbers,
) -> Rows:
    """Return the records whose tie may have changed: all others have the same candidates within their own distance."""
    n = len(asked)
    moved = np.zeros(n, np.bool_)
    moved[rows] = True
    for i in range(n):
        if not moved[i]:
            for v in range(asked.shape[1]):
                if former.low[i, v] != window.low[i, v] or former.high[i, v] != window.high[i, v]:
                    moved[i] = True
                    break
        if moved[i]:
            continue
        own = squared(asked[i], after[i], equality, lost, np.inf)
        most = own * (1.0 + SAME) + ZERO
        for row in rows:
            if (
                squared(asked[i], before[row], equality, lost, most) <= most
                or squared(asked[i], after[row], equality, lost, most) <= most
            ):
                moved[i] = True
                break
    return np.flatnonzero(moved)


@njit(cache=True)
def ties_among_all(
    asked: Numbers,
    points: Numbers,
    rows: Rows,
    equality: Flags,
    lost: Numbers,
    window: Window,
    ties: Counts,
) -> None:
    """Write what `tie_sizes` does by comparing with all records: for a few rows faster than to build a tree."""
    low, high, gaps = window
    for row in rows:
        ties[row] = 0
        if not inside(points[row], low[row], high[row], gaps[row]):
            continue
        distance = squared(asked[row], points[row], equality, lost, np.inf)
        nearer = distance * (1.0 - SAME) - ZERO
        most = distance * (1.0 + SAME) + ZERO
        tied = 0
        for place in range(len(points)):
            if inside(points[place], low[row], high[row], gaps[row]):
                found = squared(asked[row], points[place], equality, lost, most)
                if found < nearer:
                    tied = 0
                    break
                if found <= most:
                    tied += 1
        ties[row] = tied


def near_ranks(original: Numbers, masked: Numbers, reach: int) -> tuple[Numbers, Numbers]:
    """Return the least and the greatest masked value within some ranks of each original one; O(n log n).

    Parameters
    ----------
    original, masked : ndarray of float64, shape (n,)
    reach : int

    Returns
    -------
    low, high : ndarray of float64, shape (n,)
        Infinite and reversed where there is none.
    """
    column = np.sort(masked[~np.isnan(masked)])
    if not column.size:
        return np.full(len(original), np.inf), np.full(len(original), -np.inf)
    values, counts = counted_values(column)
    through = np.cumsum(counts)
    first = through - counts + 1
    below = np.searchsorted(column, original, side="left") + 1
    upto = np.searchsorted(column, original, side="right")
    least = np.searchsorted(through, below - reach, side="left")
    most = np.searchsorted(first, upto + reach, side="right") - 1
    some = least <= most
    last = len(values) - 1
    return (
        np.where(some, values[np.minimum(least, last)], np.inf),
        np.where(some, values[np.maximum(most, 0)], -np.inf),
    )
