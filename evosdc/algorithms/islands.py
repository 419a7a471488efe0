"""Islands: several populations that evolve apart and send each other migrants."""

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from deap import base
from pydantic import Field, field_validator

from evosdc.algorithms.selection import leaders
from evosdc.errors import Fault, ParameterError
from evosdc.model import Algorithm, Individual, Parameters, Population
from evosdc.secret import Purpose, stream

Topology = Literal["ring", "star", "random"]
SIZES = "sizes"  # Where the memory of the joined population keeps how many individuals each island has


class Islands(Algorithm):
    """Demes with an algorithm of their own each, and migration every few generations.

    The starting files are dealt out by rank, so that all islands begin equally well. Each island draws from streams of
    its own and depends on nothing but its own population. `demes` and `joined` take the state apart and put it
    together, so that islands can be stepped anywhere. Every `interval` generations each island sends copies of its best
    members to the next one of a ring, or along another `topology`. They take the places of the worst.
    `deap.tools.migRing` does that, too, but admits duplicates.
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        inner: dict[str, Any] = Field(
            default={"name": "parent-child"},
            description='algorithm of each island with its parameters: { name = "parent-child", mutation = 0.7 }',
        )
        islands: int = Field(4, ge=1, description="number of islands")
        interval: int = Field(20, ge=1, description="generations between migrations")
        migrants: int = Field(2, ge=0, description="members that each island sends to another one")
        topology: Topology = Field(
            "ring", description="where migrants go: round a ring, between the first island and all others, or at random"
        )

        @field_validator("inner", mode="before")
        @classmethod
        def _named(cls, value: Any) -> Any:
            value = {"name": value} if isinstance(value, str) else value
            if isinstance(value, dict) and not isinstance(value.get("name"), str):
                raise ValueError('the name of an algorithm, or { name = "parent-child", ... }')
            if isinstance(value, dict) and value["name"] == "islands":
                raise ValueError("an algorithm other than islands")
            return value

    params: Params

    def __init__(self, params: Params, toolbox: base.Toolbox) -> None:
        super().__init__(params, toolbox)
        given = {key: value for key, value in params.inner.items() if key != "name"}
        if not hasattr(toolbox, "algorithm"):
            wanted = "a toolbox that knows the registered algorithms"
            raise ParameterError(Fault("algorithm islands", "a toolbox without `algorithm`", wanted))
        self.inner: Algorithm = toolbox.algorithm(params.inner["name"], given)

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the islands' first populations, joined."""
        count = min(self.params.islands, len(candidates))
        order = leaders(candidates, len(candidates))
        dealt = [sorted(order[island::count]) for island in range(count)]
        return joined([self.inner.first_population([candidates[slot] for slot in slots]) for slots in dealt], 0)

    def step(self, population: Population) -> Population:
        """Return the islands' next populations, joined, with migrants where it is time."""
        # The engine steps islands itself, each with streams of its own; here all draw from one.
        following = [self.inner.step(deme) for deme in demes(population)]
        if self.horizon(population.generation) == 1:
            following = migrate(following, self.params.migrants, self.params.topology)
        return joined(following, population.generation)

    def demes(self, population: Population) -> list[Population]:
        """Return the islands' own populations."""
        return demes(population)

    def horizon(self, generation: int) -> int:
        """Return the generations until the next migration."""
        return self.params.interval - generation % self.params.interval

    def senders(self, deme: int, demes: int) -> Collection[int]:
        """Return the islands from which migrants may come; where chance decides, that is all of them."""
        if self.params.migrants == 0 or demes == 1:
            return ()
        if self.params.topology == "ring":
            return ((deme - 1) % demes,)
        return (0,) if self.params.topology == "star" and deme else range(demes)

    def after_migration(self, places: Sequence[int], demes: Mapping[int, Population], count: int) -> list[Population]:
        """Return some islands with the migrants that came to them."""
        if self.params.migrants == 0:
            return [demes[place] for place in places]
        return received(places, demes, count, self.params.migrants, self.params.topology)

    def joined(self, demes: Sequence[Population], generation: int) -> Population:
        """Return the islands as one population."""
        return joined(demes, generation)


def demes(population: Population) -> list[Population]:
    """Return the islands' own populations."""
    apart, begin = [], 0
    for island, size in enumerate(population.memory[SIZES].tolist()):
        mark = f"{island}/"
        memory = {name.removeprefix(mark): a for name, a in population.memory.items() if name.startswith(mark)}
        apart.append(Population(population[begin : begin + size], population.generation, memory))
        begin += size
    return apart


def joined(islands: Sequence[Population], generation: int) -> Population:
    """Return islands as one population; their memories are kept under the number of the island."""
    memory = {SIZES: np.array([len(deme) for deme in islands], dtype=np.int64)}
    for island, deme in enumerate(islands):
        memory |= {f"{island}/{name}": array for name, array in deme.memory.items()}
    return Population((i for deme in islands for i in deme), generation, memory)


def migrate(islands: Sequence[Population], migrants: int, topology: Topology = "ring") -> list[Population]:
    """Return the islands after each has sent copies of its best to others, all at once."""
    known = dict(enumerate(islands))
    return received(range(len(islands)), known, len(islands), migrants, topology) if migrants else list(islands)


def received(
    places: Sequence[int], islands: Mapping[int, Population], count: int, migrants: int, topology: Topology
) -> list[Population]:
    """Return some islands after the others have sent them copies of their best."""
    after = []
    leaving: dict[int, list[Individual]] = {}
    for place, origins in zip(places, sources(places, islands, count, topology), strict=True):
        slots = list(islands[place])
        present = {individual.key for individual in slots}
        arriving: dict[bytes, Individual] = {}
        for origin in origins:
            if origin not in leaving:
                members = islands[origin]
                leaving[origin] = [members[slot] for slot in leaders(members, migrants)]
            arriving |= {i.key: i for i in leaving[origin] if i.key not in present}
        worst = leaders(slots, len(slots))[::-1]
        for slot, migrant in zip(worst, arriving.values(), strict=False):
            slots[slot] = migrant
        after.append(islands[place].following(slots))
    return after


def sources(
    places: Sequence[int], islands: Mapping[int, Population], count: int, topology: Topology
) -> list[Sequence[int]]:
    """Return for some of `count` islands those that send to each."""
    # On a ring that is the one before it. In a star the first island sends to all and hears from all, best sender
    # first.
    if topology == "star":
        return [(0,) if place else _hub(islands, count) for place in places]
    ring = list(range(count))
    if topology == "random" and count > 1:
        content = blake2b(b"".join(i.key for n in ring for i in islands[n]), digest_size=8)
        ring = stream(int.from_bytes(content.digest(), "little"), Purpose.MIGRATE).permutation(count).tolist()
    before = dict(zip(ring, [ring[-1], *ring], strict=False))
    return [(before[place],) if count > 1 else () for place in places]


def _hub(islands: Mapping[int, Population], count: int) -> list[int]:
    """Return the islands that send to the first one of a star: all others, the one with the best sender first."""
    # Only the first island needs them all; at the others some may still be under way.
    best = [islands[place][leaders(islands[place], 1)[0]] for place in range(1, count)]
    return [1 + slot for slot in leaders(best, count - 1)]
