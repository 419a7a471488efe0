"""The Pareto front of all candidates ever evaluated."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from evosdc.engine.hypervolume import hypervolume
from evosdc.model import Individual

Point = tuple[float, ...]


class Archive:
    """Non-dominated individuals under `Individual.point`; of equals the first stays.

    Where constraints are broken, only those stay that break them least: the first feasible candidate drives all others
    out. Fronts of two objectives are kept as a staircase, which is searched by bisection: `deap.tools.ParetoFront`
    compares every candidate with every member in Python, which costs more than the evaluation itself.
    """

    def __init__(self, individuals: Iterable[Individual] = ()) -> None:
        self._members: list[Individual] = []
        self._points: list[Point] = []
        self._infeasibility = float("inf")
        self._hypervolume: float | None = None
        self.update(list(individuals))

    def update(self, individuals: Sequence[Individual]) -> bool:
        """Take in evaluated individuals; return whether the front changed."""
        changed = False
        for individual in individuals:
            if individual.infeasibility > self._infeasibility:
                continue
            if individual.infeasibility < self._infeasibility:
                self._members, self._points = [], []
                self._infeasibility = individual.infeasibility
            changed |= self._enter(individual)
        if changed:
            self._hypervolume = None
        return changed

    def _enter(self, individual: Individual) -> bool:
        point, points = individual.point, self._points
        position = bisect_right(points, point)
        if len(point) == 2:
            # Along a staircase of two objectives the second falls while the first rises.
            if position and points[position - 1][1] <= point[1]:
                return False
            begin = end = bisect_left(points, point)
            while end < len(points) and points[end][1] >= point[1]:
                end += 1
            beaten = range(begin, end)
        else:
            # A point that dominates another one stands before it in the order of tuples.
            if any(all(a <= b for a, b in zip(other, point, strict=True)) for other in points[:position]):
                return False
            beaten = [  # type: ignore[assignment]
                place
                for place in range(position, len(points))
                if all(a <= b for a, b in zip(point, points[place], strict=True))
            ]
        for place in reversed(beaten):
            del self._members[place], points[place]
        place = bisect_left(points, point)
        points.insert(place, point)
        self._members.insert(place, _stateless(individual))
        return True

    @property
    def individuals(self) -> tuple[Individual, ...]:
        """The front, by increasing first coordinate."""
        return tuple(self._members)

    @property
    def hypervolume(self) -> float | None:
        """What the front dominates, in percent (`evosdc.engine.hypervolume`).

        None with one objective alone, or more than three; 0 while no candidate fulfils the constraints.
        """
        if not self._points or not 2 <= len(self._points[0]) <= MOST_DIMENSIONS:
            return None
        if self._hypervolume is None:
            self._hypervolume = hypervolume(self._points) if self._infeasibility == 0.0 else 0.0
        return self._hypervolume

    def __len__(self) -> int:
        return len(self._members)


MOST_DIMENSIONS = 3
"""The exact hypervolume of more objectives takes longer than the search itself."""


def _stateless(individual: Individual) -> Individual:
    """Return the individual without its measures' states, which are large and of no use outside the population."""
    i = individual
    return Individual(i.genome, i.key, i.scores, i.objectives, i.origin) if i.states else i
