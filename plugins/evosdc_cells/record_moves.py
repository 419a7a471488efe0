"""Changes of single records in place: what mutation and the moves of a local search are made of."""

from functools import cached_property

import numpy as np

from evosdc.model import Microdata
from evosdc_cells.class_moves import CLASS_MOVES, ClassMoves
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.exchange import Partners
from evosdc_cells.file_blocks import Draft
from evosdc_cells.files import Genes
from evosdc_cells.mutation import Mutation

RECORD_MOVES = ("value", "restoration", "adoption", "exchange")


class RecordMoves:
    """Changes of a file, each of one record, or of a class or a partner with it; rules are kept.

    Parameters
    ----------
    microdata : Microdata
    original : ndarray of int, shape (n, V)
        The genes of the original.
    domain : CellDomain
        At least one attribute is free to change.
    mutation : Mutation
    rules : GeneRules, optional
    """

    def __init__(
        self, microdata: Microdata, original: Genes, domain: CellDomain, mutation: Mutation, rules: GeneRules | None
    ) -> None:
        self._microdata, self._original, self._domain = microdata, original, domain
        self._mutation, self._rules = mutation, rules
        self._free: list[int] = domain.free.tolist()

    def vary(self, genes: Genes | Draft, row: int, attribute: int, rng: np.random.Generator) -> None:
        """Change one cell in place; where rules leave it no other value, the next one of its record that has one."""
        if self._rules is None:
            genes[row, attribute] = self._mutation.mutant(attribute, int(genes[row, attribute]), rng)
            return
        first = self._free.index(attribute)
        for other in (*self._free[first:], *self._free[:first]):
            if self._mutation.within(self._rules, genes, row, other, rng):
                return

    def make(self, genes: Genes | Draft, row: int, kind: str, rng: np.random.Generator) -> None:
        """Make a move in place: one of `RECORD_MOVES` or `CLASS_MOVES`, as `evosdc_cells.cells.Cells.move` tells."""
        if kind == "exchange" and self._exchanged(genes, row, rng):
            return
        if kind in CLASS_MOVES:
            before = genes[row].copy()
            if self._class_moves.changed(genes, row, kind, rng):
                return
            genes[row] = before
        elif kind == "restoration":
            columns = (genes[row] != self._original[row]).nonzero()[0]
            if len(columns):
                column = columns[int(rng.integers(len(columns)))]
                before = genes[row, column]
                genes[row, column] = self._original[row, column]
                if self._rules is None or not self._rules.breaks(genes, row):
                    return
                genes[row, column] = before
        elif kind == "adoption":
            before, other = genes[row].copy(), genes[int(rng.integers(len(genes)))]
            if (other != before).any():
                genes[row] = other
                if self._rules is None or not self._rules.breaks(genes, row):
                    return
                genes[row] = before
        self.vary(genes, row, self._free[int(rng.integers(len(self._free)))], rng)

    def _exchanged(self, genes: Genes | Draft, row: int, rng: np.random.Generator) -> bool:
        """Exchange one value of a record in place; return whether that was possible."""
        attribute = self._free[int(rng.random() * len(self._free))]
        pair = self._partners.exchange(genes, row, attribute, rng)
        if self._rules is not None and any(self._rules.breaks(genes, place) for place in pair):
            genes[pair, attribute] = genes[pair[::-1], attribute]
            return False
        return bool(pair)

    @cached_property
    def _partners(self) -> Partners:
        return Partners(self._original)

    @cached_property
    def _class_moves(self) -> ClassMoves:
        return ClassMoves(self._microdata, self._original, self._domain, self._mutation, self._rules)
