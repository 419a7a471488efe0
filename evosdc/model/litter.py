"""Children of one parent that are proposed together: each is made when somebody asks for it.

Of the dozens of small changes that a local search tries, most are thrown away at once. What measures are told of them
is what they change; a genome of its own is needed by those that stay.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar, overload

from evosdc.model.algorithm import Offspring
from evosdc.model.changes import Changes
from evosdc.model.individual import Individual

G = TypeVar("G")
T = TypeVar("T")


class MadeWhenAsked(Sequence[T]):
    """A sequence whose items are made when they are first asked for, and then stay the same.

    Parameters
    ----------
    count : int
    """

    def __init__(self, count: int) -> None:
        self._items: list[T | None] = [None] * count

    @abstractmethod
    def make(self, place: int) -> T:
        """Return a new item; asked once for each place."""

    @property
    def known(self) -> list[tuple[int, T]]:
        """The items that have been made, with their places, in order."""
        return [(place, item) for place, item in enumerate(self._items) if item is not None]

    def __len__(self) -> int:
        return len(self._items)

    def __add__(self, other: Iterable[T]) -> list[T]:
        return [*self, *other]

    def __radd__(self, other: Iterable[T]) -> list[T]:
        return [*other, *self]

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> list[T]: ...

    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        item = self._items[place]
        if item is None:
            item = self._items[place] = self.make(place % len(self))
        return item


class Siblings(MadeWhenAsked[G]):
    """Genomes that are known by what they change in one other genome.

    What `evosdc.model.Genotype.mutants` and `evosdc.model.Movable.moved` may return: they are then judged without being
    made.
    """

    def later(self, place: int) -> Callable[[], G]:
        """Return what makes the genome at a place some time: of one that stays, it should keep no others in memory."""
        return partial(self.__getitem__, place)

    def combined(self, sets: Sequence[Sequence[int]]) -> "Siblings[G] | None":
        """Return genomes with the changes of several: for each set of places one.

        Where two of a set differ, the first one counts. None, the default, where `evosdc.model.Movable.combined` is to
        be asked.
        """
        return None

    @abstractmethod
    def changes(self, most: int) -> Changes:
        """Return what each changes, as `evosdc.model.RecordDecoded.changes` does for the genome they come from."""


class Litter(MadeWhenAsked[Offspring], Generic[G]):
    """Offspring of one parent alone.

    Parameters
    ----------
    genomes : Siblings
    origins : sequence of str
        The operator that made each.
    slot : int
        Of the parent, in the population that they were proposed from.
    parent : Individual
    """

    def __init__(self, genomes: Siblings[G], origins: Sequence[str], slot: int, parent: Individual) -> None:
        super().__init__(len(genomes))
        if len(genomes) != len(origins):
            raise ValueError(f"{len(genomes)} genomes, and operators of {len(origins)}")
        self.genomes, self.origins, self.slot, self.parent = genomes, origins, slot, parent

    def make(self, place: int) -> Offspring:
        """Return a child with its genome."""
        return Offspring(self.genomes[place], self.origins[place], (self.slot,), self.parent)


def offspring_of(genomes: Sequence[Any], origins: Sequence[str], slot: int, parent: Individual) -> Sequence[Offspring]:
    """Return the offspring of one parent, to be made when they are asked for where that is possible."""
    if isinstance(genomes, Siblings):
        return Litter(genomes, origins, slot, parent)
    return [Offspring(genome, origin, (slot,), parent) for genome, origin in zip(genomes, origins, strict=True)]


def origins_of(offspring: Sequence[Offspring]) -> Sequence[str]:
    """Return the operator that made each."""
    return offspring.origins if isinstance(offspring, Litter) else [item.origin for item in offspring]
