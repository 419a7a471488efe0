"""Parent-child replacement: mutation or crossover, and a child takes its parent's place when it is better."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.algorithms.selection import Name, SelectionParams, fittest, leaders, select
from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory
from evosdc.model import Algorithm, Individual, Offspring, Population
from evosdc.secret import Streams


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
        population: int | None = Field(None, ge=1, description="keep so many of the best starting files; default: all")
        duplicates: bool = Field(False, description="whether a child may equal another member of the population")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return one child for each mutation and two for each crossover."""
        individuals, generation = population.individuals, population.generation
        group = leaders(individuals, self.params.leaders)
        firsts = select(
            self.params, individuals, self.params.operations or len(individuals), streams.select(generation)
        )
        params = self.params.at(generation)
        rate = 1.0 - params.crossover if params.variation == "and" else mutation_rate(params, population.memory)
        offspring = []
        for pair, first in enumerate(firsts):
            rng = streams.vary(generation, pair)
            parent = individuals[first]
            others = group if first not in group else [slot for slot in group if slot != first]
            if rng.random() < rate or not others:
                offspring.append(Offspring(self.toolbox.mutate(parent.genome, rng), "mutation", (first,), parent))
            else:
                second = others[int(rng.integers(len(others)))]
                offspring += self._crossed(params, population, first, second, rng)
        return offspring

    def _crossed(
        self, params: VariationParams, population: Population, first: int, second: int, rng: np.random.Generator
    ) -> list[Offspring]:
        a, b = population.individuals[first], population.individuals[second]
        distance = self.toolbox.distance
        c, d = self.toolbox.mate(a.genome, b.genome, rng)
        straight = distance(a.genome, c) + distance(b.genome, d)
        if straight > distance(a.genome, d) + distance(b.genome, c):
            c, d = d, c
        crossed = [("crossover", c, a, first), ("crossover", d, b, second)]
        offspring = []
        for origin, genome, parent, slot in crossed:
            if params.variation == "and" and rng.random() < params.mutation:
                genome, origin = self.toolbox.mutate(genome, rng), "crossover and mutation"
            offspring.append(Offspring(genome, origin, (slot,), parent))
        return offspring

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the population with each child in its parent's slot where it is better than what stands there."""
        slots = list(population.individuals)
        present = Counter(individual.key for individual in slots)
        changed = False
        for item, child in zip(offspring, evaluated, strict=True):
            slot = item.parents[0]
            if not child.dominates(slots[slot]) or (not self.params.duplicates and present[child.key]):
                continue
            present[slots[slot].key] -= 1
            present[child.key] += 1
            slots[slot] = child
            changed = True
        memory = update_memory(self.params, population, offspring, evaluated)
        return replace(population, individuals=tuple(slots) if changed else population.individuals, memory=memory)
