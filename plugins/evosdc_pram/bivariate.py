"""Two-way tables of pairs of attributes, original and published, and the figures that compare them.

Measures of the study with Shlomo: what becomes of the two-way tables of chosen pairs of attributes.

The names are those of the thesis (section 4.1); the formulas are those of Shlomo and Young (2005, 2006), which the
thesis uses by all appearances: a reconstruction. All are means over the pairs times 100, 0 for the original itself and
better when smaller. Missing values are a category, under both rules.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Changes, Expected, Measure, Parameters, Tracker
from evosdc.randomisation.expectation import Counts, expected_difference, published_counts, with_missing
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Schema
from evosdc.table.table import Codes, Numbers, Rows, Table


@dataclass(frozen=True)
class AttributePair:
    """The two-way table of two attributes; a missing value is a category of its own, the last."""

    # first, second: positions of the attributes
    first: int
    second: int
    shape: tuple[int, int]
    original: Counts  # counts

    def counted(self, codes: Codes) -> Counts:
        """Return the counts of a published table, from its codes, shape (n, V)."""
        return _counted(codes, self.first, self.second, self.shape)

    def recounted(self, counts: Counts, before: Codes, after: Codes) -> Counts:
        """Return the counts after some records have changed."""
        # counts: not altered; before, after (m, V): the records concerned.
        old, new = (_cells(codes, self.first, self.second, self.shape) for codes in (before, after))
        changed = counts.copy()
        np.subtract.at(changed.reshape(-1), old, 1.0)
        np.add.at(changed.reshape(-1), new, 1.0)
        return changed

    def expected(self, transitions: Sequence[Matrix]) -> Counts:
        """Return the expected counts under transition matrices."""
        return published_counts(self.original, self.matrices(transitions))

    def matrices(self, transitions: Sequence[Matrix]) -> tuple[Matrix, Matrix]:
        """Return the matrices of the pair with missing values in them."""
        return with_missing(transitions[self.first]), with_missing(transitions[self.second])


def attribute_pairs(original: Table, names: Sequence[tuple[str, str]], where: str) -> tuple[AttributePair, ...]:
    """Return the two-way tables of the named pairs; of all pairs where none is named."""
    schema: Schema = original.schema
    schema.require(tuple(dict.fromkeys(name for pair in names for name in pair)), where)
    chosen = list(names) or list(combinations(schema.names, 2))
    if not chosen or any(a == b for a, b in chosen):
        given = "one attribute" if not chosen else "an attribute paired with itself"
        raise ParameterError(Fault(where, given, "pairs of two protected attributes", "Protect both attributes."))
    pairs = []
    for a, b in chosen:
        first, second = schema.names.index(a), schema.names.index(b)
        sizes = [len(schema.attributes[v].categories) + 1 for v in (first, second)]
        shape = (sizes[0], sizes[1])
        pairs.append(AttributePair(first, second, shape, _counted(original.codes, first, second, shape)))
    return tuple(pairs)


def _cells(codes: Codes, first: int, second: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the place of each record's cell in the flat table; a missing value, -1, is the last category."""
    cells: NDArray[np.int64] = codes[:, first].astype(np.int64) % shape[0] * shape[1] + codes[:, second] % shape[1]
    return cells


def _counted(codes: Codes, first: int, second: int, shape: tuple[int, int]) -> Counts:
    counts = np.bincount(_cells(codes, first, second, shape), minlength=shape[0] * shape[1])
    return counts.reshape(shape).astype(np.float64)


def chi_square(counts: Counts) -> float:
    """Return ``sum (o - e)^2 / e`` with ``e`` the product of the margins over N; cells of an empty margin count 0."""
    total = counts.sum()
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    if total == 0.0:
        return 0.0
    expected = np.outer(rows, columns) / total
    inhabited = expected > 0.0
    return float(((counts - expected)[inhabited] ** 2 / expected[inhabited]).sum())


def cramer_v(counts: Counts) -> float:
    """Return ``sqrt(chi2 / (N min(r - 1, c - 1)))`` in [0, 1], r and c the categories that occur; 0 where one does."""
    least = int(min((counts.sum(axis=1) > 0).sum(), (counts.sum(axis=0) > 0).sum())) - 1
    return sqrt(chi_square(counts) / (counts.sum() * least)) if least > 0 else 0.0


