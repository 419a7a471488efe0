"""Attribute disclosure to an intruder who knows how values were changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evosdc.kernel import kernel
from evosdc.model import Expected, Incremental, Measure
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.expectation import counts_of
from evosdc_measures.joint import joint_layout_of, shift_counts

State = tuple[Codes, Counts, int]
"""Codes of the masked table, joint counts by attribute, number of values that are guessed."""


class BestGuess(Measure):
    """Share of original values that are the likeliest ones behind what is published instead, times 100.

    For each attribute and published category the intruder guesses the original category that is the most frequent one
    among the records that publish it, ``100 sum_v sum_j max_i n_ij / (n V)``: the best guess of one who knows the
    transitions and no more. Unlike the measures of linkage it sees through a relabelling, which is undone at once.
    Range 0..100, smaller is better; 100 for the original itself and for any one-to-one relabelling. It never falls
    below the share of the original's most frequent categories, which everybody can guess. A reconstruction.

    A missing value counts as a category, under both rules.
    """

    def fit(self, original: Table) -> FittedBestGuess:
        """Lay the tables of counts out."""
        self.require_support(original)
        return FittedBestGuess(original)


class FittedBestGuess(Incremental[State], Expected):
    """`BestGuess` of one original."""

    def __init__(self, original: Table) -> None:
        self._original = original
        self._rows = np.arange(len(original))
        self._joint = joint_layout_of(original.schema)
        self._layout = (self._joint.widths, self._joint.offsets)
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]
        self._missing = float((original.codes < 0).sum())

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V + sum c**2)."""
        require_aligned(self._original, masked)
        return self._followed(masked.codes, masked.codes, self._rows, True, self._joint.zeros())

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m V + sum c**2), and O(n log n) for each attribute of many categories."""
        return self._followed(state[0], masked.codes, rows, False, state[1].copy())

    def _followed(self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts) -> State:
        original = self._original.codes
        shift_counts(original, before, after, rows, fresh, *self._layout, counts)
        guessed = int(_guessed(*self._layout, counts))
        for v in self._joint.wide:
            guessed += _guessed_of_many(original[:, v], after[:, v])
        return after, counts, guessed

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the share for an intruder who knows the matrices, ``100 sum_v sum_l max_k T_k p_kl / (n V)``; exact.

        `score` guesses by the drawn file itself and lies above it, the less the more records there are.
        """
        parts = [(T[:, None] * P).max(axis=0, initial=0.0) for T, P in zip(self._counts, transitions, strict=True)]
        guessed = self._missing + sum(float(part.sum()) for part in parts)
        return min(100.0 * guessed / self._original.codes.size, 100.0)

    def value(self, state: State) -> float:
        """Return the share, 0..100."""
        return 100.0 * state[2] / self._original.codes.size


@kernel
def _guessed(widths: Integers, offsets: Integers, counts: Counts) -> int:
    """Return the sum over attributes and masked categories of the greatest count of an original category."""
    total = 0
    for v in range(len(widths)):
        position = offsets[v]
        for _ in range(widths[v]):
            most = 0
            for _ in range(widths[v]):
                most = max(most, counts[position])
                position += 1
            total += most
    return total


def _guessed_of_many(original: Codes, masked: Codes) -> int:
    """Return the same for one attribute from its columns, without a table of its categories."""
    pairs, numbers = np.unique(masked.astype(np.int64) << 32 | (original.astype(np.int64) + 1), return_counts=True)
    published = pairs >> 32
    first = np.flatnonzero(np.append(True, published[1:] != published[:-1]))
    return int(np.maximum.reduceat(numbers, first).sum())
