"""Entropy-based information loss."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Batched, Changes, Expected, FollowedInPlace, JointCounts, Measure, OfCounts
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.expectation import counts_of, matrix_entropy
from evosdc_measures.joint import differs, joint_layout_of, shift_child, shift_counts

State = tuple[Codes, Counts, Numbers, float]
"""Codes of the masked table, joint counts by attribute, loss by attribute, score."""


class EntropyBasedLoss(Measure, OfCounts):
    """Entropy of the original category given the masked one, relative to the greatest possible, times 100.

    With n_ij records of original category i and masked category j, the loss of an attribute of c categories is
    ``-sum_ij n_ij log2(n_ij / n_.j) / (n log2 c)``; the score is the mean over attributes times 100: range 0..100,
    smaller is better. The sources define it for a PRAM matrix (Domingo-Ferrer and Torra, 2001); estimating that
    matrix from the data, and the normalisation, are reconstructions. Any one-to-one relabelling, a wrong one too, has
    loss 0.

    A missing value counts as a category, under both rules. It adds one to c where the original has missing values;
    where only the masked file has them it does not, since the entropy of the original given anything stays below log2
    c. An attribute with c = 1 has loss 0.
    """

    partial: ClassVar[bool] = True

    def fit(self, original: Table) -> "FittedEntropyBasedLoss":
        """Tabulate ``x log2 x`` and the normalisation."""
        self.require_support(original)
        return FittedEntropyBasedLoss(original)

    def score_of_counts(self, counts: JointCounts) -> float:
        """Return the loss, 0..100, from the pairs of each attribute, summed in the order of `score`."""
        score = 0.0
        for attribute, pairs in zip(counts.schema.categorical, counts.pairs, strict=True):
            size = len(attribute.categories) + bool(pairs[-1].any())
            if size > 1:
                by_masked = np.roll(pairs, 1, axis=(0, 1)).T
                # Running sums are taken one by one, so that what belongs to one original category alone cancels.
                apart = np.cumsum(_bits(by_masked), axis=1)[:, -1]
                entropy = float(np.cumsum(_bits(by_masked.sum(axis=1)) - apart)[-1])
                score += max(entropy, 0.0) * (100.0 / (len(counts.pairs) * counts.records * np.log2(size)))
        return min(float(score), 100.0)


def _bits(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    whole = counts.astype(np.float64)
    bits: NDArray[np.float64] = whole * np.log2(np.maximum(whole, 1.0))
    return bits


class FittedEntropyBasedLoss(FollowedInPlace[State], Batched[State], Expected):
    """`EntropyBasedLoss` of one original."""

    def __init__(self, original: Table) -> None:
        n, attributes = original.codes.shape
        sizes = np.array([len(a.categories) for a in original.schema.categorical], dtype=np.float64)
        sizes += (original.codes < 0).any(axis=0)
        self._units = np.zeros(attributes)
        several = sizes > 1
        self._units[several] = 100.0 / (attributes * n * np.log2(sizes[several]))
        whole = np.arange(n + 1, dtype=np.float64)
        self._bits = whole * np.log2(np.maximum(whole, 1.0))
        self._original = original
        self._rows = np.arange(n)
        self._expected = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]
        self._joint = joint_layout_of(original.schema)
        self._layout = (self._joint.widths, self._joint.offsets)

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V + sum c**2)."""
        require_aligned(self._original, masked)
        losses = np.zeros_like(self._units)
        return self._followed(masked.codes, masked.codes, self._rows, True, self._joint.zeros(), losses)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2].copy(), state[3]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m V), and O(c**2) for each attribute that changed."""
        return self._followed(state[0], masked.codes, rows, False, state[1], state[2])

    @property
    def together(self) -> bool:
        """Whether all attributes are counted."""
        return not self._joint.wide

    def values(self, state: State, changes: Changes) -> NDArray[np.float64]:
        """Return the losses of several children; O(c) for each changed cell, and O(c**2) once an attribute."""
        before, after, original = changes.before.codes, changes.after.codes, self._original.codes
        layout = (*self._layout, self._bits, self._units, state[1], state[2])
        losses = _losses_of_children(original, before, after, changes.rows, changes.ends, *layout)
        return np.minimum(losses, 100.0)

    def _followed(self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts, losses: Numbers) -> State:
        original = self._original.codes
        score = _follow(original, before, after, rows, fresh, *self._layout, self._bits, self._units, counts, losses)
        for v in self._joint.wide:
            score += self._units[v] * self._entropy(original[:, v], after[:, v])
        return after, counts, losses, min(score, 100.0)

    def _entropy(self, original: Codes, masked: Codes) -> float:
        # Both sums run over the cells in one order, so that they cancel exactly for the original itself.
        pairs = masked.astype(np.int64) << 32 | (original.astype(np.int64) + 1)
        apart = self._bits[np.unique(pairs, return_counts=True)[1]].sum()
        together = self._bits[np.unique(masked, return_counts=True)[1]].sum()
        return max(float(together - apart), 0.0)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the loss that the sources define for a matrix, 0..100; O(sum c**2).

        It is the limit of `score` for many records: a file's own estimate of the matrix overfits and has less entropy.
        """
        entropies = [matrix_entropy(T, P) for T, P in zip(self._expected, transitions, strict=True)]
        return sum(entropy * float(unit) for entropy, unit in zip(entropies, self._units, strict=True))

    def value(self, state: State) -> float:
        """Return the loss, 0..100."""
        return state[3]


