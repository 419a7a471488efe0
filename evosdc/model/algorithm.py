"""The contract of search algorithms: a step from one population to the next, by the operators of a DEAP toolbox."""

import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

from deap import base
from numpy.typing import NDArray

from evosdc.model.capabilities import Described
from evosdc.model.individual import Individual
from evosdc.model.parameters import Parameters

ASIDE = "aside"  # Name in the memory of a population: see `Population`


class Population(list[Individual]):
    """The state of a search: a list of individuals, as DEAP has it, and all else that the next generation depends on.

    No step changes a population: it returns another one.

    Parameters
    ----------
    individuals : iterable of Individual
        By slot.
    generation : int
        How many generations have been completed.
    memory : mapping of str to ndarray
        What else an algorithm carries from one generation to the next (rates, visited nodes); stored in checkpoints.
        Under `ASIDE` how many individuals, the last ones, are kept for the next generation only and are no members.
    """

    def __init__(
        self,
        individuals: Iterable[Individual] = (),
        generation: int = 0,
        memory: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        super().__init__(individuals)
        self.generation = generation
        self.memory: Mapping[str, NDArray[Any]] = {} if memory is None else memory

    @property
    def members(self) -> Sequence[Individual]:
        """The individuals without those set aside: what figures of the population are about."""
        aside = int(self.memory.get(ASIDE, 0))
        return self[: len(self) - aside] if aside else self

    def following(
        self, individuals: Iterable[Individual] | None = None, memory: Mapping[str, NDArray[Any]] | None = None
    ) -> "Population":
        """Return the population after a step: other individuals, another memory; by default unchanged."""
        return Population(
            self if individuals is None else individuals, self.generation, self.memory if memory is None else memory
        )


class Algorithm(ABC):
    """A search algorithm.

    It keeps nothing between steps: what it must remember is in the `Population`.

    Parameters
    ----------
    params : Params
    toolbox : deap.base.Toolbox
        With ``mate``, ``mutate``, ``clone``, ``evaluate`` and ``map`` as DEAP's users know them; the engine's has more
        (`evosdc.model.toolbox_of`).
    """

    class Params(Parameters):
        """No parameters."""

    races: ClassVar[bool] = False
    """Whether it has genomes judged on one table first (`Stochastic.races`), those of the start among them."""

    def __init__(self, params: Any, toolbox: base.Toolbox) -> None:
        self.params = params
        self.toolbox = toolbox

    @property
    def random(self) -> Random:
        """The random generator of a step, with the methods of Python's `random`: see `random_of`."""
        return random_of(self.toolbox)

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the first population, chosen from the evaluated starting candidates (all of them by default)."""
        return Population(candidates)

    @abstractmethod
    def step(self, population: Population) -> Population:
        """Return the next population.

        Children are evaluated by `evaluate`, that is by ``toolbox.map(toolbox.evaluate, children)``. A step that
        evaluates nothing ends the search. Draw from `random`, that of the algorithm, or ``toolbox.rng``. The engine
        sets both before each step. It seeds Python's global `random`, too, from which functions of DEAP draw.
        """

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return the final solution of the search; by default the best individual that was ever evaluated."""
        return best

    def describe(self, population: Population, solution: Individual) -> Any:
        """Return the description of the solution's genome in ``result.json``; by default the genotype's."""
        return self.toolbox.genotype.describe(solution.genome)

    def notes(self, population: Population, solution: Individual) -> Sequence[str]:
        """Return sentences on the solution, such as a bound on any solution; free of records."""
        return ()

    def pictures(self, population: Population, solution: Individual) -> Mapping[str, str]:
        """Return pictures of the search for the report, SVG documents by title; by default those of the solution."""
        genotype = self.toolbox.genotype
        return genotype.pictures(solution.genome) if isinstance(genotype, Described) else {}


class Offspring(NamedTuple):
    """A genome that a `Proposing` algorithm wants evaluated.

    Parameters
    ----------
    genome : object
    origin : str
        The operator that made it.
    parents : tuple of int
        Slots of its parents in the population that it was proposed from.
    """

    genome: Any
    origin: str
    parents: tuple[int, ...] = ()


class Proposing(Algorithm):
    """An algorithm whose step is to propose genomes, and to replace individuals when these have been evaluated.

    For searches that walk through a space by a plan; those that vary parents are shorter as a plain `Algorithm`.
    """

    @abstractmethod
    def propose(self, population: Population) -> Sequence[Offspring]:
        """Return the genomes of the next generation; an empty list ends the search."""

    @abstractmethod
    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the next population; ``evaluated[i]`` is ``offspring[i]`` with its scores."""

    def step(self, population: Population) -> Population:
        """Propose, evaluate and replace."""
        offspring = self.propose(population)
        if not offspring:
            return population
        count = len(population[0].fitness.weights) if population else self.toolbox.fitness.objectives
        made = [
            Individual.unevaluated(
                item.genome, item.origin, count, population[item.parents[0]] if item.parents else None
            )
            for item in offspring
        ]
        return self.replace(population, offspring, evaluate(made, self.toolbox))


def evaluate(individuals: Sequence[Individual], toolbox: base.Toolbox) -> Sequence[Individual]:
    """Return individuals after those without a valid fitness have been evaluated, as DEAP's examples do it."""
    invalid = [one for one in individuals if not one.fitness.valid]
    for one, values in zip(invalid, toolbox.map(toolbox.evaluate, invalid), strict=True):
        one.fitness.values = values
    return individuals


def random_of(toolbox: base.Toolbox) -> Random:
    """Return the toolbox's own generator, which no other thread draws from; of a plain toolbox Python's global one."""
    return cast(Random, getattr(toolbox, "random", random))


@runtime_checkable
class Archipelago(Protocol):
    """An algorithm whose population consists of demes that, for some generations, depend on nothing but themselves.

    Such demes can be evolved anywhere, each as a task of its own. The deme at position `i` draws from
    ``dataclasses.replace(streams, island=i)``.

    Attributes
    ----------
    inner : Algorithm
        What evolves each deme. A deme in which it evaluates nothing stays as it is.
    """

    inner: Algorithm

    def demes(self, population: Population) -> list[Population]:
        """Return the demes' own populations."""

    def horizon(self, generation: int) -> int:
        """Return how many generations from this one on the demes are on their own, at least 1: then comes migration."""

    def senders(self, deme: int, demes: int) -> Collection[int]:
        """Return those of `demes` that may send migrants to a deme: it waits only for these."""

    def after_migration(self, places: Sequence[int], demes: Mapping[int, Population], count: int) -> list[Population]:
        """Return some demes after migration.

        Parameters
        ----------
        places : sequence of int
            Which ones.
        demes : mapping of int to Population
            Before migration: at least these and those from which migrants may come to them.
        count : int
            How many demes there are in all.
        """

    def joined(self, demes: Sequence[Population], generation: int) -> Population:
        """Return the demes as one population that has completed `generation` generations."""
