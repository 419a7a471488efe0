"""The children of one parent that were judged together: an individual is made of those that somebody asks for."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.model.individual import INFEASIBILITY, Individual, precedence_of
from evosdc.model.litter import MadeWhenAsked, Siblings

Column = NDArray[np.float64]
Point = tuple[float, ...]
Standing = tuple[float, Point]
"""Infeasibility, and where it stands on the front."""

Precedence = tuple[float, tuple[float, ...]]


class Brood(MadeWhenAsked[Individual]):
    """Individuals whose scores are known by the column.

    Parameters
    ----------
    scores : mapping of str to ndarray of float64, shape (k,)
        By measure, with aggregates, and with ``infeasibility`` where there are constraints.
    objectives : sequence of ndarray of float64, shape (k,)
        All minimised.
    individual : callable
        Makes the individual at a place, of its scores and objectives.
    origins : sequence of str
        The operator that made each.
    genomes : Siblings, optional
        The genomes, where they are known by what they change.

    Attributes
    ----------
    objectives : list of tuple of float
        Of each.
    along : list of ndarray of float64, shape (k,)
        Where each stands on the front (`Individual.point`), by coordinate.
    infeasibility : list of float
        Of each.
    """

    def __init__(
        self,
        scores: Mapping[str, Column],
        objectives: Sequence[Column],
        individual: Callable[[int, dict[str, float], tuple[float, ...]], Individual],
        origins: Sequence[str] = (),
        genomes: Siblings[Any] | None = None,
    ) -> None:
        super().__init__(len(objectives[0]))
        self._scores, self._individual = scores, individual
        self.origins, self.genomes = origins, genomes
        self.along = [scores["il"], scores["dr"]] if "il" in scores and "dr" in scores else list(objectives)
        self.objectives: list[Point] = list(zip(*(column.tolist() for column in objectives), strict=True))
        self.infeasibility: list[float] = (
            scores[INFEASIBILITY].tolist() if INFEASIBILITY in scores else [0.0] * len(self)
        )

    def column(self, name: str) -> Column:
        """Return one score of each, 0 where there is none of that name, shape (k,)."""
        return self._scores[name] if name in self._scores else np.zeros(len(self))

    def make(self, place: int) -> Individual:
        """Return the individual at a place."""
        return self._individual(place, dict(zip(self._scores, self._rows[place], strict=True)), self.objectives[place])

    @cached_property
    def _rows(self) -> list[tuple[float, ...]]:
        """The scores of each: numbers are read from columns many at a time, which takes a tenth as long."""
        return list(zip(*(column.tolist() for column in self._scores.values()), strict=True))

    @cached_property
    def points(self) -> list[Point]:
        """Where each stands on the front, as `Individual.point`."""
        return list(zip(*(column.tolist() for column in self.along), strict=True))

    def below(self, point: Point) -> list[bool]:
        """Return which are less than a point of the front along any axis."""
        found: list[bool] = np.any([own < bound for own, bound in zip(self.along, point, strict=True)], axis=0).tolist()
        return found

    @cached_property
    def precedences(self) -> list[Precedence]:
        """What the best is the least of, as `Individual.precedence`."""
        if len(self.objectives[0]) == 1:
            return list(zip(self.infeasibility, self.objectives, strict=True))
        names = [name for name in ("il", "dr", INFEASIBILITY) if name in self._scores]
        rows = zip(*(self._scores[name].tolist() for name in names), strict=True)
        known: Iterable[tuple[float, ...]] = rows if names else ((),) * len(self)
        return [
            precedence_of(dict(zip(names, row, strict=True)), objectives)
            for row, objectives in zip(known, self.objectives, strict=True)
        ]


class Broods(Sequence[Individual]):
    """The children of several demes, one after another, of which broods make none before somebody asks.

    Parameters
    ----------
    parts : iterable of sequence of Individual
        By deme.
    """

    def __init__(self, parts: Iterable[Sequence[Individual]]) -> None:
        self.parts = [part for part in parts if part]
        self._ends = list(accumulate(map(len, self.parts)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> Individual: ...

    @overload
    def __getitem__(self, place: slice) -> list[Individual]: ...

    def __getitem__(self, place: int | slice) -> Individual | list[Individual]:
        if isinstance(place, slice):
            begin, end, step = place.indices(len(self))
            if step != 1:
                return [self[one] for one in range(begin, end, step)]
            inner = (part[max(begin - at, 0) : max(end - at, 0)] for at, part in self.begins)
            return list(chain.from_iterable(inner))
        place = range(len(self))[place]
        number = bisect_right(self._ends, place)
        part = self.parts[number]
        return part[place - self._ends[number] + len(part)]

    @property
    def begins(self) -> list[tuple[int, Sequence[Individual]]]:
        """The children of each deme, with the place of the first one."""
        return [(end - len(part), part) for end, part in zip(self._ends, self.parts, strict=True)]


def standings(individuals: Sequence[Individual]) -> Iterable[Standing]:
    """Return the infeasibility of each and where it stands on the front."""
    if isinstance(individuals, Broods):
        return chain.from_iterable(map(standings, individuals.parts))
    if isinstance(individuals, Brood):
        return zip(individuals.infeasibility, individuals.points, strict=True)
    return ((individual.infeasibility, individual.point) for individual in individuals)


def precedences(individuals: Sequence[Individual]) -> list[Precedence]:
    """Return what the best is the least of, for each."""
    if isinstance(individuals, Broods):
        return [one for part in individuals.parts for one in precedences(part)]
    if isinstance(individuals, Brood):
        return individuals.precedences
    return [individual.precedence for individual in individuals]


def dominating(individuals: Sequence[Individual], other: Individual) -> list[bool]:
    """Return which of them are better than another individual (`Individual.dominates`)."""
    if not isinstance(individuals, Brood):
        return [individual.dominates(other) for individual in individuals]
    infeasibility, objectives = other.infeasibility, other.objectives
    if len(objectives) == 1:
        best = infeasibility, objectives
        return [one < best for one in individuals.precedences]
    return [
        own < infeasibility
        if own != infeasibility
        else values != objectives and all(x <= y for x, y in zip(values, objectives, strict=True))
        for own, values in zip(individuals.infeasibility, individuals.objectives, strict=True)
    ]


def worth(individuals: Sequence[Individual], place: int) -> tuple[float, Point]:
    """Return the infeasibility and the objectives of one of them."""
    if isinstance(individuals, Brood):
        return individuals.infeasibility[place], individuals.objectives[place]
    return individuals[place].infeasibility, individuals[place].objectives


def below(individuals: Sequence[Individual], point: Point) -> list[bool]:
    """Return which of them are less than a point of the front along any axis."""
    if isinstance(individuals, Brood):
        return individuals.below(point)
    return [any(a < b for a, b in zip(one.point, point, strict=True)) for one in individuals]


def known_of(individuals: Sequence[Individual]) -> list[Individual]:
    """Return those that exist: of a brood, who has been asked for."""
    return [individual for _, individual in known_places(individuals)]


def known_places(individuals: Sequence[Individual]) -> Iterable[tuple[int, Individual]]:
    """Return those that exist, with their places."""
    if isinstance(individuals, Broods):
        return [(begin + place, one) for begin, part in individuals.begins for place, one in known_places(part)]
    return individuals.known if isinstance(individuals, Brood) else enumerate(individuals)
