"""Samarati's search: the least height at which a node is within the limit, then the best node of that height."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc_lattice.search import LatticeSearch, proposed, publishable
from evosdc_lattice.space import Levels, locked

LOW, HIGH, CURSOR = range(3)


class Samarati(LatticeSearch):
    """Binary search on height (Samarati 2001): ``try = floor((low + high) / 2)``, down if one is safe, else up.

    At each height the nodes are judged in batches until one is safe. That is correct since every node above a safe
    one is safe; privacy models for which it is not so are refused. Several nodes of the least height may be safe: the
    best of them by the fitness is the solution.
    """

    class Params(Parameters):
        """How many nodes are judged at once."""

        batch: int = Field(
            64,
            ge=1,
            description="nodes of a height judged before looking whether one is safe; then twice as many",
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
        final = low >= high
        nodes = []
        for position, node in enumerate(
            nodes_of_height(self.lattice.space.top.tolist(), high if final else (low + high) // 2)
        ):
            if position >= cursor:
                nodes.append(node)
            if len(nodes) == max(self.params.batch, cursor):
                break
        return proposed(nodes, "height")

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
            if cursor >= self._count(height):
                low, cursor = height + 1, 0
        kept.sort(key=lambda i: (i.precedence, tuple(i.genome.tolist())))
        return self.moved_on(population, kept, {"state": np.array([low, high, cursor])}, evaluated)

    def _state(self, population: Population) -> tuple[int, int, int]:
        state = population.memory.get("state", np.array([0, int(self.lattice.space.top.sum()), 0]))
        return int(state[LOW]), int(state[HIGH]), int(state[CURSOR])

    def _count(self, height: int) -> int:
        """Return how many nodes have a height."""
        ways = np.array([1], dtype=object)
        for top in self.lattice.space.top.tolist():
            ways = np.convolve(ways, np.ones(top + 1, dtype=object))
        return int(ways[height])

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
