"""The contract of search algorithms: ask and tell, with the state as a value."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from deap import base
from numpy.typing import NDArray

from evosdc.model.capabilities import Described
from evosdc.model.individual import Individual
from evosdc.model.parameters import Parameters
from evosdc.secret import Streams

ASIDE = "aside"
"""Name in the memory of a population: see `Population`."""


@dataclass(frozen=True)
class Population:
    """The state of a search: all that the next generation depends on.

    Parameters
    ----------
    individuals : sequence of Individual
        By slot; never changed.
    generation : int
        How many generations have been completed.
    memory : mapping of str to ndarray
        What else an algorithm carries from one generation to the next (rates, visited nodes); stored in checkpoints.
        Under `ASIDE` how many individuals, the last ones, are kept for the next generation only and are no members.
    """

    individuals: Sequence[Individual]
    generation: int = 0
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def members(self) -> Sequence[Individual]:
        """The individuals without those set aside: what figures of the population are about."""
        aside = int(self.memory.get(ASIDE, 0))
        return self.individuals[: len(self.individuals) - aside] if aside else self.individuals


@dataclass(frozen=True, slots=True)
class Offspring:
    """A genome that an algorithm wants evaluated.

    Parameters
    ----------
    genome : object
    origin : str
        The operator that made it: ``"mutation"``, ``"crossover"``.
    parents : tuple of int
        Slots of its parents in the population that it was proposed from.
    nearest : Individual, optional
        The parent from which incremental evaluation is cheapest.
    place : int, optional
        Slot of the individual that it competes with, where that is not a parent's.
    island : int
        The deme that it belongs to, where the population has several.
    """

    genome: Any
    origin: str
    parents: tuple[int, ...] = ()
    nearest: Individual | None = None
    place: int | None = None
    island: int = 0


class Algorithm(ABC):
    """A search algorithm.

    The engine evaluates; the algorithm proposes and replaces. It keeps nothing between calls: what it must remember is
    in the `Population`.

    Parameters
    ----------
    params : Params
    toolbox : deap.base.Toolbox
        Of the genotype: `evosdc.model.toolbox_of`.
    """

    class Params(Parameters):
        """No parameters."""

    races: ClassVar[bool] = False
    """Whether it has genomes judged on one table first (`evosdc.model.Raced`), those of the start among them."""

    def __init__(self, params: Any, toolbox: base.Toolbox) -> None:
        self.params = params
        self.toolbox = toolbox

    def first_population(self, candidates: Sequence[Individual]) -> Population:
        """Return the first population, chosen from the evaluated starting candidates (all of them by default)."""
        return Population(tuple(candidates))

    def solution(self, population: Population, best: Individual) -> Individual:
        """Return what the search ends with; by default the best individual that was ever evaluated."""
        return best

    def describe(self, population: Population, solution: Individual) -> Any:
        """Return what ``result.json`` shows of the solution's genome; by default what the genotype says of it."""
        return self.toolbox.genotype.describe(solution.genome)

    def notes(self, population: Population, solution: Individual) -> Sequence[str]:
        """Return what the search knows of its solution, such as how good any could be: sentences, free of records."""
        return ()

    def pictures(self, population: Population, solution: Individual) -> Mapping[str, str]:
        """Return pictures of the search for the report, SVG documents by title; by default those of the solution."""
        genotype = self.toolbox.genotype
        return genotype.pictures(solution.genome) if isinstance(genotype, Described) else {}

    @abstractmethod
    def propose(self, population: Population, streams: Streams) -> Sequence[Offspring]:
        """Return the genomes of the next generation; an empty list ends the search.

        What is a `evosdc.model.Litter` may be judged without being made.
        """

    @abstractmethod
    def replace(
        self, population: Population, offspring: Sequence[Offspring], evaluated: Sequence[Individual]
    ) -> Population:
        """Return the next population; ``evaluated[i]`` is ``offspring[i]`` with its scores."""


@runtime_checkable
class Archipelago(Protocol):
    """An algorithm whose population consists of demes that, for some generations, depend on nothing but themselves.

    Such demes can be evolved anywhere, each as a task of its own. The deme at position `i` draws from
    ``dataclasses.replace(streams, island=i)``.

    Attributes
    ----------
    inner : Algorithm
        What evolves each deme. A deme for which it proposes nothing stays as it is.
    """

    inner: Algorithm

    def demes(self, population: Population) -> list[Population]:
        """Return the demes' own populations."""

    def horizon(self, generation: int) -> int:
        """Return how many generations from this one on the demes are on their own, at least 1: then comes migration."""

    def senders(self, deme: int, demes: int) -> Collection[int]:
        """Return the demes among `demes` from which migrants may come to one: only for these it has to wait."""

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
