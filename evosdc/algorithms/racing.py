"""A race: children are judged on one table, those that promise something on few, and those that lead on all."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np
from pydantic import Field

from evosdc.algorithms.multiobjective import crowded_order
from evosdc.algorithms.variation import crossed, mutant
from evosdc.model import Individual, Parameters, Population
from evosdc.model.algorithm import ASIDE, Offspring, Proposing
from evosdc.model.individual import ERROR, INFEASIBILITY, PROVISIONAL, content_hash

LENGTH = "length"  # the trait of how long a genome is; of equals the shorter is better
BEHIND = 1e6  # Weight of infeasibility beside an objective, where one figure combines both


@dataclass(frozen=True)
class Runner:
    """A member of a race."""

    individual: Individual  # judged on few tables, or on all
    key: bytes  # of its genome, whatever it is judged on
    first: float  # first objective on the first table; of those that were never screened, that over all
    few: float = nan  # first objective on few tables; NaN where it was judged on all at once

    @property
    def beginning(self) -> int:
        """The beginning of the key as a number."""
        return int.from_bytes(self.key[:7])


def estimated(runners: Sequence[Runner], apart: Callable[[object, object], bool]) -> list[Individual]:
    """Return members with their expected values on all tables, for comparison; all count as judged there."""
    # It is a cautious figure, a standard error above the mean where there is one objective: of many plans that are
    # judged on few tables those lead by mean whose noise is greatest, and disappoint on others.
    several = any(len(runner.individual.objectives) > 1 for runner in runners)
    known = [runner for runner in runners if not runner.individual.provisional and not isnan(runner.few)]
    found = []
    for runner in runners:
        one = runner.individual
        kin = [] if several or not one.provisional else [k for k in known if not apart(one.genome, k.individual.genome)]
        lost = sum(k.individual.objectives[0] - k.few for k in kin) / max(len(kin), 1)
        found.append(cautious(one, lost))
    return found


def cautious(one: Individual, lost: float = 0.0) -> Individual:
    """Return an individual that counts as judged on all tables, its one objective a standard error above the mean."""
    return _expected(one, lost + (one.scores.get(ERROR, 0.0) if len(one.objectives) == 1 else 0.0))


def foreseen(
    waiting: Sequence[Individual], runners: Sequence[Runner], apart: Callable[[object, object], bool]
) -> list[Individual]:
    """Return merely screened children with their expected values on all tables, for comparison."""
    # They are corrected by how much members of their kind lost after the first table, in the mean; where there are
    # none, by what all members lost, if that is a gain.
    several = any(len(one.objectives) > 1 for one in waiting)
    if several or not runners:
        return [_expected(one, 0.0) for one in waiting]
    known = estimated(runners, apart)
    lost = [one.objectives[0] - runner.first for one, runner in zip(known, runners, strict=True)]
    found = []
    for one in waiting:
        kin = [own for own, other in zip(lost, known, strict=True) if not apart(one.genome, other.genome)]
        found.append(_expected(one, sum(kin) / len(kin) if kin else min(0.0, sum(lost) / len(lost))))
    return found


def _expected(one: Individual, lost: float) -> Individual:
    objectives = (one.objectives[0] + lost, *one.objectives[1:])
    return Individual(one.genome, one.key, {**one.scores, INFEASIBILITY: own(one)}, objectives, one.origin)


def own(individual: Individual) -> float:
    """Return the infeasibility, without the part that marks genomes judged on few tables."""
    return individual.infeasibility - (PROVISIONAL if individual.provisional else 0.0)


def order_of(individuals: Sequence[Individual]) -> list[int]:
    """Return positions from the best to the worst; by front and crowding distance for several objectives."""
    # Of equals the shorter comes first.
    if individuals and len(individuals[0].objectives) > 1:
        order: list[int] = crowded_order(individuals).tolist()
        return order
    return sorted(range(len(individuals)), key=lambda place: (*_rank(individuals[place]), place))


def _rank(individual: Individual) -> tuple[float, tuple[float, ...], float]:
    return individual.infeasibility, individual.objectives, individual.scores.get(LENGTH, 0.0)


def figure(individual: Individual) -> float:
    """Return the first objective, behind all that break constraints less."""
    return individual.objectives[0] + BEHIND * own(individual)


def merit(individual: Individual) -> float:
    """Return the first objective, raised by the share by which constraints are broken."""
    return individual.objectives[0] * (1.0 + own(individual))


LED = "simplified"  # in the memory: begin of the key of the member that led when children were last proposed
REFINED = "refined"  # in the memory: begins of the keys of members whose parameters were moved one by one
ALIKE = 0.5  # Distance below which two genomes are of one kind
REFINEMENT = "refinement"  # Origin of children that are a member with one parameter moved
CHANGED = 0.5  # Probability that genomes are changed where they are joined
EXTENSION = "extension"  # Origin of children that have the steps of one individual and then those of another
TRIES = 5  # Most attempts to make a child that differs from its parent


class RaceChildren(Proposing):
    """The new children of a race, besides those judged on more tables; genomes are identified by kind and key."""

    class Params(Parameters):
        """Parameters of the algorithm."""

        population: int = Field(16, ge=2, description="members, and as many that wait")
        children: int = Field(16, ge=1, description="children screened in a generation")
        refinements: int = Field(
            8, ge=0, description="number of children that are a member with one parameter moved, while there are such"
        )
        extensions: int = Field(2, ge=0, description="number of children that join the best of two kinds")
        promoted: int = Field(
            2, ge=1, description="most waiting children that are judged on few tables, and near ones besides"
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
        return [Offspring(self._on_tables(genome), "simplification", (0,)) for genome in fresh]

    def _refinements(self, population: Population, members: Sequence[Runner]) -> list[Offspring]:
        """Return genomes that differ in a parameter from members that were not refined yet."""
        slots = self._unrefined(population, members) if hasattr(self.toolbox, "refined") else []
        known = {self._key(one.genome) for one in population}
        fresh = [
            Offspring(self._on_tables(genome), REFINEMENT, (slot,))
            for slot in slots
            for genome in self.toolbox.refined(members[slot].individual.genome)
            if self._key(genome) not in known
        ]
        return self.random.sample(fresh, min(self.params.refinements, self.params.children, len(fresh)))

    def _unrefined(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return the places of the best member not refined yet and of the best that breaks constraints more."""
        # Those come first, the best only in every second generation, of whose kind no member was refined.
        known = {*population.memory[REFINED].tolist()}
        listed = [member.individual for member in members]
        left = [place for place, member in enumerate(members) if member.beginning not in known]
        seen = [one.genome for place, one in enumerate(listed) if place not in left]
        fresh = [place for place in left if all(self._apart(listed[place].genome, genome) for genome in seen)]
        best = (fresh if fresh and population.generation % 2 else left)[:1]
        near = [place for place in left if own(listed[place]) > own(listed[0]) and place not in best]
        order = sorted(near, key=lambda place: (place not in fresh, merit(listed[place])))
        return best + order[:1]

    def _extensions(self, population: Population, places: Sequence[int]) -> list[Offspring]:
        """Return two individuals of different kinds joined, unchanged or changed; better ones more often."""
        # Chains of methods are tuned like that, too.
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
                found.setdefault(self._key(genome), Offspring(self._on_tables(genome), EXTENSION, (first, second)))
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

    def _on_tables(self, genome: object, number: int = 1) -> object:
        return self.toolbox.on_tables(genome, number) if hasattr(self.toolbox, "on_tables") else genome

    def _on_all_tables(self, genome: object) -> object:
        return self.toolbox.on_all_tables(genome) if hasattr(self.toolbox, "on_all_tables") else genome

    def _key(self, genome: object) -> bytes:
        hashed = getattr(self.toolbox, "key", content_hash)
        key: bytes = hashed(self._on_all_tables(genome))
        return key


