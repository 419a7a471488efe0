"""Rank swapping."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Table

Column = NDArray[Any]
Ranks = NDArray[np.int64]


FARTHEST = 50.0  # greatest p, in percent, that tuning tries


def reach(n: int, p: float) -> int:
    """Return the greatest number of ranks that a value may move: p percent of n, rounded down."""
    return int(n * p / 100 + 1e-9)  # 1e-9: a percentage such as 0.7 is not exact, its product with n may be whole


class RankSwapping(Tunable):
    """Swap values of each attribute, independently of the others, between records of similar rank.

    Records are ranked by value (ordinal: by the order of the categories; nominal: by the alphabetic order of their
    labels); equal values are put in random order first, since neighbours would be swapped systematically otherwise.
    Going up the ranks, each one not yet swapped has a partner drawn uniformly among the next D = p percent of n ranks.
    Where the partner is taken, the nearest free one of these is swapped instead. Marginals are kept exactly and no
    value moves more than D ranks; D = 0 changes nothing. Missing values keep their places and are not ranked: n counts
    the values that are present.

    Numbers beyond `top` and `bottom` percent can be published as their mean, before the others are swapped. `r0` and
    `k0` bound what swapping does to each attribute: with the same random numbers the greatest D up to p percent is
    taken by which its rank correlation with the original is at least r0, and numbers move by at most k0 standard
    deviations on average. Moore controls both by closed forms that hold for uniform values; here they hold by trial,
    whatever the values (reconstruction).

    Source: Moore (1996), in the form of the Handbook on Statistical Disclosure Control.
    """

    class Params(Parameters):
        """How far values may move."""

        p: float = Field(5, ge=0, le=100, description="Greatest move, in percent of the number of records.")
        top: float = Field(0, ge=0, lt=50, description="Percent of the greatest numbers that become their mean first.")
        bottom: float = Field(0, ge=0, lt=50, description="Percent of the least numbers that become their mean first.")
        r0: float | None = Field(
            None, ge=0, le=1, description="Least correlation of a swapped attribute with itself; p is lowered for it."
        )
        k0: float | None = Field(
            None, ge=0, description="Greatest mean move of a number, in standard deviations; p is lowered for it."
        )

    promise = 14
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return p from one rank up to half of the file; beyond that hardly any relation between attributes is left."""
        least = ceil(10_000 / len(table)) / 100
        return [Design(free=(Range("p", least, FARTHEST),))] if least < FARTHEST else []

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with swapped values."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for j, attribute in enumerate(table.schema.categorical):
            column = table.codes[:, j]
            present = np.flatnonzero(column != MISSING)
            keys = _positions(attribute)[column[present]]
            codes[present, j] = column[present][self._sources(keys, rng)]
        for j in range(numbers.shape[1]):
            found = table.numbers[:, j].copy()
            present = ~np.isnan(found)
            values = self._without_tails(found if present.all() else found[present])
            found[present] = values[self._sources(values, rng)]
            numbers[:, j] = found
        return Table(table.schema, codes, numbers)

    def _sources(self, keys: Column, rng: np.random.Generator) -> Ranks:
        """Return for each record the record whose value it gets."""
        n = keys.size
        shuffled = rng.permutation(n)
        order = shuffled[_stable_order(keys[shuffled])]
        uniforms, distance = rng.random(n), reach(n, self.params.p)
        partners = swapped(uniforms, distance)
        if self.params.r0 is not None or self.params.k0 is not None:
            partners = self._within(keys[order].astype(np.float64), uniforms, distance)
        sources = np.empty(n, dtype=np.int64)
        sources[order] = order[partners]
        return sources

    def _within(self, ascending: NDArray[np.float64], uniforms: NDArray[np.float64], distance: int) -> Ranks:
        """Return partners by the greatest distance of a bisection that keeps r0 and k0; all stay where none does."""
        low, best, high = 0, np.arange(len(ascending)), distance
        while low < high:
            middle = (low + high + 1) // 2
            partners = swapped(uniforms, middle)
            if self._kept(ascending, partners):
                low, best = middle, partners
            else:
                high = middle - 1
        return best

    def _kept(self, ascending: NDArray[np.float64], partners: Ranks) -> bool:
        ranks = np.arange(len(partners), dtype=np.float64)
        spread = float(((ranks - ranks.mean()) ** 2).sum())
        apart = float(((ranks - partners) ** 2).sum())
        correlated = self.params.r0 is None or spread == 0.0 or 1.0 - apart / (2.0 * spread) >= self.params.r0
        deviation = float(ascending.std())
        moved = float(np.abs(ascending - ascending[partners]).mean()) if len(ascending) else 0.0
        return correlated and (self.params.k0 is None or moved <= self.params.k0 * deviation + 1e-12)

    def _without_tails(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers whose extreme ones are their means; ties at the edge stay out of a tail."""
        if not (self.params.top or self.params.bottom) or not values.size:
            return values
        result, ascending = values.copy(), np.sort(values)
        for share, highest in ((self.params.top, True), (self.params.bottom, False)):
            count = reach(values.size, share)
            if count:
                edge = ascending[-count - 1] if highest else ascending[count]
                tail = values > edge if highest else values < edge
                if tail.any():
                    result[tail] = np.sort(values[tail]).mean()
        return result


@njit(cache=True)
def swapped(uniforms: NDArray[np.float64], distance: int) -> Ranks:
    """Return the rank with which each rank is swapped, itself where it stays."""
    # uniforms (n,): in [0, 1), one for each rank; distance: D, the greatest difference of swapped ranks.
    n = uniforms.size
    partner = np.arange(n)
    if distance < 1:
        return partner
    taken = np.zeros(n, dtype=np.bool_)
    # below[j] leads, over a path halved at each visit, to the greatest free rank <= j
    below = np.arange(n)
    for i in range(n - 1):
        if taken[i]:
            continue
        start = min(i + 1 + int(uniforms[i] * distance), n - 1)
        j = start
        while taken[j]:
            below[j] = below[below[j]]
            j = below[j]
        if j <= i:
            j = start
            while taken[j] and j < n - 1 and j < i + distance:
                j += 1
        if not taken[j]:
            partner[i], partner[j] = j, i
            taken[i] = taken[j] = True
            below[i], below[j] = max(i - 1, 0), j - 1
    return partner


def _stable_order(keys: Column) -> Ranks:
    """Return ``np.argsort(keys, kind="stable")``: of numbers that all differ in a third of its time."""
    if keys.dtype.kind == "f":
        order = np.argsort(keys)
        ascending = keys[order]
        if not (ascending[1:] == ascending[:-1]).any():
            return order
    return np.argsort(keys, kind="stable")


def _positions(attribute: Attribute) -> Ranks:
    """Return the place of each category in the order by which records are ranked."""
    size = len(attribute.categories)
    if attribute.scale is Scale.ORDINAL:
        return np.arange(size)
    places = np.empty(size, dtype=np.int64)
    places[sorted(range(size), key=attribute.categories.__getitem__)] = np.arange(size)
    return places
