"""Parent-child replacement: mutation or crossover, and a child takes its parent's place when it is better."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from evosdc.algorithms.selection import Name, SelectionParams, fittest, leaders, select
from evosdc.algorithms.variation import (
    VariationParams,
    crossed,
    mutant,
    mutated,
    mutation_rate,
    update_memory,
)
from evosdc.model import Algorithm, Individual, Population
from evosdc.model.algorithm import evaluate


class ParentChild(Algorithm):
    """Evolution in the outline of Mares (2013): choose mutation or crossover at random, evaluate, keep the better.

    The parent of a mutation and the first parent of a crossover are drawn by roulette from the whole population, the
    second one from a group of leaders. A mutant competes with its parent; the children of a crossover compete with the
    parent that each resembles more (deterministic crowding). Best and mean score never get worse. Rates, leader group
    and pairing are a reconstruction: the sources at hand do not show them.
    """

    class Params(SelectionParams, VariationParams):
        """Parameters of the algorithm."""

        selection: Name = Field("roulette", description="how first parents are selected")
        variation: Literal["or", "and"] = Field(
            "or", description="mutation or crossover, or crossover and then mutation of each child"
        )
        leaders: int = Field(10, ge=1, description="size of the group that second parents are drawn from")
        operations: int | None = Field(
            None, ge=1, description="operations a generation; default: as many as there are individuals"
        )
        population: int | None = Field(None, ge=1, description="number of best starting files to keep; default: all")
        duplicates: bool = Field(False, description="whether a child may equal another member of the population")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def step(self, population: Population) -> Population:
        """Return the population with each child in its parent's slot where it is better than what is there."""
        toolbox, params = self.toolbox, self.params.at(population.generation)
        rate = 1.0 - params.crossover if params.variation == "and" else mutation_rate(params, population.memory)
        group = leaders(population, params.leaders)
        offspring, slots = list[Individual](), list[int]()
        for first in select(params, population, params.operations or len(population), toolbox):
            others = [slot for slot in group if slot != first]
            if self.random.random() < rate or not others:
                offspring.append(mutant(toolbox, population[first]))
                slots.append(first)
            else:
                second = self.random.choice(others)
                offspring += self._crossed(params, population[first], population[second])
                slots += [first, second]
        parents = [population[slot] for slot in slots]
        evaluate(offspring, toolbox)
        following = self._replaced(population, offspring, slots)
        return population.following(following, update_memory(params, population, offspring, parents))

    def _crossed(self, params: VariationParams, first: Individual, second: Individual) -> list[Individual]:
        """Return two children in the order of the parents that they resemble more."""
        toolbox = self.toolbox
        one, other = crossed(toolbox, first, second)
        if hasattr(toolbox, "distance"):
            a, b, c, d = first.genome, second.genome, one.genome, other.genome
            straight = toolbox.distance(a, c) + toolbox.distance(b, d)
            if straight > toolbox.distance(a, d) + toolbox.distance(b, c):
                one, other = other, one
                one.parent, other.parent = first, second
        both = params.variation == "and"
        return [mutated(toolbox, c) if both and self.random.random() < params.mutation else c for c in (one, other)]

    def _replaced(
        self, population: Population, offspring: Sequence[Individual], slots: Sequence[int]
    ) -> list[Individual]:
        following = list(population)
        present = Counter(individual.key for individual in following)
        for child, slot in zip(offspring, slots, strict=True):
            parent = following[slot]
            if child.dominates(parent) and (self.params.duplicates or not present[child.key]):
                present[parent.key] -= 1
                present[child.key] += 1
                following[slot] = child
        return following
