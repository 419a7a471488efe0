"""The steady-state algorithm: small tournaments whose winners' children take the places of their losers."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from evosdc.algorithms.selection import fittest
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


class SteadyState(Algorithm):
    """Tournaments of a few individuals: the two best reproduce, the two worst may be replaced (Mares 2013, Alg. 2).

    One generation of the engine is a round of tournaments that share no individual, so that its result is that of
    holding them one after the other. A child takes a loser's place only when it is better; so no good solution is lost,
    and best and mean never get worse. Of equal objectives the one with fewer nodes is better, where genomes have that
    trait. Size 4, two winners, two losers and the choice of crossover or mutation are a reconstruction.
    """

    class Params(VariationParams):
        """Parameters of the algorithm."""

        tournament: int = Field(4, ge=2, description="entrants of a tournament")
        tournaments: int | None = Field(
            None, ge=1, description="tournaments in a round; default: as many as the population has room for"
        )
        variation: Literal["or", "and"] = Field(
            "or", description="crossover or mutation, or crossover and then mutation of each child"
        )
        crossover: float = Field(0.7, ge=0, le=1, description="probability of crossover; with `or`: otherwise mutation")
        mutation: float = Field(0.3, ge=0, le=1, description="with `and`: probability that a child is mutated")
        always: bool = Field(False, description="whether children replace losers that are better than they are")
        duplicates: bool = Field(False, description="whether a child may equal another member of the population")
        population: int | None = Field(None, ge=1, description="number of best starting files to keep; default: all")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def step(self, population: Population) -> Population:
        """Return the population with each child in a loser's place where it is better."""
        # Two children come of each tournament, one where it is of less than four.
        toolbox, params = self.toolbox, self.params.at(population.generation)
        crossover = 1.0 - mutation_rate(params, population.memory) if params.adaptive else params.crossover
        offspring, parents, losers = list[Individual](), list[Individual](), list[int]()
        for slots in self._tournaments(population):
            first, second = population[slots[0]], population[slots[min(1, len(slots) - 1)]]
            last = [slots[-1], slots[-2]] if len(slots) > 3 else [slots[-1]]
            if first.key != second.key and self.random.random() < crossover:
                children = crossed(toolbox, first, second)[: len(last)]
                if params.variation == "and":
                    children = [mutated(toolbox, c) if self.random.random() < params.mutation else c for c in children]
            else:
                children = [mutant(toolbox, parent) for parent in (first, second)[: len(last)]]
            offspring += children
            parents += (first, second)[: len(last)]
            losers += last
        evaluate(offspring, toolbox)
        following, present = list(population), {individual.key for individual in population}
        for child, place in zip(offspring, losers, strict=True):
            loser = following[place]
            if (params.duplicates or child.key not in present) and (params.always or _rank(child) < _rank(loser)):
                present.discard(loser.key)
                present.add(child.key)
                following[place] = child
        return population.following(following, update_memory(params, population, offspring, parents))

    def _tournaments(self, population: Population) -> list[list[int]]:
        """Return disjoint sets of slots, each from best to worst."""
        size = min(self.params.tournament, len(population))
        order = self.random.sample(range(len(population)), len(population))
        room = len(population) // size
        count = min(self.params.tournaments or room, room)
        groups = [order[size * number : size * (number + 1)] for number in range(count)]
        return [sorted(group, key=lambda slot: (*_rank(population[slot]), slot)) for group in groups]


def _rank(individual: Individual) -> tuple[float, tuple[float, ...], float]:
    """Return the sort key of individuals: infeasibility, objectives, then size."""
    return individual.infeasibility, individual.objectives, individual.scores.get("nodes", 0.0)
