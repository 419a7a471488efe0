"""Linkage by the exact value of one attribute."""

from collections.abc import Sequence

import numpy as np

from evosdc.model import Batched, Changes, Expected, FollowedInPlace, Measure, Moving
from evosdc.randomisation.transition import Matrix
from evosdc.table.exact_values import ExactValues, State, known_of
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.expectation import counts_of


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


class FittedExactLinkage(FollowedInPlace[State], Batched[State], Expected, Moving):
    """`ExactLinkage` of one original.

    Parameters
    ----------
    original : Table
    """

    def __init__(self, original: Table) -> None:
        known = known_of(original, original.schema.names)
        self._values = ExactValues(original, known)
        self._records = len(original)
        self._occurring = [
            (v, counts_of(original.codes, v, len(a.categories)) > 0, bool((original.codes[:, v] < 0).any()))
            for v, a in enumerate(original.schema.categorical)
            if a.name in known
        ]

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V)."""
        return self._values.start(masked)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the values are shared."""
        return self._values.copied(state)

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(1) for a changed cell."""
        return self._values.follow(state, masked, rows)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return self._values.greatest(state)

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the risks of several children; O(1) for a changed cell."""
        return self._values.greatest_of_children(state, changes.rows, changes.ends, changes.before, changes.after)

    def burdens(self, masked: Table) -> Numbers:
        """Return what each record adds to the risk by the attribute that finds most, shape (n,)."""
        state = self.start(masked)
        worst = self._values.names[int(np.argmax(self._values.percents(state)))]
        return self._values.chances(state, worst) * (100.0 / self._records)

    def kept_too_often(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes by whose exact value alone more people are found than a bound, in per cent."""
        percents = self._values.percents(self.start(masked)).tolist()
        return tuple(name for name, percent in zip(self._values.names, percents, strict=True) if percent > bound)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the greatest of the attributes' expectations, exact for each: a draw's greatest is a little more.

        The t records of a category keep it with its diagonal entry each, and find 1 / t of a person each.
        """
        found = [float(np.diag(transitions[v])[seen].sum()) + missing for v, seen, missing in self._occurring]
        return 100.0 * max(found, default=0.0) / self._records
