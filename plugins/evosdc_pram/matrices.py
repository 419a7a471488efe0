"""Figures of transition matrices: shifts of the marginals, with a price on them, and local differential privacy."""

from collections.abc import Mapping, Sequence
from math import exp
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.model import Expected, Fitness, Measure, Parameters
from evosdc.randomisation.certificate import epsilon
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


class Penalised(Fitness):
    """``F + weight * shift``, F the mean or the maximum of IL and DR, shift that of the marginals, 0..100.

    The shift is measure ``marginal-shift``, ``100 ||T P - T||_1 / (2 N)`` averaged over attributes, which must be among
    the measures. One of three ways to invariant matrices; all of them are a reconstruction.
    """

    class Params(Parameters):
        """Penalties and their weights."""

        base: Literal["mean", "max"] = Field("mean", description="how IL and DR are combined")
        weight: float = Field(1.0, ge=0, description="price of a shift of one per cent of the records")

    params: Params
    needs: tuple[str, ...] = ("il", "dr", "marginal-shift")

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the one objective."""
        il, dr = scores["il"], scores["dr"]
        base = max(il, dr) if self.params.base == "max" else (il + dr) / 2.0
        return (base + self.params.weight * scores["marginal-shift"],)


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
