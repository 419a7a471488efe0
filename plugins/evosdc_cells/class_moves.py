"""Moves that keep classes of records alike: for searches under constraints such as k-anonymity.

A file in which every record is like two others has no small change of one cell that leaves it so.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Microdata
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.record_moves import Genes, RecordMoves

ATTEMPTS = 10
"""Values, or partners, that are looked at before a move is given up."""

LOOKED_AT = 16
"""Records of which the nearest is a partner."""

CLASS_MOVES = ("class-value", "class-restoration", "class-adoption", "class-exchange")

Change = tuple[Rows, Genes]
"""Positions of the records that change, and these records; they may equal what they were."""


class ClassMoves:
    """Changes of whole records and of classes, the records with the same genes.

    ``class-value``: all records of a class get another value of one attribute. ``class-restoration``: those of them
    with the same original value get that. ``class-adoption``: a record becomes as one of another class. ``class-
    exchange``: two records change places, so that no class becomes smaller. Partners are near, and equal in the
    quasi-identifiers that are not masked: by these classes are told apart as well.

    Parameters
    ----------
    microdata : Microdata
    original : ndarray of int64, shape (n, V)
        The genes of the original.
    domain : CellDomain
    record_moves : RecordMoves
        Make other values.
    rules : GeneRules, optional
        Moves that would break one are not made.
    """

    def __init__(
        self,
        microdata: Microdata,
        original: Genes,
        domain: CellDomain,
        record_moves: RecordMoves,
        rules: GeneRules | None,
    ) -> None:
        schema = microdata.table.schema
        fixed = [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in microdata.protect]
        self._peers = equivalence_classes(key_codes(microdata.table, fixed))
        self._original, self._free, self._record_moves, self._rules = original, domain.free, record_moves, rules
        numeric = domain.coding.reach.astype(np.float64)
        # By these a difference is taken to be a share of the attribute; categories without order differ or not.
        self._ordered = np.concatenate([domain.ordinal[: len(domain.ordinal) - len(numeric)], numeric > 0])
        self._widths = np.maximum(
            np.concatenate([domain.categories[: len(domain.categories) - len(numeric)], numeric]), 1
        )

    def change(self, genes: Genes, row: int, kind: str, rng: np.random.Generator) -> Change | None:
        """Return what a move of one kind changes in a file; None where it was not possible."""
        moves: dict[str, Callable[[Genes, int, np.random.Generator], Change | None]] = {
            "class-value": self._value,
            "class-restoration": self._restoration,
            "class-adoption": self._adoption,
            "class-exchange": self._exchange,
        }
        return moves[kind](genes, row, rng)

    def _value(self, genes: Genes, row: int, rng: np.random.Generator) -> Change | None:
        members, record = _members(genes, row), genes[row]
        for _ in range(ATTEMPTS):
            place = int(rng.random() * len(self._free))
            attribute = int(self._free[place])
            # A value that one of them had is mostly near; any other keeps all files within reach.
            value = int(self._original[members[int(rng.random() * len(members))], attribute])
            if value == record[attribute] or rng.random() < 0.5:
                value = self._record_moves.another(record, row, place, rng)[attribute]
            if value != record[attribute]:
                change = self._with(genes, members, attribute, value)
                if change is not None:
                    return change
        return None

    def _restoration(self, genes: Genes, row: int, rng: np.random.Generator) -> Change | None:
        members = _members(genes, row)
        original = self._original[members]
        places, columns = (original != genes[row]).nonzero()
        for _ in range(ATTEMPTS if len(places) else 0):
            chosen = int(rng.random() * len(places))
            attribute = int(columns[chosen])
            value = int(original[places[chosen], attribute])
            change = self._with(genes, members[original[:, attribute] == value], attribute, value)
            if change is not None:
                return change
        return None

    def _with(self, genes: Genes, rows: Rows, attribute: int, value: int) -> Change | None:
        """Return records with another value, unless a rule is broken by it."""
        records = genes[rows]
        records[:, attribute] = value
        return self._in_order(rows, records)

    def _adoption(self, genes: Genes, row: int, rng: np.random.Generator) -> Change | None:
        for _ in range(ATTEMPTS):
            other = self._partner(genes, row, rng)
            if other is None:
                return None
            change = self._in_order(np.array([row], dtype=np.intp), genes[[other]])
            if change is not None:
                return change
        return None

    def _exchange(self, genes: Genes, row: int, rng: np.random.Generator) -> Change | None:
        for _ in range(ATTEMPTS):
            other = self._partner(genes, row, rng)
            if other is None:
                return None
            change = self._in_order(np.array([row, other], dtype=np.intp), genes[[other, row]])
            if change is not None:
                return change
        return None

    def _in_order(self, rows: Rows, records: Genes) -> Change | None:
        """Return a change, or None where it breaks a rule."""
        if self._rules is not None and self._rules.broken(records, rows).any():
            return None
        return rows, records

    def _partner(self, genes: Genes, row: int, rng: np.random.Generator) -> int | None:
        """Return the nearest of some records of other classes that agree in what is not masked."""
        group = self._peers.of[row]
        first, last = self._peers.starts[group : group + 2].tolist()
        drawn = self._peers.members[first + (rng.random(LOOKED_AT) * (last - first)).astype(np.int64)]
        own, theirs = genes[row], genes[drawn]
        apart = own != theirs
        both = (own != MISSING) & (theirs != MISSING)
        shares = np.where(self._ordered & both, np.abs(own - theirs) / self._widths, apart)
        distances = np.where(apart.any(axis=1), shares.sum(axis=1), np.inf)
        nearest = int(distances.argmin())
        return int(drawn[nearest]) if np.isfinite(distances[nearest]) else None


def _members(genes: Genes, row: int) -> NDArray[np.intp]:
    """Return the records with the same genes as one of them."""
    members: NDArray[np.intp] = np.flatnonzero((genes == genes[row]).all(axis=1))
    return members
