"""Entropy-based information loss."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Changes, Expected, JointCounts, Measure, OfCounts, Tracker
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, counts_of, require_aligned
from evosdc_measures.records import Tracked, joint_layout_of


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
                apart = np.cumsum(bits_of(by_masked), axis=1)[:, -1]
                entropy = float(np.cumsum(bits_of(by_masked.sum(axis=1)) - apart)[-1])
                score += max(entropy, 0.0) * (100.0 / (len(counts.pairs) * counts.records * np.log2(size)))
        return min(float(score), 100.0)


def bits_of(counts: NDArray[np.int64] | Numbers) -> Numbers:
    """Return ``x log2 x`` of numbers that are not negative; 0 where they are 0."""
    bits: Numbers = np.multiply(counts, np.log2(np.where(counts > 0, counts, 1.0)))
    return bits


class FittedEntropyBasedLoss(Tracked, Expected):
    """`EntropyBasedLoss` of one original."""

    def __init__(self, original: Table) -> None:
        n, attributes = original.codes.shape
        categories = np.array([len(a.categories) for a in original.schema.categorical], dtype=np.int64)
        sizes = categories + (original.codes < 0).any(axis=0)
        several = sizes > 1
        units = np.zeros(attributes)
        units[several] = 100.0 / (attributes * n * np.log2(sizes[several]))
        self.joint = joint_layout_of(original.schema)
        widths = self.joint.widths
        layout = np.column_stack((widths, self.joint.offsets[:-1], np.cumsum(widths) - widths))
        self.original = original
        self.layout, self.bits, self.units = layout, bits_of(np.arange(n + 1)), units
        self._expected = [counts_of(original.codes, v, int(size)) for v, size in enumerate(categories)]

    def track(self, masked: Table) -> "EntropyTracker":
        """Return a tracker of a table; O(n V + sum c**2)."""
        require_aligned(self.original, masked)
        return EntropyTracker(self, masked)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the loss that the sources define for a matrix, 0..100; O(sum c**2)."""
        # ``-sum_kl T_k p_kl log2(T_k p_kl / (T P)_l)`` of each attribute. It is the limit of `score` for many records:
        # a file's own estimate of the matrix overfits and has less entropy.
        loss = 0.0
        for T, P, unit in zip(self._expected, transitions, self.units, strict=True):
            flows = T[:, None] * P
            loss += float((bits_of(flows.sum(axis=0)) - bits_of(flows).sum(axis=0)).sum() * unit)
        return loss


