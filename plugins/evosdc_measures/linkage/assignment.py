"""One-to-one record linkage: all masked records are assigned to all originals at once."""

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Incremental
from evosdc.table.distance import common_scale
from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import require_aligned
from evosdc_measures.linkage.agreement import pattern_of
from evosdc_measures.linkage.fellegi_sunter import SAME_WEIGHT, estimate, weights_of

MOST_ASSIGNED = 3000
"""Greatest number of records: time grows with their cube, memory with their square."""
BONUS = 1e-12
"""By how much of the greatest cost a correct link is preferred, so that it decides between equal sums only."""
ROUNDING = 1e-14
"""Share of the greatest cost below which differences are rounding."""

Costs = Callable[[Table], Numbers]
"""From a masked table to the cost of linking each of its records (row) to each original (column)."""


class FittedAssignment(Incremental[float]):
    """One-to-one linkage of one original: the expected share of correct links, times 100.

    The assignment with the least sum of costs is found (Jonker and Volgenant's algorithm). Records of a file that cost
    the same with all records of the other are interchangeable: a link between g such masked and h such originals counts
    1/(g h) for each pair among them that belongs together, what assigning at random among them is expected to yield.
    Of other assignments that are equally good the one with the greatest figure counts, so that the risk is not
    understated and the order of records is of no account. Both rules are reconstructions.

    Raises
    ------
    ParameterError
        More than 3000 records.
    """

    def __init__(self, original: Table, costs: Costs, where: str) -> None:
        if len(original) > MOST_ASSIGNED:
            wanted = f"at most {MOST_ASSIGNED}, since time grows with their cube"
            advice = "Leave one_to_one out: linking record by record has no such limit."
            raise ParameterError(Fault(where, f"{len(original)} records", wanted, advice))
        self._costs = costs

    def start(self, masked: Table) -> float:
        """Return the risk of a table; O(n**3)."""
        costs = np.array(self._costs(masked), dtype=np.float64)
        # Costs that differ by rounding alone are made equal.
        steps = np.rint(costs / (ROUNDING * max(float(np.abs(costs).max()), 1.0)))
        rows, columns = alike(steps), alike(steps.T)
        together = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
        np.add.at(together, (rows, columns), 1.0)
        credits = together / np.bincount(rows)[:, None] / np.bincount(columns)[None, :]
        costs -= BONUS * max(float(np.abs(costs).max()), 1.0) * credits[rows[:, None], columns[None, :]]
        # Late: it takes as long to import as all else that a run needs.
        from scipy.optimize import linear_sum_assignment

        asked, linked = linear_sum_assignment(costs)
        return min(100.0 * float(credits[rows[asked], columns[linked]].sum()) / len(costs), 100.0)

    def update(self, state: float, masked: Table, rows: Rows) -> float:
        """Return the risk after a change, computed anew: any record may be assigned elsewhere."""
        return self.start(masked)

    def value(self, state: float) -> float:
        """Return the risk, 0..100."""
        return state


def alike(costs: Numbers) -> NDArray[np.intp]:
    """Return for each row the number of its class of equal rows."""
    _, classes = np.unique(costs, axis=0, return_inverse=True)
    return np.asarray(classes.reshape(-1), dtype=np.intp)


def distances_of_categories(original: Table, by_hierarchy: bool) -> Costs:
    """Return the sums of the distances between categories as costs, in whole numbers of a common fraction."""
    matrices, _ = common_scale(original.schema, by_hierarchy)

    def costs(masked: Table) -> Numbers:
        require_aligned(original, masked)
        total = np.zeros((len(masked), len(original)), dtype=np.int64)
        for y, x, matrix in zip(masked.codes.T, original.codes.T, matrices, strict=True):
            total += matrix[y[:, None], x[None, :]]
        return total.astype(np.float64)

    return costs


def disagreements_of(original: Table, known: bool = True) -> Costs:
    """Return the Fellegi-Sunter weights as costs, those of greatest agreement 0; `known` as of `estimate`."""
    wildcard = original.schema.na is MissingRule.WILDCARD
    n, attributes = original.codes.shape

    def costs(masked: Table) -> Numbers:
        require_aligned(original, masked)
        patterns = _patterns(masked.codes, original.codes, wildcard)
        counts = np.bincount(patterns.ravel(), minlength=1 << attributes).astype(np.int64)
        m, u, _ = estimate(counts, attributes, n, known)
        # Whole numbers for each attribute, so that sums over attributes and links that should be equal are.
        single = 1 << np.arange(attributes)
        weights = weights_of(m, u)
        steps = np.rint((weights[single] - weights[0]) / SAME_WEIGHT)
        sums = (np.arange(1 << attributes)[:, None] & single > 0) @ steps
        return np.asarray((sums.max() - sums)[patterns], dtype=np.float64)

    return costs


@njit(cache=True)
def _patterns(masked: Codes, original: Codes, wildcard: bool) -> NDArray[np.uint16]:
    """Return the agreement pattern of each masked with each original record."""
    result = np.empty((len(masked), len(original)), np.uint16)
    for i in range(len(masked)):
        for j in range(len(original)):
            result[i, j] = pattern_of(masked, i, original, j, wildcard)
    return result
