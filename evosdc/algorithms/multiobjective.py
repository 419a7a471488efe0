"""The frame of searches for a whole front: breed, unite parents and children, let the best of both survive."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory, vary_parents
from evosdc.model import Algorithm, Individual, Population
from evosdc.model.algorithm import evaluate


class MultiObjectiveParams(VariationParams):
    """Parameters of a search for a front."""

    population: int | None = Field(None, ge=1, description="size; default: all starting files")
    offspring: int | None = Field(None, ge=1, description="children of a generation; default: the population's size")


class MultiObjective(Algorithm):
    """A search whose survivors are chosen from parents and children together, each genome once.

    Constraints are obeyed as Deb et al. (2002) say. While fewer candidates than places fulfil them, the places left go
    to those that break them least. The algorithm's own order is for feasible candidates.
    """

    class Params(MultiObjectiveParams):
        """Parameters of the algorithm."""

    params: MultiObjectiveParams

    @abstractmethod
    def standing(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return what tournaments for parents minimise, shape (n,)."""

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
        """Return the winners of binary tournaments, or whom the toolbox selects."""
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
