"""Moves that keep classes of records alike: for searches under constraints such as k-anonymity.

A file in which every record is like two others has no small change of one cell that leaves it so.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Microdata
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.schema import Role
from evosdc.table.table import MISSING
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.file_blocks import Draft
from evosdc_cells.mutation import Mutation

ATTEMPTS = 10
"""Values, or partners, that are looked at before a move is given up."""

LOOKED_AT = 16
"""Records of which the nearest is a partner."""

CLASS_MOVES = ("class-value", "class-restoration", "class-adoption", "class-exchange")

Genes = NDArray[Any]


class ClassMoves:
    """Changes of whole records and of classes, the records with the same genes.

    ``class-value``: all records of a class get another value of one attribute. ``class-restoration``: those of them
    with the same original value get that. ``class-adoption``: a record becomes as one of another class. ``class-
    exchange``: two records change places, so that no class becomes smaller. Partners are near, and equal in the
    quasi-identifiers that are not masked: by these classes are told apart as well.

    Parameters
    ----------
    microdata : Microdata
    original : ndarray of int, shape (n, V)
        The genes of the original.
    domain : CellDomain
    mutation : Mutation
    rules : GeneRules, optional
        Moves that would break one are not made.
    """

    def __init__(
        self, microdata: Microdata, original: Genes, domain: CellDomain, mutation: Mutation, rules: GeneRules | None
    ) -> None:
        schema = microdata.table.schema
        fixed = [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in microdata.protect]
        self._peers = equivalence_classes(key_codes(microdata.table, fixed))
        self._original, self._free, self._mutation, self._rules = original, domain.free, mutation, rules
        numeric = domain.coding.reach.astype(np.float64)
        # By these a difference is taken to be a share of the attribute; categories without order differ or not.
        self._ordered = np.concatenate([domain.ordinal[: len(domain.ordinal) - len(numeric)], numeric > 0])
        self._widths = np.maximum(
            np.concatenate([domain.categories[: len(domain.categories) - len(numeric)], numeric]), 1
        )

    def changed(self, genes: Genes | Draft, row: int, kind: str, rng: np.random.Generator) -> bool:
        """Make a move in place; return whether it was possible."""
        moves: dict[str, Callable[[Genes | Draft, int, np.random.Generator], bool]] = {
            "class-value": self._valued,
            "class-restoration": self._restored,
            "class-adoption": self._adopted,
            "class-exchange": self._exchanged,
        }
        return moves[kind](genes, row, rng)

    def _valued(self, genes: Genes | Draft, row: int, rng: np.random.Generator) -> bool:
        members = _members(genes, row)
        for _ in range(ATTEMPTS):
            attribute = int(self._free[int(rng.random() * len(self._free))])
            before = int(genes[row, attribute])
            # A value that one of them had is mostly near; any other keeps all files within reach.
            value = int(self._original[members[int(rng.random() * len(members))], attribute])
            if value == before or rng.random() < 0.5:
                value = self._mutation.mutant(attribute, before, rng)
            if value != before and self._set(genes, members, attribute, value):
                return True
        return False

    def _restored(self, genes: Genes | Draft, row: int, rng: np.random.Generator) -> bool:
        members = _members(genes, row)
        original = self._original[members]
        places, columns = (original != genes[row]).nonzero()
        for _ in range(ATTEMPTS if len(places) else 0):
            chosen = int(rng.random() * len(places))
            attribute = int(columns[chosen])
            value = int(original[places[chosen], attribute])
            if self._set(genes, members[original[:, attribute] == value], attribute, value):
                return True
        return False

    def _set(self, genes: Genes | Draft, members: NDArray[np.intp], attribute: int, value: int) -> bool:
        """Give records of one class a value, unless a rule is broken by it."""
        before = genes[members[0], attribute]
        genes[members, attribute] = value
        if self._breaks(genes, members.tolist()):
            genes[members, attribute] = before
            return False
        return True

    def _adopted(self, genes: Genes | Draft, row: int, rng: np.random.Generator) -> bool:
        before = genes[row].copy()
        for _ in range(ATTEMPTS):
            other = self._partner(genes, row, rng)
            if other is None:
                return False
            genes[row] = genes[other]
            if not self._breaks(genes, [row]):
                return True
            genes[row] = before
        return False

    def _exchanged(self, genes: Genes | Draft, row: int, rng: np.random.Generator) -> bool:
        for _ in range(ATTEMPTS):
            other = self._partner(genes, row, rng)
            if other is None:
                return False
            pair = [row, other]
            genes[pair] = genes[pair[::-1]]
            if not self._breaks(genes, pair):
                return True
            genes[pair] = genes[pair[::-1]]
        return False

    def _breaks(self, genes: Genes | Draft, rows: Sequence[int]) -> bool:
        return self._rules is not None and any(self._rules.breaks(genes, row) for row in rows)

    def _partner(self, genes: Genes | Draft, row: int, rng: np.random.Generator) -> int | None:
        """Return the nearest of some records of other classes that agree in what is not masked."""
        group = self._peers.of[row]
        first, last = self._peers.starts[group : group + 2].tolist()
        drawn = self._peers.members[first + (rng.random(LOOKED_AT) * (last - first)).astype(np.int64)]
        own, theirs = genes[row].astype(np.int64), genes[drawn].astype(np.int64)
        apart = own != theirs
        both = (own != MISSING) & (theirs != MISSING)
        shares = np.where(self._ordered & both, np.abs(own - theirs) / self._widths, apart)
        distances = np.where(apart.any(axis=1), shares.sum(axis=1), np.inf)
        nearest = int(distances.argmin())
        return int(drawn[nearest]) if np.isfinite(distances[nearest]) else None


def _members(genes: Genes | Draft, row: int) -> NDArray[np.intp]:
    """Return the records with the same genes as one of them."""
    members: NDArray[np.intp] = np.flatnonzero((np.asarray(genes) == genes[row]).all(axis=1))
    return members
