"""Linkage by Gower's distance: mean absolute differences in ranges, and equality of categories."""

import numpy as np
from numba import njit

from evosdc.model import Incremental
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import MISSING, Numbers, Rows, Table
from evosdc_measures.domains import Counts
from evosdc_measures.linkage.box_tree import expected_matches
from evosdc_measures.linkage.burdens import burdens_of
from evosdc_measures.linkage.coordinates import Flags, range_unit_of
from evosdc_measures.linkage.numeric_dbrl import State, require_same_shape

SAME = 1e-12
"""Distances, sums over attributes of at most 1 each, are taken to be equal if they differ by less."""


class FittedByGower(Incremental[State]):
    """`DistanceBasedLinkage` of one original by Gower's distance (1971), record by record; quadratic.

    An attribute adds ``|x - y| / range`` for numbers, the range being the original's, the difference of ranks over
    their greatest for ordinal categories (Podani 1999 without ties), and 0 or 1 for nominal ones. A missing value is at
    1 from any other, at 0 from a missing one, and at 0 from all under the rule ``wildcard``.
    """

    def __init__(self, original: Table, backward: bool) -> None:
        self._original = original
        self._backward = backward
        self._unit = range_unit_of(original.numbers)
        self._nominal = np.array(
            [a.scale is Scale.NOMINAL for a in (*original.schema.categorical, *original.schema.numeric)], dtype=np.bool_
        )
        self._lost = 0.0 if original.schema.na is MissingRule.WILDCARD else 1.0
        self._points = self.placed(original)
        self._rows = np.arange(len(original))

    def placed(self, table: Table) -> Numbers:
        """Return a table's records as points, shape (n, V), NaN where a value is missing."""
        n, categorical = table.codes.shape
        points = np.empty((n, categorical + table.numbers.shape[1]))
        for v, attribute in enumerate(table.schema.categorical):
            steps = 1.0 if attribute.scale is Scale.NOMINAL else float(max(len(attribute.categories) - 1, 1))
            codes = table.codes[:, v]
            points[:, v] = np.where(codes == MISSING, np.nan, codes / steps)
        points[:, categorical:] = (table.numbers - self._unit.means) * self._unit.inverses
        return points

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n**2 V) at most, less for records that are not linked."""
        return self._linked(masked, self._rows, np.zeros(len(self._rows), dtype=np.int32))

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m n V), or all anew where originals are looked up."""
        return self.start(masked) if self._backward else self._linked(masked, rows, state[0].copy())

    def _linked(self, masked: Table, rows: Rows, ties: Counts) -> State:
        require_same_shape(self._original, masked)
        points = self.placed(masked)
        asked, searched = (self._points, points) if self._backward else (points, self._points)
        _link(asked, searched, rows, self._nominal, self._lost, ties)
        return ties, min(100.0 * expected_matches(ties) / len(ties), 100.0)

    def distances(self, masked: Table) -> Numbers:
        """Return the distances from all masked to all original records, shape (n, n)."""
        require_same_shape(self._original, masked)
        return _distances(self.placed(masked), self._points, self._nominal, self._lost)

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,); as `start`."""
        return burdens_of(self.start(masked)[0])

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[1]


@njit(cache=True)
def gower_sum(a: Numbers, b: Numbers, nominal: Flags, lost: float, most: float) -> float:
    """Return the sum of the attributes' distances, or some number above `most` where it exceeds that."""
    total = 0.0
    for v in range(len(a)):
        x, y = a[v], b[v]
        if np.isnan(x) or np.isnan(y):
            if not (np.isnan(x) and np.isnan(y)):
                total += lost
        elif nominal[v]:
            if x != y:
                total += 1.0
        else:
            total += abs(x - y)
        if total > most:
            break
    return total


@njit(cache=True)
def _distances(asked: Numbers, searched: Numbers, nominal: Flags, lost: float) -> Numbers:
    result = np.empty((len(asked), len(searched)))
    for i in range(len(asked)):
        for j in range(len(searched)):
            result[i, j] = gower_sum(asked[i], searched[j], nominal, lost, np.inf)
    return result


@njit(cache=True)
def _link(asked: Numbers, searched: Numbers, rows: Rows, nominal: Flags, lost: float, ties: Counts) -> None:
    for row in rows:
        distance = gower_sum(asked[row], searched[row], nominal, lost, np.inf)
        tied = 0
        for place in range(len(searched)):
            found = gower_sum(asked[row], searched[place], nominal, lost, distance + SAME)
            if found < distance - SAME:
                tied = 0
                break
            if found <= distance + SAME:
                tied += 1
        ties[row] = tied
