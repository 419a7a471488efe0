"""Attribute disclosure to an intruder who knows how values were changed: the best guess, and what it gains.

For each attribute and published category the intruder guesses the original category that is the most frequent one among
the records that publish it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Expected, Fitted, JointCounts, Measure, OfCounts
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Table
from evosdc_measures.domains import Integers, counts_of
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.records import FittedJointCounts


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


class FittedGuesses(FittedJointCounts, Expected):
    """The right guesses of one original; each measure derives its score from their numbers."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]
        self._missing = (original.codes < 0).sum(axis=0)

    def of_counts(self, counts: Integers) -> Integers:
        """Return the right guesses of an attribute."""
        return np.asarray(counts.max(axis=2).sum(axis=1))

    def of_columns(self, original: Codes, masked: Codes) -> int:
        """Return the right guesses of an attribute of many categories."""
        pairs, numbers = np.unique(masked.astype(np.int64) << 32 | (original.astype(np.int64) + 1), return_counts=True)
        return int(np.maximum.reduceat(numbers, np.flatnonzero(np.diff(pairs >> 32, prepend=-2))).sum())

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the score of an intruder who knows the matrices, 0..100; exact."""
        # The right guesses are ``sum_l max_k T_k p_kl`` and the missing values, which stay. `score` guesses by the
        # drawn file itself, which shows its own transitions, and lies above it, the less the more records there are.
        parts = [(T[:, None] * P).max(axis=0, initial=0.0) for T, P in zip(self._counts, transitions, strict=True)]
        guessed = np.array([float(part.sum()) for part in parts]) + self._missing
        return float(self.scores(guessed[None])[0])


class FittedBestGuess(FittedGuesses):
    """`BestGuess` of one original."""

    def scores(self, figures: Integers | Numbers) -> NDArray[np.float64]:
        """Return shares of all values, 0..100."""
        shares: NDArray[np.float64] = np.minimum(100.0 * figures.sum(axis=1) / self.original.codes.size, 100.0)
        return shares


class FittedGuessGain(FittedGuesses):
    """`GuessGain` of one original."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        n, attributes = original.codes.shape
        self._floors = np.array([np.unique(column, return_counts=True)[1].max() for column in original.codes.T])
        beyond = n - self._floors
        self._units = np.divide(100.0 / attributes, beyond, out=np.zeros(attributes), where=beyond > 0)

    def scores(self, figures: Integers | Numbers) -> NDArray[np.float64]:
        """Return gains, 0..100."""
        gains: NDArray[np.float64] = ((figures - self._floors) * self._units).sum(axis=1)
        return gains.clip(0.0, 100.0)
