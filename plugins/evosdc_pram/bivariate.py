"""Two-way tables of pairs of attributes, original and published, and the measures that compare them.

The names are those of the thesis (section 4.1), from the study with Shlomo; the formulas are those of Shlomo and Young
(2005, 2006), which the thesis uses by all appearances: a reconstruction. All are means over the pairs times 100, 0 for
the original itself and better when smaller. Missing values are a category, under both rules.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from evosdc.table.table import Codes, Numbers, Rows, Table

MOST_CELLS = 1 << 14  # tables with more cells are recounted, not kept: they may be larger than the file


@dataclass(frozen=True, eq=False)
class AttributePair:
    """The two-way table of two attributes; a missing value is a category of its own, the last."""

    places: tuple[int, int]  # positions of the attributes
    original: Counts  # shape (r, c)

    @property
    def shape(self) -> tuple[int, ...]:
        """Categories of both, missing values included."""
        return self.original.shape

    def cells(self, codes: Codes) -> NDArray[np.int64]:
        """Return the place of each record's cell in the flat table, of codes of shape (n, V)."""
        (first, second), (rows, columns) = self.places, self.shape
        cells: NDArray[np.int64] = codes[:, first].astype(np.int64) % rows * columns + codes[:, second] % columns
        return cells

    def counted(self, published: Table | Codes) -> Counts:
        """Return the counts of a published table, or of its codes, shape (n, V)."""
        codes = published.codes if isinstance(published, Table) else published
        counts = np.bincount(self.cells(codes), minlength=self.original.size)
        return counts.reshape(self.shape).astype(np.float64)

    def recounted(self, counts: Counts, before: Codes, after: Codes) -> Counts:
        """Return new counts after some records, shape (m, V), have changed."""
        changed = counts.copy()
        np.subtract.at(changed.reshape(-1), self.cells(before), 1.0)
        np.add.at(changed.reshape(-1), self.cells(after), 1.0)
        return changed

    def matrices(self, transitions: Sequence[Matrix]) -> tuple[Matrix, Matrix]:
        """Return the matrices of the pair with missing values in them."""
        return with_missing(transitions[self.places[0]]), with_missing(transitions[self.places[1]])


def attribute_pairs(original: Table, names: Sequence[tuple[str, str]], where: str) -> tuple[AttributePair, ...]:
    """Return the two-way tables of the named pairs; of all pairs where none is named."""
    schema = original.schema
    schema.require(tuple(dict.fromkeys(name for pair in names for name in pair)), where)
    chosen = list(names) or list(combinations(schema.names, 2))
    if not chosen or any(a == b for a, b in chosen):
        given = "one attribute" if not chosen else "an attribute paired with itself"
        raise ParameterError(Fault(where, given, "pairs of two protected attributes", "Protect both attributes."))
    pairs = []
    for a, b in chosen:
        shape = [len(schema[name].categories) + 1 for name in (a, b)]
        blank = AttributePair((schema.names.index(a), schema.names.index(b)), np.zeros(shape))
        pairs.append(replace(blank, original=blank.counted(original.codes)))
    return tuple(pairs)


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


class PairMeasure(Measure):
    """A measure that is the mean over pairs of attributes of a comparison of two tables."""

    class Params(Parameters):
        """Pairs."""

        pairs: tuple[tuple[str, str], ...] = Field((), description="pairs of protected attributes; default: all pairs")

    params: Params
    name: ClassVar[str]

    def fit(self, original: Table) -> "FittedPairs":
        """Count the original's tables."""
        self.require_support(original)
        return FittedPairs(self, attribute_pairs(original, self.params.pairs, f"measure {self.name}: pairs"))

    def known(self, original: Counts) -> float:
        """Return the precomputed figures of an original table."""
        return 0.0

    @abstractmethod
    def compared(self, original: Counts, known: float, published: Counts) -> float:
        """Return the figure of one pair, 0..100; `known` is that of the original."""

    def expected(self, pair: AttributePair, known: float, transitions: Sequence[Matrix]) -> float:
        """Return the figure of the expected table: without what the spread of the drawn tables adds to it."""
        return self.compared(pair.original, known, published_counts(pair.original, pair.matrices(transitions)))


