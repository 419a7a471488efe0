"""What all searches of the lattice share: the lattice, values that guide them, and the nodes that they visited."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Individual, Offspring, Population, Proposing
from evosdc.model.fitness import SingleMeasure
from evosdc_lattice.lattice import Lattice, class_sizes
from evosdc_lattice.losses import NodeLoss
from evosdc_lattice.picture import PICTURED, Explored, explored_picture, lattice_picture, size_histogram
from evosdc_lattice.relaxation import lower_bound


class LatticeSearch(Proposing):
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
        """Return the next population, with explored nodes in its memory."""
        kept = {name: np.asarray(value) for name, value in memory.items()}
        if self.lattice.space.size <= PICTURED:
            known = population.memory.get("visited", self._visited(population))
            kept["visited"] = np.unique(np.concatenate([known, self._visited(evaluated)]), axis=0)
        else:
            kept |= Explored.kept_in(population.memory).joined(evaluated).memory()
        return Population(individuals, population.generation, kept)

    def _visited(self, individuals: Sequence[Individual]) -> NDArray[np.int16]:
        return np.array([i.genome for i in individuals], dtype=np.int16).reshape(-1, len(self.lattice.space.top))

    def describe(self, population: Population, solution: Individual) -> Any:
        """Return the facts about the node, and the bound for any node."""
        stands = self.standing(population, solution)
        return self.lattice.describe(solution.genome) | ({} if stands is None else {"bound": stands})

    def notes(self, population: Population, solution: Individual) -> Sequence[str]:
        """Return by how much another node could be better."""
        stands = self.standing(population, solution)
        if stands is None:
            return ()
        name, loss, least = stands["measure"], f"{stands['loss']:.6g}", f"{stands['least']:.6g}"
        if stands["gap"] == 0.0:
            return (f"No node within the limit of suppression has less {name} than this one: {loss}.",)
        return (
            f"No node within the limit of suppression has less {name} than {least}; this one has {loss}, of which "
            f"{100.0 * stands['gap']:.1f} % could be saved at most.",
        )

    def standing(self, population: Population, solution: Individual) -> dict[str, Any] | None:
        """Return measure, loss, the least loss that any node within the limit can have, and the gap."""
        # The gap is the difference as a share of the loss. None where the fitness is not one loss of generalised files.
        if self.node_loss is None or solution.genome is None:
            return None
        loss = solution.scores[self.toolbox.fitness.measure]
        least = loss if self.proves(population) else min(self._least, loss)
        gap = (loss - least) / loss if loss > 0.0 else 0.0
        return {"measure": self.toolbox.fitness.measure, "loss": loss, "least": least, "gap": gap}

    def proves(self, population: Population) -> bool:
        """Whether the search came to an end that makes its solution an optimum."""
        return False

    @cached_property
    def _least(self) -> float:
        assert self.node_loss is not None
        return max(lower_bound(self.lattice.space, self.node_loss), 0.0)

    def pictures(self, population: Population, solution: Individual) -> Mapping[str, str]:
        """Return the sizes of the classes, and the lattice: its nodes, or those explored by height and loss."""
        if solution.genome is None:
            return {}
        space = self.lattice.space
        drawn = {
            "Sizes of the published classes": size_histogram(
                class_sizes(space, self.lattice.evaluator.classes(solution.genome))
            )
        }
        if space.size <= PICTURED:
            visited = population.memory.get("visited", self._visited(population))
            optima = [i.genome for i in self.optima(population, solution)]
            drawn["The lattice"] = lattice_picture(self.lattice, visited, optima)
        elif len((explored := Explored.kept_in(population.memory)).nodes):
            fitness, stands = self.toolbox.fitness, self.standing(population, solution)
            name = fitness.measure if isinstance(fitness, SingleMeasure) else "first objective"
            least = None if stands is None else stands["least"]
            drawn["Explored nodes of the lattice"] = explored_picture(explored, name, solution, least)
        return drawn

    def optima(self, population: Population, solution: Individual) -> tuple[Individual, ...]:
        """Return the solutions that the picture marks."""
        return (solution,)


def publishable(individual: Individual) -> bool:
    """Whether a node is within the limit of suppression."""
    return individual.scores["violation"] == 0.0


def guiding(individual: Individual, penalty: float) -> float:
    """Return the first objective of a node with a graded penalty in place of the wall that ranks it."""
    # ``loss + penalty * scale * excess``: scale is the loss of the highest node, excess the share of records suppressed
    # beyond the limit. A node that is slightly beyond it thus costs slightly more, and a search can pass through it.
    violation = individual.scores["violation"]
    if violation == 0.0:
        return individual.objectives[0]
    added = individual.scores["penalty"]
    return individual.objectives[0] - added + penalty * added / (1.0 + violation) * violation


def proposed(nodes: Sequence[Any], origin: str, parents: tuple[int, ...] = ()) -> list[Offspring]:
    """Return nodes as offspring."""
    return [Offspring(node, origin, parents) for node in nodes]
