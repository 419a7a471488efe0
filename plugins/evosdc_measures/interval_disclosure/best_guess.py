"""Attribute disclosure to an intruder who knows how values were changed."""

from collections.abc import Sequence

from evosdc.model import JointCounts, Measure, OfCounts
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Table
from evosdc_measures.interval_disclosure.guesses import FittedGuesses, State


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


class FittedBestGuess(FittedGuesses):
    """`BestGuess` of one original."""

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the share for an intruder who knows the matrices, ``100 sum_v sum_l max_k T_k p_kl / (n V)``; exact.

        `score` guesses by the drawn file itself and lies above it, the less the more records there are.
        """
        guessed = float(sum(self.probable(transitions).tolist()))
        return min(100.0 * guessed / self._original.codes.size, 100.0)

    def value(self, state: State) -> float:
        """Return the share, 0..100."""
        return 100.0 * int(state[2].sum()) / self._original.codes.size
