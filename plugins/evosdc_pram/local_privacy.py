"""Local differential privacy of transition matrices."""

from collections.abc import Sequence
from math import exp
from typing import ClassVar

import numpy as np

from evosdc.model import Expected, Measure
from evosdc.randomisation.certificate import epsilon
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Table


class LocalPrivacy(Measure):
    """Epsilon of local differential privacy, ``100 (1 - exp(-epsilon / V))``; range 0..100, smaller is better.

    ``epsilon = max_l ln(max_k p_kl / min_k p_kl)`` over the categories that occur, infinite where one of them can
    become l and another cannot (Kasiviswanathan et al., 2011). Attributes are randomised independently, so their
    epsilons add up; V of them are averaged. The scale that takes the infinite to 100 is a reconstruction.

    It is a figure of the matrices. For a masked file of unknown origin the matrix is estimated, ``n_kl / n_k``. In a
    file of few records some transitions never happen: the figure is then 100, unless the randomisation is strong.
    """

    def fit(self, original: Table) -> "FittedLocalPrivacy":
        """Find the categories that occur."""
        self.require_support(original)
        return FittedLocalPrivacy(original)


class FittedLocalPrivacy(Expected):
    """`LocalPrivacy` of one original."""

    of_matrices: ClassVar[bool] = True

    def __init__(self, original: Table) -> None:
        self._original = original
        codes = original.codes
        self._occurring = [np.unique(codes[:, v][codes[:, v] >= 0]) for v in range(codes.shape[1])]

    def score(self, masked: Table) -> float:
        """Return the figure of the matrices estimated from a masked table, 0..100."""
        return self.expected([_estimated(self._original, masked, v) for v in range(masked.codes.shape[1])])

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the figure of the matrices, exactly."""
        total = sum(epsilon(matrix[rows]) for matrix, rows in zip(transitions, self._occurring, strict=True))
        return 100.0 * (1.0 - exp(-total / len(self._occurring)))


def _estimated(original: Table, masked: Table, v: int) -> Matrix:
    size = len(original.schema.categorical[v].categories)
    before, after = original.codes[:, v], masked.codes[:, v]
    known = (before >= 0) & (after >= 0)
    counts = np.bincount(before[known].astype(np.int64) * size + after[known], minlength=size * size)
    table = counts.reshape(size, size).astype(np.float64)
    estimated: Matrix = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    return estimated
