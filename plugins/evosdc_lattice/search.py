"""What all searches of the lattice share: the lattice, values that guide them, and the nodes that they visited."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Algorithm, Individual, Offspring, Population
from evosdc.model.fitness import SingleMeasure
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.losses import NodeLoss
from evosdc_lattice.picture import PICTURED, lattice_picture, size_histogram
from evosdc_lattice.publication import class_sizes


class LatticeSearch(Algorithm):
    """A search of the lattice; works with the genotype `lattice` only."""

    def __init__(self, params: Any, toolbox: base.Toolbox) -> None:
        super().__init__(params, toolbox)
        genotype = getattr(toolbox, "genotype", None)
        if not isinstance(genotype, Lattice):
            name = type(self).__name__
            raise ParameterError(
                Fault(f"algorithm {name}", "a genotype that is no lattice", 'genotype = { name = "lattice", k = ... }')
            )
        self.lattice: Lattice = genotype
        fitness = toolbox.fitness
        single = isinstance(fitness, SingleMeasure)
        self.node_loss: NodeLoss | None = genotype.loss_of(toolbox.measures[fitness.measure]) if single else None

    def moved_on(
        self,
        population: Population,
        individuals: Sequence[Individual],
        memory: Mapping[str, Any],
        evaluated: Sequence[Individual],
    ) -> Population:
        """Return the next population, the visited nodes of a small lattice kept in its memory."""
        kept = {name: np.asarray(value) for name, value in memory.items()}
        if self.lattice.space.size <= PICTURED:
            known = population.memory.get("visited", self._visited(population.individuals))
            kept["visited"] = np.unique(np.concatenate([known, self._visited(evaluated)]), axis=0)
        return Population(tuple(individuals), population.generation, kept)

    def _visited(self, individuals: Sequence[Individual]) -> NDArray[np.int16]:
        return np.array([i.genome for i in individuals], dtype=np.int16).reshape(-1, len(self.lattice.space.top))

    def pictures(self, population: Population, solution: Individual) -> Mapping[str, str]:
        """Return the sizes of the classes, and a small lattice with visited, safe and optimal nodes."""
        if solution.genome is None:
            return {}
        space = self.lattice.space
        drawn = {
            "Sizes of the published classes": size_histogram(
                class_sizes(space, self.lattice.evaluator.classes(solution.genome))
            )
        }
        if space.size <= PICTURED:
            visited = population.memory.get("visited", self._visited(population.individuals))
            optima = [i.genome for i in self.optima(population, solution)]
            drawn["The lattice"] = lattice_picture(self.lattice, visited, optima)
        return drawn

    def optima(self, population: Population, solution: Individual) -> tuple[Individual, ...]:
        """Return the solutions that the picture marks."""
        return (solution,)


def publishable(individual: Individual) -> bool:
    """Whether a node is within the limit of suppression."""
    return individual.scores["violation"] == 0.0


def guiding(individual: Individual, penalty: float) -> float:
    """Return the first objective of a node with a graded penalty in place of the wall that ranks it.

    ``loss + penalty * scale * excess``: scale is the loss of the highest node, excess the share of records suppressed
    beyond the limit. A node that is slightly beyond it thus costs slightly more, and a search can pass through it.
    """
    violation = individual.scores["violation"]
    if violation == 0.0:
        return individual.objectives[0]
    added = individual.scores["penalty"]
    return individual.objectives[0] - added + penalty * added / (1.0 + violation) * violation


def proposed(nodes: Sequence[Any], origin: str, parents: tuple[int, ...] = ()) -> list[Offspring]:
    """Return nodes as offspring."""
    return [Offspring(node, origin, parents) for node in nodes]
