"""Another valid value of one cell, as mutation draws it."""

from dataclasses import dataclass

import numpy as np

from evosdc.table.table import MISSING
from evosdc_cells.domain import CellDomain
from evosdc_cells.gray import flipped


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
