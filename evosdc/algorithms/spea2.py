"""SPEA2."""

from collections.abc import Sequence

import numpy as np
from deap import tools
from numpy.typing import NDArray

from evosdc.algorithms.domination import domination
from evosdc.algorithms.multiobjective import MultiObjective
from evosdc.model import Individual


class StrengthPareto(MultiObjective):
    """Survival of the front, truncated where it is too large (Zitzler, Laumanns, Thiele 2001): DEAP's `selSPEA2`.

    The population is the archive of the paper, and its children are the paper's population.
    """

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the raw fitness: of all that dominate an individual, how many each dominates."""
        dominates = domination(individuals)
        raw: NDArray[np.float64] = (dominates.T @ dominates.sum(axis=1)).astype(np.float64)
        return raw

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return what DEAP's selection keeps."""
        kept: list[Individual] = tools.selSPEA2(list(feasible), count)
        return kept
