"""MOEA/D."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from deap import tools
from numpy.typing import NDArray
from pydantic import Field

from evosdc.algorithms.multiobjective import divisions, objectives_of
from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory, vary_parents
from evosdc.model import Algorithm, Individual, Population
from evosdc.model.algorithm import evaluate

IDEAL = "ideal"  # Where a population's memory keeps the least value of each objective that was ever seen, shape (m,)
TINY = 1e-6  # In place of a weight of 0, as the authors' own programs have it: every objective counts
Values = NDArray[np.float64]


class Decomposition(Algorithm):
    """Each slot minimises a weighted combination of its own, and shares its results with its neighbours.

    Zhang and Li (2007). Weights lie evenly on the unit simplex (Das and Dennis 1998); neighbours are the slots of the
    nearest weights. Parents of a slot are two of its neighbours; its first child replaces the neighbours that it beats
    by their combinations. Objectives are measured from the least ever seen, in units of the population's extent. All
    slots have their children before any is replaced, so that workers can share a generation; in the paper one comes
    after another.
    Candidates that break constraints less are better, whatever their combination (Deb 2000).
    """

    class Params(VariationParams):
        """Parameters of the algorithm."""

        population: int = Field(100, ge=2, description="slots at most: as many as an even division of weights gives")
        neighbours: int = Field(20, ge=2, description="slots that parents come from and a child may replace")
        decomposition: Literal["tchebycheff", "weighted-sum", "boundary-intersection"] = Field(
            "tchebycheff", description="how the objectives of a slot are combined"
        )
        theta: float = Field(5.0, gt=0, description="of boundary-intersection: penalty on the distance to the ray")
        replaced: int | None = Field(
            None, ge=1, description="most neighbours that a child replaces; default: all that it beats"
        )

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return for each slot the candidate that is best there, each once before any is taken again."""
        values = objectives_of(candidates)
        ideal, weights = values.min(axis=0), self._weights(values.shape[1])
        costs = self._combined(values[None, :, :], ideal, _extent(values, ideal), weights[:, None, :])
        broken = np.array([candidate.infeasibility for candidate in candidates])
        left, chosen = list(range(len(candidates))), list[Individual]()
        for slot in range(len(weights)):
            left = left or list(range(len(candidates)))
            best = min(left, key=lambda position: (broken[position], costs[slot, position], position))
            left.remove(best)
            chosen.append(candidates[best])
        return Population(chosen, memory={IDEAL: ideal})

    def step(self, population: Population) -> Population:
        """Return the population with each child in the slots near its own where it is better, one after another."""
        # Which neighbours are looked at first changes from slot to slot and generation to generation: it matters where
        # a child may replace a few only.
        toolbox, params, count = self.toolbox, self.params.at(population.generation), len(population[0].objectives)
        rate, weights = mutation_rate(params, population.memory), self._weights(count)
        apart = np.sqrt(((weights[:, None, :] - weights[None, :, :]) ** 2).sum(axis=2))
        # The nearest slots of each, itself first.
        neighbours = np.argsort(apart.round(12), axis=1, kind="stable")[:, : params.neighbours]
        offspring, parents = list[Individual](), list[Individual]()
        for near in neighbours.tolist():
            first, second = (population[slot] for slot in self.random.sample(near, 2))
            offspring.append(vary_parents(params, toolbox, first, second, rate)[0])
            parents.append(first)
        evaluate(offspring, toolbox)
        slots, values = list(population), objectives_of(offspring)
        ideal = np.minimum(population.memory[IDEAL], values.min(axis=0))
        extent = _extent(objectives_of(slots), ideal)
        for place, (child, value) in enumerate(zip(offspring, values, strict=True)):
            near = np.roll(neighbours[place], population.generation)
            there = self._combined(value, ideal, extent, weights[near])
            here = self._combined(objectives_of([slots[slot] for slot in near.tolist()]), ideal, extent, weights[near])
            taken = 0
            for slot, new, old in zip(near.tolist(), there.tolist(), here.tolist(), strict=True):
                member = slots[slot]
                if (child.infeasibility, new) < (member.infeasibility, old) and child.key != member.key:
                    slots[slot], taken = child, taken + 1
                    if taken == params.replaced:
                        break
        memory = update_memory(params, population, offspring, parents) | {IDEAL: ideal}
        return population.following(slots, memory)

    def _weights(self, objectives: int) -> Values:
        """Return the weights, shape (slots, m): the finest even division with no more slots than are wanted."""
        if objectives == 1:
            return np.ones((self.params.population, 1))
        divided = divisions(objectives, self.params.population)
        return np.asarray(tools.uniform_reference_points(objectives, divided), dtype=np.float64)

    def _combined(self, values: Values, ideal: Values, extent: Values, weights: Values) -> Values:
        """Return combinations to be minimised, of arrays that broadcast to shape (..., m)."""
        distances = (values - ideal) / extent
        match self.params.decomposition:
            case "weighted-sum":
                return np.asarray((weights * distances).sum(axis=-1))
            case "tchebycheff":
                return np.asarray((np.maximum(weights, TINY) * distances).max(axis=-1))
            case "boundary-intersection":
                directions = weights / np.linalg.norm(weights, axis=-1, keepdims=True)
                along = (distances * directions).sum(axis=-1, keepdims=True)
                aside = np.linalg.norm(distances - along * directions, axis=-1)
                return np.asarray(along[..., 0] + self.params.theta * aside)


def _extent(values: Values, ideal: Values) -> Values:
    """Return how far the values reach from the ideal point, 1 where they do not; shape (m,)."""
    extent = values.max(axis=0) - ideal
    return np.where(extent > 0.0, extent, 1.0)
