"""Random search: the baseline that every search has to beat."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from evosdc.algorithms.selection import fittest
from evosdc.algorithms.variation import mutant, mutated
from evosdc.model import Algorithm, Individual, Parameters, Population
from evosdc.model.algorithm import evaluate


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
        population: int | None = Field(None, ge=1, description="number of best starting files to keep; default: all")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def step(self, population: Population) -> Population:
        """Evaluate new candidates, and return the population as it is."""
        toolbox, candidates = self.toolbox, list[Individual]()
        for _ in range(self.params.candidates):
            if self.params.draws == "fresh":
                candidates.append(toolbox.individual())
                continue
            candidate = mutant(toolbox, self.random.choice(population))
            for _ in range(1, self.params.mutations):
                candidate = mutated(toolbox, candidate)
            candidates.append(candidate)
        evaluate(candidates, toolbox)
        return population
