"""A memetic search: evolution of a population, and local improvement of its best members in between."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.algorithms.combination import best_of_siblings, promising, worth_keeping
from evosdc.algorithms.costs import Costs
from evosdc.algorithms.halving import OTHERS, OVER, RATES, after_round, begun, expected, had, turn
from evosdc.algorithms.moves import MUTATION, Move, first_credit, moves_of, shares_of, update_credit
from evosdc.algorithms.variation import improvement, mutant
from evosdc.errors import Fault, ParameterError
from evosdc.model import Algorithm, Individual, Local, Parameters, Population, Siblings

CREDIT, INNER = "moves", "inner/"
"""Names in the memory: credit of each kind of move; the last marks the memory of the inner algorithm."""
QUICK, USUAL = (240, 2.0), (60, 0.0)
"""Rounds between two generations of the population, and how many more probes each of a member has than the one before:
where a probe takes little, and a crossover, which changes many records, as much as hundreds of them; and otherwise."""
EACH = 1000
"""Records for which `QUICK` has its rounds. What a crossover takes grows with the file, and a round hardly does: one
generation of the population takes as long as a hundred rounds of 30,000 records."""
RUNG, RUNG_OF_LARGE, LARGE = 40, 8, 5000
"""Rounds in a rung of the race, and in files of more values to mask than the last: which start is better is seldom
clear before the tenth round of each, but where a round takes long a search may have no more than some dozens."""


class Memetic(Algorithm):
    """Any algorithm on a population, with rounds of local improvement of its best members in between.

    A round, one generation of the engine, tries probes, more in each round than in the one before: small changes of one
    of the best members, of the kinds that its genotype offers (`evosdc.model.Local`). They are made at any records, or
    at those that cost most in the present scores (`evosdc.model.Tracker.contributions`). Then changes that paid are put
    together (`promising`), since what helps at one record mostly still helps after another one has changed. The best of
    all takes the member's place. Where the toolbox has a mutation of its own, that is one of the kinds of probes. Kinds
    of moves, and whether records are drawn by what they cost, follow the improvement that they bring (probability
    matching). A memetic algorithm in the sense of Moscato (1989); its parts are evosdc's own.

    The best start is not always on the longest slope. So the best of each kind of starting file race first, by
    successive halving (Karnin, Koren & Somekh 2013): all have some rounds, then the half that is expected to get best
    has twice as many, until one is left.
    """

    class Params(Parameters):
        """Parameters of the algorithm."""

        inner: dict[str, Any] = Field(
            default_factory=lambda: {"name": "parent-child"},
            description="algorithm of the population, with its parameters",
        )
        rounds: int | None = Field(
            None,
            ge=1,
            description="rounds of improvement between two generations of the population; by default, where children "
            "are judged by the records that they change, 240 for each thousand records, at least 240, else 60",
        )
        kinds: int = Field(
            8,
            ge=1,
            description="kinds of starting files, by the methods that made them, of which the best race for a start; "
            "1 starts with the best of all",
        )
        rung: int | None = Field(
            None,
            ge=1,
            description="rounds in each rung of the race, which those that are left share; by default 40 where up to "
            "5000 values are masked, else 8",
        )
        climbers: int = Field(
            1, ge=1, description="best members that are tried after that; with each doubling of the rounds one more"
        )
        horizon: int = Field(
            100,
            ge=1,
            description="least number of rounds of its recent progress after which the chosen member would be the best",
        )
        probes: int = Field(60, ge=1, description="changes tried in the first round")
        growth: float | None = Field(
            None,
            ge=0,
            description="how many more are tried in each round of a member than in the one before; by default 2 where "
            "children are judged by the records that they change, else 0",
        )
        most_probes: int = Field(480, ge=1, description="changes tried in a round at most, where `growth` adds to them")
        combinations: int = Field(4, ge=1, description="sets of changes tried together after them")
        burdened: float = Field(
            0.5,
            ge=0,
            le=1,
            description="share of records drawn by what they cost, at first; then as that pays, but for 0 and 1",
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
        classes = getattr(toolbox, "keeps_classes", False)
        genotype, own = getattr(toolbox, "genotype", None), getattr(toolbox, "own_mutation", True)
        self.moves = moves_of(genotype, params.burdened, classes, own)
        microdata = getattr(toolbox.genotype, "microdata", None)
        records = 0 if microdata is None else len(microdata.table)
        rounds, growth = USUAL
        if isinstance(toolbox.genotype, Local):
            rounds, growth = QUICK[0] * max(1, records // EACH), QUICK[1]
        large = microdata is not None and records * len(microdata.protect) > LARGE
        self._rung = params.rung or (RUNG_OF_LARGE if large else RUNG)
        self._rounds = rounds if params.rounds is None else params.rounds
        self._growth = growth if params.growth is None else params.growth
        self._costs = Costs(toolbox, records)
        self._position = {move.name: place for place, move in enumerate(self.moves)}

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the first population of the inner algorithm."""
        population = self.inner.first_population(candidates)
        credit = first_credit(self.moves, self.params.burdened)
        own = {CREDIT: credit} | begun(population, self.params.kinds, self._rung)
        return population.following(memory=_marked(population.memory) | own)

    def step(self, population: Population) -> Population:
        """Return the population after a round of one member, or after a generation of the inner algorithm."""
        if population.generation % (self._rounds + 1) == self._rounds:  # files are improved before they mix
            return self._evolved(population)
        toolbox, rounds = self.toolbox, population.generation
        racing = turn(population.memory)
        slot = racing if racing is not None else self._chosen(population, population.memory[RATES], rounds)
        climber = population[slot]
        # At first many of a few probes pay, and the next round does better to begin where they lead. Later few do, and
        # what a round takes besides its probes is better shared by many of them, if these take little.
        first = self.params.probes
        wanted = min(first + int(self._growth * had(population.memory, rounds)), self.params.most_probes)
        drawn = self._drawn(population.memory[CREDIT], max(first, wanted))
        probes = [toolbox.tries(siblings) for siblings in self._moved(population, slot, drawn)]
        combined = [toolbox.tries(together) for together in map(self._combined, probes) if len(together)]
        best = best_of_siblings(climber, [*probes, *combined], toolbox)
        tried = [self._position[origin] for batch in probes for origin in batch.origins]
        gains = np.concatenate([batch.improvements(climber) for batch in probes])
        following = Population(population)
        following[slot] = best
        memory = {
            **population.memory,
            CREDIT: update_credit(self.moves, population.memory[CREDIT], tried, gains.tolist()),
            **self._costs.remembered(population.generation),
            **after_round(population.memory, following, slot, improvement(best, climber), self._rung),
        }
        return population.following(following, memory)

    def _drawn(self, credit: NDArray[np.float64], count: int) -> list[Move]:
        shares = shares_of(self.moves, credit)
        return [self.moves[i] for i in self.toolbox.rng.choice(len(shares), count, p=shares).tolist()]

    def _moved(self, population: Population, slot: int, drawn: Sequence[Move]) -> list[Siblings]:
        """Return changes of a member: moves of the genotype, and mutants where the toolbox has its own mutation."""
        toolbox, climber, made = self.toolbox, population[slot], list[Siblings]()
        own = [move for move in drawn if move.kind != MUTATION]
        if own:
            kinds, costly = [move.kind for move in own], [move.costly for move in own]
            through = self._costs.running(population, slot) if any(costly) else None
            children = toolbox.genotype.moved(climber.genome, kinds, costly, through, toolbox.rng)
            made.append(toolbox.siblings(climber, children, [move.name for move in own]))
        if len(own) < len(drawn):
            mutants = [mutant(toolbox, climber).genome for _ in range(len(drawn) - len(own))]
            made.append(Siblings(climber, [MUTATION] * len(mutants), mutants.__getitem__, toolbox.key))
        return made

    def _combined(self, probes: Siblings) -> Siblings:
        """Return the climber with the changes of several probes, the sets that promise most; none where none does."""
        toolbox, climber = self.toolbox, probes.parent
        useful = worth_keeping(probes, climber)
        sets = list[tuple[int, ...]]()
        if len(useful) > 1 and isinstance(toolbox.genotype, Local):
            sets = promising(climber, probes, useful, toolbox.fitness, self.params.combinations, toolbox.rng)
        if not sets:
            return Siblings(climber, [], probes.genome, toolbox.key)
        together: Siblings = toolbox.together(probes, sets, "combination")
        return together

    def _evolved(self, population: Population) -> Population:
        """Return the population after a generation of the inner algorithm."""
        inner = {key.removeprefix(INNER): a for key, a in population.memory.items() if key.startswith(INNER)}
        following = self.inner.step(Population(population, population.generation, inner))
        # A member that is new has no progress yet; algorithms of a front put others in any place.
        known = {member.key: rate for member, rate in zip(population, population.memory[RATES], strict=True)}
        rates = np.array([known.get(individual.key, np.nan) for individual in following])
        others = population.memory.get(OTHERS, np.array(0))
        kept = {CREDIT: population.memory[CREDIT], RATES: rates, OTHERS: others}
        return population.following(following, _marked(following.memory) | kept | OVER)  # where files mix

    def _chosen(self, members: Sequence[Individual], rates: NDArray[np.float64], rounds: int) -> int:
        """Return the slot to improve: the best without a trial, else the one that is expected to get best."""
        # A member that is not the best may be on a longer slope. What counts is where each would be if its recent
        # progress lasted for a quarter of the rounds that there have been, at least `horizon`.
        known = np.flatnonzero(~np.isnan(rates)).tolist()
        trials = self.params.climbers + int(np.log2(1.0 + rounds / self.params.horizon))
        if len(known) < min(trials, len(members)):
            untried = [slot for slot in range(len(members)) if np.isnan(rates[slot])]
            return min(untried, key=lambda slot: (members[slot].precedence, slot))
        ahead = max(self.params.horizon, rounds // 4)
        return min(known, key=lambda slot: (*expected(members[slot], float(rates[slot]), ahead), slot))


def _marked(memory: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {f"{INNER}{key}": array for key, array in memory.items()}
