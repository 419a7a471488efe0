"""Attribute disclosure to an intruder who knows how values were changed: the best guess, and what it gains.

For each attribute and published category the intruder guesses the original category that is the most frequent one among
the records that publish it.
"""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Changes, Expected, Fitted, JointCounts, Measure, OfCounts, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Table
from evosdc_measures.domains import Integers, counts_of, require_aligned
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.records import Tracked, joint_layout_of


class BestGuess(Measure, OfCounts):
    """Share of original values that are the likeliest ones behind what is published instead, times 100.

    For each attribute and published category the intruder guesses the original category that is the most frequent one
    among the records that publish it, ``100 sum_v sum_j max_i n_ij / (n V)``: the best guess of one who knows the
    transitions and no more. Unlike the measures of linkage it sees through a relabelling, which is undone at once.
    Range 0..100, smaller is better; 100 for the original itself and for any one-to-one relabelling. It never falls
    below the share of the original's most frequent categories, which everybody can guess. A reconstruction.

    A missing value counts as a category, under both rules.
    """

    def fit(self, original: Table) -> "FittedBestGuess":
        """Lay the tables of counts out."""
        self.require_support(original)
        return FittedBestGuess(original)

    def score_of_counts(self, counts: JointCounts) -> float:
        """Return the share from the pairs of each attribute."""
        guessed = sum(int(pairs.max(axis=0).sum()) for pairs in counts.pairs)
        return 100.0 * guessed / (counts.records * len(counts.pairs))


class GuessGain(Measure):
    """How much better original values are guessed with the masked file than without it, times 100.

    The guess is that of `BestGuess`, right for the share acc_v of the records. Without the file everybody guesses the
    most frequent original category, right for the share base_v. The score is the mean over attributes of
    ``100 (acc_v - base_v) / (1 - base_v)``, 0 for an attribute that is constant in the original: range 0..100, smaller
    is better; 0 for an independent file but for what its own draw shows, 100 for the original itself and for every
    one-to-one relabelling. The intruder knows all of the masking but its random draws: the transparency principle
    (Torra, 2017). That it is measured by this guess is a reconstruction.

    A missing value counts as a category, under both rules. Numbers are taken by classes: ``bins`` of about equal
    frequency in the original, an interval of ranks each; the guess is that of the class.
    """

    supports = frozenset(Scale)

    class Params(Parameters):
        """Classes of numbers."""

        bins: int = Field(
            10, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )

    def fit(self, original: Table) -> Fitted:
        """Lay the tables of counts out, and count what everybody can guess."""
        self.require_support(original)
        if by_classes(original.schema, self.params.bins):
            return FittedOnIntervals(original, self.params.bins, FittedGuessGain)
        return FittedGuessGain(original)


class FittedGuesses(Tracked, Expected):
    """The right guesses of one original; each measure derives its score from their numbers."""

    def __init__(self, original: Table) -> None:
        self.original = original
        joint = joint_layout_of(original.schema)
        self.widths, self.offsets, self.wide = joint.widths, joint.offsets, list(joint.wide)
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]
        self._missing = (original.codes < 0).sum(axis=0)

    @abstractmethod
    def scores(self, guessed: NDArray[np.float64] | Integers) -> NDArray[np.float64]:
        """Return scores from right guesses by attribute, shapes (k,) and (k, V)."""

    def track(self, masked: Table) -> "GuessTracker":
        """Return a tracker of a table."""
        require_aligned(self.original, masked)
        return GuessTracker(self, masked)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the score of an intruder who knows the matrices, 0..100; exact."""
        # The right guesses are ``sum_l max_k T_k p_kl`` and the missing values, which stay. `score` guesses by the
        # drawn file itself, which shows its own transitions, and lies above it, the less the more records there are.
        parts = [(T[:, None] * P).max(axis=0, initial=0.0) for T, P in zip(self._counts, transitions, strict=True)]
        guessed = np.array([float(part.sum()) for part in parts]) + self._missing
        return float(self.scores(guessed[None])[0])


class FittedBestGuess(FittedGuesses):
    """`BestGuess` of one original."""

    def scores(self, guessed: NDArray[np.float64] | Integers) -> NDArray[np.float64]:
        """Return shares of all values, 0..100."""
        shares: NDArray[np.float64] = np.minimum(100.0 * guessed.sum(axis=1) / self.original.codes.size, 100.0)
        return shares


class FittedGuessGain(FittedGuesses):
    """`GuessGain` of one original."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        n, attributes = original.codes.shape
        self._floors = np.array([np.unique(column, return_counts=True)[1].max() for column in original.codes.T])
        beyond = n - self._floors
        self._units = np.divide(100.0 / attributes, beyond, out=np.zeros(attributes), where=beyond > 0)

    def scores(self, guessed: NDArray[np.float64] | Integers) -> NDArray[np.float64]:
        """Return gains, 0..100."""
        gains: NDArray[np.float64] = ((guessed - self._floors) * self._units).sum(axis=1)
        return gains.clip(0.0, 100.0)


