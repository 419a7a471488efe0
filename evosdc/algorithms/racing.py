"""A race: children are judged on one table, and only those that promise something on all of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.algorithms.race_order import LENGTH, figure, merit, order_of, own, standing
from evosdc.model import Algorithm, Individual, Offspring, Parameters, Population
from evosdc.model.algorithm import ASIDE
from evosdc.seeds import Streams

SCREENED = "screened"
"""Name in the memory: by member, its first objective on the first table, as its rivals are screened on.

Of those that were never screened, entries of a start for one, the mean over all tables stands there."""

SIMPLIFIED = "simplified"
"""Name in the memory: the beginning of the key of the best member that was last tried with a step less."""

REFINED = "refined"
"""Name in the memory: the beginnings of the keys of those members whose parameters were moved one by one."""

ALIKE = 0.5
"""Distance below which two genomes are of one kind."""

REFINEMENT = "refinement"
"""Origin of children that are a member with one parameter moved."""

TRIES = 5
"""How often a child is made anew that equals its parent, at most."""


class Racing(Algorithm):
    """Children are screened on one table each; the best of them are judged on all, and may then become members.

    All are screened on the same random numbers, so that most of the noise is in all of them. Those that are screened
    only wait beside the members; they may be parents, but are no members and no result. In each generation a few are
    judged on all tables: those whose figure on the first one would put them in the better half of the members. Who was
    lucky there falls back then. Of one kind, with less than half the greatest distance between them, few survive, so
    that kinds are left until their parameters are tuned. A new best member is tried with each of its steps left out,
    and of one member after the other, the best first, single parameters are moved up and down. Where constraints are
    broken by little a better genome may be near, so that a few such are members and refined, too (after Ray, Singh,
    Isaacs and Smith 2009).
    For genotypes that are `evosdc.model.Raced`; others are judged fully at once. A race in the sense of Maron and
    Moore (1994), by successive halving (Jamieson and Talwalkar 2016) in two steps; its details are evosdc's own.
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        population: int = Field(16, ge=2, description="members, and as many that wait")
        children: int = Field(16, ge=1, description="children screened in a generation")
        refinements: int = Field(
            8, ge=0, description="of the children, so many are a member with one parameter moved, while there are such"
        )
        promoted: int = Field(2, ge=1, description="of those that wait, at most so many are judged on all tables")
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
    races = True

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best candidates; those that were screened only are set aside."""
        settled = [one for one in candidates if not one.provisional]
        waiting = [one for one in candidates if one.provisional]
        members = self._survivors(settled)
        kept = self._survivors(waiting)
        return _population(Population(()), members, kept, [figure(one) for one in members])

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the promising ones of those set aside, to be judged on all tables, and new children."""
        members, individuals = _settled(population), population.individuals
        promoted = [len(members) + place for place in self._promising(population)]
        offspring = [
            Offspring(self._on_all_tables(individuals[slot].genome), individuals[slot].origin, (slot,))
            for slot in promoted
        ]
        offspring += self._simplifications(population, members)
        places = standing(individuals)
        select = streams.select(population.generation)
        offspring += self._refinements(population, members, streams)
        seen = {self._key(one.genome) for one in individuals} | {self._key(item.genome) for item in offspring}
        moved = sum(item.origin == REFINEMENT for item in offspring)
        for number in range(moved, self.params.children):
            rng = streams.vary(population.generation, number)
            chosen = [
                min(select.integers(len(individuals), size=self.params.tournament).tolist(), key=places.__getitem__)
                for _ in range(2)
            ]
            for _ in range(TRIES):
                child, origin = self._child(individuals, chosen, rng)
                if self._key(child) not in seen:
                    break
            seen.add(self._key(child))
            offspring.append(
                Offspring(self._on_one_table(child), origin, tuple(chosen) if origin == "crossover" else (chosen[0],))
            )
        return offspring

    def _simplifications(self, population: Population, members: Sequence[Individual]) -> list[Offspring]:
        """Return the genomes that lack a step of the best member, where it is a new one and consists of steps."""
        if not members or _beginning(members[0]) == int(population.memory[SIMPLIFIED]):
            return []
        simpler = self.toolbox.simpler(members[0].genome) if hasattr(self.toolbox, "simpler") else ()
        known = {self._key(one.genome) for one in population.individuals}
        fresh = [genome for genome in simpler if self._key(genome) not in known]
        return [Offspring(self._on_one_table(genome), "simplification", (0,)) for genome in fresh]

    def _refinements(self, population: Population, members: Sequence[Individual], streams: Streams) -> list[Offspring]:
        """Return genomes that differ in a parameter from members that were not refined yet."""
        slots = _unrefined(members, population.memory) if hasattr(self.toolbox, "refined") else []
        known = {self._key(one.genome) for one in population.individuals}
        fresh = [
            Offspring(self._on_one_table(genome), REFINEMENT, (slot,))
            for slot in slots
            for genome in self.toolbox.refined(members[slot].genome)
            if self._key(genome) not in known
        ]
        order = streams.vary(population.generation, self.params.children).permutation(len(fresh))
        return [fresh[place] for place in order[: min(self.params.refinements, self.params.children)]]

    def _child(
        self, individuals: Sequence[Individual], chosen: Sequence[int], rng: np.random.Generator
    ) -> tuple[object, str]:
        first, second = (individuals[slot].genome for slot in chosen)
        if chosen[0] != chosen[1] and rng.random() < self.params.crossover:
            return self.toolbox.mate(first, second, rng)[0], "crossover"
        return self.toolbox.mutate(first, rng), "mutation"

    def _promising(self, population: Population) -> list[int]:
        """Return which of those that wait are judged on all tables, by their places among them."""
        members = _settled(population)
        waiting = population.individuals[len(members) :]
        order = order_of(waiting)
        if len(members) < self.params.population // 2:
            return order[: self.params.population // 2 - len(members)]
        limit = float(np.median(population.memory[SCREENED]))
        several = len(waiting[0].objectives) > 1 if waiting else False
        chosen = [place for place in order if several or figure(waiting[place]) <= limit][: self.params.promoted]
        near = self._near([*members, *waiting])
        return chosen + [place for place in order if waiting[place] in near and place not in chosen][:1]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best of members and promoted ones; set aside are new children, and old ones not promoted."""
        members, individuals = _settled(population), population.individuals
        screened = dict(zip((one.key for one in members), population.memory[SCREENED].tolist(), strict=True))
        rivals, waiting, promoted = list(members), [], set()
        for item, one in zip(offspring, evaluated, strict=True):
            parent = individuals[item.parents[0]]
            judged_before = parent.provisional and one.key == self._key(parent.genome)
            if judged_before:  # one that fails on all tables waits no longer, either
                promoted.add(parent.key)
            if one.provisional and not one.failed:
                waiting.append(one)
            elif not one.failed:
                screened[one.key] = figure(parent if judged_before else one)
                rivals.append(one)
        survivors = self._survivors(rivals)
        left = [one for one in individuals[len(members) :] if one.key not in promoted]
        kept = self._survivors([*waiting, *left])
        figures = [screened[one.key] for one in survivors]
        now = _unrefined(members, population.memory)
        refined = {*_known(population.memory), *(_beginning(members[slot]) for slot in now)}
        simplified = _beginning(members[0]) if members else 0
        return _population(population, survivors, kept, figures, simplified, refined)

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return the shortest member that is hardly worse than the best."""
        infeasibility, (value, *_) = best.precedence
        bound = value + self.params.tolerance / 100.0 * abs(value)
        fair = [one for one in (best, *_settled(population)) if one.infeasibility <= infeasibility]
        close = [one for one in fair if one.precedence[1][0] <= bound]
        return min(close, key=lambda one: (one.scores.get(LENGTH, 0.0), one.precedence), default=best)

    def _survivors(self, rivals: Sequence[Individual]) -> tuple[Individual, ...]:
        """Return the best, of one kind at most `alike`, each genome once; more of a kind where places are left."""
        listed = self._sorted({one.key: one for one in rivals}.values())
        kept = self._near(listed)
        others: list[Individual] = []
        for one in listed:
            if one in kept:
                continue
            if len(kept) == self.params.population:
                break
            alike = sum(not self._apart(one, other) for other in kept)
            (kept if alike < self.params.alike else others).append(one)
        return tuple(self._sorted([*kept, *others[: self.params.population - len(kept)]]))

    def _near(self, listed: Sequence[Individual]) -> list[Individual]:
        """Return the best of each kind among those that break constraints, at the price of breaking them."""
        least = min((own(one) for one in listed), default=0.0)
        found: list[Individual] = []
        for one in sorted((one for one in listed if own(one) > least and len(one.objectives) == 1), key=merit):
            if len(found) < self.params.near and all(self._apart(one, other) for other in found):
                found.append(one)
        return found

    def _apart(self, one: Individual, other: Individual) -> bool:
        return bool(self.toolbox.distance(one.genome, other.genome) >= ALIKE)

    def _sorted(self, individuals: Iterable[Individual]) -> list[Individual]:
        listed = list(individuals)
        return [listed[place] for place in order_of(listed)]

    def _on_one_table(self, genome: object) -> object:
        return self.toolbox.on_one_table(genome) if hasattr(self.toolbox, "on_one_table") else genome

    def _on_all_tables(self, genome: object) -> object:
        return self.toolbox.on_all_tables(genome) if hasattr(self.toolbox, "on_all_tables") else genome

    def _key(self, genome: object) -> bytes:
        key: bytes = self.toolbox.key(self._on_all_tables(genome))
        return key


def _settled(population: Population) -> tuple[Individual, ...]:
    """Return the members, which stand first; at the beginning there may be none."""
    return tuple(one for one in population.individuals if not one.provisional)


def _population(
    before: Population,
    members: Sequence[Individual],
    kept: Sequence[Individual],
    figures: Sequence[float],
    simplified: int = 0,
    refined: Iterable[int] = (),
) -> Population:
    """Return a population of members with their figures, and of those set aside; none is while there is no member."""
    memory = {
        ASIDE: np.array(len(kept) if members else 0),
        SCREENED: np.array(figures),
        SIMPLIFIED: np.array(simplified),
        REFINED: np.array(sorted({_beginning(one) for one in members} & {*refined}), dtype=np.int64),
    }
    return replace(before, individuals=(*members, *kept), memory=memory)


def _known(memory: Mapping[str, Any]) -> list[int]:
    """Return the beginnings of the keys of members that were refined; a checkpoint of an older version tells none."""
    listed: list[int] = memory[REFINED].tolist() if REFINED in memory else []
    return listed


def _unrefined(members: Sequence[Individual], memory: Mapping[str, Any]) -> list[int]:
    """Return the places of the best member that was not refined yet, and of the best that breaks constraints more."""
    known = {*_known(memory)}
    left = [place for place, one in enumerate(members) if _beginning(one) not in known]
    near = [place for place in left if own(members[place]) > own(members[0])]
    return left[:1] + sorted((place for place in near if place != left[0]), key=lambda place: merit(members[place]))[:1]


def _beginning(individual: Individual) -> int:
    """Return the beginning of an individual's key as a number."""
    return int.from_bytes(individual.key[:7])
