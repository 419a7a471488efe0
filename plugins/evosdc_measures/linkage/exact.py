"""Linkage by the exact value of one attribute."""

from collections.abc import Sequence

import numpy as np

from evosdc.model import Changes, Expected, Measure, Moving, Tracker
from evosdc.randomisation.transition import Matrix
from evosdc.table.exact_values import ExactValues, Flags, known_of
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Integers, counts_of, sums_of_parts


class ExactLinkage(Measure):
    """Share of the people who are found by the exact value of one attribute alone, times 100; the worst attribute.

    An intruder knows one attribute of everybody and joins on it. A masked record whose value of attribute v is that of
    its original is found with the chance 1 / t, where t original records have that value: ``100 / n max_v sum_i
    [y_iv = x_iv] / t_v(x_iv)``. Range 0..100, smaller is better. The original itself has its greatest number of
    different values, in per cent of the records.

    Measures that take numbers by classes, or by how near they are, do not see that a search left values as they were.
    It is the figure by which a verdict refuses such files. Attributes of the role sensitive are what an intruder wants
    to learn and does not know: they count only where all are. A missing category is a value like others; a missing
    number finds nobody. Joining on equal values is the plainest linkage there is; credit for ties: reconstruction.
    """

    supports = frozenset(Scale)

    def fit(self, original: Table) -> "FittedExactLinkage":
        """Count the values of the original."""
        self.require_support(original)
        return FittedExactLinkage(original)


class FittedExactLinkage(Expected, Moving):
    """`ExactLinkage` of one original."""

    def __init__(self, original: Table) -> None:
        known = known_of(original, original.schema.names)
        self.values = ExactValues(original, known)
        self._records = len(original)
        self._occurring = [
            (v, counts_of(original.codes, v, len(a.categories)) > 0, bool((original.codes[:, v] < 0).any()))
            for v, a in enumerate(original.schema.categorical)
            if a.name in known
        ]

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100; O(n V)."""
        return float(self.values.percents(masked).max(initial=0.0))

    def track(self, masked: Table) -> "ExactTracker":
        """Return a tracker of a table."""
        return ExactTracker(self.values, masked)

    def kept_too_often(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes by whose exact value alone more people are found than a bound, in per cent."""
        percents = self.values.percents(masked).tolist()
        return tuple(name for name, percent in zip(self.values.names, percents, strict=True) if percent > bound)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the greatest of the attributes' expectations, exact for each: a draw's greatest is a little more."""
        # The t records of a category keep it with its diagonal entry each, and find 1 / t of a person each.
        found = [float(np.diag(transitions[v])[seen].sum()) + missing for v, seen, missing in self._occurring]
        return 100.0 * max(found, default=0.0) / self._records


class ExactTracker(Tracker):
    """Which values a table keeps, and how many people they find by attribute; O(V) for a changed record."""

    def __init__(self, values: ExactValues, masked: Table) -> None:
        self._values = values
        self._kept = values.kept(masked)
        self._found = values.shares(self._kept).sum(axis=0)

    @property
    def score(self) -> float:
        """The score of the table."""
        return float(self._values.percent(self._found.max(initial=0)))

    def take(self, change: Changes) -> None:
        """Update to a child."""
        kept = self._values.kept(change.after, change.rows)
        self._found += self._steps(kept, change.rows).sum(axis=0)
        self._kept[change.rows] = kept

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children."""
        kept = self._values.kept(changes.after, changes.rows)
        found = self._found + sums_of_parts(self._steps(kept, changes.rows), changes.ends)
        scores: Numbers = self._values.percent(found.max(axis=1, initial=0))
        return scores

    def contributions(self) -> Numbers:
        """Return what each record adds to the risk by the attribute that finds most, shape (n,)."""
        worst = int(self._found.argmax())
        contributions: Numbers = self._values.percent(self._values.shares(self._kept)[:, worst])
        return contributions

    def _steps(self, kept: Flags, rows: Rows) -> Integers:
        """Return by how much the shares of changed records grow, shape (m, V)."""
        return self._values.shares(kept.astype(np.int8) - self._kept[rows], rows)