class FittedPairs(Expected):
    """A `PairMeasure` of one original."""

    def __init__(self, measure: PairMeasure, pairs: tuple[AttributePair, ...]) -> None:
        self.measure, self.pairs = measure, pairs
        self.known = [measure.known(pair.original) for pair in pairs]

    def score(self, masked: Table) -> float:
        """Return the mean over pairs, 0..100; O(n) and the cells for each pair."""
        return self.track(masked).score

    def track(self, masked: Table) -> "PairTracker":
        """Return a tracker of a table."""
        return PairTracker(self, masked)

    def compared(self, place: int, published: Counts) -> float:
        """Return the figure of the pair at a place."""
        return self.measure.compared(self.pairs[place].original, self.known[place], published)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the mean over pairs for the expected tables, 0..100."""
        pairs = zip(self.pairs, self.known, strict=True)
        return sum(self.measure.expected(pair, known, transitions) for pair, known in pairs) / len(self.pairs)


class PairTracker(Tracker):
    """The two-way tables of one masked file, and the figure of each."""

    def __init__(self, fitted: FittedPairs, masked: Table) -> None:
        self._fitted, self._codes = fitted, masked.codes.copy()
        counts = [pair.counted(masked.codes) for pair in fitted.pairs]
        self._figures = [fitted.compared(place, counted) for place, counted in enumerate(counts)]
        self._counts = [counted if counted.size <= MOST_CELLS else None for counted in counts]

    @property
    def score(self) -> float:
        """The mean over pairs, 0..100."""
        return sum(self._figures) / len(self._figures)

    def take(self, change: Changes) -> None:
        """Update to a child; O(m) and the cells for each pair that has a changed attribute."""
        self._counts, self._figures = self._changed(change.before.codes, change.after.codes, change.rows)

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children; as `take`."""
        scores, begin = np.empty(len(changes.ends)), 0
        for child, end in enumerate(changes.ends.tolist()):
            before, rows = changes.before.codes[begin:end], changes.rows[begin:end]
            _, figures = self._changed(before, changes.after.codes[begin:end], rows)
            scores[child] = sum(figures) / len(figures)
            self._codes[rows] = before
            begin = end
        return scores

    def _changed(self, before: Codes, after: Codes, rows: Rows) -> tuple[list[Counts | None], list[float]]:
        """Return the tables and figures after a change, which is made in the codes."""
        self._codes[rows] = after
        changed, counts, figures = (before != after).any(axis=0), self._counts.copy(), self._figures.copy()
        for place, pair in enumerate(self._fitted.pairs):
            if changed[list(pair.places)].any():
                old = counts[place]
                new = pair.counted(self._codes) if old is None else pair.recounted(old, before, after)
                counts[place] = None if old is None else new
                figures[place] = self._fitted.compared(place, new)
        return counts, figures


class BivariateDifference(PairMeasure):
    """Bivariate difference: ``100 sum |o - m| / (2 N)``, the share of records in excess in some cell; range 0..100.

    Other forms: ``cells`` is ``sum |o - m| / c`` over the c cells of the product of the domains, in records. ``raad``
    is 100 times the mean of ``|o - m| / o`` over the cells with o > 0, at most 100. In expectation the difference
    itself is taken, spread included, for the first two forms.
    """

    class Params(PairMeasure.Params):
        """Pairs and form."""

        form: Literal["relative", "cells", "raad"] = Field("relative", description="what the difference is divided by")

    params: Params
    name = "bivariate-difference"

    def known(self, original: Counts) -> float:
        """Return what a difference in records is multiplied by."""
        rows, columns = original.shape
        return 1.0 / ((rows - 1) * (columns - 1)) if self.params.form == "cells" else 50.0 / float(original.sum())

    def compared(self, original: Counts, known: float, published: Counts) -> float:
        """Return the difference of one pair."""
        difference = np.abs(published - original)
        if self.params.form == "raad":
            inhabited = original > 0.0
            return min(100.0, 100.0 * float((difference[inhabited] / original[inhabited]).mean()))
        return float(difference.sum()) * known

    def expected(self, pair: AttributePair, known: float, transitions: Sequence[Matrix]) -> float:
        """Return the expected difference; of the expected table only for ``raad``."""
        if self.params.form == "raad":
            return super().expected(pair, known, transitions)
        return expected_difference(pair.original, pair.matrices(transitions)) * known


class StatisticDifference(PairMeasure):
    """Relative absolute difference of a statistic of two-way tables: ``100 |s(m) - s(o)| / s(o)``, at most 100."""

    statistic: ClassVar[Callable[[Counts], float]]

    def known(self, original: Counts) -> float:
        """Return the original's statistic."""
        return type(self).statistic(original)

    def compared(self, original: Counts, known: float, published: Counts) -> float:
        """Return the difference of one pair; a statistic of 0 in the original has 0 where it stays so, else 100."""
        return min(100.0, 100.0 * relative_change(known, type(self).statistic(published)))


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


class HellingerDifference(PairMeasure):
    """Hellinger distance of two-way tables: ``100 sqrt(1/2 sum (sqrt o - sqrt m)^2 / N)``; range 0..100."""

    name = "hellinger-difference"

    def compared(self, original: Counts, known: float, published: Counts) -> float:
        """Return the distance of one pair."""
        return 100.0 * hellinger(original, published)
