"""Record linkage specific to rank swapping."""

import numpy as np
from pydantic import Field

from evosdc.model import Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.linkage.distance import FittedByPoints
from evosdc_measures.linkage.nearest import Links
from evosdc_measures.linkage.search_trees import Window, link_points


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


class FittedRankSwappingLinkage(FittedByPoints):
    """`RankSwappingLinkage` of one original."""

    def __init__(self, original: Table, p: float) -> None:
        super().__init__(original, backward=True)
        # The slack keeps 7 per cent of 100 records, 7.000000000000001 in binary, at seven.
        self._reach = int(np.floor(p * len(original) / 100.0 + 1e-9))
        self._wildcard = original.schema.na is MissingRule.WILDCARD

    def links(self, masked: Table) -> Links:
        """Return how all originals are linked, each among the masked records of near ranks."""
        published = self.pair(masked)[1]
        low, high = np.empty_like(published), np.empty_like(published)
        for v in range(published.shape[1]):
            low[:, v], high[:, v] = near_ranks(self.originals[:, v], published[:, v], self._reach)
            unknown = np.isnan(self.originals[:, v])
            low[unknown, v], high[unknown, v] = (-np.inf, np.inf) if self._wildcard else (np.inf, -np.inf)
        window = Window(low, high, np.isnan(self.originals) | self._wildcard)
        ties, rivals = link_points(self.originals, published, self.tree_of(published), self.metric, window)
        return ties, np.where(rivals < 0, np.arange(len(ties)), rivals)


def near_ranks(original: Numbers, masked: Numbers, reach: int) -> tuple[Numbers, Numbers]:
    """Return the least and the greatest masked value within some ranks of each original one; O(n log n)."""
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
