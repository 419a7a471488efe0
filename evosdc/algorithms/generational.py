"""The generational algorithm with elitism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from evosdc.algorithms.selection import fittest, leaders, tournament
from evosdc.model import Algorithm, Individual, Offspring, Parameters, Population
from evosdc.seeds import Streams


class Generational(Algorithm):
    """A new generation replaces the old one, but for its best members.

    Parents are chosen by tournament; each pair is crossed with probability `crossover`, then each child is mutated with
    probability `mutation` (crossover AND mutation). Mares (2013), 2.1.2; De Jong (2006).
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        crossover: float = Field(0.9, ge=0, le=1, description="probability that a pair is crossed")
        mutation: float = Field(0.5, ge=0, le=1, description="probability that a child is mutated")
        tournament: int = Field(2, ge=1, description="entrants of a tournament")
        elite: int = Field(1, ge=0, description="best individuals that stay")
        population: int | None = Field(None, ge=2, description="size; default: all starting files")

    params: Params

    def initial(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return as many children as there are places beside the elite."""
        individuals = population.individuals
        places = max(len(individuals) - self.params.elite, 1)
        pairs = (places + 1) // 2
        slots = tournament(individuals, 2 * pairs, self.params.tournament, streams.select(population.generation))
        offspring: list[Offspring] = []
        for pair in range(pairs):
            rng = streams.vary(population.generation, pair)
            parents = (slots[2 * pair], slots[2 * pair + 1])
            genomes = tuple(individuals[slot].genome for slot in parents)
            crossed = rng.random() < self.params.crossover and parents[0] != parents[1]
            children = self.toolbox.mate(*genomes, rng) if crossed else genomes
            for slot, child in zip(parents, children, strict=True):
                mutated = rng.random() < self.params.mutation
                genome = self.toolbox.mutate(child, rng) if mutated else child
                words = ["crossover"] * crossed + ["mutation"] * mutated
                origin = " and ".join(words) or "reproduction"
                offspring.append(Offspring(genome, origin, (slot,), individuals[slot]))
        return offspring[:places]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the elite followed by the children; with no place for both, the better of them."""
        size = len(population.individuals)
        elite = [population.individuals[i] for i in leaders(population.individuals, min(self.params.elite, size))]
        everyone = [*elite, *evaluated]
        if len(everyone) > size:
            everyone = list(fittest(everyone, size))
        return replace(population, individuals=tuple(everyone))
