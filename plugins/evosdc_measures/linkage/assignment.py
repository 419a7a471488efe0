"""One-to-one record linkage: all masked records are assigned to all originals at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted
from evosdc.table.table import Numbers, Table

MOST_ASSIGNED = 3000  # Greatest number of records: time grows with their cube, memory with their square
BONUS = 1e-12  # share of the greatest cost by which a correct link is preferred: it decides between equal sums
ROUNDING = 1e-14  # Share of the greatest cost below which differences are rounding
Costs = Callable[[Table], Numbers]  # the cost of linking each masked record (row) to each original (column)


class FittedAssignment(Fitted):
    """One-to-one linkage of one original: the expected share of correct links, times 100."""

    # The assignment with the least sum of costs is found (Jonker and Volgenant's algorithm).

    def __init__(self, original: Table, costs: Costs, where: str) -> None:
        if len(original) > MOST_ASSIGNED:
            wanted = f"at most {MOST_ASSIGNED}, since time grows with their cube"
            advice = "Leave one_to_one out: linking record by record has no such limit."
            raise ParameterError(Fault(where, f"{len(original)} records", wanted, advice))
        self._costs = costs

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100; O(n**3). A change may assign any record elsewhere."""
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

        records, linked = linear_sum_assignment(costs)
        return min(100.0 * float(credits[rows[records], columns[linked]].sum()) / len(costs), 100.0)


def alike(costs: Numbers) -> NDArray[np.intp]:
    """Return for each row the number of its class of equal rows."""
    _, classes = np.unique(costs, axis=0, return_inverse=True)
    return np.asarray(classes.reshape(-1), dtype=np.intp)
