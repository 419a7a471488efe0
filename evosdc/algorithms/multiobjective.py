"""Searches for a whole front: NSGA-II, NSGA-III, SPEA2 and SMS-EMOA."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import comb

import moocore
import numpy as np
from deap import tools
from deap.tools import emo
from numpy.typing import NDArray
from pydantic import Field

from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory, vary_parents
from evosdc.model import Algorithm, Individual, Population
from evosdc.model.algorithm import evaluate

Positions = NDArray[np.int64]


def objectives_of(individuals: Sequence[Individual]) -> NDArray[np.float64]:
    """Return the objectives, shape (n, m)."""
    return np.array([individual.objectives for individual in individuals], dtype=np.float64)


def domination(individuals: Sequence[Individual]) -> NDArray[np.bool_]:
    """Return the dominance relation, shape (n, n): entry (i, j) says that i dominates j."""
    # Constrained dominance (Deb et al. 2002): what breaks the constraints less dominates; among equals in that, the
    # objectives count.
    values = objectives_of(individuals)
    nowhere_worse = np.ones((len(values), len(values)), dtype=np.bool_)
    somewhere_better = np.zeros_like(nowhere_worse)
    for column in values.T:
        nowhere_worse &= column[:, None] <= column[None, :]
        somewhere_better |= column[:, None] < column[None, :]
    infeasibilities = np.array([individual.infeasibility for individual in individuals])
    if not infeasibilities.any():
        return nowhere_worse & somewhere_better
    equal = infeasibilities[:, None] == infeasibilities[None, :]
    less = infeasibilities[:, None] < infeasibilities[None, :]
    dominates: NDArray[np.bool_] = less | (equal & nowhere_worse & somewhere_better)
    return dominates


def front_numbers(individuals: Sequence[Individual]) -> Positions:
    """Return the number of each individual's front, shape (n,): 0 for those that none dominates, and so on inwards."""
    # By the constraints first, as `domination` has it.
    values, broken = objectives_of(individuals), np.array([individual.infeasibility for individual in individuals])
    numbers, begin = np.empty(len(values), dtype=np.int64), 0
    for level in np.unique(broken):
        own = broken == level
        numbers[own] = begin + moocore.pareto_rank(values[own])
        begin = int(numbers[own].max()) + 1
    return numbers


