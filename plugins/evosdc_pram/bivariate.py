"""Measures of the study with Shlomo: what becomes of the two-way tables of chosen pairs of attributes.

The names are those of the thesis (section 4.1); the formulas are those of Shlomo and Young (2005, 2006), which the
thesis uses by all appearances: a reconstruction. All are means over the pairs times 100, 0 for the original itself and
better when smaller. Missing values are a category, under both rules.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.model import Expected, Incremental, Measure, Parameters
from evosdc.randomisation.expectation import Counts, expected_difference
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Rows, Table
from evosdc_pram.two_way import AttributePair, attribute_pairs, chi_square, cramer_v, hellinger, relative_change

State = tuple[Codes, tuple[Counts | None, ...], tuple[float, ...]]
"""Codes of the masked table; by pair its table, None where that is large, and its figure."""

MOST_CELLS = 1 << 14
"""A table with more cells than this is not kept in a state but counted anew: it may weigh more than the file."""


class PairParameters(Parameters):
    """Which pairs of attributes are looked at."""

    pairs: tuple[tuple[str, str], ...] = Field((), description="pairs of protected attributes; default: all pairs")


class PairMeasure(Incremental[State], Expected):
    """A fitted measure that is the mean over pairs of a comparison of two tables.

    `expected` compares the original with the expected table: the first order of the figure, without what the spread of
    the drawn tables adds to it.
    """

    def __init__(self, pairs: tuple[AttributePair, ...]) -> None:
        self._pairs = pairs

    @abstractmethod
    def compared(self, pair: AttributePair, published: Counts) -> float:
        """Return the figure of one pair, 0..100."""

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n) and the cells for each pair."""
        counts = [pair.counted(masked) for pair in self._pairs]
        figures = tuple(self.compared(pair, counted) for pair, counted in zip(self._pairs, counts, strict=True))
        return masked.codes, tuple(c if c.size <= MOST_CELLS else None for c in counts), figures

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m) and the cells for each pair that has a changed attribute."""
        before, after = state[0][rows], masked.codes[rows]
        changed = (before != after).any(axis=0)
        counts, figures = list(state[1]), list(state[2])
        for place, pair in enumerate(self._pairs):
            if not (changed[pair.first] or changed[pair.second]):
                continue
            old = counts[place]
            new = pair.counted(masked) if old is None else pair.recounted(old, before, after)
            if new is not old:
                counts[place] = None if old is None else new
                figures[place] = self.compared(pair, new)
        return masked.codes, tuple(counts), tuple(figures)

    def value(self, state: State) -> float:
        """Return the mean over pairs, 0..100."""
        return sum(state[2]) / len(self._pairs)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the mean over pairs for the expected tables, 0..100."""
        return sum(self.compared(pair, pair.expected(transitions)) for pair in self._pairs) / len(self._pairs)


class BivariateDifference(Measure):
    """Bivariate difference: ``100 sum |o - m| / (2 N)``, the share of records in excess in some cell; range 0..100.

    Other forms: ``cells`` is ``sum |o - m| / c`` over the c cells of the product of the domains, in records. ``raad``
    is 100 times the mean of ``|o - m| / o`` over the cells with o > 0, at most 100. In expectation the difference
    itself is taken, spread included, for the first two forms.
    """

    class Params(PairParameters):
        """Pairs and form."""

        form: Literal["relative", "cells", "raad"] = Field("relative", description="what the difference is divided by")

    params: Params

    def fit(self, original: Table) -> "FittedBivariateDifference":
        """Count the original's tables."""
        self.require_support(original)
        pairs = attribute_pairs(original, self.params.pairs, "measure bivariate-difference: pairs")
        return FittedBivariateDifference(pairs, self.params.form)


class FittedBivariateDifference(PairMeasure):
    """`BivariateDifference` of one original."""

    def __init__(self, pairs: tuple[AttributePair, ...], form: str) -> None:
        super().__init__(pairs)
        self._form = form

    def compared(self, pair: AttributePair, published: Counts) -> float:
        """Return the difference of one pair."""
        difference = np.abs(published - pair.original)
        if self._form == "raad":
            inhabited = pair.original > 0.0
            return min(100.0, 100.0 * float((difference[inhabited] / pair.original[inhabited]).mean()))
        return float(difference.sum()) * self._unit(pair)

    def _unit(self, pair: AttributePair) -> float:
        if self._form == "cells":
            return 1.0 / ((pair.shape[0] - 1) * (pair.shape[1] - 1))
        return 50.0 / float(pair.original.sum())

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected difference; of the expected table only for ``raad``."""
        if self._form == "raad":
            return super().expected(transitions)
        differences = [
            expected_difference(pair.original, pair.matrices(transitions)) * self._unit(pair) for pair in self._pairs
        ]
        return sum(differences) / len(differences)


class StatisticDifference(Measure):
    """Relative absolute difference of a statistic of two-way tables: ``100 |s(m) - s(o)| / s(o)``, at most 100.

    A pair whose statistic is 0 in the original has 0 where it stays so, else 100.
    """

    class Params(PairParameters):
        """Pairs."""

    params: Params
    name: ClassVar[str]
    statistic: ClassVar[Callable[[Counts], float]]

    def fit(self, original: Table) -> "FittedStatisticDifference":
        """Compute the original's statistics."""
        self.require_support(original)
        pairs = attribute_pairs(original, self.params.pairs, f"measure {self.name}: pairs")
        return FittedStatisticDifference(pairs, type(self).statistic)


class ChiSquareDifference(StatisticDifference):
    """Relative absolute difference of chi-square: ``100 |chi2(m) - chi2(o)| / chi2(o)``, at most 100.

    A pair that is independent in the original has 0 where it stays so, else 100.
    """

    name = "chi-square-difference"
    statistic = chi_square


class CramerDifference(StatisticDifference):
    """Relative absolute difference of Cramer's V: ``100 |V(m) - V(o)| / V(o)``, at most 100."""

    name = "cramer-difference"
    statistic = cramer_v


class FittedStatisticDifference(PairMeasure):
    """`StatisticDifference` of one original."""

    def __init__(self, pairs: tuple[AttributePair, ...], statistic: Callable[[Counts], float]) -> None:
        super().__init__(pairs)
        self._statistic = statistic
        self._before = {id(pair): statistic(pair.original) for pair in pairs}

    def compared(self, pair: AttributePair, published: Counts) -> float:
        """Return the difference of one pair."""
        return min(100.0, 100.0 * relative_change(self._before[id(pair)], self._statistic(published)))


class HellingerDifference(Measure):
    """Hellinger distance of two-way tables: ``100 sqrt(1/2 sum (sqrt o - sqrt m)^2 / N)``; range 0..100."""

    class Params(PairParameters):
        """Pairs."""

    params: Params

    def fit(self, original: Table) -> "FittedHellingerDifference":
        """Count the original's tables."""
        self.require_support(original)
        return FittedHellingerDifference(
            attribute_pairs(original, self.params.pairs, "measure hellinger-difference: pairs")
        )


class FittedHellingerDifference(PairMeasure):
    """`HellingerDifference` of one original."""

    def compared(self, pair: AttributePair, published: Counts) -> float:
        """Return the distance of one pair."""
        return 100.0 * hellinger(pair.original, published)
