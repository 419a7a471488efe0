"""Record linkage specific to rank swapping."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evosdc.data.schema import MissingRule, Scale
from evosdc.data.table import Numbers, Table
from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc_measures.linkage.box_tree import Window, box_tree_of, credit_of, tie_sizes
from evosdc_measures.linkage.coordinates import metric_of, points_of, unit_of
from evosdc_measures.linkage.measured import require_same_shape


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

    def fit(self, original: Table) -> FittedRankSwappingLinkage:
        """Take the original's points."""
        self.require_support(original)
        return FittedRankSwappingLinkage(original, self.params.p)


class FittedRankSwappingLinkage(Fitted):
    """`RankSwappingLinkage` of one original."""

    def __init__(self, original: Table, p: float) -> None:
        self._original = original
        self._metric = metric_of(original.schema)
        self._unit = unit_of(original.numbers)
        self._points = points_of(original, self._unit)
        # The slack keeps 7 per cent of 100 records, 7.000000000000001 in binary, at seven.
        self._reach = int(np.floor(p * len(original) / 100.0 + 1e-9))
        self._wildcard = original.schema.na is MissingRule.WILDCARD

    def score(self, masked: Table) -> float:
        """Return the risk, 0..100; one search in the masked file for each original record."""
        require_same_shape(self._original, masked)
        points = points_of(masked, self._unit)
        ties = np.zeros(len(points), dtype=np.int32)
        tree = box_tree_of(points, self._metric)
        tie_sizes(self._points, points, np.arange(len(points)), tree, self._metric, self._window(points), ties)
        return min(100.0 * credit_of(ties) / len(points), 100.0)

    def _window(self, points: Numbers) -> Window:
        """Return the candidates of each original; coordinates rank as the values do."""
        low, high = np.empty_like(points), np.empty_like(points)
        for v, (x, y) in enumerate(zip(self._points.T, points.T, strict=True)):
            low[:, v], high[:, v] = near_ranks(x, y, self._reach)
        unknown = np.isnan(self._points)
        low[unknown], high[unknown] = (-np.inf, np.inf) if self._wildcard else (np.inf, -np.inf)
        return Window(low, high, unknown | self._wildcard)


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
    values, counts = np.unique(column, return_counts=True)
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
