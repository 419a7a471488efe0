"""Simple searches to compare others with, and Samarati's."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc_lattice.search import LatticeSearch, guiding, proposed, publishable
from evosdc_lattice.space import Levels, locked


class RandomRestarts(LatticeSearch):
    """Steepest descent by single steps from a random node; at a local optimum, again from another one."""

    class Params(Parameters):
        """Parameters of the descent."""

        penalty: float = Field(1.0, ge=0, description="weight of records suppressed beyond the limit")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the first candidate; the first node of the search is drawn."""
        return Population(candidates[:1], memory={"restart": np.array(True)})

    def propose(self, population: Population) -> list[Offspring]:
        """Return the nodes one step from the current one, or a random node."""
        if population.memory["restart"]:
            return proposed([self.lattice.random(self.toolbox.rng)], "random")
        node = population[0].genome
        return proposed([*self.lattice.steps(node, -1), *self.lattice.steps(node, 1)], "step", (0,))

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best of the current node and those around it; request a restart where it is the current one."""
        penalty = self.params.penalty
        best = min(evaluated, key=lambda i: (guiding(i, penalty), i.key))
        stuck = not population.memory["restart"] and guiding(best, penalty) >= guiding(population[0], penalty)
        memory = {**population.memory, "restart": np.array(stuck)}
        return self.moved_on(population, [population[0] if stuck else best], memory, evaluated)


class BottomUp(LatticeSearch):
    """Best-first search from the lowest node: of all nodes on the border, the one that suppresses least is expanded."""

    # Ties are broken by the loss. Left out are nodes of which the bound of the loss says that none above is better than
    # the best so far. So a search that comes to its end has found an optimum, under every privacy model and every
    # constraint.

    class Params(Parameters):
        """No parameters."""

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return one candidate; the search begins with the lowest node."""
        return Population(candidates[:1])

    def propose(self, population: Population) -> list[Offspring]:
        """Return the nodes above the most promising one of the border that were not judged yet."""
        if "border" not in population.memory:
            return proposed([self.lattice.space.bottom], "lowest")
        border, rank = population.memory["border"], population.memory["rank"]
        known = {node.tobytes() for node in population.memory["known"]}
        best = self._best_loss(population)
        for place in np.lexsort(rank[:, :2].T[::-1]):
            if rank[place, 2] > best:
                continue
            nodes = [node for node in self.lattice.steps(border[place], 1) if node.tobytes() not in known]
            if nodes:
                return proposed(nodes, "step up", ())
        return []

    def proves(self, population: Population) -> bool:
        """Whether nothing is left above the border."""
        return not self.propose(population)

    def _best_loss(self, population: Population) -> float:
        """Return the loss that nodes above one must be able to fall below; infinite before one is publishable."""
        # The slack keeps rounding from leaving out an optimum.
        best = population[0]
        if not publishable(best) or not best.feasible:
            return float("inf")
        return best.objectives[0] + 1e-12 * max(abs(best.objectives[0]), 1.0)

    def _bound(self, node: Levels) -> float:
        """Return what no node above a node can be less than; minus infinity where nothing is known."""
        loss = self.node_loss
        if loss is None:
            return -float("inf")
        facts = self.lattice.evaluator.facts(node) if loss.needs_classes else None
        return loss.bound(self.lattice.space, node, facts)

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best node so far; border and judged nodes are in the memory."""
        attributes = len(self.lattice.space.top)
        memory = population.memory
        border = memory.get("border", np.empty((0, attributes), dtype=np.int16))
        rank = memory.get("rank", np.empty((0, 3)))
        known = memory.get("known", np.empty((0, attributes), dtype=np.int16))
        if len(border):
            judged_keys = {i.genome.tobytes() for i in evaluated}
            best_loss = self._best_loss(population)
            spent = set()
            # Nodes before the expanded one had nothing new above them or were left out, and it has nothing left now.
            for place in np.lexsort(rank[:, :2].T[::-1]).tolist():
                spent.add(place)
                fresh_here = {node.tobytes() for node in self.lattice.steps(border[place], 1)} & judged_keys
                if fresh_here and rank[place, 2] <= best_loss:
                    break
            keep = [place for place in range(len(border)) if place not in spent]
            border, rank = border[keep], rank[keep]
        judged = np.array([i.genome for i in evaluated], dtype=np.int16).reshape(-1, attributes)
        ranks = [(i.scores["violation"], i.objectives[0], self._bound(i.genome)) for i in evaluated]
        best = min((*population, *evaluated), key=lambda i: (not publishable(i), i.precedence, i.key))
        state = {
            **memory,
            "border": np.concatenate([border, judged]),
            "rank": np.concatenate([rank, np.array(ranks).reshape(-1, 3)]),
            "known": np.concatenate([known, judged]),
        }
        return self.moved_on(population, [best], state, evaluated)


class TopDown(LatticeSearch):
    """Greedy descent from the highest node, always to the best node within the limit one step below."""

    # The first descent is greedy to the end. Each further one starts again at the top and takes one of the best few
    # nodes at random at every step. So the search can be given as many evaluations as others.

    class Params(Parameters):
        """Parameters of the further descents."""

        choices: int = Field(3, ge=1, description="best nodes among which further descents choose; 1: a single descent")

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return one candidate; the search begins with the highest node."""
        return Population(candidates[:1], memory={"descent": np.array(-1), "restart": np.array(True)})

    def propose(self, population: Population) -> list[Offspring]:
        """Return the nodes one step below the current one, or the highest node."""
        if population.memory["restart"]:
            single = self.params.choices == 1 and int(population.memory["descent"]) >= 0
            return [] if single else proposed([self.lattice.space.top], "highest")
        # Individuals stand from the best on: the first descent takes it.
        first = int(population.memory["descent"]) == 0 or len(population) == 1
        slot = 0 if first else int(self.toolbox.rng.integers(len(population)))
        nodes = self.lattice.steps(population[slot].genome, -1)
        return proposed(nodes or [self.lattice.space.top], "step down", (slot,))

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best nodes within the limit below the current one; request a restart where none is better."""
        if population.memory["restart"]:
            memory = {**population.memory, "descent": population.memory["descent"] + 1, "restart": np.array(False)}
            return self.moved_on(population, evaluated[:1], memory, evaluated)
        current = population[offspring[0].parents[0]]
        better = [i for i in evaluated if publishable(i) and i.objectives < current.objectives]
        better.sort(key=lambda i: (i.objectives, i.key))
        memory = {**population.memory, "restart": np.array(not better)}
        return self.moved_on(population, better[: self.params.choices] or [current], memory, evaluated)


class Samarati(LatticeSearch):
    """Binary search on height (Samarati 2001): ``try = floor((low + high) / 2)``, down if one is safe, else up."""

    # At each height the nodes are judged in batches until one is safe. That is correct since every node above a safe
    # one is safe; privacy models for which it is not so are refused. Several nodes of the least height may be safe: the
    # best of them by the fitness is the solution.

    class Params(Parameters):
        """How many nodes are judged at once."""

        batch: int = Field(
            64, ge=1, description="nodes of a height judged before looking whether one is safe; then twice as many"
        )

    params: Params

    def __init__(self, params: Params, toolbox: Any) -> None:
        super().__init__(params, toolbox)
        if not self.lattice.space.monotone:
            given = "entropy or recursive diversity, or t-closeness, with suppression"
            wanted = "a model under which every node above a safe one is safe"
            advice = "Set suppression = 0, or use the algorithm optimal."
            raise ParameterError(Fault("algorithm samarati", given, wanted, advice))

    def propose(self, population: Population) -> list[Offspring]:
        """Return the next nodes of the height in question; none when the search has ended."""
        low, high, cursor = self._state(population)
        nodes = nodes_of_height(self.lattice.space.top.tolist(), high if low >= high else (low + high) // 2)
        return proposed(list(islice(nodes, cursor, cursor + max(self.params.batch, cursor))), "height")

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the safe nodes of the least height known, and the bounds after these nodes."""
        low, high, cursor = self._state(population)
        safe = [individual for individual in evaluated if publishable(individual)]
        height = int(evaluated[0].genome.sum())
        kept = list(population)
        if low >= high:
            kept = list({i.key: i for i in (*kept, *safe) if int(i.genome.sum()) == high}.values()) or kept
            cursor += len(offspring)
        elif safe:
            kept, high, cursor = safe, height, 0
        else:
            cursor += len(offspring)
            ways = np.array([1], dtype=object)  # nodes by height
            for top in self.lattice.space.top.tolist():
                ways = np.convolve(ways, np.ones(top + 1, dtype=object))
            if cursor >= ways[height]:
                low, cursor = height + 1, 0
        kept.sort(key=lambda i: (i.precedence, tuple(i.genome.tolist())))
        return self.moved_on(population, kept, {"state": np.array([low, high, cursor])}, evaluated)

    def _state(self, population: Population) -> tuple[int, int, int]:
        low, high, cursor = population.memory.get("state", np.array([0, int(self.lattice.space.top.sum()), 0])).tolist()
        return low, high, cursor

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return the best of the safe nodes of the least height."""
        return population[0]

    def optima(self, population: Population, solution: Individual) -> tuple[Individual, ...]:
        """Return the nodes of the least height that are as good as the solution."""
        return tuple(i for i in population if i.precedence == solution.precedence)

    def describe(self, population: Population, solution: Individual) -> Any:
        """Return the solution, its height, the levels of all as good, and those of all safe ones of that height."""
        return {
            **super().describe(population, solution),
            "height": int(solution.genome.sum()),
            "optima": [self.lattice.levels_of(i.genome) for i in self.optima(population, solution)],
            "minimal": [self.lattice.levels_of(i.genome) for i in population],
        }


def nodes_of_height(tops: Sequence[int], height: int) -> Iterator[Levels]:
    """Yield the nodes of a height in lexicographic order, without going through the others."""
    rest = [sum(tops[j:]) for j in range(len(tops) + 1)]

    def extended(prefix: list[int], left: int) -> Iterator[list[int]]:
        j = len(prefix)
        if j == len(tops):
            yield prefix
            return
        for level in range(max(0, left - rest[j + 1]), min(tops[j], left) + 1):
            yield from extended([*prefix, level], left - level)

    for levels in extended([], height):
        yield locked(np.array(levels, dtype=np.int16))
