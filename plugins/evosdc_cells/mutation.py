"""Another valid value of one cell, as mutation draws it."""

from dataclasses import dataclass

import numpy as np

from evosdc.table.table import MISSING
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.file_blocks import Draft
from evosdc_cells.files import Genes
from evosdc_cells.gray import flipped

ATTEMPTS = 20
"""Draws of a file, or of a number, before a change that breaks a rule is given up."""


@dataclass(frozen=True, eq=False)
class Mutation:
    """How a cell gets another value.

    Parameters
    ----------
    domain : CellDomain
    categorical : int
        Number of categorical attributes, which come first.
    steps : bool
        Whether ordinal cells move to a neighbouring category only.
    gray : bool
        Whether a number flips one bit of its Gray code; else a normal step is added.
    spread : float
        Standard deviation of such a step, in those of the attribute.
    """

    domain: CellDomain
    categorical: int
    steps: bool
    gray: bool
    spread: float

    def mutant(self, attribute: int, code: int, rng: np.random.Generator) -> int:
        """Return another valid code of a cell."""
        if attribute < self.categorical:
            draw = self.domain.neighbour if self.steps else self.domain.other
            return int(draw(attribute, code, rng))
        coding, j = self.domain.coding, attribute - self.categorical
        reach = int(coding.reach[j])
        if code == MISSING:
            return reach + int(rng.integers(reach + 1))
        if reach == 0 or (coding.missing[j] > 0 and rng.random() < coding.missing[j]):
            return MISSING if coding.missing[j] > 0 else code
        # Only values of the original's range are reached, also from a value outside it.
        inside = min(max(code - reach, 0), reach)
        if self.gray:
            return reach + flipped(inside, reach.bit_length(), reach, rng)
        size = max(1.0, abs(rng.normal(0.0, self.spread * coding.deviation[j])))
        step = round(size) if rng.random() < 0.5 else -round(size)
        moved = min(max(inside + step, 0), reach)
        return int(reach + (moved if moved != inside else min(max(inside - step, 0), reach)))

    def within(
        self, rules: GeneRules, genes: Genes | Draft, row: int, attribute: int, rng: np.random.Generator
    ) -> bool:
        """Change one cell in place so that its record keeps all rules; return whether that was possible."""
        before = int(genes[row, attribute])
        if attribute < self.categorical:
            fitting = rules.fitting(genes, row, attribute)
            fitting[before] = False
            fitting[int(self.domain.sizes[attribute]) :] = False
            if self.steps and self.domain.ordinal[attribute] and before != MISSING:
                fitting[: max(before - 1, 0)] = fitting[before + 2 :] = False
            values = fitting.nonzero()[0]
            if not len(values):
                return False
            drawn = int(values[int(rng.random() * len(values))])
            genes[row, attribute] = MISSING if drawn == self.domain.categories[attribute] else drawn
            return True
        for _ in range(ATTEMPTS):
            genes[row, attribute] = self.mutant(attribute, before, rng)
            if not rules.breaks(genes, row, attribute):
                return True
        genes[row, attribute] = before
        return False
