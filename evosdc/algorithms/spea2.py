"""SPEA2."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.algorithms.domination import domination, objectives_of
from evosdc.algorithms.multiobjective import MultiObjective
from evosdc.model import Individual


class StrengthPareto(MultiObjective):
    """Survival by strength and density, and truncation of a front that is too large (Zitzler, Laumanns, Thiele 2001).

    The population is the archive of the paper, and its children are the paper's population. Distances are measured
    with every objective scaled to its range; DEAP's `selSPEA2` takes them as they are and one by one.
    """

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return raw fitness plus density: below 1 for those that none dominates."""
        dominates = domination(individuals)
        strength = dominates.sum(axis=1)
        raw = dominates.T @ strength
        apart = _distances(individuals)
        neighbour = min(max(round(len(individuals) ** 0.5), 1), len(individuals) - 1)
        density = 1.0 / (np.sort(apart, axis=1)[:, neighbour] + 2.0)
        return np.asarray(raw + density, dtype=np.float64)

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[int]:
        """Return the front, truncated where it is too large, filled up by fitness where it is too small."""
        standing = self.standing(feasible)
        front = np.flatnonzero(standing < 1.0)
        if len(front) <= count:
            chosen: list[int] = np.argsort(standing, kind="stable")[:count].tolist()
            return chosen
        kept = front[_truncated(_distances([feasible[position] for position in front.tolist()]), count)]
        return [int(position) for position in kept]


def _distances(individuals: Sequence[Individual]) -> NDArray[np.float64]:
    """Return Euclidean distances with objectives scaled to their ranges, shape (n, n)."""
    values = objectives_of(individuals)
    spread = np.ptp(values, axis=0)
    scaled = values / np.where(spread > 0.0, spread, 1.0)
    squares = np.zeros((len(values), len(values)))
    for column in scaled.T:
        squares += (column[:, None] - column[None, :]) ** 2
    return np.sqrt(squares)


def _truncated(apart: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return what is left when the member nearest to another one is removed, again and again.

    Of two that are equally near, the one whose next neighbour is nearer goes, and so on; at last the later one.
    """
    left = apart.copy()
    np.fill_diagonal(left, np.inf)
    alive = np.arange(len(left))
    for _ in range(len(left) - count):
        nearest = left.min(axis=1)
        nearest[np.setdiff1d(np.arange(len(left)), alive)] = np.inf
        tied = np.flatnonzero(nearest == nearest.min())
        tied = tied[np.isin(tied, alive)]
        goes = min(tied.tolist(), key=lambda position: (np.sort(left[position][alive]).tolist(), -position))
        alive = alive[alive != goes]
        left[goes, :] = left[:, goes] = np.inf
    return alive
