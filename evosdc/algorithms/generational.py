"""The generational algorithm with elitism and generation gap."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from evosdc.algorithms.selection import SelectionParams, fittest, leaders, select
from evosdc.algorithms.variation import VariationParams, mutation_rate, update_memory, vary_parents
from evosdc.model import Algorithm, Individual, Offspring, Population
from evosdc.secret import Streams


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

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return a child for each place that becomes free."""
        individuals, generation = population.individuals, population.generation
        size, rng = len(individuals), streams.select(population.generation)
        free = max(size - self.params.elite, 1)
        places = min(free, max(1, round(self.params.gap * size)))
        slots = select(self.params, individuals, 2 * ((places + 1) // 2), rng)
        params = self.params.at(generation)
        rate = mutation_rate(params, population.memory)
        offspring: list[Offspring] = []
        for pair in range(len(slots) // 2):
            parents = (slots[2 * pair], slots[2 * pair + 1])
            vary = streams.vary(generation, pair)
            offspring += vary_parents(params, self.toolbox, population, parents, vary, rate)
        if self.params.gap == 1.0:
            return offspring[:places]
        kept = set(leaders(individuals, size - free))
        leaving = [slot for slot in rng.permutation(size).tolist() if slot not in kept][:places]
        return [replace(item, place=place) for item, place in zip(offspring, leaving, strict=False)]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the elite followed by the children; with no place for both, the better of them.

        With a generation gap each child stands in the place that was drawn for it. Where duplicates are excluded, the
        best of the old population stand in for children that equal a member.
        """
        size = len(population.individuals)
        memory = update_memory(self.params, population, offspring, evaluated)
        if self.params.gap < 1.0:
            everyone = list(population.individuals)
            present = {individual.key for individual in everyone}
            for item, child in zip(offspring, evaluated, strict=True):
                assert item.place is not None
                if self.params.duplicates or child.key not in present:
                    present.add(child.key)
                    everyone[item.place] = child
            return replace(population, individuals=tuple(everyone), memory=memory)
        elite = [population.individuals[i] for i in leaders(population.individuals, min(self.params.elite, size))]
        everyone = [*elite, *evaluated]
        if not self.params.duplicates:
            old = [population.individuals[i] for i in leaders(population.individuals, size)]
            everyone = list({i.key: i for i in reversed([*everyone, *old])}.values())[::-1]
            new = {id(i) for i in (*elite, *evaluated)}
            fresh = [i for i in everyone if id(i) in new]
            everyone = fresh + [i for i in everyone if id(i) not in new][: max(size - len(fresh), 0)]
        if len(everyone) > size:
            everyone = list(fittest(everyone, size))
        return replace(population, individuals=tuple(everyone), memory=memory)
