"""Interval disclosure cell by cell: for numbers, mixed files and records that are disclosed as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.model import FollowedInPlace
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.interval_disclosure.rank_intervals import (
    MOST_CHANGES,
    Hits,
    follow_ranks,
    rank_hits,
    ranks_of,
    wide_enough,
)


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
    width, published = len(order), np.bincount(shown, minlength=len(order))
    if width * width < len(own):
        # Records of the same two categories are hit alike.
        pairs = np.divmod(np.arange(width * width), width)
        ranked = _hits_by_rank(*pairs, published, len(own), percents)[own * width + shown]
    else:
        ranked = _hits_by_rank(own, shown, published, len(own), percents)
    hits: Hits = np.where(known, ranked, same)
    return hits


def _hits_by_rank(
    own: NDArray[np.int64],
    shown: NDArray[np.int64],
    published: NDArray[np.int64],
    n: int,
    percents: Sequence[int],
) -> Hits:
    """Return hits from places among ordered values: ranks times 200 are compared as integers.

    Parameters
    ----------
    own, shown : ndarray of int64, shape (m,)
        Place of an original and of a masked value, from 1; 0 where there is none, which says nothing.
    published : ndarray of int64
        Records by place of the masked value.
    n : int
        All records.
    percents : sequence of int
    """
    counts = published.copy()
    counts[0] = 0
    through = np.cumsum(counts)
    first = np.concatenate(([0], through[:-1])) + 1
    centre = 100 * (first + through)[shown]
    below, above = 200 * through[own], 200 * first[own]
    hits = np.zeros(len(own), dtype=np.int16)
    for percent in percents:
        reach = 2 * percent * n
        hits += (below >= centre - reach) & (above <= centre + reach)
    return hits


def _hits_by_deviation(original: Numbers, masked: Numbers, reach: Reach) -> Hits:
    """Return the hits of one numeric attribute by standard deviations, shape (n,); O(n P).

    A missing value counts only where both files have none.
    """
    known = ~(np.isnan(original) | np.isnan(masked))
    hits = (np.isnan(original) & np.isnan(masked)).astype(np.int16) * np.int16(len(reach.percents))
    column = masked if reach.of_masked else original
    deviation = float(np.nanstd(column, ddof=1)) if int((~np.isnan(column)).sum()) > 1 else 0.0
    apart = np.abs(np.where(known, original - masked, np.inf))
    for percent in reach.percents:
        hits += apart <= percent / 100.0 * deviation
    return hits


class State(NamedTuple):
    """How the original values lie around the masked ones.

    Parameters
    ----------
    masked : Table
    hits : ndarray of int16, shape (V, n)
        By attribute, categorical ones first.
    ranks : ndarray of int32, shape (Q, 3, n)
        By numeric attribute, see `evosdc_measures.interval_disclosure.rank_intervals.ranks_of`.
    inside : ndarray of int64, shape (V,)
        Sums of the hits.
    """

    masked: Table
    hits: Hits
    ranks: Counts
    inside: Integers


class FittedByCell(FollowedInPlace[State]):
    """`IntervalDisclosure` of one original with numbers, or of whole records."""

    def __init__(self, original: Table, reach: Reach, by_frequency: bool, whole: bool) -> None:
        self._original = original
        self._numbers = np.ascontiguousarray(original.numbers.T)
        self._orders = orders_of(original, by_frequency)
        self._reach = reach
        self._enough = wide_enough(reach.percents)
        self._whole = whole

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n log n) for each attribute."""
        if masked.codes.shape != self._original.codes.shape or masked.numbers.shape != self._original.numbers.shape:
            raise ValueError("the masked table has other records or attributes than the original")
        n, attributes = len(masked), len(self._original.schema)
        ranks = np.zeros((len(self._numbers), 3, n), dtype=np.int32)
        state = State(masked, np.empty((attributes, n), dtype=np.int16), ranks, np.zeros(attributes, dtype=np.int64))
        for v in range(attributes):
            self._begin(state, v)
        return state

    def copied(self, state: State) -> State:
        """Return a copy of a state; the table is shared."""
        return State(state.masked, state.hits.copy(), state.ranks.copy(), state.inside.copy())

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(n) for each changed number, or O(n log n) for an attribute."""
        before, categorical = state.masked, len(self._orders)
        after = state._replace(masked=masked)
        for v in np.flatnonzero((before.codes[rows] != masked.codes[rows]).any(axis=0)).tolist():
            self._begin(after, v)
        was, now = before.numbers[rows], masked.numbers[rows]
        differs = (was != now) & ~(np.isnan(was) & np.isnan(now))
        for v in np.flatnonzero(differs.any(axis=0)).tolist():
            changed, place = rows[differs[:, v]], categorical + v
            if self._reach.by_deviation or len(changed) > MOST_CHANGES:
                self._begin(after, place)
                continue
            former, column = was[differs[:, v], v], np.ascontiguousarray(masked.numbers[:, v])
            after.inside[place] += follow_ranks(
                self._numbers[v], former, column, changed, self._enough, after.ranks[v], after.hits[place]
            )
        return after

    def _begin(self, state: State, v: int) -> None:
        """Write what a state holds of one attribute."""
        categorical, hits = len(self._orders), state.hits[v]
        if v < categorical:
            columns = self._original.codes[:, v], state.masked.codes[:, v]
            hits[:] = hits_of_codes(*columns, self._orders[v], self._reach.percents)
            state.inside[v] = int(hits.sum())
            return
        place = v - categorical
        original, masked = self._numbers[place], np.ascontiguousarray(state.masked.numbers[:, place])
        if self._reach.by_deviation:
            hits[:] = _hits_by_deviation(original, masked, self._reach)
            state.inside[v] = int(hits.sum())
            return
        state.ranks[place] = ranks_of(original, masked)
        state.inside[v] = rank_hits(original, masked, state.ranks[place], self._enough, hits)

    def _own(self, state: State) -> NDArray[np.int64]:
        """Return the hits of each record, shape (n,)."""
        own: NDArray[np.int64] = state.hits.min(axis=0) if self._whole else state.hits.sum(axis=0)
        return own.astype(np.int64)

    @property
    def _most(self) -> int:
        attributes = 1 if self._whole else len(self._original.schema)
        return len(self._original) * attributes * len(self._reach.percents)

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's hits as a share of the score, shape (n,); as `start`."""
        burdens: Numbers = self._own(self.start(masked)).astype(np.float64) * (100.0 / self._most)
        return burdens

    def value(self, state: State) -> float:
        """Return the risk, 0..100; O(n V) for whole records."""
        inside = int(self._own(state).sum()) if self._whole else int(state.inside.sum())
        return 100.0 * inside / self._most
