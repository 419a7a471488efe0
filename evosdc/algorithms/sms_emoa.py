"""SMS-EMOA."""

from collections.abc import Sequence

import moocore
import numpy as np
from numpy.typing import NDArray

from evosdc.algorithms.domination import domination, front_numbers, objectives_of
from evosdc.algorithms.multiobjective import MultiObjective
from evosdc.model import Individual


class HypervolumeSelection(MultiObjective):
    """Survival by what each member adds to the hypervolume (Beume, Naujoks and Emmerich 2007).

    Again and again one goes: of the last front, where there are several, the one that most dominate; of a single front
    the one that adds least to its hypervolume. The reference point is the worst of each objective plus 1. With two
    objectives the ends stay. With ``offspring = 1`` this is the steady state of the paper; by default a generation has
    as many children as there are members, which lets workers share them, and then so many go.
    """

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return how many dominate each: parents are drawn with less pressure than survivors."""
        return np.asarray(domination(individuals).sum(axis=0), dtype=np.float64)

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return what is left when the least useful one is removed, again and again; of equals the later one goes."""
        fronts, beaten = front_numbers(feasible), domination(feasible).sum(axis=0)
        staying = np.arange(len(feasible))
        for number in range(int(fronts.max()), 0, -1):
            last = staying[fronts[staying] == number]
            going = last[np.lexsort((-last, -beaten[last]))][: max(len(staying) - count, 0)]
            staying = np.setdiff1d(staying, going)
        values = objectives_of(feasible)
        while len(staying) > count:
            staying = np.delete(staying, least_contribution(values[staying]))
        return [feasible[position] for position in staying.tolist()]


def least_contribution(values: NDArray[np.float64]) -> int:
    """Return the member of a front that adds least to its hypervolume; of equals the last.

    Parameters
    ----------
    values : ndarray of float64, shape (n, m)
        Objectives, all minimised, none of which dominates another.
    """
    if values.shape[1] == 1 or len(values) == 1:
        return len(values) - 1
    added = np.asarray(moocore.hv_contributions(values, ref=values.max(axis=0) + 1.0), dtype=np.float64)
    if values.shape[1] == 2 and len(values) > 2:
        added[[int(values[:, 0].argmin()), int(values[:, 1].argmin())]] = np.inf
    return int(len(added) - 1 - added[::-1].argmin())
