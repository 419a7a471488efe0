"""What the limit bounds: frequencies and distances of attributes, and the costs of information loss and risk."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.model.scales import require_scales
from evosdc.table.distance import category_distance
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import MISSING, Table

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AttributeTerms:
    """One attribute of the original, A categories that occur and B categories that may be published."""

    name: str
    originals: Integers  # shape (A,); codes that occur, ascending; a missing value, where there is one, is the first
    frequencies: Floats  # shape (A,); their shares of the records, positive, with sum 1
    published: Integers  # shape (B,); codes that may be published
    shares: Floats  # shape (B,); shares of these in the original, 0 for those that do not occur
    distances: Floats  # shape (B, A); from each original to each published category, in [0, 1]
    bits: float  # greatest entropy as `ebil` counts it, ``log2`` of the number of categories; 0 for a single one

    @property
    def base(self) -> float:
        """Share of the records that anybody guesses right without the file."""
        return float(self.frequencies.max())

    @property
    def entropies(self) -> Floats:
        """Entropy of a uniform distribution on 1, 2, ... A categories over the greatest one, shape (A,)."""
        sizes = np.arange(1, len(self.originals) + 1)
        entropies: Floats = np.log2(sizes) / self.bits if self.bits > 0 else np.zeros(len(sizes))
        return entropies


def attribute_terms(table: Table) -> tuple[AttributeTerms, ...]:
    """Return the terms of each categorical attribute of a table with at least one record."""
    # A missing value is an original category where it occurs. It may be published where it occurs, or where it is a
    # wildcard at no distance from anything. Elsewhere it is never better than another category: as far from every
    # original as can be, and a change of the tables.
    rule = table.schema.na
    terms = []
    for v, attribute in enumerate(table.schema.categorical):
        size = len(attribute.categories)
        counts = np.bincount(table.codes[:, v] + 1, minlength=size + 1)
        codes = np.arange(MISSING, size, dtype=np.int64)
        originals = codes[counts > 0]
        published = codes if counts[0] > 0 or rule is MissingRule.WILDCARD else codes[1:]
        domain = size + bool(counts[0])
        terms.append(
            AttributeTerms(
                attribute.name,
                originals,
                counts[originals + 1] / len(table),
                published,
                counts[published + 1] / len(table),
                category_distance(attribute, rule).matrix[np.ix_(published, originals)],
                float(np.log2(domain)) if domain > 1 else 0.0,
            )
        )
    return tuple(terms)


Guess = Literal["guess", "guess-gain"]
Loss = Literal["dbil", "ctbil", "ebil", "ctbil-across"]

# Losses that have a bound above 0, which make IL where none is named
LOSSES: tuple[Loss, ...] = ("dbil", "ctbil", "ebil")

# Losses that IL may be the mean of. Tables with unprotected attributes count as kept: their bound is 0.
COUNTED: tuple[Loss, ...] = get_args(Loss)


@dataclass(frozen=True, eq=False)
class Objective:
    """The bounded function, for V attributes; all costs are on the scale 0..100 of IL and DR."""

    # IL is the mean of the losses. DR is half of the guess, or of the guess gain, the other half being the record
    # linkage, which is bounded by 0; without linkage it is the guess itself.

    attributes: tuple[AttributeTerms, ...]
    guess: Guess = "guess"
    losses: tuple[Loss, ...] = LOSSES
    linkage: bool = True  # whether DR has a part of record linkage
    order: int = 2  # K of `ctbil`: most attributes of a compared table

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
    table: Table, guess: str = "guess", losses: Sequence[str] = LOSSES, linkage: bool = True, order: int = 2
) -> Objective:
    """Return the objective of a file; raises `InputError` for numbers, a file without records, and unknown names."""
    advice = "Name the nominal and ordinal ones by --protect A,B, or group numbers into ordered categories first."
    require_scales({Scale.NOMINAL, Scale.ORDINAL}, table, "the limit", advice)
    if len(table) == 0:
        raise DataError(Fault("data", "no record", "at least one record"))
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
    return Objective(attribute_terms(table), known_guess, known_losses, linkage, order)
