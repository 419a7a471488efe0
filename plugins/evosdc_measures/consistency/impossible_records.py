"""The share of masked records that nobody can be."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import FollowedInPlace, Measure, Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.record_rules import RecordRules
from evosdc.table.schema import Scale
from evosdc.table.structural_zeros import THRESHOLD, find_structural_zeros
from evosdc.table.table import Rows, Table
from evosdc_measures.domains import require_aligned

State = tuple[NDArray[np.bool_], int]
"""Which records are impossible, and how many."""


class ImpossibleRecords(Measure):
    """Share of records with a structural zero, or that break an edit rule of the schema, times 100.

    A structural zero is a pair of categories that no original record has, although the margins lead to expect
    `threshold` of them (`evosdc.table.structural_zeros`). One of the two attributes is masked; the other may be any.
    Range 0..100, smaller is better. The original itself holds no structural zero, but may break edit rules. Attributes
    that are not masked stand as in the original.
    """

    supports = frozenset(Scale)
    auxiliary_all = True

    class Params(Parameters):
        """What counts as a structural zero."""

        threshold: float = Field(THRESHOLD, gt=0, description="Records that the margins must lead to expect.")

    params: Params

    def fit(self, original: Table) -> "FittedImpossibleRecords":
        """Find the structural zeros among the judged attributes alone."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> "FittedImpossibleRecords":
        """Find the structural zeros of the file."""
        zeros = find_structural_zeros(microdata.table, microdata.protect, self.params.threshold)
        rules = microdata.table.schema.edit_rules
        return FittedImpossibleRecords(RecordRules(microdata.table, microdata.protect, rules, zeros))


class FittedImpossibleRecords(FollowedInPlace[State]):
    """`ImpossibleRecords` of one original.

    Parameters
    ----------
    rules : RecordRules
    """

    def __init__(self, rules: RecordRules) -> None:
        self._rules = rules

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V (V + W)) with W attributes that are not masked."""
        require_aligned(self._rules.original, masked)
        broken = self._rules.broken(masked)
        return broken, int(broken.sum())

    def copied(self, state: State) -> State:
        """Return a copy of a state; O(n)."""
        return state[0].copy(), state[1]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m V (V + W))."""
        broken = state[0]
        now = self._rules.broken(masked, rows)
        changed = int(now.sum()) - int(broken[rows].sum())
        broken[rows] = now
        return broken, state[1] + changed

    def value(self, state: State) -> float:
        """Return the share in per cent."""
        return 100.0 * state[1] / len(state[0])

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return what each record adds to the score, shape (n,)."""
        return np.where(self._rules.broken(masked), 100.0 / len(masked), 0.0)
