"""Information loss and disclosure risk as the limit counts them: costs of columns, tables and a constant."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc_limit.attribute import AttributeTerms, Floats

Guess = Literal["guess", "guess-gain"]
Loss = Literal["dbil", "ctbil", "ebil", "ctbil-across"]

LOSSES: tuple[Loss, ...] = ("dbil", "ctbil", "ebil")
"""Losses that have a bound above 0, which make IL where none is named."""

COUNTED: tuple[Loss, ...] = get_args(Loss)
"""Losses that IL may be the mean of. Tables with unprotected attributes count as kept: their bound is 0."""


@dataclass(frozen=True, eq=False)
class Objective:
    """What is bounded, for V attributes; all costs are on the scale 0..100 of IL and DR.

    IL is the mean of the losses. DR is half of the guess, or of the guess gain, the other half being the record
    linkage, which is bounded by 0; without linkage it is the guess itself.

    Parameters
    ----------
    attributes : tuple of AttributeTerms
    guess : {"guess", "guess-gain"}
    losses : tuple of {"dbil", "ctbil", "ebil", "ctbil-across"}
    linkage : bool
        Whether DR has a part of record linkage.
    order : int
        K of `ctbil`: tables of at most so many attributes are compared.
    """

    attributes: tuple[AttributeTerms, ...]
    guess: Guess = "guess"
    losses: tuple[Loss, ...] = LOSSES
    linkage: bool = True
    order: int = 2

    @cached_property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """Attributes of each table that `ctbil` compares."""
        if "ctbil" not in self.losses:
            return ()
        number = len(self.attributes)
        sizes = range(1, min(self.order, number) + 1)
        return tuple(table for size in sizes for table in combinations(range(number), size))

    @property
    def table_cost(self) -> float:
        """IL of one table whose records all move to another cell."""
        return 100.0 / (len(self.losses) * len(self.tables)) if self.tables else 0.0

    @property
    def distance_cost(self) -> float:
        """IL of one attribute whose values all move by a distance of 1."""
        return self._loss_cost("dbil")

    def entropy_cost(self, v: int) -> float:
        """Return the IL of a bit of uncertainty about an attribute."""
        bits = self.attributes[v].bits
        return self._loss_cost("ebil") / bits if bits > 0 else 0.0

    def set_losses(self, v: int) -> Floats:
        """Return the IL of an attribute that tells no more than a set of 1, 2, ... A categories, shape (A,)."""
        return self._loss_cost("ebil") * self.attributes[v].entropies

    def set_risks(self, v: int) -> Floats:
        """Return the DR of the same, without the constant, shape (A,)."""
        terms = self.attributes[v]
        sizes = np.arange(1, len(terms.originals) + 1)
        risks: Floats = self._guess_cost * self._slopes[v] / sizes
        return risks

    @cached_property
    def constant(self) -> float:
        """DR that is there whatever is published: below 0 for the guess gain, whose base is taken off."""
        if self.guess == "guess":
            return 0.0
        return -self._guess_cost * sum(s * a.base for s, a in zip(self._slopes, self.attributes, strict=True))

    @property
    def least_risk(self) -> float:
        """DR of a file that tells nothing."""
        bases = sum(slope * a.base for slope, a in zip(self._slopes, self.attributes, strict=True))
        return self.constant + self._guess_cost * bases

    def _loss_cost(self, name: Loss) -> float:
        return 100.0 / (len(self.losses) * len(self.attributes)) if name in self.losses else 0.0

    @property
    def _guess_cost(self) -> float:
        return (50.0 if self.linkage else 100.0) / len(self.attributes)

    @cached_property
    def _slopes(self) -> tuple[float, ...]:
        """What a share of right guesses counts, by attribute; a constant attribute has no gain."""
        if self.guess == "guess":
            return (1.0,) * len(self.attributes)
        return tuple(0.0 if len(a.originals) == 1 else 1.0 / (1.0 - a.base) for a in self.attributes)


def objective_of(
    attributes: tuple[AttributeTerms, ...],
    guess: str = "guess",
    losses: Sequence[str] = LOSSES,
    linkage: bool = True,
    order: int = 2,
) -> Objective:
    """Return an objective from names that a user gave.

    Raises
    ------
    ParameterError
        Unknown names, no loss at all, or no table to compare.
    """
    collect = FaultCollector()
    if guess not in get_args(Guess):
        collect.faults.append(Fault("dr", repr(guess), "guess or guess-gain"))
    unknown = [name for name in losses if name not in COUNTED]
    if unknown or not losses:
        given = ", ".join(unknown) or "no loss"
        collect.faults.append(Fault("losses", given, f"one or more of {', '.join(COUNTED)}"))
    if order < 1:
        collect.faults.append(Fault("order", str(order), "1 or more"))
    if collect.faults:
        raise ParameterError(collect.faults)
    known_losses = tuple(name for name in COUNTED if name in losses)
    known_guess: Guess = "guess-gain" if guess == "guess-gain" else "guess"
    return Objective(attributes, known_guess, known_losses, linkage, order)
