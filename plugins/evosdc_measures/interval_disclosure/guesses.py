"""Originals guessed from what is published: followed by attribute through the changes of a file."""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Expected, FollowedInPlace
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.expectation import counts_of
from evosdc_measures.joint import joint_layout_of, shift_counts

State = tuple[Codes, Counts, Integers]
"""Codes of the masked table, joint counts by attribute, number of right guesses by attribute."""


class FittedGuesses(FollowedInPlace[State], Expected):
    """The right guesses of an intruder who takes the original category that is the likeliest behind a published one.

    Of one original; a measure says in `value` and `expected` what it makes of their numbers.
    """

    def __init__(self, original: Table) -> None:
        self._original = original
        self._rows = np.arange(len(original))
        self._joint = joint_layout_of(original.schema)
        self._layout = (self._joint.widths, self._joint.offsets)
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]
        self._missing = (original.codes < 0).sum(axis=0)

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V + sum c**2)."""
        require_aligned(self._original, masked)
        guessed = np.zeros(masked.codes.shape[1], dtype=np.int64)
        return self._followed(masked.codes, masked.codes, self._rows, True, self._joint.zeros(), guessed)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2].copy()

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(c) a changed cell, and O(n log n) an attribute of many categories."""
        return self._followed(state[0], masked.codes, rows, False, state[1], state[2])

    def _followed(
        self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts, guessed: Integers
    ) -> State:
        original = self._original.codes
        _follow(original, before, after, rows, fresh, *self._layout, counts, guessed)
        for v in self._joint.wide:
            guessed[v] = _guessed_of_many(original[:, v], after[:, v])
        return after, counts, guessed

    def probable(self, transitions: Sequence[Matrix]) -> NDArray[np.float64]:
        """Return the expected number of right guesses by attribute where the matrices are known, shape (V,); exact.

        It is ``sum_l max_k T_k p_kl`` and the missing values, which stay. A drawn file shows its own transitions, by
        which some more guesses are right, the fewer the more records there are.
        """
        parts = [(T[:, None] * P).max(axis=0, initial=0.0) for T, P in zip(self._counts, transitions, strict=True)]
        guessed: NDArray[np.float64] = np.array([float(part.sum()) for part in parts]) + self._missing
        return guessed


@njit(cache=True)
def _follow(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    widths: Integers,
    offsets: Integers,
    counts: Counts,
    guessed: Integers,
) -> None:
    """Move changed rows in the joint counts, and keep the sums of the greatest counts of each published category."""
    if fresh:
        shift_counts(original, before, after, rows, True, widths, offsets, counts)
        for v in range(len(widths)):
            for published in range(widths[v]):
                guessed[v] += _greatest(counts, offsets[v] + published * widths[v], widths[v])
        return
    for row in rows:
        for v in range(original.shape[1]):
            width = widths[v]
            if width > 0 and before[row, v] != after[row, v]:
                left, entered = offsets[v] + (before[row, v] + 1) * width, offsets[v] + (after[row, v] + 1) * width
                guessed[v] -= _greatest(counts, left, width) + _greatest(counts, entered, width)
                counts[left + original[row, v] + 1] -= 1
                counts[entered + original[row, v] + 1] += 1
                guessed[v] += _greatest(counts, left, width) + _greatest(counts, entered, width)


@njit(cache=True)
def _greatest(counts: Counts, first: int, width: int) -> int:
    """Return the greatest of some counts that lie side by side."""
    most = 0
    for position in range(first, first + width):
        most = max(most, counts[position])
    return most


def _guessed_of_many(original: Codes, masked: Codes) -> int:
    """Return the right guesses of one attribute from its columns, without a table of its categories."""
    pairs, numbers = np.unique(masked.astype(np.int64) << 32 | (original.astype(np.int64) + 1), return_counts=True)
    published = pairs >> 32
    first = np.flatnonzero(np.append(True, published[1:] != published[:-1]))
    return int(np.maximum.reduceat(numbers, first).sum())
