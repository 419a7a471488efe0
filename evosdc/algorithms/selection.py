"""Selection by DEAP's operators, as positions in the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from deap import base, tools

from evosdc.model import Individual
from evosdc.seeds import lent


class _Maximised(base.Fitness):  # type: ignore[misc]  # DEAP is not typed
    """The one maximised fitness, for `selRoulette`, whose shares grow with the value."""

    weights = (1.0,)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A position that DEAP selects in place of the individual there."""

    position: int
    fitness: base.Fitness


def roulette(individuals: Sequence[Individual], count: int, rng: np.random.Generator) -> list[int]:
    """Return positions drawn in proportion to ``F_max - F + eps`` of the first objective.

    Eq. 2.2 of the thesis is for a quantity to be maximised; scores are minimised, so they are turned round. The small
    term keeps the worst eligible, and makes the draw uniform where all are equal.
    """
    values = [individual.objectives[0] for individual in individuals]
    worst, spread = max(values), max(values) - min(values)
    floor = 0.01 * spread if spread > 0.0 else 1.0
    slots = [_Slot(i, _Maximised((worst - value + floor,))) for i, value in enumerate(values)]
    with lent(rng):
        chosen = tools.selRoulette(slots, count)
    return [slot.position for slot in chosen]


def tournament(individuals: Sequence[Individual], count: int, size: int, rng: np.random.Generator) -> list[int]:
    """Return the positions of the winners of `count` tournaments of `size` entrants drawn with replacement."""
    slots = [_Slot(i, individual.fitness) for i, individual in enumerate(individuals)]
    with lent(rng):
        chosen = tools.selTournament(slots, count, tournsize=size)
    return [slot.position for slot in chosen]


def leaders(individuals: Sequence[Individual], count: int) -> list[int]:
    """Return the positions of the `count` best individuals, best first; of equals the lower position."""
    return sorted(range(len(individuals)), key=lambda i: (individuals[i].objectives, i))[:count]


def fittest(individuals: Sequence[Individual], count: int | None) -> tuple[Individual, ...]:
    """Return the `count` best individuals (None: all) in the order in which they stand."""
    return tuple(individuals[i] for i in sorted(leaders(individuals, len(individuals) if count is None else count)))