class GuessTracker(Tracker):
    """The right guesses in one masked table."""

    def __init__(self, fitted: FittedGuesses, masked: Table) -> None:
        self._fitted = fitted
        original, widths = fitted.original.codes, fitted.widths
        counted = np.flatnonzero(widths).tolist()
        cells = (fitted.offsets[:-1] + (masked.codes + 1) * widths + original + 1)[:, counted]
        self._counts = np.bincount(cells.ravel(), minlength=fitted.offsets[-1])
        self._guessed = np.zeros(len(widths), dtype=np.int64)
        for v in counted:
            by_masked = self._counts[fitted.offsets[v] : fitted.offsets[v + 1]].reshape(widths[v], widths[v])
            self._guessed[v] = by_masked.max(axis=1).sum()
        self._wide = masked.codes[:, fitted.wide]
        for at, v in enumerate(fitted.wide):
            self._guessed[v] = _guessed_of_many(original[:, v], self._wide[:, at])

    @property
    def score(self) -> float:
        """The score, 0..100."""
        return float(self._fitted.scores(self._guessed[None])[0])

    def take(self, change: Changes) -> None:
        """Update to a child; O(c) for each changed value, and O(n log n) for an attribute of many categories."""
        self._guessed = self._followed(change, True)[0]
        self._wide[change.rows] = change.after.codes[:, self._fitted.wide]

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children."""
        return self._fitted.scores(self._followed(changes, False))

    def _followed(self, changes: Changes, stay: bool) -> Integers:
        """Return the right guesses by child and attribute, shape (k, V)."""
        fitted, ends = self._fitted, np.array(changes.ends)
        before, after = changes.before.codes, changes.after.codes
        own = fitted.original.codes[changes.rows]
        guessed = np.tile(self._guessed, (len(ends), 1))
        follow_guesses(own, before, after, ends, fitted.widths, fitted.offsets, self._counts, guessed, stay)
        for at, v in enumerate(fitted.wide):
            column, begin = self._wide[:, at].copy(), 0
            for child, end in enumerate(ends.tolist()):
                rows = changes.rows[begin:end]
                if (before[begin:end, v] != after[begin:end, v]).any():
                    column[rows] = after[begin:end, v]
                    guessed[child, v] = _guessed_of_many(fitted.original.codes[:, v], column)
                    column[rows] = before[begin:end, v]
                begin = end
        return guessed


def _guessed_of_many(original: Codes, masked: Codes) -> int:
    """Return the right guesses of one attribute from its columns, without a table of its categories."""
    pairs, numbers = np.unique(masked.astype(np.int64) << 32 | (original.astype(np.int64) + 1), return_counts=True)
    published = pairs >> 32
    first = np.flatnonzero(np.append(True, published[1:] != published[:-1]))
    return int(np.maximum.reduceat(numbers, first).sum())


@njit(cache=True)
def follow_guesses(
    original: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    widths: Integers,
    offsets: Integers,
    counts: Integers,
    guessed: Integers,
    stay: bool,
) -> None:
    """Count how many guesses are right in each child."""
    # Shapes: original, before, after (m, V), ends (k,), guessed (k, V).
    begin = 0
    for child in range(len(ends)):
        for turn in range(1 if stay else 2):
            for i in range(begin, ends[child]):
                for v in range(len(widths)):
                    p, q, width = before[i, v] + 1, after[i, v] + 1, widths[v]
                    if width == 0 or p == q:
                        continue
                    for published, by in ((p, -1), (q, 1)):
                        first = offsets[v] + published * width
                        own, greatest = first + original[i, v] + 1, 1
                        for place in range(first, first + width):
                            # The greatest count falls if no other is as great, and grows if none is greater.
                            if place != own and counts[place] >= counts[own] + max(by, 0):
                                greatest = 0
                        counts[own] += by if turn == 0 else -by
                        if turn == 0:
                            guessed[child, v] += by * greatest
        begin = ends[child]
