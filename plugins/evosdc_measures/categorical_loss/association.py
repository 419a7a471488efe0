"""How masking changes the association between attributes: Cramer's V of all two-way tables."""

from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import FollowedInPlace, Measure
from evosdc.table.distinct_values import counted_values
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned

State = tuple[Codes, Counts]
"""Codes of the masked table; counts of all followed two-way tables, a missing value at digit 0 of each axis."""

Floats = NDArray[np.float64]

FOLLOWED_CELLS = 1 << 14
"""A table of more cells than this is not followed by counts in the state but counted anew."""

_INDEPENDENT = 1e-12
"""What chi-square over n may be off by rounding: attributes below it are independent."""


class AssociationDifference(Measure):
    """Absolute difference in Cramer's V, ``100 |V(m) - V(o)|``, mean over all pairs of categorical attributes.

    ``V = sqrt(chi2 / (n min(r - 1, c - 1)))`` with r and c the categories that occur in the table, a missing value
    being one; 0 where one of the attributes is constant. Range 0..100, smaller is better; permutations of the file have
    loss 0. Shlomo and Young (2006) compare Cramer's V by relative differences; the absolute form, which is at ease
    with pairs that are independent in the original, and the mean over pairs are reconstructions.
    """

    partial: ClassVar[bool] = True

    def fit(self, original: Table) -> "FittedAssociation":
        """Count the original's two-way tables.

        Raises
        ------
        ParameterError
            There is one categorical attribute only.
        """
        self.require_support(original)
        return FittedAssociation(original)


def _pairs(original: Table) -> list[tuple[int, int]]:
    attributes = original.codes.shape[1]
    if attributes < 2:
        wanted = "at least two, since it judges two-way tables"
        given = "one categorical attribute"
        raise ParameterError(Fault("measure association-difference", given, wanted, "Judge by ctbil."))
    return [(v, w) for v in range(attributes) for w in range(v + 1, attributes)]


class FittedAssociation(FollowedInPlace[State]):
    """`AssociationDifference` of one original."""

    def __init__(self, original: Table) -> None:
        widths = domains_of(original.schema).widths
        self._pairs = np.array(_pairs(original), dtype=np.int64)
        self._shapes = widths[self._pairs]
        cells = self._shapes.prod(axis=1)
        self._followed = cells <= FOLLOWED_CELLS
        self._offsets = np.concatenate(([0], np.cumsum(np.where(self._followed, cells, 0))))
        self._original = original
        self._rows = np.arange(len(original))
        self._associations = self._of(self.start(original))

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n T)."""
        require_aligned(self._original, masked)
        counts = np.zeros(int(self._offsets[-1]), dtype=np.int32)
        return self._moved(masked.codes, masked.codes, self._rows, True, counts)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy()

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m T)."""
        return self._moved(state[0], masked.codes, rows, False, state[1])

    def _moved(self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts) -> State:
        _move(before, after, rows, fresh, self._pairs, self._shapes, self._followed, self._offsets, counts)
        return after, counts

    def value(self, state: State) -> float:
        """Return the mean over the pairs, 0..100; O(cells of all tables)."""
        return 100.0 * float(np.abs(self._of(state) - self._associations).mean())

    def _of(self, state: State) -> Floats:
        codes, counts = state
        result = np.empty(len(self._pairs))
        for pair, (v, w) in enumerate(self._pairs):
            width = int(self._shapes[pair, 1])
            if self._followed[pair]:
                cells = counts[self._offsets[pair] : self._offsets[pair + 1]]
                keys = np.flatnonzero(cells)
                number = cells[keys]
            else:
                both = (codes[:, v].astype(np.int64) + 1) * width + codes[:, w] + 1
                keys, found = counted_values(both)
                number = found.astype(np.int32)
            result[pair] = cramer_v(keys.astype(np.int64), number, width, int(self._shapes[pair, 0]))
        return result


@njit(cache=True)
def cramer_v(keys: Integers, number: Counts, width: int, height: int) -> float:
    """Return Cramer's V of a two-way table, 0..1.

    Parameters
    ----------
    keys : ndarray of int64, shape (m,)
        Row times `width` plus column of each occupied cell, ascending.
    number : ndarray of int32, shape (m,)
        Records in each.
    width, height : int
        Columns and rows of the table.
    """
    rows, columns = np.zeros(height, dtype=np.int64), np.zeros(width, dtype=np.int64)
    for cell in range(keys.size):
        rows[keys[cell] // width] += number[cell]
        columns[keys[cell] % width] += number[cell]
    total = -1.0
    for cell in range(keys.size):
        margins = float(rows[keys[cell] // width]) * float(columns[keys[cell] % width])
        total += float(number[cell]) * float(number[cell]) / margins
    degrees = min((rows > 0).sum(), (columns > 0).sum()) - 1
    if total < _INDEPENDENT or degrees < 1:
        return 0.0
    return float(min(np.sqrt(total / degrees), 1.0))


@njit(cache=True)
def _move(
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    pairs: Integers,
    shapes: Integers,
    followed: NDArray[np.bool_],
    offsets: Integers,
    counts: Counts,
) -> None:
    for row in rows:
        for pair in range(pairs.shape[0]):
            if not followed[pair]:
                continue
            v, w = pairs[pair, 0], pairs[pair, 1]
            width = shapes[pair, 1]
            entered = (after[row, v] + 1) * width + after[row, w] + 1
            if not fresh:
                left = (before[row, v] + 1) * width + before[row, w] + 1
                if left == entered:
                    continue
                counts[offsets[pair] + left] -= 1
            counts[offsets[pair] + entered] += 1
