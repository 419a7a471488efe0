"""The frame of searches for a whole front: breed, unite parents and children, let the best of both survive."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory, vary_parents
from evosdc.model import Algorithm, Individual, Offspring, Population
from evosdc.secret import Streams


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
    def survivors(self, feasible: Sequence[Individual], count: int) -> list[int]:
        """Return the positions of `count` survivors of more than `count` individuals that fulfil the constraints."""

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return those of the candidates that survive, in their order."""
        return Population(self._surviving(candidates, self.params.population or len(candidates)))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the children of parents that won binary tournaments."""
        individuals, generation = population.individuals, population.generation
        wanted = self.params.offspring or self.params.population or len(individuals)
        pairs = (wanted + 1) // 2
        standing = self.standing(individuals)
        drawn = streams.select(generation).integers(len(individuals), size=(2 * pairs, 2))
        slots = np.where(standing[drawn[:, 1]] < standing[drawn[:, 0]], drawn[:, 1], drawn[:, 0]).tolist()
        params = self.params.at(generation)
        rate = mutation_rate(params, population.memory)
        offspring: list[Offspring] = []
        for pair in range(pairs):
            parents = (slots[2 * pair], slots[2 * pair + 1])
            rng = streams.vary(generation, pair)
            offspring += vary_parents(params, self.toolbox, population, parents, rng, rate)
        return offspring[:wanted]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the survivors of parents and children."""
        size = self.params.population or len(population.individuals)
        memory = update_memory(self.params, population, offspring, evaluated)
        survivors = self._surviving([*population.individuals, *evaluated], size)
        return replace(population, individuals=survivors, memory=memory)

    def _surviving(self, everyone: Sequence[Individual], count: int) -> tuple[Individual, ...]:
        """Return at most `count` distinct individuals, in the order in which they stand."""
        distinct: dict[bytes, Individual] = {}
        for individual in everyone:
            distinct.setdefault(individual.key, individual)
        feasible = [individual for individual in distinct.values() if individual.feasible]
        if len(feasible) > count:
            return tuple(feasible[position] for position in sorted(self.survivors(feasible, count)))
        others = sorted((i for i in distinct.values() if not i.feasible), key=lambda i: i.precedence)
        return (*feasible, *others[: count - len(feasible)])
