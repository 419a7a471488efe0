"""A memetic search: evolution of a population, and local improvement of its best members in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.algorithms.selection import leaders
from evosdc.algorithms.variation import LEARNING, LEAST_RATE, improvement
from evosdc.data.table import Table
from evosdc.errors import Fault, ParameterError
from evosdc.model import Algorithm, Fitness, Fitted, Individual, Offspring, Parameters, Population
from evosdc.model.individual import INFEASIBILITY, precedence_of
from evosdc.seeds import Streams

CLIMBER, PROBES, RATES, CREDIT, INNER = "climber", "probes", "rates", "moves", "inner/"
"""Names in the memory: slot of the member being improved, how many probes stand at the end of the population, progress
a round of each member, credit of each kind of move, and the mark of what the inner algorithm remembers."""

MEMORY = 0.5
"""Weight of the last round in the progress of a member."""


class Memetic(Algorithm):
    """Any algorithm on a population, with rounds of local improvement of its best members in between.

    A round has two generations. The first probes: small changes of one of the best members, of the kinds that its
    genotype offers (`evosdc.model.Genotype.move`), at records drawn by what they cost in the present scores
    (`evosdc.model.Fitted.burdens`). The second puts together changes that paid (`promising`), since what helps at one
    record mostly still helps after another one has changed. The best of all takes the member's place. Kinds of moves
    are drawn by the improvement that they have brought (probability matching). A memetic algorithm in the sense of
    Moscato (1989); its parts are evosdc's own.
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        inner: dict[str, Any] = Field(
            default_factory=lambda: {"name": "parent-child"},
            description="algorithm of the population, with its parameters",
        )
        rounds: int = Field(20, ge=1, description="rounds of improvement between two generations of the population")
        climbers: int = Field(3, ge=1, description="best members that are improved in turn before one is chosen")
        horizon: int = Field(
            10, ge=0, description="rounds of its recent progress after which the chosen member would be the best"
        )
        probes: int = Field(60, ge=1, description="changes tried in a round")
        combinations: int = Field(4, ge=1, description="sets of changes tried together after them")
        burdened: float = Field(
            0.5, ge=0, le=1, description="share of records that are drawn by what they cost, not uniformly"
        )

        @field_validator("inner", mode="before")
        @classmethod
        def _named(cls, value: Any) -> Any:
            value = {"name": value} if isinstance(value, str) else value
            if isinstance(value, dict) and not isinstance(value.get("name"), str):
                raise ValueError('the name of an algorithm, or { name = "parent-child", ... }')
            if isinstance(value, dict) and value["name"] in ("memetic", "islands"):
                raise ValueError("an algorithm of one population")
            return value

    params: Params

    def __init__(self, params: Params, toolbox: base.Toolbox) -> None:
        super().__init__(params, toolbox)
        if not hasattr(toolbox, "algorithm"):
            wanted = "a toolbox that knows the registered algorithms"
            raise ParameterError(Fault("algorithm memetic", "a toolbox without `algorithm`", wanted))
        given = {key: value for key, value in params.inner.items() if key != "name"}
        self.inner: Algorithm = toolbox.algorithm(params.inner["name"], given)
        self.kinds: tuple[str, ...] = toolbox.genotype.moves

    def initial(self, candidates: Sequence[Individual]) -> Population:
        """Return the first population of the inner algorithm."""
        population = self.inner.initial(candidates)
        credit = np.full(len(self.kinds), 1.0 / len(self.kinds))
        rates = np.full(len(population.individuals), np.nan)
        return replace(
            population, memory=_marked(population.memory) | {CREDIT: credit, RATES: rates, PROBES: np.array(0)}
        )

    def propose(self, population: Population, streams: Streams) -> list[Offspring]:
        """Return the inner algorithm's offspring, probes of the best member, or probes put together."""
        members, probes = _split(population)
        if probes:
            slot = int(population.memory[CLIMBER])
            return self._combinations(slot, members[slot], probes, streams.vary(population.generation, 0))
        if population.generation % (2 * self.params.rounds + 1) == 0:
            return self.inner.propose(_inner(population, members), streams)
        rng = streams.vary(population.generation, 0)
        slot = self._chosen(members, population.memory[RATES])
        climber = members[slot]
        credit = population.memory[CREDIT]
        shares = LEAST_RATE / len(credit) + (1.0 - LEAST_RATE) * credit / credit.sum()
        weights = self._weights(climber)
        offspring = []
        for kind in rng.choice(len(self.kinds), self.params.probes, p=shares / shares.sum()).tolist():
            genome = self.toolbox.genotype.move(climber.genome, self.kinds[kind], rng, weights)
            offspring.append(Offspring(genome, self.kinds[kind], (slot,), climber))
        return offspring

    def _chosen(self, members: Sequence[Individual], rates: NDArray[np.float64]) -> int:
        """Return the slot to improve: a leader that has not had its trial, else the one that is expected to get best.

        A member that is not the best may be on a longer slope: what counts is where each would be after `horizon`
        rounds of its recent progress.
        """
        group = leaders(members, self.params.climbers)
        for slot in group:
            if np.isnan(rates[slot]):
                return slot
        expected = [
            (members[slot].infeasibility, sum(members[slot].objectives) - self.params.horizon * rates[slot])
            for slot in range(len(members))
            if not np.isnan(rates[slot])
        ]
        known = [slot for slot in range(len(members)) if not np.isnan(rates[slot])]
        return known[min(range(len(known)), key=lambda i: expected[i])]

    def _combinations(
        self, slot: int, climber: Individual, probes: Sequence[Individual], rng: np.random.Generator
    ) -> list[Offspring]:
        """Return the climber with the changes of several probes, the sets that promise most."""
        genotype, offspring = self.toolbox.genotype, []
        for chosen in promising(climber, probes, self.toolbox.fitness, self.params.combinations, rng):
            genome = genotype.combined(climber.genome, [probes[i].genome for i in chosen])
            if genome is not None:
                offspring.append(Offspring(genome, "combination", (slot,), climber))
        # Without combinations a probe is proposed again, which costs nothing: its scores are known.
        return offspring or [Offspring(probes[0].genome, probes[0].origin, (slot,), climber)]

    def _weights(self, climber: Individual) -> NDArray[np.float64] | None:
        """Return how likely each record is to be changed, shape (n,): by what it costs in all measures together.

        Each measure that can tell counts alike, whatever its score; None where none can, or where no record is to be
        preferred.
        """
        measures: Mapping[str, Fitted] = self.toolbox.measures
        if not self.params.burdened or not measures:
            return None
        masked: Table = self.toolbox.genotype.decode(climber.genome, np.random.default_rng(0))
        known = [burdens for fitted in measures.values() if (burdens := fitted.burdens(masked)) is not None]
        shares = [burdens / burdens.sum() for burdens in known if burdens.sum() > 0.0]
        if not shares:
            return None
        total: NDArray[np.float64] = np.sum(shares, axis=0) / len(shares)
        return self.params.burdened * total + (1.0 - self.params.burdened) / len(total)

    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the next population: the inner algorithm's, one with the probes that paid, or with a round's best."""
        members, probes = _split(population)
        if probes:
            slot = int(population.memory[CLIMBER])
            best = members[slot]
            for child in (*probes, *evaluated):
                best = child if child.dominates(best) else best
            memory = {**population.memory, PROBES: np.array(0)}
            memory[RATES] = _rated(population.memory[RATES], slot, improvement(best, members[slot]))
            members[slot] = best
            return replace(population, individuals=tuple(members), memory=memory)
        if population.generation % (2 * self.params.rounds + 1) == 0:
            following = self.inner.replace(_inner(population, members), offspring, evaluated)
            # A member that is new has no progress yet; algorithms of a front put others in any place.
            known = {member.key: rate for member, rate in zip(members, population.memory[RATES], strict=True)}
            rates = np.array([known.get(individual.key, np.nan) for individual in following.individuals])
            kept = {CREDIT: population.memory[CREDIT], RATES: rates, PROBES: np.array(0)}
            return replace(following, memory=_marked(following.memory) | kept)
        slot = offspring[0].parents[0]
        climber = members[slot]
        gains = np.array([improvement(child, climber) for child in evaluated])
        useful = [child for child in evaluated if child.dominates(climber) or _partly_better(child, climber)]
        rates = population.memory[RATES]
        memory = {
            **population.memory,
            RATES: rates if useful else _rated(rates, slot, 0.0),
            CLIMBER: np.array(slot),
            PROBES: np.array(len(useful)),
            CREDIT: self._credited(population.memory[CREDIT], offspring, gains),
        }
        return replace(population, individuals=(*members, *useful), memory=memory)

    def _credited(
        self, credit: NDArray[np.float64], offspring: Sequence[Offspring], gains: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        made, brought = np.zeros(len(self.kinds)), np.zeros(len(self.kinds))
        for item, gain in zip(offspring, gains.tolist(), strict=True):
            kind = self.kinds.index(item.origin)
            made[kind] += 1.0
            brought[kind] += gain
        tried = made > 0.0
        if brought.sum() == 0.0:
            return credit
        means = brought / np.maximum(made, 1.0)
        # Kinds that were not tried keep their credit.
        share = credit[tried].sum() * means[tried] / means[tried].sum()
        credit = credit.copy()
        credit[tried] = (1.0 - LEARNING) * credit[tried] + LEARNING * share
        return credit


def _partly_better(child: Individual, climber: Individual) -> bool:
    return any(a < b for a, b in zip(child.point, climber.point, strict=True))


def promising(
    climber: Individual, probes: Sequence[Individual], fitness: Fitness, most: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return sets of probes whose changes together should be better than the climber.

    Scores are taken to add up. For each set the probes are gone through in random order, and one is taken where the
    predicted scores become better by it; so a change that lowers the risk and one that lowers the loss can come
    together where neither helps alone. The order is random on purpose: to take the changes with the greatest gain
    first leads to worse files in the long run, as steepest descent does.

    Parameters
    ----------
    fitness : Fitness
        Judges the predicted scores.
    most : int
        Sets returned at most.

    Returns
    -------
    list of tuple of int
        Positions in `probes`, at least two a set.
    """
    names = list(climber.scores)
    start = [climber.scores[name] for name in names]
    deltas = [[probe.scores[name] - value for name, value in zip(names, start, strict=True)] for probe in probes]
    sets: dict[frozenset[int], tuple[int, ...]] = {}
    for _ in range(most):
        here, best, chosen = start, climber.precedence, []
        for i in rng.permutation(len(probes)).tolist():
            there = [value + delta for value, delta in zip(here, deltas[i], strict=True)]
            predicted = dict(zip(names, there, strict=True))
            if INFEASIBILITY in predicted:
                predicted[INFEASIBILITY] = max(predicted[INFEASIBILITY], 0.0)
            precedence = precedence_of(predicted, fitness.combine(predicted))
            if precedence < best:
                here, best = there, precedence
                chosen.append(i)
        if len(chosen) > 1:
            sets.setdefault(frozenset(chosen), tuple(chosen))
    return list(sets.values())


def _rated(rates: NDArray[np.float64], slot: int, gain: float) -> NDArray[np.float64]:
    """Return the running means of the progress a round, with one more round of one slot."""
    rates = rates.copy()
    rates[slot] = gain if np.isnan(rates[slot]) else (1.0 - MEMORY) * rates[slot] + MEMORY * gain
    return rates


def _split(population: Population) -> tuple[list[Individual], list[Individual]]:
    """Return the members, and the probes that stand behind them."""
    count = int(population.memory[PROBES])
    members = list(population.individuals)
    cut = len(members) - count
    return members[:cut], members[cut:]


def _inner(population: Population, members: Sequence[Individual]) -> Population:
    memory = {key.removeprefix(INNER): a for key, a in population.memory.items() if key.startswith(INNER)}
    return Population(tuple(members), population.generation, memory)


def _marked(memory: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {f"{INNER}{key}": array for key, array in memory.items()}
