"""A race: children are judged on one table, those that promise something on few, and those that lead on all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.algorithms.race_order import LENGTH, Runner, cautious, estimated, figure, foreseen, merit, order_of, own
from evosdc.model import Algorithm, Individual, Offspring, Parameters, Population
from evosdc.model.algorithm import ASIDE
from evosdc.model.individual import ERROR
from evosdc.seeds import Streams

FIRST, FEW = "screened", "few"
"""Names in the memory: first objectives on the first table and on few, by member, see `Runner`."""

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

DONATED = 0.5
"""Probability that the second parent is any individual: what is best alone is seldom best in a longer genome."""

EXTENSION = "extension"
"""Origin of children that have the steps of one individual and then those of another."""

TRIES = 5
"""How often a child is made anew that equals its parent, at most."""


class Racing(Algorithm):
    """Children are screened on one table each; promising ones are judged on few and may become members; leaders on all.

    All are judged on the same random numbers, so that most of the noise is in all of them. Those that are screened only
    wait beside the members; they may be parents, but are no members and no result. In each generation some are judged
    on few tables: those whose figure would put them in the better half of the members. Who was lucky on the first table
    falls back then. Who leads for two generations is judged on all tables, as is the shortest that is hardly worse;
    only these can be the search's result. What members of a kind lose on more tables, having been lucky on the first
    or the few, is added to the figures of the others of their kind.
    Of one kind, with less than half the greatest distance between them, few survive, so that kinds are left until their
    parameters are tuned. A new best member is tried with each of its steps left out; the best of kinds are tried
    joined; and of one member after the other, the best first, single parameters are moved up and down. Where
    constraints are broken by little a better genome may be near, so that a few such are members and refined, too (after
    Ray, Singh, Isaacs and Smith 2009).
    For genotypes that are `evosdc.model.Raced`; others are judged fully at once. A race in the sense of Maron and
    Moore (1994), by successive halving (Jamieson and Talwalkar 2016) in three steps; its details are evosdc's own.
    """

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
    races = True

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best candidates; those that were screened only are set aside."""
        settled = [Runner(one, self._key(one.genome), one.objectives[0]) for one in candidates if not one.provisional]
        known = {runner.key for runner in settled}
        waiting = [one for one in candidates if one.provisional and self._key(one.genome) not in known]
        survivors = self._survivors(settled)
        return _population(Population(()), survivors, self._waiting(waiting, _fallen(settled, survivors)))

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return members to be judged on all tables, those set aside to be judged on few, and new children."""
        members, individuals = self._runners(population), population.individuals
        promoted = [len(members) + place for place in self._promising(population, members)]
        offspring = [
            Offspring(self._on_all_tables(individuals[slot].genome), individuals[slot].origin, (slot,))
            for slot in self._leading(population, members)
        ]
        offspring += [
            Offspring(self._on_few_tables(individuals[slot]), individuals[slot].origin, (slot,)) for slot in promoted
        ]
        offspring += self._simplifications(population, members)
        places = self._places(population, members)
        select = streams.select(population.generation)
        offspring += self._refinements(population, members, streams)
        offspring += self._extensions(population, places, streams)
        seen = {self._key(one.genome) for one in individuals} | {self._key(item.genome) for item in offspring}
        made = sum(item.origin in (REFINEMENT, EXTENSION) for item in offspring)
        for number in range(made, self.params.children):
            rng = streams.vary(population.generation, number)
            chosen = [
                min(select.integers(len(individuals), size=self.params.tournament).tolist(), key=places.__getitem__)
                for _ in range(2)
            ]
            if select.random() < DONATED:
                chosen[1] = int(select.integers(len(individuals)))
            for _ in range(TRIES):
                child, origin = self._child(individuals, chosen, rng)
                if self._key(child) not in seen:
                    break
            seen.add(self._key(child))
            parents = tuple(chosen) if origin == "crossover" else (chosen[0],)
            offspring.append(Offspring(self._on_one_table(child), origin, parents))
        return offspring

    def _leading(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return the members that are to be judged on all tables: who leads still, and the shortest hardly worse."""
        if not members:
            return []
        listed = estimated(members, self._apart)
        best = self._shortest(listed, listed[0])
        chosen = dict.fromkeys([0, next(place for place, one in enumerate(listed) if one is best)])
        still = members[0].beginning == int(population.memory[LED]) or all(
            member.individual.provisional for member in members
        )
        return [place for place in chosen if still and members[place].individual.provisional]

    def _simplifications(self, population: Population, members: Sequence[Runner]) -> list[Offspring]:
        """Return the genomes that lack a step of the best member, where it is a new one and consists of steps."""
        if not members or members[0].beginning == int(population.memory[LED]):
            return []
        simpler = self.toolbox.simpler(members[0].individual.genome) if hasattr(self.toolbox, "simpler") else ()
        known = {self._key(one.genome) for one in population.individuals}
        fresh = [genome for genome in simpler if self._key(genome) not in known]
        return [Offspring(self._on_one_table(genome), "simplification", (0,)) for genome in fresh]

    def _refinements(self, population: Population, members: Sequence[Runner], streams: Streams) -> list[Offspring]:
        """Return genomes that differ in a parameter from members that were not refined yet."""
        slots = self._unrefined(population, members) if hasattr(self.toolbox, "refined") else []
        known = {self._key(one.genome) for one in population.individuals}
        fresh = [
            Offspring(self._on_one_table(genome), REFINEMENT, (slot,))
            for slot in slots
            for genome in self.toolbox.refined(members[slot].individual.genome)
            if self._key(genome) not in known
        ]
        order = streams.vary(population.generation, self.params.children).permutation(len(fresh))
        return [fresh[place] for place in order[: min(self.params.refinements, self.params.children)]]

    def _unrefined(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return the places of the best member that was not refined yet, and of the best that breaks constraints more.

        Those come first, the best only in every second generation, of whose kind no member was refined.
        """
        known = {*_known(population.memory)}
        listed = [member.individual for member in members]
        left = [place for place, member in enumerate(members) if member.beginning not in known]
        seen = [one.genome for place, one in enumerate(listed) if place not in left]
        fresh = [place for place in left if all(self._apart(listed[place].genome, genome) for genome in seen)]
        best = (fresh if fresh and population.generation % 2 else left)[:1]
        near = [place for place in left if own(listed[place]) > own(listed[0]) and place not in best]
        order = sorted(near, key=lambda place: (place not in fresh, merit(listed[place])))
        return best + order[:1]

    def _extensions(self, population: Population, places: Sequence[int], streams: Streams) -> list[Offspring]:
        """Return two individuals of different kinds joined, the best of these the more often: as they are, or changed.

        Chains of methods are tuned like that, too.
        """
        individuals, joined = population.individuals, getattr(self.toolbox, "joined", None)
        if joined is None:
            return []
        heads: list[int] = []
        for slot in np.argsort(places).tolist():
            if all(self._apart(individuals[slot].genome, individuals[head].genome) for head in heads):
                heads.append(slot)
        rng = streams.vary(population.generation, self.params.children + 1)
        known = {self._key(one.genome) for one in individuals}
        found: dict[bytes, Offspring] = {}
        for _ in range(TRIES * self.params.extensions if len(heads) > 1 else 0):
            first, second = (heads[min(rng.integers(len(heads), size=2).tolist())] for _ in range(2))
            change = rng if rng.random() < CHANGED else None
            genome = joined(individuals[first].genome, individuals[second].genome, change) if first != second else None
            if genome is not None and self._key(genome) not in known and len(found) < self.params.extensions:
                found.setdefault(self._key(genome), Offspring(self._on_one_table(genome), EXTENSION, (first, second)))
        return list(found.values())

    def _child(
        self, individuals: Sequence[Individual], chosen: Sequence[int], rng: np.random.Generator
    ) -> tuple[object, str]:
        first, second = (individuals[slot].genome for slot in chosen)
        if chosen[0] != chosen[1] and rng.random() < self.params.crossover:
            return self.toolbox.mate(first, second, rng)[0], "crossover"
        return self.toolbox.mutate(first, rng), "mutation"

    def _places(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return by slot the place in the order of all, by what is known or estimated of them."""
        waiting = population.individuals[len(members) :]
        order = order_of([*estimated(members, self._apart), *foreseen(waiting, members, self._apart)])
        places: list[int] = np.argsort(order).tolist()
        return places

    def _promising(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return which of those that wait are judged on few tables, by their places among them."""
        listed = estimated(members, self._apart)
        waiting = foreseen(population.individuals[len(members) :], members, self._apart)
        order = [place for place in order_of(waiting) if ERROR not in waiting[place].scores]
        if len(members) < self.params.population // 2:
            return order[: self.params.population // 2 - len(members)]
        limit = float(np.median([figure(one) for one in listed]))
        several = len(waiting[0].objectives) > 1 if waiting else False
        chosen = [place for place in order if several or figure(waiting[place]) <= limit][: self.params.promoted]
        near = [one for one in self._near([*listed, *waiting]) if one in waiting and waiting.index(one) not in chosen]
        return chosen + [waiting.index(one) for one in near[: self.params.promoted]]

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the best of members and promoted ones; set aside are new children, and old ones not promoted."""
        members, individuals = self._runners(population), population.individuals
        rivals, waiting = {member.key: member for member in members}, []
        left = {self._key(one.genome): one for one in individuals[len(members) :]}
        for item, one in zip(offspring, evaluated, strict=True):
            slot, key = item.parents[0], self._key(one.genome)
            again = key == self._key(individuals[slot].genome)
            if again and slot < len(members):
                del rivals[key]
                judged = replace(members[slot], individual=one)
            elif again:
                del left[key]  # one that fails on more tables waits no longer, either
                few = one.objectives[0] if one.provisional else np.nan
                judged = Runner(one, key, individuals[slot].objectives[0], few)
            elif one.provisional and not one.failed:
                waiting.append(one)
                continue
            else:
                judged = Runner(one, key, one.objectives[0])
            if not one.failed:
                rivals[key] = judged
        now = {members[slot].beginning for slot in self._unrefined(population, members)}
        led = members[0].beginning if members else 0
        listed = list(rivals.values())
        survivors = self._survivors(listed)
        kept = self._waiting([*waiting, *left.values()], _fallen(listed, survivors))
        return _population(population, survivors, kept, led, {*_known(population.memory), *now})

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return the shortest member that is hardly worse than the best, a standard error above the means."""
        settled = {one.key: one for one in [best, *population.members] if not one.provisional}
        if not settled:
            return best
        listed = [cautious(one) for one in settled.values()]
        least = listed[0] if len(best.objectives) > 1 else min(listed, key=lambda one: one.precedence)
        return settled[self._shortest(listed, least).key]

    def _shortest(self, listed: Sequence[Individual], best: Individual) -> Individual:
        infeasibility, (value, *_) = best.precedence
        bound = value + self.params.tolerance / 100.0 * abs(value)
        fair = [one for one in listed if one.infeasibility <= infeasibility]
        close = [one for one in fair if one.precedence[1][0] <= bound]
        return min(close, key=lambda one: (one.scores.get(LENGTH, 0.0), one.precedence), default=best)

    def _waiting(self, screened: Sequence[Individual], fallen: Sequence[Individual]) -> tuple[Individual, ...]:
        """Return the best of those that wait, and besides of each kind the best of the shortest.

        Longer genomes may be put together of these, long after others are ahead.
        """
        waiting = [one for one in screened if ERROR not in one.scores]
        kept = [one.individual for one in self._survivors([Runner(one, one.key, 0.0) for one in waiting])]
        known = {self._key(one.genome) for one in kept}
        others = [one for one in (*screened, *fallen) if self._key(one.genome) not in known]
        shortest = min((one.scores.get(LENGTH, 0.0) for one in others), default=0.0)
        plain = [one for one in others if one.scores.get(LENGTH, 0.0) == shortest]
        elders: list[Individual] = []
        for place in order_of([cautious(one) for one in plain]):
            one = plain[place]
            if len(elders) < self.params.population and all(self._apart(one.genome, e.genome) for e in elders):
                elders.append(one)
        return (*kept, *elders)

    def _survivors(self, runners: Sequence[Runner]) -> list[Runner]:
        """Return the best, of one kind at most `alike`, each genome once; more of a kind where places are left."""
        runners = list({runner.key: runner for runner in runners}.values())
        listed = estimated(runners, self._apart)
        order = order_of(listed)
        near = self._near([listed[place] for place in order])
        kept = [place for place in order if listed[place] in near]
        others: list[int] = []
        for place in order:
            if place in kept:
                continue
            if len(kept) == self.params.population:
                break
            alike = sum(not self._apart(listed[place].genome, listed[other].genome) for other in kept)
            (kept if alike < self.params.alike else others).append(place)
        chosen = {*kept, *others[: self.params.population - len(kept)]}
        return [runners[place] for place in order if place in chosen]

    def _near(self, listed: Sequence[Individual]) -> list[Individual]:
        """Return the best of each kind among those that break constraints, at the price of breaking them."""
        least = min((own(one) for one in listed), default=0.0)
        found: list[Individual] = []
        for one in sorted((one for one in listed if own(one) > least and len(one.objectives) == 1), key=merit):
            apart = all(self._apart(one.genome, other.genome) for other in found)
            if len(found) < self.params.near and apart:
                found.append(one)
        return found

    def _runners(self, population: Population) -> list[Runner]:
        """Return the members, which stand first; at the beginning there may be none."""
        memory = population.memory
        first = memory[FIRST].tolist()
        few = memory[FEW].tolist() if FEW in memory else [np.nan] * len(first)  # of an older version's checkpoint
        individuals = population.individuals[: len(first)]
        return [
            Runner(one, self._key(one.genome), on_first, on_few)
            for one, on_first, on_few in zip(individuals, first, few, strict=True)
        ]

    def _apart(self, one: object, other: object) -> bool:
        return bool(self.toolbox.distance(one, other) >= ALIKE)

    def _on_one_table(self, genome: object) -> object:
        return self.toolbox.on_tables(genome, 1) if hasattr(self.toolbox, "on_tables") else genome

    def _on_few_tables(self, one: Individual) -> object:
        if len(one.objectives) > 1:
            return self._on_all_tables(one.genome)  # a front consists of what was judged on all
        return self.toolbox.on_tables(one.genome, self.params.few) if hasattr(self.toolbox, "on_tables") else one.genome

    def _on_all_tables(self, genome: object) -> object:
        return self.toolbox.on_all_tables(genome) if hasattr(self.toolbox, "on_all_tables") else genome

    def _key(self, genome: object) -> bytes:
        key: bytes = self.toolbox.key(self._on_all_tables(genome))
        return key


def _population(
    before: Population,
    members: Sequence[Runner],
    kept: Sequence[Individual],
    led: int = 0,
    refined: Iterable[int] = (),
) -> Population:
    """Return a population of members with their figures, and of those set aside; none is while there is no member."""
    memory = {
        ASIDE: np.array(len(kept) if members else 0),
        FIRST: np.array([member.first for member in members], dtype=np.float64),
        FEW: np.array([member.few for member in members], dtype=np.float64),
        LED: np.array(led),
        REFINED: np.array(sorted({member.beginning for member in members} & {*refined}), dtype=np.int64),
    }
    return replace(before, individuals=(*(member.individual for member in members), *kept), memory=memory)


def _fallen(runners: Sequence[Runner], survivors: Sequence[Runner]) -> list[Individual]:
    """Return those that were judged on several tables and are no members."""
    kept = {runner.key for runner in survivors}
    return [runner.individual for runner in runners if runner.key not in kept]


def _known(memory: Mapping[str, Any]) -> list[int]:
    """Return the beginnings of the keys of members that were refined; a checkpoint of an older version tells none."""
    listed: list[int] = memory[REFINED].tolist() if REFINED in memory else []
    return listed
