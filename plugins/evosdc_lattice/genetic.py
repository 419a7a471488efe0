"""The genetic algorithm on level vectors, and the hybrid of Cui, Kim and Lee (2011) with a tabu search."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Individual, Offspring, Parameters, Population
from evosdc_lattice.search import LatticeSearch, guiding, proposed, publishable
from evosdc_lattice.tabu import LARGE, TabuList, TabuParams, TabuSearch, least_loss, stood_on


class GeneticParams(Parameters):
    """Parameters of the genetic part; defaults are the paper's where it gives a value."""

    population: int = Field(20, ge=2, description="nodes of a generation")
    penalty: float = Field(1.0, ge=0, description="weight of records suppressed beyond the limit; reconstruction")


def wheel(individuals: Sequence[Individual], count: int, penalty: float, rng: np.random.Generator) -> list[int]:
    """Return positions drawn in proportion to the inverse of the penalised loss, the paper's ``1 / DM``."""
    # A node without any loss would have all of the wheel; losses are therefore kept above a millionth of the greatest.
    values = np.array([guiding(individual, penalty) for individual in individuals])
    floor = max(float(np.abs(values).max()), 1e-300) * 1e-6
    inverse = 1.0 / np.maximum(values, floor)
    return [int(i) for i in rng.choice(len(individuals), count, p=inverse / inverse.sum())]


def crossed(
    search: LatticeSearch, population: Population, size: int, penalty: float
) -> Iterator[tuple[int, Individual]]:
    """Yield the children of pairs that were drawn by the wheel, each with the slot of a parent."""
    toolbox = search.toolbox
    slots = wheel(population, size + size % 2, penalty, toolbox.rng)
    for pair in range(0, len(slots), 2):
        parents = slots[pair : pair + 2]
        children = toolbox.mate(*(toolbox.clone(population[slot]) for slot in parents))
        yield from zip(parents, children, strict=True)


