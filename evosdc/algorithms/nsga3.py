"""NSGA-III."""

from collections.abc import Sequence
from math import comb

import numpy as np
from deap import tools
from numpy.typing import NDArray
from pydantic import Field

from evosdc.algorithms.domination import crowded_order, front_numbers, objectives_of
from evosdc.algorithms.multiobjective import MultiObjective, MultiObjectiveParams
from evosdc.model import Individual


class ReferencePoints(MultiObjective):
    """Survival by front, and in the last one by niches round reference points (Deb and Jain 2014): `selNSGA3` of DEAP.

    Meant for three objectives and more, for instance every measure as one. Reference points lie evenly on the unit
    simplex (Das and Dennis). Where all candidates agree in some objective, which leaves its scale undefined, NSGA-II's
    crowding distance decides.
    """

    class Params(MultiObjectiveParams):
        """Parameters of the algorithm."""

        divisions: int | None = Field(
            None, ge=1, description="divisions of each objective's axis; default: as many as give one point a member"
        )

    params: Params

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the number of each individual's front."""
        return front_numbers(individuals).astype(np.float64)

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return what DEAP's selection keeps."""
        values = objectives_of(feasible)
        if (np.ptp(values, axis=0) <= 0.0).any() or values.shape[1] == 1:
            return [feasible[place] for place in crowded_order(feasible)[:count].tolist()]
        points = tools.uniform_reference_points(values.shape[1], self._divisions(values.shape[1], count))
        with np.errstate(divide="ignore", invalid="ignore"):
            kept: list[Individual] = tools.selNSGA3(list(feasible), count, points)
        return kept

    def _divisions(self, objectives: int, count: int) -> int:
        """Return the greatest number of divisions that gives no more points than there are members."""
        if self.params.divisions is not None:
            return self.params.divisions
        divisions = 1
        while comb(objectives + divisions, divisions + 1) <= count:
            divisions += 1
        return divisions
