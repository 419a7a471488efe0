"""The Pareto front of all candidates ever evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from deap import base, tools

from evosdc.model import Individual
from evosdc.model.individual import MINIMISED


@dataclass(frozen=True, slots=True)
class _Member:
    """An individual under the objectives of the front, which need not be those of the search."""

    individual: Individual
    fitness: base.Fitness

    def __deepcopy__(self, memo: dict[int, object]) -> _Member:
        return self


def front_objectives(individual: Individual) -> tuple[float, ...]:
    """Return IL and DR where there are both, the search's own objectives otherwise."""
    scores = individual.scores
    return (scores["il"], scores["dr"]) if "il" in scores and "dr" in scores else individual.objectives


class Archive:
    """Non-dominated individuals, kept by `deap.tools.ParetoFront`; of equals the first stays.

    Its arithmetic in Python is slow, so a candidate is first compared with the whole front by one array operation, and
    only the few that are not dominated are handed on.
    """

    def __init__(self, individuals: Iterable[Individual] = ()) -> None:
        self._front = tools.ParetoFront(similar=_same_objectives)
        self._points = np.empty((0, 0))
        self.update(list(individuals))

    def update(self, individuals: Sequence[Individual]) -> bool:
        """Take in evaluated individuals; return whether the front changed."""
        changed = False
        for individual in individuals:
            values = front_objectives(individual)
            if self._points.size and (self._points <= np.array(values)).all(axis=1).any():
                continue
            self._front.update([_Member(_stateless(individual), MINIMISED[len(values) - 1](values))])
            self._points = np.array([member.fitness.values for member in self._front])
            changed = True
        return changed

    @property
    def individuals(self) -> tuple[Individual, ...]:
        """The front, by increasing first objective, then by key."""
        members = sorted(self._front, key=lambda m: (m.fitness.values, m.individual.key))
        return tuple(member.individual for member in members)

    def __len__(self) -> int:
        return len(self._front)


def _stateless(individual: Individual) -> Individual:
    """Return the individual without its measures' states, which are large and of no use outside the population."""
    i = individual
    return Individual(i.genome, i.key, i.scores, i.objectives, i.origin) if i.states else i


def _same_objectives(a: _Member, b: _Member) -> bool:
    return bool(a.fitness.values == b.fitness.values)
