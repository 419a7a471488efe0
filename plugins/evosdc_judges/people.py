"""The original side of judges about respondents: their classes, and samples of them.

Every draw has an address below the judge's seed, so that a judge repeats its result for the same two files, and all
judges of one seed share their halves.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Judge
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_judges.classes import Classes, Codes, by_appearance, classes_of

Positions = NDArray[np.intp]

FEWEST = 8  # records below which a half teaches nothing


class Draw(IntEnum):
    """Kind of draw: the second element of an address; never renumbered."""

    HALVES = 0
    SAMPLE = 1
    RIVALS = 2
    SHUFFLE = 3
    SUBSETS = 4
    TARGETS = 5
    TABLES = 6


def drawn(seed: int, draw: Draw, *address: int) -> np.random.Generator:
    """Return the generator of a draw."""
    return stream(seed, Purpose.JUDGE, int(draw), *address)


def halves(n: int, seed: int, repeat: int = 0) -> tuple[Positions, Positions]:
    """Return the positions of two disjoint halves of n records, each ascending; the first has n // 2."""
    order = drawn(seed, Draw.HALVES, repeat).permutation(n).astype(np.intp)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


def sampled(among: Positions | int, most: int, rng: np.random.Generator) -> Positions:
    """Return at most `most` positions, ascending: drawn from those given, or from the first `among`."""
    positions = np.arange(among, dtype=np.intp) if isinstance(among, int) else among
    if len(positions) <= most:
        return positions
    return np.sort(rng.choice(positions, most, replace=False))


def subsets(size: int, most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return non-empty subsets of the first `size` whole numbers: all, or `most` of them, each equally likely."""
    whole = (1 << size) - 1 if size < 60 else None
    if whole is not None and whole <= most:
        masks = list(range(1, whole + 1))
    else:
        found: dict[int, None] = {}
        while len(found) < most:
            bits = rng.random(size) < 0.5
            found |= {sum(1 << int(v) for v in np.flatnonzero(bits)): None} if bits.any() else {}
        masks = list(found)
    return [tuple(v for v in range(size) if mask >> v & 1) for mask in masks]


@dataclass(frozen=True)
class People:
    """The respondents of an original file."""

    names: tuple[str, ...]  # attributes, in the order of the columns
    classes: Classes
    codes: Codes  # shape (n, V); of the original
    seed: int

    def __len__(self) -> int:
        return len(self.codes)

    def published(self, masked: Table) -> Codes:
        """Return the classes of a masked file, each named by its first appearance, shape (n, V)."""
        if len(masked) != len(self):
            raise ValueError(f"a masked table of {len(masked)} records, an original of {len(self)}")
        return by_appearance(self.classes.of(masked))

    def halves(self, repeat: int = 0) -> tuple[Positions, Positions]:
        """Return the positions of two halves of the respondents."""
        return halves(len(self), self.seed, repeat)

    def sampled(self, among: Positions | int, most: int, *address: int) -> Positions:
        """Return at most `most` of these respondents, drawn at random."""
        return sampled(among, most, drawn(self.seed, Draw.SAMPLE, *address))


class PeopleJudge(Judge):
    """A judge about respondents, by classes of their attributes; a parameter `bins` says how fine numbers are taken."""

    supports = frozenset(Scale)
    name: ClassVar[str]
    fewest: ClassVar[int] = 1  # attributes

    params: Any

    def people(self, original: Table) -> People:
        """Return the respondents; raises `ParameterError` for too few records or attributes."""
        self.require_support(original)
        where = f"measure {self.name}"
        if len(original) < FEWEST:
            advice = "Half of the people have to teach something."
            raise ParameterError(Fault(where, f"{len(original)} records", f"at least {FEWEST}", advice))
        if len(original.schema) < self.fewest:
            given, wanted = f"{len(original.schema)} attribute", f"at least {self.fewest} attributes"
            raise ParameterError(Fault(where, given, wanted))
        classes = classes_of(original, self.params.bins)
        return People(original.schema.names, classes, np.ascontiguousarray(classes.of(original)), self.params.seed)
