"""Interval disclosure cell by cell: for numbers, mixed files and records that are disclosed as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Incremental
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Rows, Table

Hits = NDArray[np.int16]
"""At how many of the widths an original value lies inside; inside one width is inside all greater ones."""

State = tuple[Table, Hits, float]
"""The masked table, hits by record and attribute (categorical attributes first), score."""


@dataclass(frozen=True)
class Reach:
    """Half widths of the intervals.

    Parameters
    ----------
    percents : tuple of int
        Ascending.
    by_deviation : bool
        Per cent of a standard deviation instead of ranks, for numbers.
    of_masked : bool
        Of the masked attribute's standard deviation instead of the original's.
    """

    percents: tuple[int, ...]
    by_deviation: bool
    of_masked: bool


def orders_of(original: Table, by_frequency: bool) -> list[NDArray[np.int64]]:
    """Return for each categorical attribute the digits (code plus one) in order; from the second on 0 without order."""
    orders = []
    for position, attribute in enumerate(original.schema.categorical):
        digits = np.arange(len(attribute.categories) + 1)
        if attribute.scale is Scale.NOMINAL:
            frequencies = np.bincount(original.codes[:, position] + 1, minlength=len(digits))
            digits[1:] = 1 + np.argsort(frequencies[1:], kind="stable") if by_frequency else 0
        orders.append(digits)
    return orders


def hits_of_codes(original: Codes, masked: Codes, order: NDArray[np.int64], percents: Sequence[int]) -> Hits:
    """Return the hits of one categorical attribute, shape (n,); O(n P)."""
    same: Hits = (original == masked).astype(np.int16) * np.int16(len(percents))
    if len(order) == 1 or order[1] == 0:
        return same
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    own, shown = places[original + 1], places[masked + 1]
    known = (own > 0) & (shown > 0)
    hits: Hits = np.where(known, _hits_by_rank(own, shown, known, percents), same)
    return hits


def _hits_by_rank(
    own: NDArray[np.int64], shown: NDArray[np.int64], known: NDArray[np.bool_], percents: Sequence[int]
) -> Hits:
    """Return hits from places among ordered values: ranks times 200 are compared as integers.

    Parameters
    ----------
    own, shown : ndarray of int64, shape (n,)
        Place of the original and of the masked value, from 1.
    known : ndarray of bool, shape (n,)
        Whether there are both; others are 0.
    percents : sequence of int
    """
    n = len(own)
    most = int(max(own.max(initial=0), shown.max(initial=0)))
    through = np.cumsum(np.bincount(shown[shown > 0], minlength=most + 1))
    first = np.concatenate(([0], through[:-1])) + 1
    centre = 100 * (first + through)[shown]
    below, above = 200 * through[own], 200 * first[own]
    hits = np.zeros(n, dtype=np.int16)
    for percent in percents:
        reach = 2 * percent * n
        hits += known & (below >= centre - reach) & (above <= centre + reach)
    return hits


def hits_of_numbers(original: Numbers, masked: Numbers, reach: Reach) -> Hits:
    """Return the hits of one numeric attribute, shape (n,); O(n log n + n P).

    A missing value counts only where both files have none.
    """
    known = ~(np.isnan(original) | np.isnan(masked))
    neither = (np.isnan(original) & np.isnan(masked)).astype(np.int16) * np.int16(len(reach.percents))
    if not reach.by_deviation:
        values = np.unique(np.concatenate((original, masked)))
        own, shown = (1 + np.searchsorted(values, column) for column in (original, masked))
        # Ranks are those of the masked values that there are.
        own, shown = np.where(np.isnan(original), 0, own), np.where(np.isnan(masked), 0, shown)
        return _hits_by_rank(own, shown, known, reach.percents) + neither
    column = masked if reach.of_masked else original
    deviation = float(np.nanstd(column, ddof=1)) if int((~np.isnan(column)).sum()) > 1 else 0.0
    apart = np.abs(np.where(known, original - masked, np.inf))
    hits = neither
    for percent in reach.percents:
        hits = hits + (apart <= percent / 100.0 * deviation)
    return hits.astype(np.int16)


class FittedByCell(Incremental[State]):
    """`IntervalDisclosure` of one original with numbers, or of whole records."""

    def __init__(self, original: Table, reach: Reach, by_frequency: bool, whole: bool) -> None:
        self._original = original
        self._orders = orders_of(original, by_frequency)
        self._reach = reach
        self._whole = whole

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n log n) for each attribute."""
        hits = np.empty((len(masked), len(self._original.schema)), dtype=np.int16)
        return self._followed(masked, range(hits.shape[1]), hits)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(n log n) for each attribute that differs, since ranks shift."""
        before, hits, _ = state
        differs = [
            *(before.codes[rows] != masked.codes[rows]).any(axis=0),
            # A missing number differs from itself: computed anew for nothing, and rightly.
            *(before.numbers[rows] != masked.numbers[rows]).any(axis=0),
        ]
        return self._followed(masked, np.flatnonzero(differs).tolist(), hits.copy())

    def _followed(self, masked: Table, positions: Sequence[int], hits: Hits) -> State:
        if masked.codes.shape != self._original.codes.shape or masked.numbers.shape != self._original.numbers.shape:
            raise ValueError("the masked table has other records or attributes than the original")
        original, categorical = self._original, len(self._orders)
        for v in positions:
            if v < categorical:
                columns = original.codes[:, v], masked.codes[:, v]
                hits[:, v] = hits_of_codes(*columns, self._orders[v], self._reach.percents)
            else:
                numbers = original.numbers[:, v - categorical], masked.numbers[:, v - categorical]
                hits[:, v] = hits_of_numbers(*numbers, self._reach)
        inside, most = int(hits.sum()), hits.size
        if self._whole:
            inside, most = int(hits.min(axis=1).sum()), len(hits)
        return masked, hits, 100.0 * inside / (most * len(self._reach.percents))

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's hits as a share of the score, shape (n,); as `start`."""
        hits = self.start(masked)[1]
        own = hits.min(axis=1) if self._whole else hits.sum(axis=1)
        most = len(hits) if self._whole else hits.size
        burdens: Numbers = own.astype(np.float64) * (100.0 / (most * len(self._reach.percents)))
        return burdens

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[2]
