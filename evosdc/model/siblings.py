"""Children of one parent that are known by what they change: an individual is made of those that somebody asks for.

Of the dozens of small changes that a local search tries, nearly all are thrown away at once.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.model.changes import Changes
from evosdc.model.individual import INFEASIBILITY, Individual, precedence_of

Column = NDArray[np.float64]
Precedence = tuple[float, tuple[float, ...]]


class Siblings(Sequence[Individual]):
    """Children of one parent, with their scores by the column once they have been judged.

    Parameters
    ----------
    parent : Individual
    origins : sequence of str
        The operator that made each, k in all.
    genome : callable
        Returns the genome of the child at a place.
    key : callable
        Returns the key of a genome.
    changes : Changes, optional
        What they change in the parent's records, where that is known.
    """

    def __init__(
        self,
        parent: Individual,
        origins: Sequence[str],
        genome: Callable[[int], Any],
        key: Callable[[Any], bytes],
        changes: Changes | None = None,
    ) -> None:
        self.parent, self.origins, self.genome, self.changes = parent, origins, genome, changes
        self._key = key
        self._made: dict[int, Individual] = {}
        self.scores: Mapping[str, Column] = {}
        self.objectives: Column = np.empty((0, 0))
        self.estimated = False

    def judged(self, scores: Mapping[str, Column], objectives: Sequence[Column], estimated: bool = False) -> None:
        """Take in scores by measure, shape (k,), and objectives, all minimised, shape (k,) each.

        Where they are estimates the children are for comparison: who keeps one has it evaluated.
        """
        self.scores, self.objectives, self.estimated = scores, np.stack(objectives, axis=1), estimated

    def __len__(self) -> int:
        return len(self.origins)

    @overload
    def __getitem__(self, place: int) -> Individual: ...

    @overload
    def __getitem__(self, place: slice) -> list[Individual]: ...

    def __getitem__(self, place: int | slice) -> Individual | list[Individual]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._made:
            genome = self.genome(place)
            scores = {name: float(column[place]) for name, column in self.scores.items()}
            objectives = tuple(self.objectives[place].tolist())
            self._made[place] = Individual(genome, self._key(genome), scores, objectives, self.origins[place])
        return self._made[place]

    @property
    def known(self) -> list[tuple[int, Individual]]:
        """The individuals that have been made, with their places."""
        return sorted(self._made.items())

    @property
    def infeasibility(self) -> Column:
        """How far each is from the constraints, shape (k,)."""
        return self.scores[INFEASIBILITY] if INFEASIBILITY in self.scores else np.zeros(len(self))

    @property
    def points(self) -> Column:
        """Where each stands on the front, shape (k, d): see `Individual.point`."""
        if "il" in self.scores and "dr" in self.scores:
            return np.stack((self.scores["il"], self.scores["dr"]), axis=1)
        return self.objectives

    def dominating(self, other: Individual) -> NDArray[np.bool_]:
        """Return which are better than another individual, as `Individual.dominates`; shape (k,)."""
        objectives = np.array(other.objectives)
        nowhere_worse = (self.objectives <= objectives).all(axis=1)
        somewhere_better = (self.objectives < objectives).any(axis=1)
        equal = self.infeasibility == other.infeasibility
        better: NDArray[np.bool_] = (self.infeasibility < other.infeasibility) | (
            equal & nowhere_worse & somewhere_better
        )
        return better

    def improvements(self, other: Individual) -> Column:
        """Return by how much each is better than another individual; 0 for those that are not, shape (k,).

        In infeasibility where that differs, else in the sum of objectives.
        """
        less = other.infeasibility - self.infeasibility
        gained = np.where(less != 0.0, less, sum(other.objectives) - self.objectives.sum(axis=1))
        return np.where(self.dominating(other), gained, 0.0)

    def precedences(self) -> list[Precedence]:
        """Return what the best is the least of, for each: see `Individual.precedence`."""
        broken, objectives = self.infeasibility.tolist(), list(map(tuple, self.objectives.tolist()))
        if self.objectives.shape[1] == 1:
            return list(zip(broken, objectives, strict=True))
        names = [name for name in ("il", "dr", INFEASIBILITY) if name in self.scores]
        rows = zip(*(self.scores[name].tolist() for name in names), strict=True) if names else ((),) * len(self)
        return [
            precedence_of(dict(zip(names, row, strict=True)), own) for row, own in zip(rows, objectives, strict=True)
        ]


def precedences(batch: Sequence[Individual]) -> list[Precedence]:
    """Return what the best is the least of, for each of some individuals."""
    return batch.precedences() if isinstance(batch, Siblings) else [individual.precedence for individual in batch]


def known_places(batch: Sequence[Individual]) -> list[tuple[int, Individual]]:
    """Return those of some individuals that exist, with their places."""
    return batch.known if isinstance(batch, Siblings) else list(enumerate(batch))
