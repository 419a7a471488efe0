"""Who is ahead in a race: by constraints and objectives, by objectives at the price of constraints, or at screening."""

from collections.abc import Sequence

from evosdc.algorithms.domination import crowded_order
from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY, PROVISIONAL

LENGTH = "length"
"""The trait that says how long a genome is (`evosdc.model.Described.traits`); of equals the shorter is better."""

BEHIND = 1e6
"""Weight of infeasibility beside an objective, where one figure has to tell of both."""


def standing(individuals: Sequence[Individual]) -> list[int]:
    """Return by position the place in the order of all, whether screened only or judged on all tables."""
    alike = [
        Individual(one.genome, one.key, {**one.scores, INFEASIBILITY: own(one)}, one.objectives, one.origin)
        for one in individuals
    ]
    places = [0] * len(alike)
    for place, position in enumerate(order_of(alike)):
        places[position] = place
    return places


def own(individual: Individual) -> float:
    """Return by how much constraints are broken, apart from what tells that few tables were judged."""
    return individual.infeasibility - (PROVISIONAL if individual.provisional else 0.0)


def order_of(individuals: Sequence[Individual]) -> list[int]:
    """Return positions from the best to the worst: by front and crowding distance where there are several objectives.

    Of equals the shorter comes first.
    """
    if individuals and len(individuals[0].objectives) > 1:
        order: list[int] = crowded_order(individuals).tolist()
        return order
    return sorted(range(len(individuals)), key=lambda place: (*_rank(individuals[place]), place))


def _rank(individual: Individual) -> tuple[float, tuple[float, ...], float]:
    return individual.infeasibility, individual.objectives, individual.scores.get(LENGTH, 0.0)


def figure(individual: Individual) -> float:
    """Return the first objective, behind all that break constraints less."""
    return individual.objectives[0] + BEHIND * own(individual)


def merit(individual: Individual) -> float:
    """Return the first objective, raised by the share by which constraints are broken."""
    return individual.objectives[0] * (1.0 + own(individual))
