"""Random search: the baseline that every search has to beat."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field

from evosdc.algorithms.selection import fittest
from evosdc.model import Algorithm, Individual, Offspring, Parameters, Population
from evosdc.secret import Streams


class RandomSearch(Algorithm):
    """Candidates that owe nothing to those before: mutants of the starting files, or fresh random genomes.

    The population stays what the search started from, so that nothing is learnt; the best candidate and the front are
    what the run as a whole has seen.
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        draws: Literal["mutants", "fresh"] = Field(
            "mutants", description="mutants of starting files drawn at random, or random genomes"
        )
        mutations: int = Field(1, ge=1, description="mutations of a mutant, one after the other")
        candidates: int = Field(100, ge=1, description="candidates of a generation")
        population: int | None = Field(None, ge=1, description="keep so many of the best starting files; default: all")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return new candidates."""
        individuals, offspring = population.individuals, []
        for number in range(self.params.candidates):
            rng = streams.vary(population.generation, number)
            if self.params.draws == "fresh":
                offspring.append(Offspring(self.toolbox.random(rng), "random"))
                continue
            slot = int(rng.integers(len(individuals)))
            genome = individuals[slot].genome
            for _ in range(self.params.mutations):
                genome = self.toolbox.mutate(genome, rng)
            offspring.append(Offspring(genome, "mutation", (slot,), individuals[slot]))
        return offspring

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the population as it is."""
        return replace(population)
