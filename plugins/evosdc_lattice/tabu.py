"""Tabu search from node to node (Cui, Kim and Lee 2011), by itself and as a part of the hybrid.

Judging a node takes a pass over the classes; there are hundreds of neighbours, and thousands where two attributes
change. An additive model of the nodes judged so far tells which of them are worth it. evosdc's own.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.search import LatticeSearch, guiding, proposed, publishable
from evosdc_lattice.space import LatticeSpace, Levels, locked

REMEMBERED = 4000  # nodes, the last ones judged, that the model is fitted to
_LEAST = 30  # nodes below which there is no model
_RIDGE = 0.1
_DIGITS = 9  # decimals to which estimates count, so that linear algebra of another machine ranks alike


@dataclass(frozen=True, eq=False)
class Judged:
    """Nodes that were judged."""

    nodes: NDArray[np.int16]  # shape (m, V)
    losses: NDArray[np.float64]  # shape (m,); first objectives, without what nodes beyond the limit have on top
    violations: NDArray[np.float64]  # shape (m,); records suppressed beyond the limit as a share of the most; or 0
    highest: float = 0.0  # loss of the highest node; 0 where all nodes are within the limit

    @classmethod
    def kept_in(cls, memory: Mapping[str, NDArray[Any]], attributes: int) -> "Judged":
        """Return the nodes that are in a population's memory; none where there is nothing."""
        if "judged" not in memory:
            return cls(np.empty((0, attributes), dtype=np.int16), np.empty(0), np.empty(0))
        arrays = memory["judged"], memory["judged_losses"], memory["judged_violations"]
        return cls(*arrays, float(memory["judged_highest"]))

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `kept_in` reads."""
        return {
            "judged": self.nodes,
            "judged_losses": self.losses,
            "judged_violations": self.violations,
            "judged_highest": np.array(self.highest),
        }

    def joined(self, evaluated: Sequence[Individual]) -> "Judged":
        """Return the last nodes of these and of further ones."""
        if not evaluated:
            return self
        over = np.array([individual.scores["violation"] for individual in evaluated])
        # Nodes beyond the limit have the loss of the highest one on top, and that times the violation.
        added = np.array([i.scores["penalty"] if i.scores["violation"] else 0.0 for i in evaluated])
        losses = np.array([individual.objectives[0] for individual in evaluated]) - added
        genomes = np.array([individual.genome for individual in evaluated], dtype=np.int16)
        return Judged(
            np.concatenate([self.nodes, genomes])[-REMEMBERED:],
            np.concatenate([self.losses, losses])[-REMEMBERED:],
            np.concatenate([self.violations, over])[-REMEMBERED:],
            max(self.highest, float((added / (1.0 + over)).max())),
        )

    def promising(
        self, lattice: Lattice, node: Levels, count: int, penalty: float, rng: np.random.Generator
    ) -> list[Levels]:
        """Return neighbours of a node that are worth judging, none of which was judged before."""
        # Half are those of least expected loss and penalty, a quarter those of least loss among the nodes expected
        # within the limit, and a quarter is drawn, since a model learns nothing from what it expects. Besides the
        # neighbours there are nodes one level down in one attribute and one up in another: with many attributes one
        # alone rarely improves a node.
        known = {x.tobytes() for x in self.nodes}
        near = [x for x in [*lattice.neighbours(node), *exchanged(lattice.space, node)] if x.tobytes() not in known]
        chosen: dict[int, None] = {}
        if len(self.nodes) >= _LEAST and near:
            loss, excess = self._expected(lattice.space, np.array(near))
            penalised = loss + penalty * self.highest * excess
            guided = np.argsort(np.round(penalised, _DIGITS), kind="stable").tolist()
            within = np.lexsort((np.round(loss, _DIGITS), np.round(excess, _DIGITS))).tolist()
            chosen = dict.fromkeys(guided[: count // 2])
            chosen |= dict.fromkeys([x for x in within if x not in chosen][: count // 4])
        rest = [position for position in range(len(near)) if position not in chosen]
        drawn = rng.choice(len(rest), min(count - len(chosen), len(rest)), replace=False)
        return [near[position] for position in [*chosen, *(rest[int(x)] for x in drawn)]]

    def _expected(self, space: LatticeSpace, nodes: NDArray[np.int16]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return expected losses of nodes, and records beyond the limit as shares: ridge regression on levels."""
        # Both are about products over the attributes, so their logarithms are sums. Of nodes within the limit the
        # number of suppressed records is unknown: half the limit.
        positive = bool((self.losses > 0.0).all())
        spare = space.n - space.limit
        suppressed = np.where(self.violations > 0.0, self.violations * spare + space.limit, space.limit / 2)
        wanted = np.stack([np.log(self.losses) if positive else self.losses, np.log1p(suppressed)], axis=1)
        mean = wanted.mean(axis=0)
        known = _indicators(space, self.nodes)
        weights = np.linalg.solve(known.T @ known + _RIDGE * np.eye(known.shape[1]), known.T @ (wanted - mean))
        loss, log_suppressed = (_indicators(space, nodes) @ weights + mean).T
        beyond = np.maximum(np.expm1(np.minimum(log_suppressed, np.log1p(space.n))) - space.limit, 0.0)
        return np.exp(loss) if positive else loss, beyond / max(spare, 1)