@njit(cache=True)
def _follow(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    widths: Integers,
    offsets: Integers,
    bits: NDArray[np.float64],
    units: NDArray[np.float64],
    counts: Counts,
    losses: Numbers,
) -> float:
    shift_counts(original, before, after, rows, fresh, widths, offsets, counts)
    score = 0.0
    for v in range(original.shape[1]):
        if fresh or differs(before, after, rows, v):
            entropy = 0.0
            position = offsets[v]
            for _ in range(widths[v]):
                together = 0
                apart = 0.0
                for _ in range(widths[v]):
                    count = counts[position]
                    together += count
                    apart += bits[count]
                    position += 1
                # Exactly 0 where one original category alone stands behind the masked one.
                entropy += bits[together] - apart
            losses[v] = max(entropy, 0.0) * units[v]
        score += losses[v]
    return score


@njit(cache=True)
def _losses_of_children(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    widths: Integers,
    offsets: Integers,
    bits: NDArray[np.float64],
    units: NDArray[np.float64],
    counts: Counts,
    losses: Numbers,
) -> NDArray[np.float64]:
    """Return the loss of each child; `before` and `after` hold the changed records alone.

    The entropy is a sum over masked categories, of which a change concerns two. Counts are changed and changed back.
    """
    attributes = len(units)
    found, begin = np.empty(len(ends)), 0
    firsts = np.zeros(attributes + 1, np.int64)
    for v in range(attributes):
        firsts[v + 1] = firsts[v] + widths[v]
    parts, known = np.empty(firsts[-1]), np.zeros(attributes, np.bool_)
    stale, changed = np.zeros(firsts[-1], np.bool_), np.zeros(attributes, np.bool_)
    for child in range(len(ends)):
        changed[:] = False
        for i in range(begin, ends[child]):
            for v in range(attributes):
                if before[i, v] != after[i, v]:
                    if not known[v]:
                        known[v] = True
                        for masked in range(widths[v]):
                            parts[firsts[v] + masked] = _part(masked, widths[v], offsets[v], bits, counts)
                    changed[v] = True
        shift_child(original, before, after, rows, begin, ends[child], 1, widths, offsets, counts)
        for i in range(begin, ends[child]):
            for v in range(attributes):
                if before[i, v] != after[i, v]:
                    stale[firsts[v] + before[i, v] + 1] = stale[firsts[v] + after[i, v] + 1] = True
        score = 0.0
        for v in range(attributes):
            loss = losses[v]
            if changed[v]:
                entropy = 0.0
                for masked in range(widths[v]):
                    place = firsts[v] + masked
                    if stale[place]:
                        entropy += _part(masked, widths[v], offsets[v], bits, counts)
                        stale[place] = False
                    else:
                        entropy += parts[place]
                loss = max(entropy, 0.0) * units[v]
            score += loss
        shift_child(original, before, after, rows, begin, ends[child], -1, widths, offsets, counts)
        found[child] = score
        begin = ends[child]
    return found


@njit(cache=True)
def _part(masked: int, width: int, offset: int, bits: NDArray[np.float64], counts: Counts) -> float:
    """Return what one masked category adds to the entropy."""
    together, apart = 0, 0.0
    first = offset + masked * width
    for position in range(first, first + width):
        together += counts[position]
        apart += bits[counts[position]]
    return float(bits[together] - apart)