def hellinger(original: Counts, published: Counts) -> float:
    """Return ``sqrt(1/2 sum (sqrt o - sqrt m)^2 / N)`` in [0, 1]."""
    total = original.sum()
    return sqrt(0.5 * float(((np.sqrt(original) - np.sqrt(published)) ** 2).sum()) / total) if total else 0.0


def relative_change(before: float, after: float) -> float:
    """Return ``|after - before| / before``; 0 where both are 0, 1 where only `before` is."""
    if before == 0.0:
        return 0.0 if after == 0.0 else 1.0
    return abs(after - before) / before


MOST_CELLS = 1 << 14  # a table with more cells than this is not kept but counted anew: it may weigh more than the file


class PairParameters(Parameters):
    """Which pairs of attributes are looked at."""

    pairs: tuple[tuple[str, str], ...] = Field((), description="pairs of protected attributes; default: all pairs")


class PairMeasure(Expected):
    """A fitted measure that is the mean over pairs of a comparison of two tables."""

    # `expected` compares the original with the expected table: the first order of the figure, without what the spread
    # of the drawn tables adds to it.

    def __init__(self, pairs: tuple[AttributePair, ...]) -> None:
        self.pairs = pairs

    @abstractmethod
    def compared(self, pair: AttributePair, published: Counts) -> float:
        """Return the figure of one pair, 0..100."""

    def score(self, masked: Table) -> float:
        """Return the mean over pairs, 0..100; O(n) and the cells for each pair."""
        return self.track(masked).score

    def track(self, masked: Table) -> "PairTracker":
        """Return a tracker of a table."""
        return PairTracker(self, masked)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the mean over pairs for the expected tables, 0..100."""
        return sum(self.compared(pair, pair.expected(transitions)) for pair in self.pairs) / len(self.pairs)


class PairTracker(Tracker):
    """The two-way tables of one masked file, and the figure of each."""

    def __init__(self, fitted: PairMeasure, masked: Table) -> None:
        self._fitted, self._codes = fitted, masked.codes.copy()
        counts = [pair.counted(masked.codes) for pair in fitted.pairs]
        self._figures = [fitted.compared(pair, counted) for pair, counted in zip(fitted.pairs, counts, strict=True)]
        self._counts = [counted if counted.size <= MOST_CELLS else None for counted in counts]

    @property
    def score(self) -> float:
        """The mean over pairs, 0..100."""
        return sum(self._figures) / len(self._figures)

    def take(self, change: Changes) -> None:
        """Go on to a child; O(m) and the cells for each pair that has a changed attribute."""
        self._counts, self._figures = self._changed(change.before.codes, change.after.codes, change.rows)

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children; as `take`."""
        scores, begin = np.empty(len(changes.ends)), 0
        for child, end in enumerate(changes.ends.tolist()):
            before, after, rows = (
                changes.before.codes[begin:end],
                changes.after.codes[begin:end],
                changes.rows[begin:end],
            )
            scores[child] = sum(self._changed(before, after, rows)[1]) / len(self._figures)
            self._codes[rows] = before
            begin = end
        return scores

    def _changed(self, before: Codes, after: Codes, rows: Rows) -> tuple[list[Counts | None], list[float]]:
        """Return the tables and figures after a change, which is made in the codes."""
        self._codes[rows] = after
        changed, counts, figures = (before != after).any(axis=0), self._counts.copy(), self._figures.copy()
        for place, pair in enumerate(self._fitted.pairs):
            if changed[pair.first] or changed[pair.second]:
                old = counts[place]
                new = pair.counted(self._codes) if old is None else pair.recounted(old, before, after)
                counts[place] = None if old is None else new
                figures[place] = self._fitted.compared(pair, new)
        return counts, figures


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
            expected_difference(pair.original, pair.matrices(transitions)) * self._unit(pair) for pair in self.pairs
        ]
        return sum(differences) / len(differences)


class StatisticDifference(Measure):
    """Relative absolute difference of a statistic of two-way tables: ``100 |s(m) - s(o)| / s(o)``, at most 100."""

    # A pair whose statistic is 0 in the original has 0 where it stays so, else 100.

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
