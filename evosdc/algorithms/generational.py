"""The generational algorithm with elitism and generation gap."""

from collections.abc import Sequence

from pydantic import Field

from evosdc.algorithms.selection import SelectionParams, fittest, leaders, select
from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory, vary_parents
from evosdc.model import Algorithm, Individual, Population
from evosdc.model.algorithm import evaluate


class Generational(Algorithm):
    """A new generation replaces the old one, but for its best members.

    Parents are chosen by tournament; each pair is crossed with probability `crossover`, then each child is mutated with
    probability `mutation` (crossover AND mutation). Mares (2013), 2.1.2; De Jong (2006). With a generation gap below 1
    only that share is replaced: members drawn at random, the elite excepted (De Jong 1975).
    """

    class Params(SelectionParams, VariationParams):
        """Parameters of the algorithm."""

        elite: int = Field(1, ge=0, description="best individuals that stay")
        gap: float = Field(1.0, gt=0, le=1, description="share of the population that a generation replaces")
        duplicates: bool = Field(True, description="whether a child may equal another member of the next population")
        population: int | None = Field(None, ge=2, description="size; default: all starting files")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best `population` candidates, in their order."""
        return Population(fittest(candidates, self.params.population))

    def step(self, population: Population) -> Population:
        """Return the elite followed by the children; with no place for both, the better of them."""
        toolbox, params, size = self.toolbox, self.params.at(population.generation), len(population)
        free = max(size - params.elite, 1)
        places = min(free, max(1, round(params.gap * size)))
        rate = mutation_rate(params, population.memory)
        parents = [population[slot] for slot in select(params, population, 2 * ((places + 1) // 2), toolbox)]
        offspring = list[Individual]()
        for first, second in zip(parents[::2], parents[1::2], strict=True):
            offspring += vary_parents(params, toolbox, first, second, rate)
        offspring, parents = offspring[:places], parents[:places]
        elite = set(leaders(population, size - free))
        order = self.random.sample(range(size), size)
        leaving = [slot for slot in order if slot not in elite][:places]
        evaluate(offspring, toolbox)
        memory = update_memory(params, population, offspring, parents)
        if params.gap < 1.0:
            following, present = list(population), {individual.key for individual in population}
            for child, place in zip(offspring, leaving, strict=False):
                if params.duplicates or child.key not in present:
                    present.add(child.key)
                    following[place] = child
            return population.following(following, memory)
        everyone = [*(population[slot] for slot in leaders(population, min(params.elite, size))), *offspring]
        if not params.duplicates:
            old = [population[slot] for slot in leaders(population, size)]
            fresh = _distinct(everyone)
            keys = {individual.key for individual in fresh}
            others = [individual for individual in _distinct(old) if individual.key not in keys]
            everyone = fresh + others[: max(size - len(fresh), 0)]
        return population.following(fittest(everyone, size), memory)


def _distinct(individuals: Sequence[Individual]) -> list[Individual]:
    """Return the first individual of each genome, in order."""
    return list({one.key: one for one in reversed(individuals)}.values())[::-1]
