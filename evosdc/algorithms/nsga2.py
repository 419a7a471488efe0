"""NSGA-II."""

from collections.abc import Sequence

import numpy as np
from deap import tools
from numpy.typing import NDArray

from evosdc.algorithms.domination import crowded_order
from evosdc.algorithms.multiobjective import MultiObjective
from evosdc.model import Individual


class NonDominatedSorting(MultiObjective):
    """Survival by front, and in the last front by crowding distance (Deb et al. 2002): DEAP's `selNSGA2`."""

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the place of each individual in the order by front and crowding distance."""
        places = np.empty(len(individuals))
        places[crowded_order(individuals)] = np.arange(len(individuals))
        return places

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return what DEAP's selection keeps."""
        kept: list[Individual] = tools.selNSGA2(list(feasible), count)
        return kept
