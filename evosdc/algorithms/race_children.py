"""How a race makes children: of members with one parameter moved, joined, or without a step, and by variation."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.algorithms.race_order import Runner, merit, own
from evosdc.algorithms.variation import crossed, mutant
from evosdc.model import Individual, Parameters, Population
from evosdc.model.algorithm import Offspring, Proposing
from evosdc.model.individual import content_hash

LED = "simplified"
"""Name in the memory: the beginning of the key of the member that led when children were last proposed."""

REFINED = "refined"
"""Name in the memory: the beginnings of the keys of those members whose parameters were moved one by one."""

ALIKE = 0.5
"""Distance below which two genomes are of one kind."""

REFINEMENT = "refinement"
"""Origin of children that are a member with one parameter moved."""

CHANGED = 0.5
"""Probability that genomes are changed where they are joined."""

EXTENSION = "extension"
"""Origin of children that have the steps of one individual and then those of another."""

TRIES = 5
"""How often a child is made anew that equals its parent, at most."""


class RaceChildren(Proposing):
    """What a race proposes besides those that it judges on more tables; genomes are told apart by kind and key."""

    class Params(Parameters):
        """Parameters of the algorithm."""

        population: int = Field(16, ge=2, description="members, and as many that wait")
        children: int = Field(16, ge=1, description="children screened in a generation")
        refinements: int = Field(
            8, ge=0, description="of the children, so many are a member with one parameter moved, while there are such"
        )
        extensions: int = Field(2, ge=0, description="of the children, so many are the best of two kinds, joined")
        promoted: int = Field(
            2, ge=1, description="of those that wait, at most so many are judged on few tables, and near ones besides"
        )
        few: int = Field(4, ge=1, description="tables that promising ones are judged on, before they lead")
        crossover: float = Field(0.25, ge=0, le=1, description="probability that a child is crossed, else mutated")
        tournament: int = Field(3, ge=1, description="entrants of the tournament that selects a parent")
        alike: int = Field(5, ge=1, description="members of one kind, at most")
        near: int = Field(
            4, ge=0, description="members that break constraints but promise something, of as many kinds, at most"
        )
        tolerance: float = Field(
            2.0, ge=0, description="per cent by which the search's result may be worse than the best, for being shorter"
        )

    params: Params

    def _simplifications(self, population: Population, members: Sequence[Runner]) -> list[Offspring]:
        """Return the genomes that lack a step of the best member, where it is a new one and consists of steps."""
        if not members or members[0].beginning == int(population.memory[LED]):
            return []
        simpler = self.toolbox.simpler(members[0].individual.genome) if hasattr(self.toolbox, "simpler") else ()
        known = {self._key(one.genome) for one in population}
        fresh = [genome for genome in simpler if self._key(genome) not in known]
        return [Offspring(self._on_one_table(genome), "simplification", (0,)) for genome in fresh]

    def _refinements(self, population: Population, members: Sequence[Runner]) -> list[Offspring]:
        """Return genomes that differ in a parameter from members that were not refined yet."""
        slots = self._unrefined(population, members) if hasattr(self.toolbox, "refined") else []
        known = {self._key(one.genome) for one in population}
        fresh = [
            Offspring(self._on_one_table(genome), REFINEMENT, (slot,))
            for slot in slots
            for genome in self.toolbox.refined(members[slot].individual.genome)
            if self._key(genome) not in known
        ]
        return self.random.sample(fresh, min(self.params.refinements, self.params.children, len(fresh)))

    def _unrefined(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return the places of the best member that was not refined yet, and of the best that breaks constraints more.

        Those come first, the best only in every second generation, of whose kind no member was refined.
        """
        known = {*refined_before(population.memory)}
        listed = [member.individual for member in members]
        left = [place for place, member in enumerate(members) if member.beginning not in known]
        seen = [one.genome for place, one in enumerate(listed) if place not in left]
        fresh = [place for place in left if all(self._apart(listed[place].genome, genome) for genome in seen)]
        best = (fresh if fresh and population.generation % 2 else left)[:1]
        near = [place for place in left if own(listed[place]) > own(listed[0]) and place not in best]
        order = sorted(near, key=lambda place: (place not in fresh, merit(listed[place])))
        return best + order[:1]

    def _extensions(self, population: Population, places: Sequence[int]) -> list[Offspring]:
        """Return two individuals of different kinds joined, the best of these the more often: as they are, or changed.

        Chains of methods are tuned like that, too.
        """
        individuals, joined = population, getattr(self.toolbox, "joined", None)
        if joined is None:
            return []
        heads: list[int] = []
        for slot in np.argsort(places).tolist():
            if all(self._apart(individuals[slot].genome, individuals[head].genome) for head in heads):
                heads.append(slot)
        known = {self._key(one.genome) for one in individuals}
        found: dict[bytes, Offspring] = {}
        for _ in range(TRIES * self.params.extensions if len(heads) > 1 else 0):
            first, second = (heads[min(self.random.choices(range(len(heads)), k=2))] for _ in range(2))
            change = self.toolbox.rng if self.random.random() < CHANGED else None
            genome = joined(individuals[first].genome, individuals[second].genome, change) if first != second else None
            if genome is not None and self._key(genome) not in known and len(found) < self.params.extensions:
                found.setdefault(self._key(genome), Offspring(self._on_one_table(genome), EXTENSION, (first, second)))
        return list(found.values())

    def _child(self, individuals: Sequence[Individual], chosen: Sequence[int]) -> tuple[object, str]:
        first, second = (individuals[slot] for slot in chosen)
        if chosen[0] != chosen[1] and self.random.random() < self.params.crossover:
            return crossed(self.toolbox, first, second)[0].genome, "crossover"
        return mutant(self.toolbox, first).genome, "mutation"

    def _apart(self, one: object, other: object) -> bool:
        """Whether two genomes are of different kinds; without a distance each is a kind of its own."""
        if not hasattr(self.toolbox, "distance"):
            return self._key(one) != self._key(other)
        return bool(self.toolbox.distance(one, other) >= ALIKE)

    def _on_one_table(self, genome: object) -> object:
        return self.toolbox.on_tables(genome, 1) if hasattr(self.toolbox, "on_tables") else genome

    def _on_all_tables(self, genome: object) -> object:
        return self.toolbox.on_all_tables(genome) if hasattr(self.toolbox, "on_all_tables") else genome

    def _key(self, genome: object) -> bytes:
        hashed = getattr(self.toolbox, "key", content_hash)
        key: bytes = hashed(self._on_all_tables(genome))
        return key


def refined_before(memory: Mapping[str, Any]) -> list[int]:
    """Return the beginnings of the keys of members that were refined; a checkpoint of an older version tells none."""
    listed: list[int] = memory[REFINED].tolist() if REFINED in memory else []
    return listed
