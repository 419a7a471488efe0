"""Simple searches to compare others with."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc.seeds import Streams
from evosdc_lattice.search import LatticeSearch, guiding, proposed, publishable
from evosdc_lattice.space import Levels


class RandomRestarts(LatticeSearch):
    """Steepest descent by single steps from a random node; at a local optimum, again from another one."""

    class Params(Parameters):
        """Parameters of the descent."""

        penalty: float = Field(1.0, ge=0, description="weight of records suppressed beyond the limit")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the first candidate; the first node of the search is drawn."""
        return Population(tuple(candidates[:1]), memory={"restart": np.array(True)})

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the nodes one step from the current one, or a random node."""
        if population.memory["restart"]:
            return proposed([self.toolbox.random(streams.vary(population.generation, 0))], "random")
        node = population.individuals[0].genome
        return proposed([*self.lattice.steps(node, -1), *self.lattice.steps(node, 1)], "step", (0,))

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best of the current node and those around it; ask for a restart where it is the current one."""
        best = min(evaluated, key=lambda i: (guiding(i, self.params.penalty), i.key))
        stuck = False
        if not population.memory["restart"]:
            current = population.individuals[0]
            stuck = guiding(best, self.params.penalty) >= guiding(current, self.params.penalty)
            best = current if stuck else best
        memory = {**population.memory, "restart": np.array(stuck)}
        return self.moved_on(population, [best], memory, evaluated)


class BottomUp(LatticeSearch):
    """Best-first search from the lowest node: of all nodes on the border, the one that suppresses least is expanded.

    Ties are broken by the loss. Nodes within the limit are not expanded, since all above them lose more or as much by
    every loss that ignores suppression.
    """

    class Params(Parameters):
        """No parameters."""

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return one candidate; the search begins with the lowest node."""
        return Population(tuple(candidates[:1]))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the nodes above the most promising one of the border that were not judged yet."""
        if "border" not in population.memory:
            return proposed([self.lattice.space.bottom], "lowest")
        border = population.memory["border"]
        known = {node.tobytes() for node in population.memory["known"]}
        order = np.lexsort(population.memory["rank"].T[::-1])
        for place in order:
            nodes = [node for node in self._above(border[place]) if node.tobytes() not in known]
            if nodes:
                return proposed(nodes, "step up", ())
        return []

    def _above(self, node: Levels) -> list[Levels]:
        return self.lattice.steps(np.asarray(node, dtype=np.int16), 1)

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best node so far; border and judged nodes are in the memory."""
        attributes = len(self.lattice.space.top)
        memory = population.memory
        border = memory.get("border", np.empty((0, attributes), dtype=np.int16))
        rank = memory.get("rank", np.empty((0, 2)))
        known = memory.get("known", np.empty((0, attributes), dtype=np.int16))
        if len(border):
            seen = {node.tobytes() for node in known}
            order = np.lexsort(rank.T[::-1])
            spent = 0
            # Nodes before the expanded one had nothing new above them, and it has nothing left now.
            while all(node.tobytes() in seen for node in self._above(border[order[spent]])):
                spent += 1
            keep = np.sort(order[spent + 1 :])
            border, rank = border[keep], rank[keep]
        judged = np.array([i.genome for i in evaluated], dtype=np.int16).reshape(-1, attributes)
        open_ones = [i for i in evaluated if not publishable(i)]
        fresh = np.array([i.genome for i in open_ones], dtype=np.int16).reshape(-1, attributes)
        ranks = np.array([(i.scores["violation"], i.objectives[0]) for i in open_ones]).reshape(-1, 2)
        best = min((*population.individuals, *evaluated), key=lambda i: (i.objectives, i.key))
        state = {
            **memory,
            "border": np.concatenate([border, fresh]),
            "rank": np.concatenate([rank, ranks]),
            "known": np.concatenate([known, judged]),
        }
        return self.moved_on(population, [best], state, evaluated)


class TopDown(LatticeSearch):
    """Greedy descent from the highest node, always to the best node within the limit one step below.

    The first descent is greedy to the end. Each further one starts again at the top and takes one of the best few nodes
    at random at every step. So the search can be given as many evaluations as others.
    """

    class Params(Parameters):
        """Parameters of the further descents."""

        choices: int = Field(3, ge=1, description="best nodes among which further descents choose; 1: a single descent")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return one candidate; the search begins with the highest node."""
        return Population(tuple(candidates[:1]), memory={"descent": np.array(-1), "restart": np.array(True)})

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the nodes one step below the current one, or the highest node."""
        if population.memory["restart"]:
            single = self.params.choices == 1 and int(population.memory["descent"]) >= 0
            return [] if single else proposed([self.lattice.space.top], "highest")
        slot = self._chosen(population, streams)
        nodes = self.lattice.steps(population.individuals[slot].genome, -1)
        return proposed(nodes or [self.lattice.space.top], "step down", (slot,))

    def _chosen(self, population: Population, streams: Streams) -> int:
        """Return the slot to go on from: individuals stand from the best on."""
        if int(population.memory["descent"]) == 0 or len(population.individuals) == 1:
            return 0
        return int(streams.vary(population.generation, 0).integers(len(population.individuals)))

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best nodes within the limit below the current one; ask for a restart where none is better."""
        if population.memory["restart"]:
            memory = {**population.memory, "descent": population.memory["descent"] + 1, "restart": np.array(False)}
            return self.moved_on(population, evaluated[:1], memory, evaluated)
        current = population.individuals[offspring[0].parents[0]]
        better = [i for i in evaluated if publishable(i) and i.objectives < current.objectives]
        better.sort(key=lambda i: (i.objectives, i.key))
        memory = {**population.memory, "restart": np.array(not better)}
        return self.moved_on(population, better[: self.params.choices] or [current], memory, evaluated)
