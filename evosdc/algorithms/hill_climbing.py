"""Hill climbing with restarts: the baseline of a search that needs no population."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from evosdc.algorithms.selection import fittest, leaders
from evosdc.algorithms.variation import mutant
from evosdc.model import Algorithm, Individual, Parameters, Population
from evosdc.model.algorithm import evaluate

SLOT, FAILURES, VISITED = "slot", "failures", "visited"


class HillClimbing(Algorithm):
    """First-improvement climbing by mutation, from the best starting file; then from the next best, and so on.

    A mutant that is better than the climber takes its place at once. Mutants are evaluated a few at a time, which saves
    bookkeeping; each competes with the climber as it then is, and ``mutants = 1`` is the plain form. After `patience`
    mutants in a row that are not, the climber stays where it is, and the best file that has not yet been climbed from
    takes over. When there is none left, all are climbed again, in the order of what they have become. The population
    holds the starting files and what became of them.
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        patience: int = Field(2000, ge=1, description="mutants in a row without improvement before a restart")
        mutants: int = Field(10, ge=1, description="mutants of one climber that are evaluated in a generation")
        population: int | None = Field(None, ge=1, description="number of best starting files to keep; default: all")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order, with the climber at the best."""
        individuals = fittest(candidates, self.params.population)
        return _at(Population(individuals), np.zeros(len(individuals), dtype=np.bool_))

    def step(self, population: Population) -> Population:
        """Return the population with the climber one step further, or at another file."""
        slot, failures = int(population.memory[SLOT]), int(population.memory[FAILURES])
        climber = population[slot]
        for child in evaluate([mutant(self.toolbox, climber) for _ in range(self.params.mutants)], self.toolbox):
            failures += 1
            if child.dominates(climber):
                climber, failures = child, 0
        following = Population(population, population.generation, population.memory)
        following[slot] = climber
        if failures < self.params.patience:
            return following.following(memory={**population.memory, FAILURES: np.array(failures)})
        visited = population.memory[VISITED].copy()
        visited[slot] = True
        return _at(following, np.zeros_like(visited) if visited.all() else visited)


def _at(population: Population, visited: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Population:
    """Return the population with the climber at the best file that has not been visited."""
    slot = next(slot for slot in leaders(population, len(population)) if not visited[slot])
    return population.following(memory={SLOT: np.array(slot), FAILURES: np.array(0), VISITED: visited})
