"""Attribute disclosure to an intruder who knows how values were changed, beyond what everybody can guess."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Incremental, Measure
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.distinct_values import counted_values
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_measures.interval_disclosure.guesses import FittedGuesses, State
from evosdc_measures.linkage.number_intervals import FittedOnIntervals, by_classes


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

    def fit(self, original: Table) -> Incremental[Any]:
        """Lay the tables of counts out, and count what everybody can guess."""
        self.require_support(original)
        if by_classes(original.schema, self.params.bins):
            return FittedOnIntervals(original, self.params.bins, FittedGuessGain)
        return FittedGuessGain(original)


class FittedGuessGain(FittedGuesses):
    """`GuessGain` of one original."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        n, attributes = original.codes.shape
        self._floors = np.array([counted_values(column)[1].max() for column in original.codes.T])
        beyond = n - self._floors
        self._units = np.divide(100.0 / attributes, beyond, out=np.zeros(attributes), where=beyond > 0)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the gain of an intruder who knows the matrices, 0..100; exact.

        `score` guesses by the drawn file itself and lies above it, the less the more records there are.
        """
        return self._gain(self.probable(transitions))

    def value(self, state: State) -> float:
        """Return the gain, 0..100."""
        return self._gain(state[2])

    def _gain(self, guessed: NDArray[np.float64] | NDArray[np.int64]) -> float:
        gains: NDArray[np.float64] = (guessed - self._floors) * self._units
        return min(max(float(sum(gains.tolist())), 0.0), 100.0)
