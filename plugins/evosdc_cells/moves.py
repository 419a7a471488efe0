"""The small changes of a file that a local search tries, dozens at once."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Microdata
from evosdc_cells.class_moves import CLASS_MOVES, ClassMoves
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.files import File, FileBlocks
from evosdc_cells.record_moves import KINDS, VALUE, Genes, Made, RecordMoves

BLOCK = 1000
"""Of so many records one is changed by a move of several records."""

DONE = -1
"""Marks the place of a class move that has been made."""


class Moves:
    """Draws the records that moves are made at, and makes them.

    Parameters
    ----------
    microdata : Microdata
    original : ndarray of int64, shape (n, V)
        The genes of the original.
    domain : CellDomain
        At least one attribute is free to change.
    records : RecordMoves
    rules : GeneRules, optional
    """

    def __init__(
        self, microdata: Microdata, original: Genes, domain: CellDomain, records: RecordMoves, rules: GeneRules | None
    ) -> None:
        self._microdata, self._original, self._domain = microdata, original, domain
        self._records, self._rules = records, rules
        # A class that cannot be moved has a value changed instead.
        self._codes = dict.fromkeys(CLASS_MOVES, VALUE)
        for code, kind in enumerate(KINDS):
            self._codes |= {kind: code, f"{kind}s": code + len(KINDS)}
        self._drafted: tuple[FileBlocks, Genes] | None = None

    def made(
        self,
        g: File,
        kinds: Sequence[str],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Made:
        """Return what children change, ascending by their keys; the parameters are those of `Cells.moved`."""
        genes, n, free = self._draft(g), len(self._original), len(self._domain.free)
        codes = np.array([self._codes[kind] for kind in kinds], dtype=np.int64)
        repeats = np.where(codes < len(KINDS), 1, n // BLOCK)
        drawn = rng.random((2, int(repeats.sum())))
        rows = (drawn[0] * n).astype(np.int64)
        if through is not None:
            weighed = np.array(costly, dtype=np.bool_).repeat(repeats)
            places = through.searchsorted(through[-1] * drawn[0, weighed], "right")
            rows[weighed] = np.minimum(places, n - 1)
        loci, ends = rows * free + (drawn[1] * free).astype(np.int64), repeats.cumsum()
        parts = []
        if not set(CLASS_MOVES).isdisjoint(kinds):
            for child in [place for place, kind in enumerate(kinds) if kind in CLASS_MOVES]:
                change = self._class_moves.change(genes, int(rows[ends[child] - 1]), kinds[child], rng)
                if change is not None:
                    at, records = change
                    parts.append(Made(child * n + at, genes[at], records))
                    loci[ends[child] - 1] = DONE
            ends, loci = (loci != DONE).cumsum()[ends - 1], loci[loci != DONE]
        parts.append(self._records.made(genes, codes % len(KINDS), ends, loci, rng))
        made = parts[0] if len(parts) == 1 else Made(*map(np.concatenate, zip(*parts, strict=True)))
        order = made.keys.argsort()
        return Made(*(array.take(order, axis=0) for array in made))

    @cached_property
    def _class_moves(self) -> ClassMoves:
        return ClassMoves(self._microdata, self._original, self._domain, self._records, self._rules)

    def _draft(self, g: File) -> Genes:
        """Return a copy of a file that kernels change and set back; that of a large file is kept for the next call."""
        if not isinstance(g, FileBlocks):
            return g.astype(np.int64)
        # An interrupted update leaves no draft, since it would be inconsistent.
        drafted, self._drafted = self._drafted, None
        if drafted is None:
            draft = np.asarray(g, dtype=np.int64)
        else:
            known, draft = drafted
            size = len(g.blocks[0])
            for place in g.differing(known).tolist():
                draft[place * size : (place + 1) * size] = g.blocks[place]
        self._drafted = g, draft
        return draft
