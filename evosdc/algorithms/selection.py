"""Selection of parents, as positions in the population.

Every operator sees one cost an individual (`costs`), so that all obey constraints and work with several objectives.
The draws of roulette and tournament are those of DEAP's `selRoulette` and `selTournament`, number by number, from a
generator that is given. DEAP's own draw from the global `random`, from which other threads may draw, too. And its
roulette is for quantities to be maximised, and walks through the population for every parent that it draws: of 100
members that takes 60 microseconds a parent, half of what a child may take in all.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Literal

from deap import base
from pydantic import Field

from evosdc.algorithms.multiobjective import front_numbers
from evosdc.model import Individual, Parameters
from evosdc.model.algorithm import random_of

Name = Literal["roulette", "tournament", "stochastic-universal", "rank", "truncation", "uniform"]


class SelectionParams(Parameters):
    """Parameters of the selection of parents."""

    selection: Name = Field("tournament", description="how parents are selected")
    tournament: int = Field(2, ge=1, description="entrants of a tournament")
    pressure: float = Field(
        1.8, gt=1, le=2, description="of selection by rank: expected children of the best, over those of the average"
    )
    truncation: float = Field(0.5, gt=0, le=1, description="share of the population that truncation lets reproduce")


def select(params: SelectionParams, individuals: Sequence[Individual], count: int, toolbox: base.Toolbox) -> list[int]:
    """Return the positions of `count` parents, with replacement."""
    # By ``toolbox.select(individuals, count)`` where there is one, as an experiment's operators may have it; otherwise
    # by the operator that the parameters name.
    if hasattr(toolbox, "select"):
        positions = {id(individual): position for position, individual in enumerate(individuals)}
        return [positions[id(chosen)] for chosen in toolbox.select(individuals, count)]
    random = random_of(toolbox)
    match params.selection:
        case "roulette":
            return roulette(individuals, count, random)
        case "tournament":
            return tournament(individuals, count, params.tournament, random)
        case "stochastic-universal":
            return stochastic_universal(individuals, count, random)
        case "rank":
            return ranked(individuals, count, params.pressure, random)
        case "truncation":
            return truncated(individuals, count, params.truncation, random)
        case "uniform":
            return [random.randrange(len(individuals)) for _ in range(count)]


def costs(individuals: Sequence[Individual]) -> list[float]:
    """Return the key that selection minimises."""
    # With one objective, that. A candidate that breaks constraints costs the worst feasible objective plus its
    # infeasibility (Deb 2000): it is worse than every feasible one, by as much as it breaks them.
    if len(individuals[0].objectives) > 1:
        return [float(number) for number in front_numbers(individuals)]
    worst = max((i.objectives[0] for i in individuals if i.feasible), default=0.0)
    found = [i.objectives[0] if i.feasible else worst + i.infeasibility for i in individuals]
    if any(i.failed for i in individuals):
        # The mark of a failure is so large that beside it all others would have equal shares of a wheel.
        last = 1.0 + max((cost for cost, i in zip(found, individuals, strict=True) if not i.failed), default=0.0)
        found = [last if i.failed else cost for cost, i in zip(found, individuals, strict=True)]
    return found


def roulette(individuals: Sequence[Individual], count: int, random: Random) -> list[int]:
    """Return positions drawn in proportion to ``F_max - F + eps`` of the cost."""
    # Eq. 2.2 of the thesis is for a quantity to be maximised; scores are minimised, so they are turned round. The small
    # term keeps the worst eligible, and makes the draw uniform where all are equal.
    shares, order, total, ends = _wheel(individuals)
    last = len(shares) - 1
    return [order[min(bisect_right(ends, random.random() * total), last)] for _ in range(count)]


def stochastic_universal(individuals: Sequence[Individual], count: int, random: Random) -> list[int]:
    """Return positions met by `count` equally spaced pointers on the wheel of `roulette` (Baker 1987), shuffled."""
    # Each individual is selected as often as its share says, rounded up or down.
    _, order, total, ends = _wheel(individuals)
    first, last = random.random(), len(order) - 1
    chosen = [order[min(bisect_right(ends, (first + n) * total / count), last)] for n in range(count)]
    return random.sample(chosen, count)


def tournament(individuals: Sequence[Individual], count: int, size: int, random: Random) -> list[int]:
    """Return the positions of the winners of `count` tournaments of `size` entrants drawn with replacement."""
    cost, positions = costs(individuals), range(len(individuals))
    return [min([random.choice(positions) for _ in range(size)], key=cost.__getitem__) for _ in range(count)]


def ranked(individuals: Sequence[Individual], count: int, pressure: float, random: Random) -> list[int]:
    """Return positions drawn with probabilities that fall linearly with the rank (Baker 1985)."""
    # The best is expected `pressure` times as often as the average, the worst ``2 - pressure`` times; of equal costs
    # the lower position has the better rank.
    size, cost = len(individuals), costs(individuals)
    order = sorted(range(size), key=cost.__getitem__)
    step = 2.0 * (pressure - 1.0) / max(size - 1, 1)
    return random.choices(order, [pressure - step * place for place in range(size)], k=count)


def truncated(individuals: Sequence[Individual], count: int, share: float, random: Random) -> list[int]:
    """Return positions drawn uniformly from the best `share` of the population, at least one individual."""
    cost = costs(individuals)
    order = sorted(range(len(individuals)), key=cost.__getitem__)
    kept = max(1, round(share * len(individuals)))
    return [order[random.randrange(kept)] for _ in range(count)]


def leaders(individuals: Sequence[Individual], count: int) -> list[int]:
    """Return the positions of the `count` best individuals, best first; of equals the lower position."""
    return sorted(range(len(individuals)), key=lambda i: (individuals[i].precedence, i))[:count]


def fittest(individuals: Sequence[Individual], count: int | None) -> Sequence[Individual]:
    """Return the `count` best individuals (None: all) in the order in which they stand."""
    if count is None or count >= len(individuals):
        return individuals
    return [individuals[i] for i in sorted(leaders(individuals, count))]


def _wheel(individuals: Sequence[Individual]) -> tuple[list[float], list[int], float, list[float]]:
    """Return shares by position, positions by falling share, the sum, and where each sector ends."""
    values = costs(individuals)
    worst, spread = max(values), max(values) - min(values)
    floor = 0.01 * spread if spread > 0.0 else 1.0
    shares = [worst - value + floor for value in values]
    order = sorted(range(len(shares)), key=shares.__getitem__, reverse=True)
    return shares, order, sum(shares), list(accumulate(shares[position] for position in order))
