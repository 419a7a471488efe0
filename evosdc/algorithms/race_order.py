"""Who is ahead in a race: by constraints and objectives, by objectives at the price of constraints, or at screening."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan

from evosdc.algorithms.domination import crowded_order
from evosdc.model import Individual
from evosdc.model.individual import ERROR, INFEASIBILITY, PROVISIONAL

LENGTH = "length"
"""The trait that says how long a genome is (`evosdc.model.Described.traits`); of equals the shorter is better."""

BEHIND = 1e6
"""Weight of infeasibility beside an objective, where one figure has to tell of both."""


@dataclass(frozen=True)
class Runner:
    """A member of a race.

    Parameters
    ----------
    individual : Individual
        Judged on few tables, or on all.
    key : bytes
        Of its genome, whatever it is judged on.
    first : float
        First objective on the first table; of those that were never screened, that over all.
    few : float
        First objective on few tables; NaN where it was judged on all at once.
    """

    individual: Individual
    key: bytes
    first: float
    few: float = nan

    @property
    def beginning(self) -> int:
        """The beginning of the key as a number."""
        return int.from_bytes(self.key[:7])


def estimated(runners: Sequence[Runner], apart: Callable[[object, object], bool]) -> list[Individual]:
    """Return members with what they can be expected to be on all tables, to be compared; all count as judged there.

    It is a cautious figure, a standard error above the mean where there is one objective: of many plans that are judged
    on few tables those lead by mean whose noise is greatest, and disappoint on others.

    Those that were judged on few are corrected by how much those of their kind that were judged on all lost by that, in
    the mean: the few tables are the same for all, and a kind that is lucky there is so in all of its members.

    Parameters
    ----------
    runners : sequence of Runner
    apart : callable
        Whether two genomes are of different kinds.
    """
    several = any(len(runner.individual.objectives) > 1 for runner in runners)
    known = [runner for runner in runners if not runner.individual.provisional and not isnan(runner.few)]
    found = []
    for runner in runners:
        one = runner.individual
        kin = [] if several or not one.provisional else [k for k in known if not apart(one.genome, k.individual.genome)]
        lost = sum(k.individual.objectives[0] - k.few for k in kin) / max(len(kin), 1)
        found.append(cautious(one, lost))
    return found


def cautious(one: Individual, lost: float = 0.0) -> Individual:
    """Return an individual that counts as judged on all tables, its one objective a standard error above the mean."""
    return _expected(one, lost + (one.scores.get(ERROR, 0.0) if len(one.objectives) == 1 else 0.0))


def foreseen(
    waiting: Sequence[Individual], runners: Sequence[Runner], apart: Callable[[object, object], bool]
) -> list[Individual]:
    """Return those that were screened only with what they can be expected to be on all tables, to be compared.

    They are corrected by how much members of their kind lost after the first table, in the mean; where there are none,
    by what all members lost, if that is a gain.

    Parameters
    ----------
    waiting : sequence of Individual
    runners : sequence of Runner
    apart : callable
        Whether two genomes are of different kinds.
    """
    several = any(len(one.objectives) > 1 for one in waiting)
    if several or not runners:
        return [_expected(one, 0.0) for one in waiting]
    known = estimated(runners, apart)
    lost = [one.objectives[0] - runner.first for one, runner in zip(known, runners, strict=True)]
    found = []
    for one in waiting:
        kin = [own for own, other in zip(lost, known, strict=True) if not apart(one.genome, other.genome)]
        found.append(_expected(one, sum(kin) / len(kin) if kin else min(0.0, sum(lost) / len(lost))))
    return found


def _expected(one: Individual, lost: float) -> Individual:
    objectives = (one.objectives[0] + lost, *one.objectives[1:])
    return Individual(one.genome, one.key, {**one.scores, INFEASIBILITY: own(one)}, objectives, one.origin)


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
