"""Exact searches: every node, or depth first, cut by monotonicity and by lower bounds."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc.model.individual import INFEASIBILITY
from evosdc_lattice.evaluation import NodeEvaluator, NodeFacts
from evosdc_lattice.losses import NodeLoss
from evosdc_lattice.search import LatticeSearch, proposed
from evosdc_lattice.space import FrequencySet, Levels, locked, nodes_of

_ROUNDING = 1e-12  # slack of bounds, relative to the least loss or to 1, so that rounding never cuts off a tied optimum


@dataclass(frozen=True)
class Optimum:
    """The outcome of an exact search."""

    loss: float  # the least loss of a node within the limit; infinite where there is none
    nodes: tuple[Levels, ...]  # all nodes within the limit that have it, in lexicographic order
    checked: tuple[Levels, ...]  # all nodes that were judged, in the order in which they were


def optimum(evaluator: NodeEvaluator, loss: NodeLoss, most: int | None = None) -> Optimum:
    """Return all optimal nodes; raise `ParameterError` where more than `most` choices of a level are tried."""
    # The levels of the attributes are chosen one after the other, those of the remaining ones being held at the lowest
    # that can be safe. Two nodes decide about all that can be completed from such a choice. Where even the highest
    # suppresses too much, all do (predictive tagging). The bound of the lowest holds for all. What is suppressed for k,
    # p and distinct l alone never grows upwards, so the first cut is valid for every privacy model.
    return _Search(evaluator, loss, most).run()


class _Search:
    def __init__(self, evaluator: NodeEvaluator, loss: NodeLoss, most: int | None) -> None:
        self.evaluator, self.loss, self.space = evaluator, loss, evaluator.space
        self.most, self.choices = most, 0
        self.top = self.space.top.tolist()
        self.best = float("inf")
        self.nodes: list[Levels] = []
        self.checked: dict[bytes, Levels] = {}
        self.floor = [self._floor(j) for j in range(len(self.top))]
        # Attributes with the most remaining distinct values come first.
        free = (j for j in range(len(self.top)) if self.floor[j] < self.top[j])
        self.order = sorted(free, key=lambda j: -len(self.space.ladders[j].labels[self.floor[j]]))

    def run(self) -> Optimum:
        start = self.evaluator.classes(locked(np.array(self.floor, dtype=np.int16)))
        self._descend()
        self._choose(0, list(self.floor), start)
        found = sorted({node.tobytes(): node for node in self.nodes}.values(), key=lambda node: tuple(node.tolist()))
        return Optimum(self.best, tuple(found), tuple(self.checked.values()))

    def _descend(self) -> None:
        """Walk down from the top greedily, for a first bound."""
        node, facts = self.space.top, self.evaluator.facts(self.space.top)
        self._judge(node, facts)
        improved = facts.suppressed <= self.space.limit
        while improved:
            improved = False
            for j in range(len(self.top)):
                if node[j] > self.floor[j]:
                    lower = node.copy()
                    lower[j] -= 1
                    before = self.best
                    self._judge(locked(lower), self.evaluator.facts(lower))
                    improved |= self.best < before
            node = self.nodes[-1]

    def _floor(self, j: int) -> int:
        """Return the lowest level at which an attribute can be published at all, all others at their highest."""
        levels = list(self.top)
        levels[j] = self.space.lowest(j)
        if self.space.model.k_only:
            return int(levels[j])
        classes = self.space.climb(self.space.ground, self.space.bottom.tolist(), levels)
        while levels[j] < self.top[j] and self._suppressed(classes) > self.space.limit:
            lower, levels = levels, [*levels]
            levels[j] += 1
            classes = self.space.climb(classes, lower, levels)
        return int(levels[j])

    def _suppressed(self, classes: FrequencySet) -> int:
        return int(classes.counts[self.space.model.failing(classes.counts, classes.sensitive, True)].sum())

    def _choose(self, depth: int, levels: list[int], classes: FrequencySet) -> None:
        """Go through all completions of the levels chosen so far; `classes` are those of the lowest one."""
        if depth == len(self.order):
            self._judge(locked(np.array(levels, dtype=np.int16)), self.evaluator.judged(classes))
            return
        j = self.order[depth]
        rest = self.order[depth + 1 :]
        completable = not rest
        for level in range(self.floor[j], self.top[j] + 1):
            self.choices += 1
            if self.most is not None and self.choices > self.most:
                given = f"a lattice of {self.space.size} nodes, too few of which can be left out"
                advice = "Take a heuristic (`tabu`, `ga-tabu`, `genetic`), or raise `most`."
                wanted = f"at most {self.most} choices of a level"
                raise ParameterError(Fault("algorithm optimal", given, wanted, advice))
            lower, levels = levels, [*levels]
            levels[j] = level
            classes = self.space.climb(classes, lower, levels)
            lowest = locked(np.array(levels, dtype=np.int16))
            facts = self.evaluator.judged(classes) if self.loss.needs_classes else None
            if self.loss.bound(self.space, lowest, facts) > self.best + _ROUNDING * max(self.best, 1.0):
                return  # higher levels of this attribute have a bound that is no less
            if not completable:  # once a completion can be safe, those of higher levels can
                highest = [self.top[i] if i in rest else at for i, at in enumerate(levels)]
                completable = self._suppressed(self.space.climb(classes, levels, highest)) <= self.space.limit
                if not completable:
                    continue
            self._choose(depth + 1, levels, classes)

    def _judge(self, levels: Levels, facts: NodeFacts) -> None:
        self.checked.setdefault(levels.tobytes(), levels)
        if facts.suppressed > self.space.limit:
            return
        value = self.loss.of(self.evaluator, levels, facts)
        if value < self.best:
            self.best, self.nodes = value, [levels]
        elif value == self.best:
            self.nodes.append(levels)


BATCH = 2000  # nodes of a generation at least
GENERATIONS = 250  # generations at most: an exact search must not be cut off by the usual limit of a run


def batch_of(size: int) -> int:
    """Return the nodes per generation for a lattice of `size` nodes."""
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
        done = int(population.memory.get("done", np.array(0))) + len(offspring)
        memory = {**population.memory, "done": np.array(done)}
        return self.moved_on(population, _tied(list(everyone.values())), memory, evaluated)

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
        return proposed(nodes_of(space, done, min(done + batch_of(space.size), space.size)), "enumeration")


class Optimal(ExactSearch):
    """All optima without judging every node: see `evosdc_lattice.exact.optimum`."""

    # The nodes that have to be judged pass through the engine like any others, so that journal and evaluations show
    # them. The fitness must be one loss of generalised files, without constraints.

    class Params(Parameters):
        """A guard against lattices that no one can wait for."""

        most: int = Field(1_000_000, ge=1, description="choices of a level that are tried before the search fails")

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
        found = optimum(self.lattice.evaluator, self.loss, self.params.most)
        nodes = np.array([node.tolist() for node in found.checked], dtype=np.int16)
        return Population(_tied(candidates), memory={"nodes": nodes})

    def nodes(self, population: Population) -> float:
        """Return how many cannot be left out."""
        return len(population.memory["nodes"])

    def propose(self, population: Population) -> list[Offspring]:
        """Return the next of the nodes that cannot be left out; the optima are among them."""
        done, nodes = int(population.memory.get("done", np.array(0))), population.memory["nodes"]
        return proposed([locked(node.copy()) for node in nodes[done : done + batch_of(len(nodes))]], "optimal")
