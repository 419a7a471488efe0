"""The steady-state algorithm: small tournaments whose winners' children take the places of their losers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.algorithms.selection import fittest
from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory
from evosdc.model import Algorithm, Individual, Offspring, Population
from evosdc.secret import Streams


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
        population: int | None = Field(None, ge=1, description="keep so many of the best starting files; default: all")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return two children for each tournament (one where it is of less than four), each for a loser's place."""
        individuals, params = population.individuals, self.params.at(population.generation)
        crossover = params.crossover
        if params.adaptive:
            crossover = 1.0 - mutation_rate(params, population.memory)
        offspring: list[Offspring] = []
        for number, slots in enumerate(self._tournaments(population, streams)):
            rng = streams.vary(population.generation, number)
            first, second = slots[0], slots[min(1, len(slots) - 1)]
            losers = (slots[-1], slots[-2]) if len(slots) > 3 else (slots[-1],)
            parents = [individuals[slot] for slot in (first, second)]
            crossed = first != second and rng.random() < crossover
            if crossed:
                genomes = list(self.toolbox.mate(parents[0].genome, parents[1].genome, rng))
            else:
                genomes = [self.toolbox.mutate(parent.genome, rng) for parent in parents]
            for place, genome, parent, slot in zip(losers, genomes, parents, (first, second), strict=False):
                origin = "crossover" if crossed else "mutation"
                if crossed and params.variation == "and" and rng.random() < params.mutation:
                    genome, origin = self.toolbox.mutate(genome, rng), "crossover and mutation"
                offspring.append(Offspring(genome, origin, (slot,), parent, place))
        return offspring

    def _tournaments(self, population: Population, streams: Streams) -> list[list[int]]:
        """Return disjoint sets of slots, each from best to worst."""
        individuals = population.individuals
        size = min(self.params.tournament, len(individuals))
        order = streams.select(population.generation).permutation(len(individuals))
        room = len(individuals) // size
        count = min(self.params.tournaments or room, room)
        groups = np.split(order[: count * size], count)
        return [sorted(group.tolist(), key=lambda slot: (*_rank(individuals[slot]), slot)) for group in groups]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the population with each child in its loser's place where it is better."""
        slots = list(population.individuals)
        present = {individual.key for individual in slots}
        for item, child in zip(offspring, evaluated, strict=True):
            assert item.place is not None
            loser = slots[item.place]
            if not self.params.duplicates and child.key in present:
                continue
            if self.params.always or _rank(child) < _rank(loser):
                present.discard(loser.key)
                present.add(child.key)
                slots[item.place] = child
        return replace(
            population, individuals=tuple(slots), memory=update_memory(self.params, population, offspring, evaluated)
        )


def _rank(individual: Individual) -> tuple[float, tuple[float, ...], float]:
    """Return what individuals are ordered by: infeasibility, objectives, then size."""
    return individual.infeasibility, individual.objectives, individual.scores.get("nodes", 0.0)
