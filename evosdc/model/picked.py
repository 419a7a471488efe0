"""Some children of a brood: they are told apart by their scores, and made when somebody asks for them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.model.brood import Brood, Broods, Precedence
from evosdc.model.individual import Individual


class Picked(Sequence[Individual]):
    """Some children of a brood, as individuals that need not have been made.

    Parameters
    ----------
    brood : Brood
    places : list of int
        Of the children in the brood.
    """

    def __init__(self, brood: Brood, places: list[int]) -> None:
        self.brood, self.places = brood, places

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> Individual: ...

    @overload
    def __getitem__(self, place: slice) -> list[Individual]: ...

    def __getitem__(self, place: int | slice) -> Individual | list[Individual]:
        if isinstance(place, slice):
            return [self.brood[one] for one in self.places[place]]
        return self.brood[self.places[place]]

    @property
    def precedences(self) -> list[Precedence]:
        """What the best is the least of, for each."""
        known = self.brood.precedences
        return [known[place] for place in self.places]

    @property
    def origins(self) -> dict[str, int]:
        """How many of them each operator made."""
        origins = self.brood.origins
        return Counter([origins[place] for place in self.places])


def picked(individuals: Sequence[Individual], places: list[int]) -> Sequence[Individual]:
    """Return the individuals at some places; those of a brood are not made for it."""
    return Picked(individuals, places) if isinstance(individuals, Brood) else [individuals[place] for place in places]


def with_picked(members: Sequence[Individual], chosen: Sequence[Individual]) -> Sequence[Individual]:
    """Return the members of a population and, behind them, others; those of a brood are not made for it."""
    return Broods((members, chosen)) if isinstance(chosen, Picked) else (*members, *chosen)


def picked_behind(individuals: Sequence[Individual]) -> Picked | None:
    """Return what `with_picked` put behind the members of a population, where it need not have been made."""
    last = individuals.parts[-1] if isinstance(individuals, Broods) else None
    return last if isinstance(last, Picked) else None


def split(individuals: Sequence[Individual], count: int) -> tuple[list[Individual], Sequence[Individual]]:
    """Return so many members, and who stands behind them, as `with_picked` was given them."""
    aside, members = picked_behind(individuals), list(individuals[:count])
    return members, individuals[count:] if aside is None else aside


def scores_of(individuals: Sequence[Individual], name: str) -> NDArray[np.float64]:
    """Return one score of each, 0 of those that have none of that name, shape (k,)."""
    if isinstance(individuals, Picked):
        column: NDArray[np.float64] = individuals.brood.column(name)[individuals.places]
        return column
    return np.array([individual.scores.get(name, 0.0) for individual in individuals])


def combined(
    genotype: Any, parent: Individual, children: Sequence[Individual], sets: Sequence[Sequence[int]]
) -> Sequence[Any]:
    """Return for each set of children the parent's genome with what they change (`evosdc.model.Movable.combined`).

    Sets for which that cannot be done are left out.
    """
    if isinstance(children, Picked) and children.brood.genomes is not None:
        together = children.brood.genomes.combined([[children.places[place] for place in chosen] for chosen in sets])
        if together is not None:
            return together
    made = (genotype.combined(parent.genome, [children[place].genome for place in chosen]) for chosen in sets)
    return [genome for genome in made if genome is not None]