def exchanged(space: LatticeSpace, node: Levels) -> list[Levels]:
    """Return the nodes with one attribute a level lower and another one a level higher."""
    result = []
    for lower in np.flatnonzero(node > 0).tolist():
        for higher in np.flatnonzero(node < space.top).tolist():
            if lower != higher:
                changed = node.copy()
                changed[lower] -= 1
                changed[higher] += 1
                result.append(locked(changed))
    return result


def _indicators(space: LatticeSpace, nodes: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return a column for each level of each attribute, and a constant one."""
    begins = np.concatenate([[0], np.cumsum(space.top.astype(np.int64) + 1)])
    columns = np.zeros((len(nodes), int(begins[-1]) + 1))
    columns[:, -1] = 1.0
    np.put_along_axis(columns, nodes + begins[:-1], 1.0, axis=1)
    return columns


FREE = -1  # level that marks an unused place of a tabu list
LARGE = 10_000_000  # nodes beyond which not all neighbours are judged by default


class TabuParams(Parameters):
    """Parameters of the tabu search; defaults are the paper's where it gives a value."""

    candidates: int = Field(20, ge=1, description="candidates drawn from the neighbours")
    anonymous: float = Field(0.7, ge=0, le=1, description="probability that nodes within the limit share")
    tabu_size: int = Field(6, ge=0, description="nodes on the tabu list")
    tabu_life: int = Field(7, ge=1, description="cycles that a node stays on the tabu list")
    sample: int | None = Field(
        None,
        ge=1,
        description="neighbours that are judged in a cycle, drawn at random; default: all, as in the paper, and on "
        "lattices beyond ten million nodes, where its experiments do not reach, as many as there are candidates, "
        "chosen by a model of the nodes judged before",
    )
    penalty: float = Field(1.0, ge=0, description="weight of records suppressed beyond the limit; reconstruction")
    follow: Literal["best", "all"] = Field(
        "best",
        description="candidates that a search goes on from: the best one (reconstruction), or all, the union of "
        "whose neighbours is judged, as in the paper",
    )
    aspiration: bool = Field(
        False,
        description="whether a neighbour within the limit that is better than all nodes met before is a candidate "
        "without being drawn; the paper names aspiration as future work: reconstruction",
    )


class TabuSearch(LatticeSearch):
    """What the tabu search and the hybrid share: which neighbours are judged, and which nodes come next."""

    params: TabuParams

    def followed(
        self, neighbours: Sequence[Individual], tabu: "TabuList", cycle: int, met: float, rng: np.random.Generator
    ) -> list[Individual]:
        """Return the nodes that a search goes on from; none where all neighbours are tabu."""
        # The paper draws candidates and does not say which of them becomes the next node: with ``follow = "best"`` the
        # least penalised loss decides (reconstruction).
        free = [individual for individual in neighbours if not tabu.has(individual.genome, cycle)]
        candidates = self._drawn(free, rng) if free else []
        if self.params.aspiration:
            drawn = {individual.key for individual in candidates}
            better = [i for i in free if i.key not in drawn and publishable(i) and i.objectives[0] < met]
            candidates = [*better, *candidates]
        if self.params.follow == "all":
            return candidates
        return sorted(candidates, key=lambda i: (guiding(i, self.params.penalty), i.key))[:1]

    def _drawn(self, neighbours: Sequence[Individual], rng: np.random.Generator) -> list[Individual]:
        """Return the candidates of a cycle, drawn without replacement."""
        # Nodes within the limit share the probability `anonymous`, the others the rest; inside a class all are equally
        # likely. Where one class is empty, the other has all.
        params, safe = self.params, np.array([publishable(individual) for individual in neighbours], dtype=bool)
        if len(neighbours) <= params.candidates:
            return list(neighbours)
        counts = np.where(safe, safe.sum(), (~safe).sum())
        shares = np.where(safe, params.anonymous, 1.0 - params.anonymous) / counts
        if safe.all() or not safe.any() or not (shares > 0.0).any():
            shares = np.ones(len(neighbours))
        size = min(params.candidates, int((shares > 0.0).sum()))
        chosen = rng.choice(len(neighbours), size, replace=False, p=shares / shares.sum())
        return [neighbours[int(i)] for i in chosen]

    def union(
        self, population: Population, slots: Sequence[int], rng: np.random.Generator
    ) -> list[tuple[Levels, list[int]]]:
        """Return the distinct neighbours of nodes that are judged in a cycle, with the slots they are next to."""
        found: dict[bytes, tuple[Levels, list[int]]] = {}
        for slot in slots:
            for node in self.judged_neighbours(population, population[slot].genome, rng):
                found.setdefault(node.tobytes(), (node, []))[1].append(slot)
        return list(found.values())

    @property
    def models(self) -> bool:
        """Whether a model of the nodes judged so far chooses among the neighbours."""
        return self.params.sample is None and self.lattice.space.size > LARGE

    def first_nodes(self, nodes: Sequence[Levels], rng: np.random.Generator) -> list[Offspring]:
        """Return random nodes as offspring; where a model chooses, with half of the attributes at the top besides."""
        # On large lattices there may be nothing to learn from random nodes and their neighbours, since all records of
        # all of them are suppressed.
        offspring = proposed(nodes, "random")
        if self.models:
            top = self.lattice.space.top
            offspring += proposed([locked(np.where(rng.random(len(top)) < 0.5, top, x)) for x in nodes], "raised")
            offspring += proposed([top], "highest")
        return offspring

    def first_node(self, individuals: Sequence[Individual]) -> Individual:
        """Return the node of least penalised loss, of those that were drawn unless all records of them are lost."""
        telling = [i for i in individuals if i.scores["violation"] < 1.0]
        drawn = [i for i in telling if i.origin == "random"] or [i for i in telling if i.origin == "raised"]
        return min(drawn or individuals, key=lambda i: (guiding(i, self.params.penalty), i.key))

    def judged_neighbours(self, population: Population, node: Levels, rng: np.random.Generator) -> list[Levels]:
        """Return the neighbours of a node that are judged in a cycle."""
        if self.models:
            known = Judged.kept_in(population.memory, len(node))
            chosen = known.promising(self.lattice, node, self.params.candidates, self.params.penalty, rng)
            if chosen:
                return chosen
        neighbours = self.lattice.neighbours(node)
        size = self.params.candidates if self.models else self.params.sample or len(neighbours)
        if size >= len(neighbours):
            return neighbours
        return [neighbours[i] for i in np.sort(rng.choice(len(neighbours), size, replace=False))]

    def moved_on(
        self,
        population: Population,
        individuals: Sequence[Individual],
        memory: Mapping[str, Any],
        evaluated: Sequence[Individual],
    ) -> Population:
        """Return the next population, what the model is fitted to in its memory."""
        if self.models:
            known = Judged.kept_in(population.memory, len(self.lattice.space.top))
            memory = {**memory, **known.joined(evaluated).memory()}
        return super().moved_on(population, individuals, memory, evaluated)


class TabuList:
    """The nodes that a search must not return to; a value made of arrays."""

    def __init__(self, nodes: NDArray[np.int16], until: NDArray[np.int64]) -> None:
        self.nodes, self.until = nodes, until

    @classmethod
    def empty(cls, size: int, attributes: int) -> "TabuList":
        """Return a list with no node on it."""
        return cls(np.full((size, attributes), FREE, dtype=np.int16), np.full(size, -1, dtype=np.int64))

    def has(self, node: Levels, cycle: int) -> bool:
        """Whether a node is tabu in a cycle."""
        return bool(((self.nodes == node).all(axis=1) & (self.until >= cycle)).any())

    def entered(self, entering: Sequence[Levels], cycle: int, life: int) -> "TabuList":
        """Return the list with nodes, as many as have a place on it, in place of those that leave next."""
        count = min(len(entering), len(self.until))
        places = np.argsort(self.until, kind="stable")[:count]
        nodes, until = self.nodes.copy(), self.until.copy()
        if count:
            nodes[places], until[places] = np.array(entering[:count], dtype=np.int16), cycle + life
        return TabuList(nodes, until)


def stood_on(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return the slots that judged neighbours are next to, in the order in which the nodes were drawn."""
    return list(dict.fromkeys(chain((own[0] for own in parents), (slot for own in parents for slot in own))))


def least_loss(individuals: Iterable[Individual], before: float = math.inf) -> float:
    """Return the least loss of nodes within the limit, or the one known before where none has less."""
    return min([before, *(i.objectives[0] for i in individuals if publishable(i))])


class Tabu(TabuSearch):
    """Tabu search from a random node: a generation is a cycle."""

    # After Cui, Kim and Lee (2011), which run it for 300 cycles. From the neighbours, which differ in one attribute by
    # any amount, candidates are drawn, and the best one becomes the current node; the solution is the best node within
    # the limit that was ever judged. The paper goes on from all candidates, which "enter into tabu list": that is
    # ``follow = "all"``. Which of twenty stay on a list of six is not said: as many as have a place, in the order of
    # drawing (reconstruction).

    class Params(TabuParams):
        """As `TabuParams`."""

    params: Params

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the first random candidate as the current node; without one the search draws its own."""
        started = [individual for individual in candidates if individual.origin == "random"]
        first = self.first_node(candidates) if self.models else (started or candidates)[0]
        return Population((first,), memory={"started": np.array(bool(started))})

    def propose(self, population: Population) -> list[Offspring]:
        """Return the neighbours of the next node, or of the next ones."""
        if not population.memory["started"]:
            rng = self.toolbox.rng
            return self.first_nodes([self.lattice.random(rng)], rng)
        # The first of the population are the nodes that the search is on: it stays where it cannot move.
        current, met = int(population.memory.get("current", 1)), float(population.memory.get("met", math.inf))
        tabu = self._list(population)
        chosen = self.followed(population[current:], tabu, population.generation, met, self.toolbox.rng)
        places = {id(individual): slot for slot, individual in enumerate(population)}
        slots = [places[id(individual)] for individual in chosen] or list(range(current))
        found = self.union(population, slots, self.toolbox.rng)
        return [Offspring(node, "neighbour", tuple(parents)) for node, parents in found]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the current nodes followed by their judged neighbours, with the tabu list."""
        if not population.memory["started"]:
            tabu = TabuList.empty(self.params.tabu_size, len(self.lattice.space.top))
            memory = {"started": np.array(True), "tabu": tabu.nodes, "until": tabu.until}
            return self.moved_on(population, [self.first_node(evaluated)], memory, evaluated)
        current = [population[slot] for slot in stood_on([item.parents for item in offspring])]
        entering = [individual.genome for individual in current]
        tabu = self._list(population).entered(entering, population.generation, self.params.tabu_life)
        memory = {"started": np.array(True), "tabu": tabu.nodes, "until": tabu.until, "current": np.array(len(current))}
        memory["met"] = np.array(least_loss(population, float(population.memory.get("met", math.inf))))
        memory |= {name: population.memory[name] for name in ("visited",) if name in population.memory}
        return self.moved_on(population, [*current, *evaluated], memory, evaluated)

    def _list(self, population: Population) -> TabuList:
        if "tabu" not in population.memory:
            return TabuList.empty(self.params.tabu_size, len(self.lattice.space.top))
        return TabuList(population.memory["tabu"], population.memory["until"])