FIRST, FEW = "screened", "few"  # in the memory: first objectives on the first table and on few, by member
DONATED = 0.5  # probability that the second parent is any: the best alone is seldom best in a longer genome


class Racing(RaceChildren):
    """Children are screened on one table each; promising ones are judged on few and may become members; leaders on all.

    All are judged on the same random numbers, so that most of the noise is in all of them. Those that are screened only
    wait beside the members; they may be parents, but are no members and no result. In each generation some are judged
    on few tables: those whose figure would put them in the better half of the members. A child that was lucky on the
    first table then falls back. A leader of two generations is judged on all tables, as is the shortest that is hardly
    worse; only these can be the search's result. The loss of members of a kind on more tables is added to the
    figures of the others of their kind.
    Few members of one kind, with less than half the greatest distance between them, survive, so that kinds remain until
    their parameters are tuned. A new best member is tried with each of its steps left out. The best of kinds are tried
    joined. For one member after the other, the best first, single parameters are moved up and down. A genome that
    nearly keeps the constraints may be near a better one, so a few such are members and refined, too (after Ray, Singh,
    Isaacs and Smith 2009).
    For genotypes whose genomes race (`Stochastic.races`); others are judged fully at once. A race in the sense of Maron
    and Moore (1994), by successive halving (Jamieson and Talwalkar 2016) in three steps; its details are evosdc's own.
    """

    races = True

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the best candidates; those that were screened only are set aside."""
        settled = [Runner(one, self._key(one.genome), one.objectives[0]) for one in candidates if not one.provisional]
        known = {runner.key for runner in settled}
        waiting = [one for one in candidates if one.provisional and self._key(one.genome) not in known]
        survivors = self._survivors(settled)
        return _population(Population(), survivors, self._waiting(waiting, _fallen(settled, survivors)))

    def propose(self, population: Population) -> list[Offspring]:
        """Return members to be judged on all tables, those set aside to be judged on few, and new children."""
        members, individuals = self._runners(population), population
        promoted = [len(members) + place for place in self._promising(population, members)]
        offspring = [
            Offspring(self._on_all_tables(individuals[slot].genome), individuals[slot].origin, (slot,))
            for slot in self._leading(population, members)
        ]
        for slot in promoted:
            one = individuals[slot]
            # A front consists of what was judged on all tables.
            front = len(one.objectives) > 1
            genome = self._on_all_tables(one.genome) if front else self._on_tables(one.genome, self.params.few)
            offspring.append(Offspring(genome, one.origin, (slot,)))
        offspring += self._simplifications(population, members)
        places = self._places(population, members)
        offspring += self._refinements(population, members)
        offspring += self._extensions(population, places)
        seen = {self._key(one.genome) for one in individuals} | {self._key(item.genome) for item in offspring}
        made = sum(item.origin in (REFINEMENT, EXTENSION) for item in offspring)
        for _ in range(made, self.params.children):
            chosen = [
                min(self.random.choices(range(len(individuals)), k=self.params.tournament), key=places.__getitem__)
                for _ in range(2)
            ]
            if self.random.random() < DONATED:
                chosen[1] = self.random.randrange(len(individuals))
            for _ in range(TRIES):
                child, origin = self._child(individuals, chosen)
                if self._key(child) not in seen:
                    break
            seen.add(self._key(child))
            parents = tuple(chosen) if origin == "crossover" else (chosen[0],)
            offspring.append(Offspring(self._on_tables(child), origin, parents))
        return offspring

    def _leading(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return the members to judge on all tables: those still leading, and the shortest that is hardly worse."""
        if not members:
            return []
        listed = estimated(members, self._apart)
        best = self._shortest(listed, listed[0])
        chosen = dict.fromkeys([0, next(place for place, one in enumerate(listed) if one is best)])
        still = members[0].beginning == int(population.memory[LED]) or all(
            member.individual.provisional for member in members
        )
        return [place for place in chosen if still and members[place].individual.provisional]

    def _places(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return by slot the rank among all, by known or estimated scores."""
        waiting = population[len(members) :]
        order = order_of([*estimated(members, self._apart), *foreseen(waiting, members, self._apart)])
        places: list[int] = np.argsort(order).tolist()
        return places

    def _promising(self, population: Population, members: Sequence[Runner]) -> list[int]:
        """Return which of those that wait are judged on few tables, by their places among them."""
        listed = estimated(members, self._apart)
        waiting = foreseen(population[len(members) :], members, self._apart)
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
        members, individuals = self._runners(population), population
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
        return _population(population, survivors, kept, led, {*population.memory[REFINED].tolist(), *now})

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return the shortest that is hardly worse than the best, a standard error above the means."""
        # Of all that were judged on all tables and are still there: those set aside are often the shortest.
        settled: dict[bytes, Individual] = {one.key: one for one in [best, *population] if not one.provisional}
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
        """Return the best of those that wait, and besides of each kind the best of the shortest."""
        # Longer genomes may be put together of these, long after others are ahead.
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
        """Return the members, which are first; at the beginning there may be none."""
        figures = zip(population, population.memory[FIRST].tolist(), population.memory[FEW].tolist(), strict=False)
        return [Runner(one, self._key(one.genome), on_first, on_few) for one, on_first, on_few in figures]


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
    return before.following([*(member.individual for member in members), *kept], memory)


def _fallen(runners: Sequence[Runner], survivors: Sequence[Runner]) -> list[Individual]:
    """Return those that were judged on several tables and are no members."""
    kept = {runner.key for runner in survivors}
    return [runner.individual for runner in runners if runner.key not in kept]
