"""NSGA-II."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.algorithms.domination import crowded_order
from evosdc.algorithms.multiobjective import MultiObjective
from evosdc.model import Individual


class NonDominatedSorting(MultiObjective):
    """Survival by front, and in the last front that fits in by crowding distance (Deb et al. 2002).

    `deap.tools.selNSGA2` does the same object by object; here fronts and distances are found for the whole population
    at once, with constraints, and the order within a front is fixed.
    """

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the place of each individual in the order by front and crowding distance."""
        places = np.empty(len(individuals))
        places[crowded_order(individuals)] = np.arange(len(individuals))
        return places

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[int]:
        """Return the first `count` in the order by front and crowding distance."""
        chosen: list[int] = crowded_order(feasible)[:count].tolist()
        return chosen