class Genetic(LatticeSearch):
    """Roulette by ``1 / DM``, one-point crossover between attributes, mutation; children replace their parents."""

    # After the genetic part of Cui, Kim and Lee (2011), which run it for 300 cycles with 20 nodes. The mutation, and
    # whether the best nodes stay, are reconstructions. The solution is the best node within the limit that was ever
    # judged.

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
        size, rng = self.params.population, self.toolbox.rng
        if not population.memory["started"]:
            return proposed([self.lattice.random(rng) for slot in range(size)], "random")
        offspring: list[Offspring] = []
        for slot, child in crossed(self, population, size, self.params.penalty):
            node, varied = child.genome, rng.random() < self.params.mutation
            if varied and rng.random() >= self.params.step:
                node = self.toolbox.mutate(child)[0].genome
            elif varied and (steps := [*self.lattice.steps(node, -1), *self.lattice.steps(node, 1)]):
                node = steps[int(rng.integers(len(steps)))]
            offspring.append(Offspring(node, "crossover and mutation" if varied else "crossover", (slot,)))
        return offspring[:size]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the children, and the elite in place of the last of them."""
        elite = sorted(population, key=lambda i: (i.objectives, i.key))[: self.params.elite]
        individuals = [*elite, *evaluated][: max(len(evaluated), len(elite))]
        memory = {**population.memory, "started": np.array(True)}
        return self.moved_on(population, individuals, memory, evaluated)


class GeneticTabu(TabuSearch):
    """Every child of the crossover goes through a tabu search; the best node that it met takes the child's place."""

    # On large lattices one tabu search comes first, alone and longer; the best nodes that it met are then crossed:
    # searches side by side share the nodes that may be judged, and none of them comes far while these are few
    # (reconstruction). All tabu searches of a genetic cycle run side by side. A generation of the engine is one tabu
    # cycle of all of them, so 20 genetic cycles of 20 tabu cycles, as in the paper's experiments, are ``stop = {
    # generations = 421 }``.

    class Params(TabuParams):
        """Parameters of both parts; defaults are the paper's where it gives a value."""

        population: int | None = Field(
            None, ge=2, description="nodes of a generation; default: 20 as in the paper, 4 beyond ten million nodes"
        )
        cycles: int = Field(20, ge=1, description="cycles of each tabu search")
        lead: int | None = Field(
            None,
            ge=0,
            description="cycles of a single tabu search that comes first; default: none, as in the paper, and 50 "
            "beyond ten million nodes",
        )

    params: Params

    @property
    def size(self) -> int:
        """Nodes of a generation."""
        return self.params.population or (4 if self.lattice.space.size > LARGE else 20)

    @property
    def lead(self) -> int:
        """Cycles of the tabu search that comes first."""
        given = self.params.lead
        return (50 if self.lattice.space.size > LARGE else 0) if given is None else given

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return random candidates where there are some; without them the search draws its own."""
        started = [individual for individual in candidates if individual.origin == "random"]
        if started and self.lead:
            return self._begun(candidates, {}, Population(), ())
        individuals = tuple(started or candidates)
        return Population(individuals, memory=self._parents(len(individuals)) if started else {})

    def _parents(self, size: int) -> dict[str, NDArray[np.int64]]:
        """Return the memory of a population that is about to be crossed."""
        return {"cycle": np.array(-1), "size": np.array(size)}

    def propose(self, population: Population) -> list[Offspring]:
        """Return first nodes, children of a crossover, or the neighbours of all current nodes."""
        memory = population.memory
        if "cycle" not in memory:
            nodes = [self.lattice.random(self.toolbox.rng) for slot in range(self.size)]
            return self.first_nodes(nodes, self.toolbox.rng)
        offspring: list[Offspring] = []
        if int(memory["cycle"]) < 0:
            children = crossed(self, population, self.size, self.params.penalty)
            return [Offspring(child.genome, "crossover", (slot,)) for slot, child in children][: self.size]
        for search in range(int(memory["size"])):
            found = self.union(population, self._slots(population, search), self.toolbox.rng)
            offspring += [Offspring(node, "neighbour", (*parents, search)) for node, parents in found]
        return offspring

    def _slots(self, population: Population, search: int) -> list[int]:
        """Return the slots of the nodes that a tabu search goes on from; its current ones where it cannot move."""
        memory = population.memory
        near, met = np.flatnonzero(memory["owner"] == search), float(memory["met"][search])
        tabu = TabuList(memory["tabu"][search], memory["until"][search])
        neighbours = [population[int(slot)] for slot in near]
        chosen = self.followed(neighbours, tabu, population.generation, met, self.toolbox.rng)
        places = {id(one): int(slot) for one, slot in zip(neighbours, near, strict=True)}
        return [places[id(one)] for one in chosen] or np.flatnonzero(memory["stands"] == search).tolist()

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the nodes to be crossed; or current nodes, the best that each search has met, and their neighbours."""
        memory = population.memory
        kept = {name: memory[name] for name in ("visited",) if name in memory}
        if "cycle" not in memory:
            if self.lead:
                return self._begun(evaluated, kept, population, evaluated)
            return self.moved_on(population, evaluated, kept | self._parents(len(evaluated)), evaluated)
        if int(memory["cycle"]) < 0:
            state = self._started(len(evaluated), len(evaluated))
            return self.moved_on(population, [*evaluated, *evaluated], kept | state, evaluated)
        return self._cycled(population, offspring, evaluated, kept)

    def _started(self, size: int, known: int) -> dict[str, NDArray[Any]]:
        """Return the initial memory of `size` tabu searches, with `known` best nodes behind the current."""
        attributes = len(self.lattice.space.top)
        return {
            "cycle": np.array(0),
            "size": np.array(size),
            "stands": np.arange(size),
            "owner": np.full(size + known, -1),
            "met": np.full(size, np.inf),
            "tabu": np.full((size, self.params.tabu_size, attributes), -1, dtype=np.int16),
            "until": np.full((size, self.params.tabu_size), -1, dtype=np.int64),
        }

    def _begun(
        self,
        drawn: Sequence[Individual],
        kept: dict[str, NDArray[np.int16]],
        population: Population,
        evaluated: Sequence[Individual],
    ) -> Population:
        """Return the population of the single search that comes first: its node, then the best nodes met."""
        node, best = self.first_node(drawn), self._best(drawn)
        state = self._started(1, len(best)) | {"lead": np.array(len(best))}
        return self.moved_on(population, [node, *best], kept | state, evaluated)

    def _best(self, individuals: Sequence[Individual]) -> list[Individual]:
        """Return the best distinct nodes, as many as a generation has."""
        return sorted({i.key: i for i in individuals}.values(), key=_rank)[: self.size]

    def _cycled(
        self,
        population: Population,
        offspring: Sequence[Offspring],
        evaluated: Sequence[Individual],
        kept: dict[str, NDArray[np.int16]],
    ) -> Population:
        memory, size = population.memory, int(population.memory["size"])
        owner = np.array([item.parents[-1] for item in offspring])
        leading, stood = int(memory["lead"]) if "lead" in memory else 0, len(memory["stands"])
        best = list(population[stood : stood + (leading or size)])
        current: list[Individual] = []
        stands, lists, met = [], [], memory["met"].copy()
        for search in range(size):
            mine = np.flatnonzero(owner == search)
            slots = stood_on([offspring[int(i)].parents[:-1] for i in mine])
            standing = [population[slot] for slot in slots or np.flatnonzero(memory["stands"] == search)]
            current += standing
            stands += [search] * len(standing)
            met[search] = least_loss(
                [*standing, *(population[int(i)] for i in np.flatnonzero(memory["owner"] == search))], met[search]
            )
            if not leading:
                best[search] = min([best[search], *standing, *(evaluated[int(i)] for i in mine)], key=_rank)
            tabu = TabuList(memory["tabu"][search], memory["until"][search])
            entering = [individual.genome for individual in standing]
            lists.append(tabu.entered(entering, population.generation, self.params.tabu_life))
        if leading:
            best = self._best([*best, *evaluated])
        cycle = int(memory["cycle"]) + 1
        if cycle >= (self.lead if leading else self.params.cycles):
            return self.moved_on(population, best, kept | self._parents(len(best)), evaluated)
        state = {
            "cycle": np.array(cycle),
            "size": np.array(size),
            "stands": np.array(stands),
            "owner": np.concatenate([np.full(len(current) + len(best), -1), owner]),
            "met": met,
            "tabu": np.stack([tabu.nodes for tabu in lists]),
            "until": np.stack([tabu.until for tabu in lists]),
        } | ({"lead": np.array(len(best))} if leading else {})
        return self.moved_on(population, [*current, *best, *evaluated], kept | state, evaluated)


def _rank(individual: Individual) -> tuple[bool, tuple[float, tuple[float, ...]], bytes]:
    return (not publishable(individual), individual.precedence, individual.key)
