"""Columns of the program: a set of original categories that is published as one category."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from evosdc_limit.attribute import Floats, Integers
from evosdc_limit.objective import Objective


@dataclass
class Columns:
    """The columns of one attribute that the restricted program knows; they only ever become more.

    Column j stands for a share of the records that publish category ``published[j]`` and come, in equal parts, from
    ``sizes[j]`` original categories, which are listed in `members` one column after the other.

    Parameters
    ----------
    objective : Objective
    attribute : int
        Position of the attribute.
    """

    objective: Objective
    attribute: int
    published: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sizes: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    members: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    losses: Floats = field(default_factory=lambda: np.empty(0))
    risks: Floats = field(default_factory=lambda: np.empty(0))
    _known: set[tuple[int, bytes]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with what leaves every category as it is, so that the program has a solution."""
        terms = self.objective.attributes[self.attribute]
        places = np.searchsorted(terms.published, terms.originals)
        self.add((int(b), np.array([a], dtype=np.int64)) for a, b in enumerate(places))

    def __len__(self) -> int:
        return len(self.published)

    def add(self, found: Iterable[tuple[int, Integers]]) -> int:
        """Add columns that are new, each a published category and its set by position; return how many those were."""
        terms = self.objective.attributes[self.attribute]
        new: list[tuple[int, Integers]] = []
        for published, members in found:
            ordered = np.sort(members)
            key = (published, ordered.tobytes())
            if key not in self._known:
                self._known.add(key)
                new.append((published, ordered))
        if not new:
            return 0
        published = np.array([b for b, _ in new], dtype=np.int64)
        sizes = np.array([len(S) for _, S in new], dtype=np.int64)
        members = np.concatenate([S for _, S in new])
        of = np.repeat(np.arange(len(new)), sizes)
        distances = np.bincount(of, terms.distances[published[of], members], len(new)) / sizes
        v = self.attribute
        losses = self.objective.distance_cost * distances + self.objective.set_losses(v)[sizes - 1]
        self.published = np.concatenate([self.published, published])
        self.sizes = np.concatenate([self.sizes, sizes])
        self.members = np.concatenate([self.members, members])
        self.losses = np.concatenate([self.losses, losses])
        self.risks = np.concatenate([self.risks, self.objective.set_risks(v)[sizes - 1]])
        return len(new)

    @property
    def owners(self) -> Integers:
        """The column of each entry of `members`."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def channel(self, masses: Floats) -> Floats:
        """Return the shares of records by original and published category, shape (A, B), that masses stand for."""
        terms = self.objective.attributes[self.attribute]
        joint = np.zeros((len(terms.originals), len(terms.published)))
        owners = self.owners
        np.add.at(joint, (self.members, self.published[owners]), (masses / self.sizes)[owners])
        return joint
