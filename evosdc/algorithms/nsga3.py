"""NSGA-III."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from deap import base, tools
from numpy.typing import NDArray
from pydantic import Field

from evosdc.algorithms.domination import crowded_order, front_numbers, objectives_of
from evosdc.algorithms.multiobjective import MultiObjective, MultiObjectiveParams
from evosdc.model import Individual
from evosdc.secret import lent


@dataclass(frozen=True)
class _Place:
    """A position that DEAP selects in place of the individual there."""

    position: int
    fitness: base.Fitness


class ReferencePoints(MultiObjective):
    """Survival by front, and in the last one by niches round reference points (Deb and Jain 2014): `selNSGA3` of DEAP.

    Meant for three objectives and more, for instance every measure as one. Reference points lie evenly on the unit
    simplex (Das and Dennis). The chance in the choice among equally empty niches comes from the candidates themselves,
    so that the same candidates always have the same survivors. Where all candidates agree in some objective, which
    leaves its scale undefined, NSGA-II's crowding distance decides.
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

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[int]:
        """Return what DEAP's selection keeps."""
        values = objectives_of(feasible)
        if (np.ptp(values, axis=0) <= 0.0).any() or values.shape[1] == 1:
            chosen: list[int] = crowded_order(feasible)[:count].tolist()
            return chosen
        places = [_Place(position, individual.fitness) for position, individual in enumerate(feasible)]
        content = np.random.SeedSequence([int.from_bytes(i.key[:8], "little") for i in feasible])
        points = tools.uniform_reference_points(values.shape[1], self._divisions(values.shape[1], count))
        with lent(np.random.default_rng(content)), np.errstate(divide="ignore", invalid="ignore"):
            kept = tools.selNSGA3(places, count, points)
        return [place.position for place in kept]

    def _divisions(self, objectives: int, count: int) -> int:
        """Return the greatest number of divisions that gives no more points than there are members."""
        if self.params.divisions is not None:
            return self.params.divisions
        divisions = 1
        while comb(objectives + divisions, divisions + 1) <= count:
            divisions += 1
        return divisions
