"""How far transition matrices are from keeping the marginals."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from evosdc.model import Expected, Measure
from evosdc.randomisation.invariance import marginal_shift
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Table


class MarginalShift(Measure):
    """Shift of the marginals, ``100 ||T P - T||_1 / (2 N)``, averaged over attributes; 0 for an invariant matrix.

    It is a figure of the matrices; for a masked file of unknown origin that of its own marginals. Missing values are
    not counted. Range 0..100, smaller is better. The measure is a reconstruction: the price of the fitness
    ``penalised``.
    """

    def fit(self, original: Table) -> "FittedMarginalShift":
        """Count the original's categories."""
        self.require_support(original)
        return FittedMarginalShift(original)


class FittedMarginalShift(Expected):
    """`MarginalShift` of one original."""

    of_matrices: ClassVar[bool] = True

    def __init__(self, original: Table) -> None:
        self._sizes = [len(a.categories) for a in original.schema.categorical]
        self._counts = self._counted(original)

    def _counted(self, table: Table) -> list[np.ndarray]:
        columns = (table.codes[:, v] for v in range(table.codes.shape[1]))
        return [np.bincount(c[c >= 0], minlength=size) for c, size in zip(columns, self._sizes, strict=True)]

    def score(self, masked: Table) -> float:
        """Return the shift of a table's marginals, 0..100."""
        shifts = []
        for before, after in zip(self._counts, self._counted(masked), strict=True):
            total = max(int(before.sum()), int(after.sum()), 1)
            shifts.append(50.0 * float(np.abs(after - before).sum()) / total)
        return sum(shifts) / len(shifts)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the shift of the expected marginals, exactly."""
        shifts = [100.0 * marginal_shift(matrix, T) for matrix, T in zip(transitions, self._counts, strict=True)]
        return sum(shifts) / len(shifts)
