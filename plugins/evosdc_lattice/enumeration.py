"""Exact searches: every node, or those that cannot be left out."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc.model.individual import INFEASIBILITY
from evosdc_lattice.exact import optimum
from evosdc_lattice.node_loss import NodeLoss
from evosdc_lattice.search import LatticeSearch, proposed
from evosdc_lattice.space import locked, nodes_between

BATCH = 2000
"""Nodes of a generation at least."""

GENERATIONS = 250
"""Generations at most: an exact search must not be cut off by the usual limit of a run."""


def batch_of(size: int) -> int:
    """Return how many of so many nodes a generation has."""
    return max(BATCH, -(-size // GENERATIONS))


class ExactSearch(LatticeSearch):
    """A search that ends with all optima: the population is made of those found so far."""

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best of the candidates and those that are equal to it."""
        return Population(_tied(candidates))

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the nodes that are the best so far, each once."""
        everyone = {individual.key: individual for individual in (*population, *evaluated)}
        return self.moved_on(
            population, _tied(list(everyone.values())), self.remembered(population, offspring), evaluated
        )

    def remembered(self, population: Population, offspring: Sequence[Offspring]) -> dict[str, Any]:
        """Return what the next generation must know."""
        done = int(population.memory.get("done", np.array(0))) + len(offspring)
        return {**population.memory, "done": np.array(done)}

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return the first of the optima."""
        return self.optima(population, best)[0]

    def optima(self, population: Population, solution: Individual) -> tuple[Individual, ...]:
        """Return all optima by levels, in lexicographic order."""
        return tuple(sorted(population, key=lambda i: tuple(i.genome.tolist())))

    def describe(self, population: Population, solution: Individual) -> Any:
        """Return the first optimum, and the levels of all."""
        optima = [self.lattice.levels_of(i.genome) for i in self.optima(population, solution)]
        return {**super().describe(population, solution), "optima": optima}

    def proves(self, population: Population) -> bool:
        """Whether all nodes have been judged that it is about."""
        return int(population.memory.get("done", np.array(0))) >= self.nodes(population)

    @abstractmethod
    def nodes(self, population: Population) -> float:
        """Return how many nodes the search is about; infinite while it does not know."""


def _tied(individuals: Sequence[Individual]) -> tuple[Individual, ...]:
    least = min(individual.precedence for individual in individuals)
    return tuple(individual for individual in individuals if individual.precedence == least)


class Exhaustive(ExactSearch):
    """Every node of the lattice is evaluated."""

    class Params(Parameters):
        """A guard against lattices that no one can wait for."""

        most: int = Field(2_000_000, ge=1, description="greatest number of nodes that is accepted")

    params: Params

    def __init__(self, params: Params, toolbox: Any) -> None:
        super().__init__(params, toolbox)
        if self.lattice.space.size > params.most:
            given, wanted = f"a lattice of {self.lattice.space.size} nodes", f"at most {params.most}"
            advice = "Take `optimal`, a heuristic (`tabu`, `ga-tabu`, `genetic`), or raise `most`."
            raise ParameterError(Fault("algorithm exhaustive", given, wanted, advice))

    def nodes(self, population: Population) -> float:
        """Return the size of the lattice."""
        return self.lattice.space.size

    def propose(self, population: Population) -> list[Offspring]:
        """Return the next nodes in lexicographic order."""
        done = int(population.memory.get("done", np.array(0)))
        if done == 0:
            self.lattice.evaluator.judge_all()
        space = self.lattice.space
        return proposed(nodes_between(space, done, min(done + batch_of(space.size), space.size)), "enumeration")


class Optimal(ExactSearch):
    """All optima without judging every node: see `evosdc_lattice.exact.optimum`.

    The search decides which nodes have to be judged; they then pass through the engine like any others, so that journal
    and evaluations show them. The fitness must be one of the losses of generalised files alone, without constraints.
    """

    class Params(Parameters):
        """A guard against lattices that no one can wait for."""

        most: int = Field(1_000_000, ge=1, description="choices of a level that are looked at before it gives up")

    params: Params

    def __init__(self, params: Params, toolbox: Any) -> None:
        super().__init__(params, toolbox)
        if self.node_loss is None:
            given = "a fitness without lower bounds for the nodes above a node"
            wanted = "one loss of generalised files: dm, dm-star, lm, iloss, cavg, aecs, entropy, precision or height"
            raise ParameterError(Fault("algorithm optimal", given, wanted, "Or use the algorithm exhaustive."))
        self.loss: NodeLoss = self.node_loss

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best of the candidates; raise `ParameterError` where constraints precede the loss."""
        if any(INFEASIBILITY in individual.scores for individual in candidates):
            given = "constraints, which the bounds of the search know nothing of"
            raise ParameterError(
                Fault("algorithm optimal", given, "an experiment without constraints", "Use the algorithm exhaustive.")
            )
        return super().first_population(candidates)

    def nodes(self, population: Population) -> float:
        """Return how many cannot be left out."""
        return len(population.memory["nodes"]) if "nodes" in population.memory else float("inf")

    def propose(self, population: Population) -> list[Offspring]:
        """Return the next of the nodes that cannot be left out; the optima are among them."""
        done = int(population.memory.get("done", np.array(0)))
        nodes = population.memory["nodes"] if "nodes" in population.memory else self._judged(population)
        return proposed(
            [locked(np.array(node, dtype=np.int16)) for node in nodes[done : done + batch_of(len(nodes))]], "optimal"
        )

    def remembered(self, population: Population, offspring: Sequence[Offspring]) -> dict[str, Any]:
        """Return what the next generation must know: the nodes, and how far it has come."""
        nodes = population.memory.get("nodes")
        return {
            **super().remembered(population, offspring),
            "nodes": self._judged(population) if nodes is None else nodes,
        }

    def _judged(self, population: Population) -> Any:
        found = optimum(self.lattice.evaluator, self.loss, self.params.most)
        return np.array([node.tolist() for node in found.checked], dtype=np.int16)