class EntropyTracker(Tracker):
    """The counts of pairs of one masked file."""

    def __init__(self, fitted: FittedEntropyBasedLoss, masked: Table) -> None:
        self._fitted, original = fitted, fitted.original
        self._codes = original.codes.copy() if fitted.joint.wide else original.codes  # read for wide attributes alone
        self._counts = fitted.joint.counts(original.codes, original.codes)
        """Records of each pair of categories of a narrow attribute; the masked category comes first."""
        self._parts = np.zeros(fitted.joint.widths.sum())
        """What each masked category of a narrow attribute adds to the entropy."""
        self._losses = np.zeros(original.codes.shape[1])
        # The original has no entropy given itself: the masked file is followed as one change of it.
        self.take(Changes.of_one(np.arange(len(masked), dtype=np.intp), original, masked))

    @property
    def score(self) -> float:
        """The loss, 0..100."""
        return self._score

    def take(self, change: Changes) -> None:
        """Update to a child; O(c) for each changed cell, O(n log n) for one of a wide attribute."""
        self._score, fitted = float(self._losses_of(change, True)[0]), self._fitted
        if fitted.joint.wide:
            self._codes[change.rows] = change.after.codes
            for v in fitted.joint.wide:
                if (change.before.codes[:, v] != change.after.codes[:, v]).any():
                    entropy = entropy_of_column(fitted.original.codes[:, v], self._codes[:, v], fitted.bits)
                    self._losses[v] = max(entropy, 0.0) * fitted.units[v]
            self._score = min(float(np.cumsum(self._losses)[-1]), 100.0)

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the losses of children; as `take`."""
        if self._fitted.joint.wide:
            return super().tries(changes)
        return self._losses_of(changes, False)

    def _losses_of(self, changes: Changes, stays: bool) -> Numbers:
        fitted, before, after = self._fitted, changes.before.codes, changes.after.codes
        losses: Numbers = losses_of_entropy(
            *(fitted.original.codes, before, after, changes.rows, changes.ends, stays),
            *(fitted.layout, fitted.bits, fitted.units),
            self._counts,
            self._parts,
            self._losses,
        )
        return np.minimum(losses, 100.0)


@njit(cache=True)
def losses_of_entropy(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    stays: bool,
    layout: Integers,
    bits: Numbers,
    units: Numbers,
    counts: Counts,
    parts: Numbers,
    losses: Numbers,
) -> Numbers:
    """Return the loss of each child; with `stays`, of the child taken."""
    # `layout`: of each attribute the width (0 of wide ones), and where it begins in `counts` and in `parts`; `bits`
    # is ``x log2 x``, and `units` the loss of each attribute for a bit.
    found, begin = np.empty(len(ends)), 0
    changed, own = np.zeros(len(units), np.bool_), np.empty(len(units))
    stale, listed, saved = np.zeros(len(parts), np.bool_), np.empty((len(parts), 2), np.int64), np.empty(len(parts))
    for child in range(len(ends)):
        number = 0
        for i in range(begin, ends[child]):
            for v in range(len(units)):
                width, offset, first = layout[v, 0], layout[v, 1], layout[v, 2]
                if before[i, v] == after[i, v] or width == 0:
                    continue
                changed[v] = True
                cell = offset + original[rows[i], v] + 1
                for step in (-1, 1):
                    category = (before[i, v] if step < 0 else after[i, v]) + 1
                    counts[cell + category * width] += step
                    if not stale[first + category]:
                        stale[first + category] = True
                        listed[number, 0], listed[number, 1] = v, category
                        number += 1
        for place in range(number):
            v, category = listed[place, 0], listed[place, 1]
            start = layout[v, 1] + category * layout[v, 0]
            together, apart = 0, 0.0
            for cell in range(start, start + layout[v, 0]):
                together += counts[cell]
                apart += bits[counts[cell]]
            part = layout[v, 2] + category
            saved[place] = parts[part]
            # Exactly 0 where one original category alone stands behind the masked one.
            parts[part] = bits[together] - apart
            stale[part] = False
        loss = 0.0
        for v in range(len(units)):
            own[v] = losses[v]
            if changed[v]:
                entropy = 0.0
                # All parts are added in one order, so that the sum does not depend on the way to the table.
                for part in range(layout[v, 2], layout[v, 2] + layout[v, 0]):
                    entropy += parts[part]
                own[v] = max(entropy, 0.0) * units[v]
                changed[v] = False
            loss += own[v]
            if stays:
                losses[v] = own[v]
        found[child] = loss
        if not stays:
            for place in range(number):
                parts[layout[listed[place, 0], 2] + listed[place, 1]] = saved[place]
            for i in range(begin, ends[child]):
                for v in range(len(units)):
                    if before[i, v] != after[i, v] and layout[v, 0] > 0:
                        cell = layout[v, 1] + original[rows[i], v] + 1
                        counts[cell + (after[i, v] + 1) * layout[v, 0]] -= 1
                        counts[cell + (before[i, v] + 1) * layout[v, 0]] += 1
        begin = ends[child]
    return found


def entropy_of_column(original: Codes, masked: Codes, bits: Numbers) -> float:
    """Return the entropy of one attribute in bits from its columns, without a table of its categories."""
    pairs, numbers = np.unique(masked.astype(np.int64) << 32 | (original.astype(np.int64) + 1), return_counts=True)
    first = np.flatnonzero(np.diff(pairs >> 32, prepend=-2))
    return float((bits[np.add.reduceat(numbers, first)] - np.add.reduceat(bits[numbers], first)).sum())