def crowding(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the crowding distances of one front, shape (n,): the greater, the lonelier; infinite at the ends."""
    # Deb et al. (2002). Each objective counts by its range in the front; of equal points in the order of the file the
    # first is the end.
    count = len(values)
    distances = np.zeros(count)
    for column in values.T:
        order = np.argsort(column, kind="stable")
        spread = column[order[-1]] - column[order[0]]
        distances[order[[0, -1]]] = np.inf
        if spread > 0.0 and count > 2:
            distances[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / spread
    return distances


def crowded_order(individuals: Sequence[Individual]) -> Positions:
    """Return positions from best to worst in the order of NSGA-II: by front, then by decreasing crowding distance."""
    numbers, values = front_numbers(individuals), objectives_of(individuals)
    lonely = np.zeros(len(individuals))
    for number in range(int(numbers.max()) + 1):
        front = np.flatnonzero(numbers == number)
        lonely[front] = crowding(values[front])
    return np.lexsort((-lonely, numbers)).astype(np.int64)


class MultiObjectiveParams(VariationParams):
    """Parameters of a search for a front."""

    population: int | None = Field(None, ge=1, description="size; default: all starting files")
    offspring: int | None = Field(None, ge=1, description="children of a generation; default: the population's size")


class MultiObjective(Algorithm):
    """A search whose survivors are chosen from parents and children together, each genome once."""

    # Constraints are obeyed as Deb et al. (2002) say. While fewer candidates than places fulfil them, the places left
    # go to those that break them least. The algorithm's own order is for feasible candidates.

    class Params(MultiObjectiveParams):
        """Parameters of the algorithm."""

    params: MultiObjectiveParams

    @abstractmethod
    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the key that tournaments for parents minimise, shape (n,)."""

    @abstractmethod
    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return `count` survivors of more than `count` individuals that fulfil the constraints."""

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return those of the candidates that survive, in their order."""
        return Population(self._surviving(candidates, self.params.population or len(candidates)))

    def step(self, population: Population) -> Population:
        """Return the survivors of parents and children; parents won binary tournaments."""
        toolbox, params = self.toolbox, self.params.at(population.generation)
        size = params.population or len(population)
        wanted = params.offspring or size
        rate = mutation_rate(params, population.memory)
        parents = self._parents(population, 2 * ((wanted + 1) // 2))
        offspring = list[Individual]()
        for first, second in zip(parents[::2], parents[1::2], strict=True):
            offspring += vary_parents(params, toolbox, first, second, rate)
        offspring, parents = offspring[:wanted], parents[:wanted]
        evaluate(offspring, toolbox)
        memory = update_memory(params, population, offspring, parents)
        return population.following(self._surviving([*population, *offspring], size), memory)

    def _parents(self, population: Population, count: int) -> list[Individual]:
        """Return the winners of binary tournaments, or the toolbox's selection."""
        if hasattr(self.toolbox, "select"):
            return list(self.toolbox.select(population, count))
        standing = self.standing(population).tolist()
        slots = range(len(population))
        pairs = [(self.random.choice(slots), self.random.choice(slots)) for _ in range(count)]
        return [population[min(pair, key=standing.__getitem__)] for pair in pairs]

    def _surviving(self, everyone: Sequence[Individual], count: int) -> list[Individual]:
        """Return at most `count` distinct individuals, in the order in which they stand."""
        distinct: dict[bytes, Individual] = {}
        for individual in everyone:
            distinct.setdefault(individual.key, individual)
        feasible = [individual for individual in distinct.values() if individual.feasible]
        if len(feasible) > count:
            kept = set(map(id, self.survivors(feasible, count)))
            return [individual for individual in feasible if id(individual) in kept]
        others = sorted((i for i in distinct.values() if not i.feasible), key=lambda i: i.precedence)
        return [*feasible, *others[: count - len(feasible)]]


class NonDominatedSorting(MultiObjective):
    """Survival by front, and in the last front by crowding distance (Deb et al. 2002): DEAP's `selNSGA2`."""

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the place of each individual in the order by front and crowding distance."""
        places = np.empty(len(individuals))
        places[crowded_order(individuals)] = np.arange(len(individuals))
        return places

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return the selection by DEAP."""
        kept: list[Individual] = tools.selNSGA2(list(feasible), count)
        return kept


class ReferencePoints(MultiObjective):
    """Survival by front, and in the last one by niches round reference points (Deb and Jain 2014).

    As `selNSGA3` of DEAP, made of its parts; but that draws from numpy's global generator, from which any thread may.

    Meant for three objectives and more, for instance every measure as one. Reference points lie evenly on the unit
    simplex (Das and Dennis). Where all candidates agree in some objective, which leaves its scale undefined, NSGA-II's
    crowding distance decides.
    """

    class Params(MultiObjectiveParams):
        """Parameters of the algorithm."""

        divisions: int | None = Field(
            None, ge=1, description="divisions of each objective's axis; default: as many as give one point a member"
        )

    params: Params

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the number of each individual's front."""
        return front_numbers(individuals).astype(np.float64)

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return whole fronts, and of the one that does not fit the individuals that its niches need most."""
        values = objectives_of(feasible)
        if (np.ptp(values, axis=0) <= 0.0).any() or values.shape[1] == 1:
            return [feasible[place] for place in crowded_order(feasible)[:count].tolist()]
        divided = self.params.divisions or divisions(values.shape[1], count)
        points = tools.uniform_reference_points(values.shape[1], divided)
        fronts: list[list[Individual]] = tools.sortLogNondominated(list(feasible), count)
        last, kept = fronts[-1], [individual for front in fronts[:-1] for individual in front]
        values = objectives_of([*kept, *last])
        best, worst = values.min(axis=0), values.max(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            intercepts = emo.find_intercepts(emo.find_extreme_points(values, best, None), best, worst, worst)
            niches, distances = emo.associate_to_niche(values, points, best, intercepts)
        held = np.bincount(niches[: len(kept)], minlength=len(points))
        return kept + [last[place] for place in self._niching(count - len(kept), held, niches, distances, len(kept))]

    def _niching(
        self, count: int, held: NDArray[np.int64], niches: NDArray[np.int64], distances: NDArray[np.float64], after: int
    ) -> Iterator[int]:
        """Yield the places of `count` members of the last front, from `after` on: each into a least held niche."""
        # An empty niche gets the individual nearest to its point, any other niche a random one of it.
        members: dict[int, list[int]] = {}
        for place, niche in enumerate(niches[after:].tolist()):
            members.setdefault(niche, []).append(place)
        for _ in range(count):
            least = min(held[niche] for niche in members)
            niche = self.random.choice([niche for niche in sorted(members) if held[niche] == least])
            own = members[niche]
            nearest = min(own, key=lambda place: distances[after + place]) if least == 0 else self.random.choice(own)
            own.remove(nearest)
            if not own:
                del members[niche]
            held[niche] += 1
            yield nearest


def divisions(objectives: int, count: int) -> int:
    """Return the greatest number of divisions of the unit simplex that gives no more than `count` points."""
    found = 1
    while comb(objectives + found, found + 1) <= count:
        found += 1
    return found


class StrengthPareto(MultiObjective):
    """Survival of the front, truncated where it is too large (Zitzler, Laumanns, Thiele 2001): DEAP's `selSPEA2`.

    The population is the archive of the paper, and its children are the paper's population.
    """

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return the raw fitness: of all that dominate an individual, how many each dominates."""
        dominates = domination(individuals)
        raw: NDArray[np.float64] = (dominates.T @ dominates.sum(axis=1)).astype(np.float64)
        return raw

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return the selection by DEAP."""
        kept: list[Individual] = tools.selSPEA2(list(feasible), count)
        return kept


class HypervolumeSelection(MultiObjective):
    """Survival by the contribution of each member to the hypervolume (Beume, Naujoks and Emmerich 2007).

    Again and again one goes: of the last front, where there are several, the one that most dominate; of a single front
    the one that adds least to its hypervolume. The reference point is the worst of each objective plus 1. With two
    objectives the ends stay. With ``offspring = 1`` this is the steady state of the paper. By default a generation has
    as many children as there are members, so that workers can share them, and half of all are removed.
    """

    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return how many dominate each: parents are drawn with less pressure than survivors."""
        return np.asarray(domination(individuals).sum(axis=0), dtype=np.float64)

    def survivors(self, feasible: Sequence[Individual], count: int) -> list[Individual]:
        """Return the rest after repeated removal of the least useful one; in a tie the later one is removed."""
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
    """Return the member of a front that adds least to its hypervolume; of equals the last."""
    if values.shape[1] == 1 or len(values) == 1:
        return len(values) - 1
    added = np.asarray(moocore.hv_contributions(values, ref=values.max(axis=0) + 1.0), dtype=np.float64)
    if values.shape[1] == 2 and len(values) > 2:
        added[[int(values[:, 0].argmin()), int(values[:, 1].argmin())]] = np.inf
    return int(len(added) - 1 - added[::-1].argmin())
