"""The algorithm `frozen-algorithm`."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from evosdc.model import Algorithm, Individual, Offspring, Parameters, Population
from evosdc.seeds import Streams


class FrozenAlgorithm(Algorithm):
    """Each individual competes with a mutant of its own."""

    class Params(Parameters):
        """Parameters of the algorithm."""

        mutations: int = Field(1, ge=1, description="mutations of a mutant, one after the other")

    params: Params

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the genomes to evaluate; an empty list would end the search."""
        offspring = []
        for slot, individual in enumerate(population.individuals):
            rng, genome = streams.vary(population.generation, slot), individual.genome
            for _ in range(self.params.mutations):
                genome = self.toolbox.mutate(genome, rng)
            offspring.append(Offspring(genome, "mutation", (slot,), individual))
        return offspring

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the next population; what has to be remembered goes into its memory, never into this object."""
        slots = list(population.individuals)
        for item, child in zip(offspring, evaluated, strict=True):
            (slot,) = item.parents
            if child.dominates(slots[slot]):
                slots[slot] = child
        return replace(population, individuals=tuple(slots))
