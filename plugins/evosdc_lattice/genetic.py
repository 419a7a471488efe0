"""The genetic algorithm on level vectors."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc_lattice.search import LatticeSearch, guiding, proposed
from evosdc_lattice.space import Levels


class GeneticParams(Parameters):
    """Parameters of the genetic part; defaults are the paper's where it gives a value."""

    population: int = Field(20, ge=2, description="nodes of a generation")
    penalty: float = Field(1.0, ge=0, description="weight of records suppressed beyond the limit; reconstruction")


def wheel(individuals: Sequence[Individual], count: int, penalty: float, rng: np.random.Generator) -> list[int]:
    """Return positions drawn in proportion to the inverse of the penalised loss, the paper's ``1 / DM``.

    A node without any loss would have all of the wheel; losses are therefore kept above a millionth of the greatest.
    """
    values = np.array([guiding(individual, penalty) for individual in individuals])
    floor = max(float(np.abs(values).max()), 1e-300) * 1e-6
    inverse = 1.0 / np.maximum(values, floor)
    return [int(i) for i in rng.choice(len(individuals), count, p=inverse / inverse.sum())]


class Genetic(LatticeSearch):
    """Roulette by ``1 / DM``, one-point crossover between attributes, mutation; children replace their parents.

    After the genetic part of Cui, Kim and Lee (2011), which run it for 300 cycles with 20 nodes. The mutation is not
    given there, nor whether the best nodes stay: a reconstruction. The solution is the best node within the limit that
    was ever judged.
    """

    class Params(GeneticParams):
        """Parameters of the algorithm."""

        mutation: float = Field(1.0, ge=0, le=1, description="probability that a child changes a level; reconstruction")
        step: float = Field(
            0.9,
            ge=0,
            le=1,
            description="probability that the change is to the next level up or down, not to any; reconstruction",
        )
        elite: int = Field(8, ge=0, description="best nodes that stay; reconstruction")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return random candidates where there are some; without them the search draws its own."""
        started = [individual for individual in candidates if individual.origin == "random"]
        return Population(started or candidates, memory={"started": np.array(bool(started))})

    def propose(self, population: Population) -> list[Offspring]:
        """Return the children of pairs drawn by roulette."""
        size = self.params.population
        if not population.memory["started"]:
            return proposed([self.lattice.random(self.toolbox.rng) for slot in range(size)], "random")
        individuals = population
        slots = wheel(individuals, size + size % 2, self.params.penalty, self.toolbox.rng)
        offspring: list[Offspring] = []
        rng = self.toolbox.rng
        for pair in range(len(slots) // 2):
            parents = slots[2 * pair : 2 * pair + 2]
            children = self.toolbox.mate(*(self.toolbox.clone(individuals[slot]) for slot in parents))
            for slot, child in zip(parents, children, strict=True):
                varied = rng.random() < self.params.mutation
                node = self._mutant(child, rng) if varied else child.genome
                offspring.append(Offspring(node, "crossover and mutation" if varied else "crossover", (slot,)))
        return offspring[:size]

    def _mutant(self, child: Individual, rng: np.random.Generator) -> Levels:
        node: Levels = child.genome
        if rng.random() >= self.params.step:
            (child,) = self.toolbox.mutate(child)
            mutant: Levels = child.genome
            return mutant
        steps = [*self.lattice.steps(node, -1), *self.lattice.steps(node, 1)]
        return steps[int(rng.integers(len(steps)))] if steps else node

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the children, and the elite in place of the last of them."""
        elite = sorted(population, key=lambda i: (i.objectives, i.key))[: self.params.elite]
        individuals = [*elite, *evaluated][: max(len(evaluated), len(elite))]
        memory = {**population.memory, "started": np.array(True)}
        return self.moved_on(population, individuals, memory, evaluated)
